# The figures of rngsim-figures(7): "make bench".
#
# usage: sh bench/figures/bench.sh BUILDDIR [PART...]
#
# What a part compares it measures in turn.  It prints medians and, in brackets,
# the range of the middle half.  An aim that is not reached changes nothing.
set -e

build=$1
shift
rngsim=$build/rngsim
figures=$build/rngsim-figures
dir=$build/figures
mkdir -p "$dir"

heading() { printf '\n%s: %s\n' "$part" "$*"; }

# cell KEY ARGUMENT...: the first number with that key in the result of a run.
cell() {
	key=$1
	shift
	"$rngsim" run --format json "$@" 2>>"$dir/errors" |
	    sed -n 's/.*"'"$key"'": *\([0-9.e+-]*\).*/\1/p' | head -n 1
}

mb() { cell total_mb_per_s "$@"; }
harvest_cpu() { cell cpu_percent "$@"; }
read_ns() { cell reads_per_s "$@" | awk '{ print 1e9 / $1 }'; }
cpu_ns() {
	"$rngsim" run --format json "$@" | awk '
	    /"reads_per_s"/ { gsub(",", ""); reads = $2 }
	    /"readers_cpu_percent"/ { gsub(",", ""); cpu = $2 }
	    END { print cpu * 1e7 / reads }'
}

# pipe COMMAND...: MB/s that it writes into a pipe.
pipe() {
	{ "$@" 2>/dev/null || :; } | dd bs=128k count=8000 iflag=fullblock \
	    2>&1 >/dev/null |
	    awk '/copied/ { print $1 / 1e6 / $(NF - 3) }'
}

# explored ARGUMENT...: schedules a second.
explored() {
	"$rngsim" explore --schedules 20000 --seed 1 -j 1 "$@" |
	    awk '$3 ~ /^(aes|chacha20)$/ { print $6 }'
}

# seconds ARGUMENT...: of a prediction, one machine at a time.
seconds() {
	began=$(date +%s.%N)
	"$rngsim" "$@" --engine virtual -n 1 --seed 1 \
	    -S rngsim.virtual.threads=1 >"$dir/out"
	echo "$began $(date +%s.%N)" | awk '{ print $2 - $1 }'
}

# mm1 events|customers COMMAND...: millions of them a second.
mm1() {
	unit=$1
	shift
	"$@" | awk -v unit="$unit" '{
	    print (unit == "events" ? $2 : $1) / $3 / 1e6 }'
}

# fill_mb SOURCE SIZE: MB/s of one thread.
fill_mb() {
	bytes=$(($(echo "$2" | sed 's/k$/ * 1024/; s/m$/ * 1048576/')))
	"$figures" fill "$1" 1 "$2" | awk -v n=$bytes '{ print n * 1e3 / $1 }'
}

openssl_hash() {
	openssl speed -elapsed -mr -bytes "$2" -seconds 1 -evp "$1" \
	    2>/dev/null | sed -n 's/^+F:[0-9]*:[^:]*:\([0-9.]*\).*/\1/p' |
	    awk '{ print $1 / 1e6 }'
}

rngsim_hash() {
	"$rngsim" hash -d "$1" -s "$2" -n 1 -t 1 --format csv |
	    awk -F, '$4 == "message" { print $9 }'
}

# beside ROUNDS UNIT <lines "LABEL|COMMAND": runs each command, which prints a
# number, once a round, and prints the numbers and their ratios to the first
# line's of the same round.
beside() {
	cat >"$dir/lines"
	: >"$dir/values"
	round=0
	while [ $round -lt "$1" ]; do
		# Each line is first in every second round.
		sed -n "$([ $((round % 2)) = 0 ] && echo p || echo '1!G;h;$p')" \
		    "$dir/lines" | while IFS='|' read -r label command; do
			echo "$label|$(eval "$command" </dev/null)"
		done >>"$dir/values"
		round=$((round + 1))
	done
	awk -F'|' -v unit="$2" '
	!($1 in n) { name[++names] = $1 }
	{ v[$1, ++n[$1]] = $2 }
	function spread(label, over, fmt,	i, k, t, s, m) {
		m = n[label]
		for (i = 1; i <= m; i++) {
			t = v[label, i] / (over == "" ? 1 : v[over, i])
			for (k = i; k > 1 && s[k - 1] > t; k--)
				s[k] = s[k - 1]
			s[k] = t
		}
		return sprintf(fmt " (" fmt ".." fmt ")", s[int((m + 1) / 2)],
		    s[int((m + 3) / 4)], s[int((3 * m + 3) / 4)])
	}
	END {
		for (i = 1; i <= names; i++)
			print "  " sprintf("%-40s", name[i]) " " \
			    spread(name[i], "", "%.5g") " " unit \
			    (i == 1 ? "" : ", ratio " \
			    spread(name[i], name[1], "%.3f"))
	}' "$dir/values"
}

