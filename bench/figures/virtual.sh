# How long predictions take, with one machine at a time.
#
#	virtual.sh BUILDDIR

rngsim=$1/rngsim

# seconds TEXT ARGUMENT...: runs it and prints the time
seconds() {
	text=$1
	shift
	began=$(date +%s.%N)
	"$rngsim" "$@" --engine virtual -n 1 --seed 1 \
	    -S rngsim.virtual.threads=1 >"$out" || exit 1
	echo "$began $(date +%s.%N)" | awk -v text="$text" \
	    '{ printf "  %-58s %6.1f s\n", text, $2 - $1 }'
}

out=$(mktemp)
trap 'rm -f "$out"' EXIT
echo "predictions, one machine at a time"
kleen='--profile xeon-e7v3-4s-2015 --cpus 144 --nodes 4 -r 144 -t 1'
for lock in ticket mtx mcs; do
	seconds "a second of 4 nodes x 36 CPUs, $lock, 32-byte reads" run \
	    $kleen -l $lock -s 32
done
six='--profile epyc-9654-2s -d concurrent -c chacha20
    -l mtx,ticket,mcs,qspin,cohort,cna -t 0.05 -S rngsim.warmup_ms=20'
seconds '1, 2, 4 to 256 readers, six locks (aim: at most 120)' sweep $six \
    -r 1,2,4,8,16,32,64,96,128,192,256
seconds '1 to 256 readers, each number, six locks' sweep $six -r 1-256
