# All of dieharder for every generator: "make stat-full".
#
# usage: sh bench/battery/full.sh BUILDDIR [DESIGN/CIPHER...]
set -e

build=$1
shift
. "$(dirname "$0")/plan.sh"
rngsim=$build/rngsim
tool=$build/rngsim-battery
all=$build/stat-full

names() { "$rngsim" list "$1" | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p'; }

command -v dieharder >/dev/null || {
	echo "stat-full: dieharder is not installed; try \"make stat-full\"" >&2
	exit 1
}
[ $# != 0 ] || set -- $(for d in $(names designs | grep -vx none); do
	for c in $(names ciphers); do echo "$d/$c"; done; done)
threshold=$("$tool" sidak "$family_alpha" $(($# * full_p)))
cat <<END
stat-full: dieharder -a for $# generators: $*
  each reads $full_bytes bytes; with 2 shared CPUs that took $full_minutes minutes,
  all of them so about $(($# * full_minutes / 60 + 1)) hours and $(($# * (full_bytes / 1000000000))) GB through pipes, none on disk
  family error $family_alpha over $(($# * full_p)) p-values, $full_p of each: below $threshold is a
  deviation.  Its p-values lie too close to 1 (see plan.sh), so only small ones
  count; between the threshold and $surely run the test again by hand, once, with
  -p $again_factor times as large and another --seed
END
rm -rf "$all"
mkdir -p "$all"
own=0
status=0
for g; do
	own=$((own + 1))
	out=$all/$(echo "$g" | tr / -)
	"$rngsim" cat -d "${g%/*}" -c "${g#*/}" -r $readers --interleave $grain \
	    -s $dieharder_request_bytes --seed $((seed + own)) |
	    "$tool" count "$out.bytes" | dieharder -g 200 -a -D test_name \
	    -D ntuple -D pvalues >"$out" 2>&1 || :
	sed -n 's/^ *\([a-z0-9_]*\) *| *\([0-9]*\) *| *\([01]\.[0-9]*\).*/\1 \2 \3/p' \
	    "$out" | awk '{ print $3, $0 }' | sort -g >"$out.values"
	got=$(wc -l <"$out.values")
	low=$(awk -v t="$threshold" '$1 + 0 < t + 0' "$out.values")
	echo "$g: $got p-values of $(cat "$out.bytes") bytes, smallest $(head -n 1 "$out.values")"
	[ "$got" -eq "$full_p" ] || {
		echo "  not the $full_p p-values of the plan: see $out"
		status=1
	}
	[ -z "$low" ] || { echo "$low" | sed 's/^/  DEVIATION: /'; status=1; }
done
[ $status != 0 ] ||
	echo "no deviation found with dieharder -a at family error $family_alpha"
exit $status