effect() {
	heading 'AES, 64 KiB reads (aim: with mtx concurrent reads at least 2.5
  times as much as locked and 1.85 times as much as one reader; harvest CPU at
  least 10 % locked, at most 0.5 % concurrent)'
	cpus=$(getconf _NPROCESSORS_ONLN)
	for lock in mtx mtx-spin pthread; do
		a="-l $lock -c aes -s 64k -t 0.5"
		for pair in "locked $cpus concurrent $cpus" \
		    "concurrent 1 concurrent $cpus" "locked 1 locked $cpus"; do
			echo "$pair" | xargs -n 2 | while read -r d r; do
				echo "$lock, $d, $r reader(s)|mb $a -d $d -r $r"
			done | beside 15 MB/s
		done
		for d in locked concurrent; do
			echo "$lock, $d: harvest CPU|harvest_cpu $a -d $d" \
			    "-r $cpus"
		done | beside 15 %
	done
}

profiling() {
	heading 'lock profiling, --crypto native, 1 reader (aim: at least 0.98)'
	for c in aes chacha20; do for s in 4k 64k; do
		a="mb --crypto native -r 1 -t 0.3 -c $c -s $s"
		for v in enable=0 skipcount=0 skipcount=15; do
			echo "$c, $s, $v|$a -S debug.lock.prof.$v"
		done | beside 15 MB/s
	done; done
}

designs() {
	heading 'ns of a small read over hybrid (aim: above 1)'
	for c in aes chacha20; do for r in 1 2; do for s in 16 32 64; do
		for d in hybrid locked concurrent; do
			echo "$c, $r reader(s), $s B, $d|read_ns -d $d -c $c" \
			    "-r $r -s $s -t 0.1"
		done | beside 15 ns
	done; done; done
	heading 'all designs; predicted with as many readers as CPUs, and measured'
	all="-d $("$rngsim" list designs | awk 'NR > 1 && $1 != "none" {
	    printf "%s%s", n++ ? "," : "", $1 }') -c chacha20 -s 32,4k"
	for cpus in 1 4 16 64; do
		"$rngsim" sweep $all -r $cpus -n 3 -t 0.2 --engine virtual \
		    --profile epyc-9654-2s --seed 1 --cpus $cpus \
		    --nodes $((cpus >= 16 ? 2 : 1))
	done
	"$rngsim" sweep $all -r 1,2 -n 7 -t 0.5
}

hash() {
	heading '"rngsim hash" over "openssl speed" (aim: 0.90 to 1.10)'
	for name in md5 sha1 sha256 sha512 sha3-256 blake2b-512 ripemd160; do
		for size in 16 256 8192; do
			evp=$(echo $name | sed 's/blake2b-/blake2b/')
			echo "openssl speed, $name, $size|openssl_hash $evp" \
			    "$size
			rngsim hash, $name, $size|rngsim_hash $name $size" |
			    sed 's/^	*//' | beside 7 MB/s
		done
	done
}

explore() {
	heading 'schedules a second of one thread'
	for d in locked concurrent; do for l in mtx ticket; do
		echo "$d, $l|explored -d $d -l $l"
	done; done | beside 9 schedules/s
}

ledger() {
	heading 'CPU time of a 4 KiB read with a ledger (aim: at most 1.05)'
	for m in kernel native; do for d in locked concurrent; do
	for c in aes chacha20; do for r in 1 2; do
		a="cpu_ns --crypto $m -d $d -c $c -r $r -s 4k -t 0.1"
		printf '%s|%s\n' "$m, $d, $c, $r reader(s)" "$a" \
		    "  with a ledger" "$a --ledger" | beside 15 ns
	done; done; done; done
}

cat_() {
	heading 'rngsim cat into a pipe (aim: at least 0.8 of openssl enc)'
	{
		echo 'openssl enc|pipe openssl enc -aes-256-ctr -in /dev/zero' \
		    '-iv 0 -K 0102030405060708'
		for a in '-c aes' '-c chacha20' '-c aes -r 4' \
		    '-c chacha20 -r 4' '-d locked -c aes -r 4'; do
			echo "cat $a|pipe $rngsim cat $a"
		done
	} | beside 15 MB/s
}

predictions() {
	heading 'seconds that predictions take'
	kleen='run --profile xeon-e7v3-4s-2015 --cpus 144 --nodes 4 -r 144 -t 1'
	six='sweep --profile epyc-9654-2s -d concurrent -c chacha20
	    -l mtx,ticket,mcs,qspin,cohort,cna -t 0.05 -S rngsim.warmup_ms=20'
	for lock in ticket mtx mcs; do
		echo "1 s of 4 x 36 CPUs, $lock, 32 B: $(seconds $kleen \
		    -l $lock -s 32) s"
	done
	echo "1, 2, 4 to 256 readers, six locks (aim: at most 120):" \
	    "$(seconds $six -r 1,2,4,8,16,32,64,96,128,192,256) s"
	echo "1 to 256 readers, each number, six locks:" \
	    "$(seconds $six -r 1-256) s"
}

# twins: a program that also has concurrent under other names, and slower by
# some percent.
twins() {
	rm -rf "$dir/twins"
	mkdir "$dir/twins"
	cp -R Makefile VERSION .ci lib fortuna harvest bench tests man \
	    "$dir/twins"
	for percent in 0 1 3; do
		name=slower$percent
		sed -e "s/random_fortuna_read_concurrent(struct/read_it(struct/
		    s/^void/static &/
		    s/= random_fortuna_read_concurrent/= read_it/
		    s/M(concurrent)/M($name)/; s/= \"concurrent\"/= \"$name\"/
		    s/size_t n;/&\nuint64_t start = machine_cycles(), used;/
		    s/fortuna_private_fini/used = machine_cycles() - start;\n\
		    while (machine_cycles() - start <\n\
		    used * (100 + $percent) \/ 100)\ncontinue;\n&/" \
		    fortuna/gen_concurrent.c \
		    >"$dir/twins/fortuna/gen_$name.c"
	done
	make -C "$dir/twins" >"$dir/out" 2>&1
	twins=$dir/twins/build/rngsim
}

# loaded COMMAND...: beside a load that comes and goes.
loaded() {
	while :; do
		openssl speed -seconds $((1 + $(date +%s) % 5)) -bytes 65536 \
		    -evp aes-256-ctr >/dev/null 2>&1
		sleep $((1 + $(date +%s) % 4))
	done &
	load=$!
	"$@"
	kill $load
	wait $load 2>/dev/null || :
}

# judged OPTION...: a sweep of two designs, and what compare says of totals.
judged() {
	"$twins" sweep -S rngsim.sweep.controls=0 -o "$dir/pairs.json" "$@" \
	    >"$dir/out" 2>>"$dir/errors"
	"$twins" compare "$dir/pairs.json" --by design --base concurrent \
	    -q total_mb_per_s --margin 0 --format csv >"$dir/rows" ||
	    [ $? = 1 ]
	awk -F, 'NR == 1 { while ($(++c) != "change_percent");
	    while ($(++v) != "verdict"); next }
	    { print $c, $(c + 1), $(c + 2), $v }' "$dir/rows"
}

# tally: lines of judged, counted.
tally() {
	awk '{ n[$4 $5]++; m++; w += $3 - $2; out += $2 > 0 || $3 < 0 } END {
	    for (v in n) print "  " v ": " n[v] " of " m
	    print "  intervals without 0: " out
	    if (m > 0) print "  their mean width: " w / m " %" }'
}

# levels: of a sweep's CSV, lines "DESIGN KEY NUMBER".
levels() {
	"$rngsim" sweep --format csv -n 1 -S rngsim.sweep.controls=0 \
	    -c chacha20 -r 2 -s 4k -t 0.5 "$@" 2>>"$dir/errors" | awk -F, \
	    -v keys='^(total_mb_per_s|latency_p(50|99)_ns|harvest_cpu_percent)$' '
	NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
	{ for (i = 1; i <= NF; i++) if (name[i] ~ keys)
	    print $2, name[i], $i }'
}

# Ratios of neighbours in time; the interval is of order statistics, 95 %.
slices() {
	heading 'a cell in slices over the same cell alone, 2 readers, 4 KiB,
  median ratio of 15 rounds and its interval (aim: 0.98 to 1.02)'
	for round in $(seq 15); do
		for lock in $("$rngsim" list locks | awk 'NR > 2 &&
		    $1 != "none" { print $1 }'); do
			for designs in $([ $((round % 2)) = 0 ] &&
			    echo locked,concurrent locked concurrent ||
			    echo concurrent locked locked,concurrent); do
				levels -l "$lock" -d $designs |
				    sed "s/^/$round $designs $lock /"
			done
		done
	done >"$dir/levels"
	awk '
	$2 ~ /,/ { sliced[$1, $3, $4, $5] = $6; next }
	{ alone[$1, $3, $4, $5] = $6 }
	END {
		for (k in alone) if (alone[k] > 0 && k in sliced) {
			split(k, f, SUBSEP)
			r = sliced[k] / alone[k]
			print f[3], f[4], f[2], r
			print f[3], f[4], "all", r
		}
	}' "$dir/levels" | sort -k1,3 -k4g | awk '
	function flush() {
		if (n == 0)
			return
		lo = int((n + 1) / 2 - 0.98 * sqrt(n))
		lo = lo < 1 ? 1 : lo
		printf "  %-45s %.3f (%.3f..%.3f)\n", k,
		    v[int((n + 1) / 2)], v[lo], v[n + 1 - lo]
	}
	k != $1 " " $2 " " $3 { flush(); n = 0; k = $1 " " $2 " " $3 }
	{ v[++n] = $4 }
	END { flush() }'
}

verdict() {
	twins
	heading 'a design beside itself under a changing load, 200 comparisons
  (aim: at most 5 % of them better or worse, at most 2 % refused)'
	for i in 1 2 3 4 5 6 7 8 9 10; do
		loaded judged -d concurrent,slower0 -r 1,2 -s 32,1k,4k,16k,64k \
		    -n 5 -t 0.2 --seed $i
	done | tally
	heading '3 % slower, 20 s each, likewise (aim: 18 of 20 worse, in 60 s;
  none better)'
	for i in $(seq 20); do
		loaded judged -d concurrent,slower3 -c chacha20 \
		    -r $((1 + i % 2)) -n 20 -t 0.5
	done | tally
	heading '1 % slower, 300 s each, likewise (aim: worse)'
	for i in 1 2 3; do
		loaded judged -d concurrent,slower1 -c chacha20 \
		    -r $((1 + i % 2)) -n 300 -t 0.5
	done | tally
	heading 'seconds to analyse 200 cells (aim: less than 5)'
	"$rngsim" sweep -r 1-5 -s 4k,64k -l mtx,mtx-spin,pthread,futex,mcs \
	    -n 5 -t 0.03 -S rngsim.warmup_ms=10 -o "$dir/large.json" \
	    >"$dir/out"
	start=$(date +%s)
	"$rngsim" compare "$dir/large.json" "$dir/large.json" >"$dir/out" ||
	    [ $? = 1 ]
	"$rngsim" report "$dir/large.json" --usl >"$dir/out"
	"$rngsim" report "$dir/large.json" --plot "$dir/large.png"
	echo "  less than $(($(date +%s) - start + 1))"
}

limit() {
	heading "concurrent over libcrypto's own keystream, 1 reader (aim: 0.95
  at 64 KiB and 1 MiB, 0.85 at 4 KiB)"
	for pair in AES-256-CTR:aes ChaCha20:chacha20; do
		for size in 4k 64k 1m; do
			for source in ${pair%:*} ${pair#*:}; do
				echo "$source, $size|fill_mb $source $size"
			done | beside 21 MB/s
		done
	done
}

rivals() {
	cpus=$(getconf _NPROCESSORS_ONLN)
	heading 'ns of a read, all threads together, concurrent under mtx (aim:
  ratios above 1, ours is faster)'
	for threads in 1 $cpus; do for cipher in aes chacha20; do
		for size in 16 32 64 256 1k 4k 64k 1m; do
			for source in $cipher pcpu-$cipher getrandom \
			    arc4random RAND_bytes sodium; do
				echo "$threads thread(s), $size, $source|" \
				    "$figures fill $source $threads $size"
			done | beside 9 ns
		done
	done; done
}

pcpu() {
	heading 'pcpu beside concurrent, predicted (aim: 50 times as much at 64
  readers of 32 bytes, within 0.95 of linear; 64 KiB not below)'
	for machine in epyc-9654-2s:192 xeon-8375c-2s:128 graviton3:64; do
		"$rngsim" sweep -d concurrent,pcpu -c chacha20 -s 32,64k -n 1 \
		    -r 1,4,16,64,${machine#*:} -t 0.05 --engine virtual \
		    --profile ${machine%:*} --seed 1
	done
	heading 'bands of 20 profiles drawn around the first, a reader on each CPU'
	for cpus in 4 16 64 128 256; do
		"$rngsim" sweep -d concurrent,pcpu -c chacha20 -s 32 -n 1 \
		    -r $cpus --cpus $cpus --nodes $((cpus >= 16 ? 2 : 1)) \
		    -t 0.01 -S rngsim.warmup_ms=5 --engine virtual \
		    --profile epyc-9654-2s --seed 1 --uncertainty 20 |
		    sed -n "/^ *$cpus /p"
	done
	heading 'a read of 4 bytes, Neoverse N1 (published: 353 ns by a system call
  of Linux, 30 ns without)'
	for pair in percpu:kernel vdso:native; do
		echo "${pair%:*}, ${pair#*:} cipher|read_ns -d ${pair%:*}" \
		    "--crypto ${pair#*:} -c chacha20 -r 1 -s 4 -t 0.02" \
		    "--engine virtual --profile graviton2 --seed 1"
	done | beside 1 ns
	heading 'a read of 4 KiB, 192 readers, with a reseed and without (aim:
  the longest at most 50 us longer)'
	for design in pcpu cckprng percpu concurrent; do
		for sources in rdrand,interrupt none; do
			"$rngsim" run -d $design -c chacha20 -s 4k -r 192 \
			    -t 0.12 --engine virtual --profile epyc-9654-2s \
			    --seed 1 -S rngsim.harvest.sources=$sources |
			    sed -n "s/^one read */  $design, $sources: /p"
		done
	done
	heading 'measured (aim: at 16 to 64 bytes 1.3 times, at 64 KiB 0.98)'
	"$rngsim" sweep -r 1,2 -n 7 -s 16,32,64,64k -t 0.3 \
	    -d concurrent,pcpu,percpu,vdso,fxrng,cckprng,privctx
}

locks() {
	heading "ns of a lock and unlock, own kinds and the Concurrency Kit's;
  with 2 threads a line is changed inside, 50 ns pass between (aim: ratios of
  at least 0.91, above 1 ours is faster)"
	for threads in $([ "$(getconf _NPROCESSORS_ONLN)" = 1 ] && echo 1 ||
	    echo 1 2); do for pair in tas:ck-fas tas-backoff:ck-fas-eb \
	    ticket:ck-ticket ticket-pb:ck-ticket-pb anderson:ck-anderson \
	    mcs:ck-mcs clh:ck-clh cohort:ck-cohort; do
		for lock in ${pair%:*} ${pair#*:}; do
			echo "$lock, $threads thread(s)|$figures lock $lock" \
			    "$threads"
		done | beside 31 ns
	done; done
}

# speed CPUS AIM LOCK SECONDS...: seconds in which starting threads matters
# little.
speed() {
	cpus=$1
	heading "virtual machine of $cpus CPUs, epyc-9654-2s, one thread per
  CPU, mean 1000 ns between holds of 200 ns (aim: $2 for all locks)"
	shift 2
	{
		echo "all locks|$figures events $cpus \$round $*"
		echo "$@" | xargs -n 2 | while read -r lock time; do
			echo "$lock|$figures events $cpus \$round $lock $time"
		done
	} | beside 9 'million events/s'
}

virtual() {
	speed 4 10 mtx 0.1 tas-backoff 0.1 ticket 0.1 mcs 0.1 cna 0.1 futex 0.1
	speed 1024 4 mtx 0.1 tas-backoff 0.1 ticket 2 mcs 0.4 cna 0.4 futex 0.3
	heading 'memory of a virtual thread, 1023 threads more than one (aim: at
  most 64)'
	echo "$("$figures" memory 1) $("$figures" memory 1024)" |
	    awk '{ printf "  %.1f KiB\n", ($2 - $1) / 1023 / 1024 }'
	python=$build/simpy/bin/python
	$python -c 'import simpy' 2>/dev/null ||
	    { python3 -m venv "$build/simpy" &&
	    $python -m pip install -q simpy; } >"$build/simpy.log" 2>&1 || {
		echo "rngsim: no SimPy; see $build/simpy.log" >&2
		python=
	}
	heading 'an M/M/1 queue at load 0.8, 200,000 customers'
	for unit in events customers; do
		{
			[ -z "$python" ] || echo "SimPy|mm1 $unit $python" \
			    "bench/figures/mm1.py 200000 \$round"
			echo "rngsim|mm1 $unit $figures queue \$round"
		} | beside 9 "million $unit/s"
	done
}

published() {
	heading 'errors of the fit and of what it was not fitted to, median in %'
	python3 bench/figures/published.py "$rngsim" lib/profile "$dir"
}

[ $# != 0 ] || set -- effect limit rivals profiling locks designs hash explore \
    ledger virtual pcpu cat predictions slices verdict
echo "$(uname -srm), $(getconf _NPROCESSORS_ONLN) CPUs," \
    "$("$rngsim" --version), $(date +%Y-%m-%d)"
for part; do
	case $part in
	cat) cat_;;
	*) $part;;
	esac
done
