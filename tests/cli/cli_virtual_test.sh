# Predictions through the program: what asks for them, what they say of
# themselves, and that they are the same again.  Virtual time is short, so that
# cells take milliseconds.

virtual="--engine virtual --profile epyc-9654-2s"
brief="-t 0.01 -S rngsim.warmup_ms=1 --seed 7"

# refused WORDS ARGUMENT...: exit 2 and one line that has all WORDS, "|" between.
refused() {
	words=$1
	shift
	atf_check -s exit:2 -o empty -e save:message "$(program)" "$@"
	[ "$(wc -l <message)" -eq 1 ] || atf_fail "$*: not one line"
	echo "$words" | tr '|' '\n' | while read -r word; do
		grep -Fq -e "$word" message ||
		    atf_fail "$*: no \"$word\" in: $(cat message)"
	done
}

# The values of a key, a line each.
values() {
	sed -n "s/^ *\"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$1"
}

test_case virtual__needs_the_engine "options of simulated machines without" \
    "--engine virtual, and values that are none"
virtual__needs_the_engine_body() {
	for c in run sweep; do
		refused '--cpus|add --engine virtual' $c --cpus 4
		refused '--nodes|add --engine virtual' $c --nodes 2
		refused '--profile|add --engine virtual' $c --profile host
		refused '--verify|add --engine virtual' $c --verify
		refused '--uncertainty|add --engine virtual' $c --uncertainty 10
		refused '--cpus|add --engine virtual' $c --engine real \
		    --cpus 4 --nodes 2
		refused '--engine|"warp"|real or virtual' $c --engine warp
	done
	refused '--cpus|"0"|1..1024' run $virtual --cpus 0
	refused '--cpus|"1025"|1..1024' run $virtual --cpus 1025
	refused '--nodes|"65"|1..64' run $virtual --nodes 65
	refused '--nodes|5|4' run $virtual --cpus 4 --nodes 5
	refused '--uncertainty|"9"|10..1000' run $virtual --uncertainty 9
	refused '--verify|no value' run $virtual --verify=1
	refused '--profile|"nosuch"|epyc-9654-2s|.conf' run --engine virtual \
	    --profile nosuch
	refused '-S|debug.lock.prof.enable' run $virtual \
	    -S debug.lock.prof.enable=0
	refused '--place|CPU 192|0..191' run $virtual --place 0-3,192
	refused '--place|CPU 4|0..3' run $virtual --cpus 4 --place 0/4
	refused '--cpus|lists them' cat --cpus 4
}

test_case virtual__refuses_locks_of_the_host "lock kinds that use the host's" \
    "atomics or threads are refused by name, all others run"
virtual__refuses_locks_of_the_host_body() {
	"$(program)" list locks | sed -n 's/^  \([a-z][a-z0-9-]*\) .*/\1/p' |
	    while read -r lock; do
		case $lock in
		pthread|ck-*)
			refused "-l|\"$lock\"|atomics or threads|mtx|ticket" \
			    run $virtual -l "$lock"
			! grep -q 'expected.*ck-' message ||
			    atf_fail "offers a lock that it refuses";;
		*)
			# The main thread waits for it too, in no time.
			shows predicted run --engine virtual -d concurrent \
			    --profile xeon-e5-2699v4-2s -r 3 -s 32 -t 0.01 \
			    -c chacha20 --seed 1 -l "$lock";;
		esac
	done
}

test_case virtual__bad_profiles "a profile's file, line and key stand in the" \
    "message"
virtual__bad_profiles_body() {
	shipped="$(source_folder)/lib/profile/epyc-9654-2s.conf"
	sed 's/^lat.hit = 1/lat.hit = -1/' "$shipped" >negative.conf
	refused '--profile|negative.conf|lat.hit' run --engine virtual \
	    --profile negative.conf
	grep -v 'pause =' "$shipped" >missing.conf
	refused '--profile|missing.conf' run --engine virtual \
	    --profile missing.conf
	fails 1 'no.conf.*No such file' run --engine virtual --profile ./no.conf
	cp "$shipped" own.conf
	shows 'predicted.* for epyc-9654-2s' run --engine virtual \
	    --profile ./own.conf $brief -r 2
}

test_case virtual__defaults "defaults are the simulated machine's"
virtual__defaults_body() {
	saves r.json run $virtual $brief --cpus 6 --format json
	[ "$(values r.json readers)" = 6 ] || atf_fail "run's readers"
	[ "$(values r.json cpus | tail -n 1)" = 6 ] || atf_fail "cpus"
	saves s.json sweep $virtual $brief --cpus 6 -n 1 -c aes -d locked \
	    -l tas --format json
	[ "$(values s.json readers | tr '\n' ' ')" = "1 2 4 6 " ] ||
	    atf_fail "sweep's readers: $(values s.json readers)"
	# The owner of a lock does not lose its CPU in that profile.
	[ "$(values s.json spin_polls | sort -u)" = 0 ] ||
	    atf_fail "spin_polls is not 0"
	saves s.json sweep $virtual $brief --cpus 6 -n 1 -c aes -d locked \
	    -l tas -r 7 --format json -S rngsim.lock.spin_polls=9
	[ "$(values s.json spin_polls)" = 9 ] || atf_fail "-S is not heeded"
	[ "$(values s.json oversubscribed)" = true ] ||
	    atf_fail "7 readers on 6 CPUs are not too many"
	grep -q '"controls": \[\]' s.json || atf_fail "there are controls"
}

test_case virtual__says_so "no form of a prediction calls it measured, and" \
    "each names the profile"
virtual__says_so_body() {
	saves table.txt sweep $virtual $brief -n 3 -c aes -r 1,4 -o r.json
	for f in csv ministat; do
		saves $f.txt report r.json --format $f
	done
	saves lock-prof.txt report r.json --lock-prof
	for f in table sentences; do
		atf_check -s ignore -o save:compare-$f.txt "$(program)" \
		    compare r.json --by design --format $f
	done
	saves cell.txt run $virtual $brief -n 3 -c aes -r 1 -d locked
	for f in *.txt; do
		grep -q predicted $f || atf_fail "$f: not predicted"
		! grep -q measured $f || atf_fail "$f: measured"
		tr -d '\n' <$f | sed 's/  *//g' | grep -q epyc-9654-2s ||
		    atf_fail "$f: no profile"
	done
	for f in *.txt; do
		# As a column of its own, and in a column's name.
		case $f in
		csv.txt) share=',guessed_share,' ;;
		*) share='[0-9.]+ % of its values guessed' ;;
		esac
		tr -d '\n' <$f | tr -s ' ' |
		    grep -Eq -- "$share" ||
		    atf_fail "$f: no share of guessed values"
	done
	for k in profile guessed_share cpus nodes virtual_events trace_hash; do
		[ -n "$(values r.json $k)" ] || atf_fail "no key $k"
	done
	saves again.json report r.json --format json
	cmp r.json again.json || atf_fail "report changes the document"
	"$(program)" report r.json --plot p.svg 2>message ||
	    { grep -q 'gnuplot is not installed' message &&
	    atf_skip "no gnuplot"; }
	grep -q 'predicted for epyc-9654-2s' p.svg || atf_fail "the plot"
}

test_case virtual__harvest_model "the header of a table, a comparison and a" \
    "plot names the harvest model, whose default is the newest"
virtual__harvest_model_body() {
	for m in newest 2019; do
		saves $m.txt sweep $virtual $brief -n 1 -c aes -r 4,8 -s 4k \
		    -d concurrent,locked $set -o $m.json
		set='-S rngsim.harvest.model=2019'
	done
	for m in newest 2019; do
		"$(program)" compare $m.json --by design >by.txt
		for f in $m.txt by.txt; do
			tr '\n' ' ' <$f | tr -s ' ' | grep -q \
			    "INVARIANTS [a-z]*, harvest model $m, [0-9]* x" ||
			    atf_fail "$(cat $f)"
		done
		"$(program)" report $m.json --plot $m.svg 2>message ||
		    grep -q 'gnuplot is not installed' message || atf_fail plot
		[ ! -e $m.svg ] || grep -q "$m, [0-9]* x" $m.svg ||
		    atf_fail "the plot of $m"
	done
	"$(program)" compare newest.json 2019.json | tr '\n' ' ' |
	    tr -s ' ' >two.txt
	grep -q 'harvest model (A "newest", B "2019")' two.txt ||
	    atf_fail "$(cat two.txt)"
	# A file of an older program has none.
	sed '/"harvest_model": /d' 2019.json >older.json
	saves older.txt report older.json
	! grep -q 'harvest model' older.txt || atf_fail "$(cat older.txt)"
}

# spaced SOURCE NS EACH COUNT ARGUMENT...: EACH events of a source come together,
# NS after those before; COUNT: all, or N- at least.  A cycle is 125 ps.
spaced() {
	source=$1 ns=$2 each=$3 count=$4
	shift 4
	atf_check -o ignore -e ignore "$(program)" run $virtual --seed 1 \
	    --cpus 4 -r 1 -s 64 -S rngsim.harvest.record=events \
	    -S rngsim.warmup_ms=0 "$@"
	awk -v source="$source" -v period=$((ns * 8)) -v each="$each" \
	    -v count="$count" '
	    BEGIN { most = count + 0 }
	    $1 == "event" && $5 == source && (++k <= most) {
		due = int((k - 1) / each) * period
		if ($3 < due || $3 > due + period / 10)
			print "event", k, "at", $3 / 8, "ns, not", due / 8
	    }
	    END { if (k < most || (k > most && count !~ /-/)) print k + 0 }
	    ' events >wrong
	[ ! -s wrong ] || atf_fail "$*: $(head -n 3 wrong)"
}

test_case virtual__harvest_times "interrupts come at their rate, each at its" \
    "time, and the harvest thread reads its sources at its own or as it is told"
virtual__harvest_times_body() {
	for hz in 500 700 3000; do
		spaced INTERRUPT $((1000000000 / hz)) 1 $(((hz + 49) / 50)) \
		    -t 0.02 -d none -S rngsim.harvest.sources=interrupt \
		    -S rngsim.source.interrupt.rate_hz=$hz
	done
	rdrand="-d concurrent -S rngsim.harvest.sources=rdrand"
	spaced PURE_RDRAND 2000000 4 36- -t 0.02 $rdrand \
	    -S rngsim.harvest.rate_hz=500
	spaced PURE_RDRAND 100000000 4 8- -t 0.15 $rdrand
}

# valued PROFILE CIPHER: figures of more readers than CPUs, and a producer.
valued() {
	"$(program)" run --engine virtual --profile "./$1" --cpus 4 --nodes 2 \
	    -d concurrent -c "$2" -r 6 -s 64k -t 0.02 --seed 1 --producers 1 \
	    --producer ether:work=5us,rate=50k --format csv || atf_fail "$1"
}

test_case virtual__values "each value of a profile that such a machine has is" \
    "charged: another one gives other figures"
virtual__values_body() {
	"$(program)" list profiles epyc-9654-2s >a.conf
	valued a.conf aes >aes.csv
	valued a.conf chacha20 >chacha20.csv
	sed -n 's/^\([a-z0-9_]*\.[a-z0-9_.]*\) = \([0-9.]*\).*/\1 \2/p' a.conf |
	    grep -v -e ^topo -e ^model -e native >values
	while read -r name value; do
		case $name in
		cpu.stores)	value=0 ;;
		os.preempt)	value=1 ;;
		line.shared)	value=0 ;;
		*)		value=$(awk "BEGIN {
				print $value * ($value < 1 ? 0.5 : 2) }") ;;
		esac
		sed "s/^\($name\) = [0-9.]*/\1 = $value/" a.conf >b.conf
		! cmp -s a.conf b.conf || atf_fail "$name: as before"
		cipher=aes
		[ "${name#chacha20}" = "$name" ] || cipher=chacha20
		valued b.conf $cipher >out
		! cmp -s $cipher.csv out || echo "$name"
	done <values >same
	# One thread a core, few cores in one place: none of these is there.
	printf '%s\n' lat.smt lat.sock lat.cong line.invalidate \
	    line.shared >expected
	atf_check -o file:expected cat same
}

test_case virtual__profile_kept "a result has its profile, and two of one" \
    "name with other values are not compared as one machine"
virtual__profile_kept_body() {
	command -v python3 >/dev/null || atf_skip "python3 is not installed"
	"$(program)" list profiles epyc-9654-2s >a.conf
	sed '/^lat.rmw/s/ 5 / 9 /' a.conf >b.conf
	sed '/^lat.rmw/s/".*"/"elsewhere"/' a.conf >c.conf
	for p in a b c; do
		saves $p.txt run --engine virtual --profile ./$p.conf $brief \
		    -n 3 -r 2 -o $p.json
		python3 - $p.json >$p.lines <<-'PYTHON'
			import hashlib, json, sys
			r = json.load(open(sys.argv[1]))
			text = "".join(x + "\n" for x in r["profile"])
			assert r["profile_sha256"] == hashlib.sha256(
			    text.encode()).hexdigest()
			sys.stdout.write(text)
		PYTHON
		atf_check -o file:$p.conf cat $p.lines
		atf_check -o file:$p.json "$(program)" report $p.json \
		    --format json
	done
	differs="profile's lat.rmw (A 5 ns guessed, B 9 ns guessed)"
	complains 1 "conditions: $differs|--across" compare a.json b.json
	"$(program)" compare a.json b.json --across >two.txt 2>&1
	tr '\n' ' ' <two.txt | tr -s ' ' | grep -Fq "$differs" ||
	    atf_fail "$(cat two.txt)"
	# Only the source of a value differs.
	atf_check -s ignore -o not-match:lat.rmw "$(program)" compare a.json \
	    c.json
	# A file of an older program has no values.
	sed '/"profile_sha256": /d; /^ *"profile": \[/,/\]/d' a.json >older.json
	"$(program)" compare older.json b.json >two.txt 2>&1
	grep -q 'profile (A does not have its values)' two.txt ||
	    atf_fail "$(cat two.txt)"
}

test_case virtual__back_off "where readers are fewer than CPUs, a table says" \
    "that back-off counts CPUs"
virtual__back_off_body() {
	says="back-off of lock mtx counts CPUs, 192 here, so --cpus 8"
	for way in "run -r 8" "sweep -n 1 -d locked -c aes -r 1,8"; do
		saves out.txt $way $virtual $brief -s 4k
		tr '\n' ' ' <out.txt | tr -s ' ' | grep -q "$says" ||
		    atf_fail "$way: $(cat out.txt)"
	done
	for way in "-r 8 --cpus 8" "-r 1" "-r 8 -l mcs"; do
		saves out.txt run $virtual $brief -s 4k $way
		! grep -q 'counts CPUs' out.txt || atf_fail "$way"
	done
}

test_case virtual__margin "a model's random variation ranks nothing below 5 %" \
    "unasked, and is said to be that"
virtual__margin_body() {
	saves table.txt sweep $virtual $brief -n 5 -c aes -r 1,2 -o r.json
	for f in table sentences; do
		saves $f.cmp compare r.json --by design --format $f
	done
	for f in table.txt table.cmp sentences.cmp; do
		tr '\n' ' ' <$f | tr -s ' #' | grep -q \
		    "intervals show the model's random variation, not errors" ||
		    atf_fail "$f does not say what chance"
	done
	tr -s '\n ' ' ' <table.cmp |
	    grep -q 'up to 5 % are reported as no difference shown' ||
	    atf_fail "$(cat table.cmp)"
	saves one.txt compare r.json --by design --margin 1
	# What is measured keeps its own.
	runs run -t 0.01 -n 3 -r 1 -o m.json
	sed -i 's/"gate": "[^"]*"/"gate": ""/
	    /"readers_.*_percent"/d' m.json
	atf_check -s ignore -o save:own.txt "$(program)" compare m.json m.json
	for f in one own; do
		tr -s '\n ' ' ' <$f.txt | grep -q 'Changes up to 1 %' ||
		    atf_fail "$(cat $f.txt)"
	done
	! grep -q 'random' own.txt || atf_fail "$(cat own.txt)"
}

test_case virtual__again "a seed gives the same document whatever the number" \
    "of threads"
virtual__again_body() {
	for t in 1 2 5; do
		saves $t.json sweep $virtual $brief -n 2 -c chacha20 -r 1,8 \
		    -l mtx,mcs --uncertainty 10 -S rngsim.virtual.threads=$t \
		    --format json
		grep -Ev '"started"|virtual.threads=' $t.json >$t.cmp
	done
	cmp 1.cmp 2.cmp && cmp 1.cmp 5.cmp || atf_fail "threads show"
	[ "$(values 1.json trace_hash | sort | uniq -d | wc -l)" -eq 0 ] ||
	    atf_fail "two repeats or cells are the same"
}

test_case virtual__seeds "another seed is another run"
virtual__seeds_body() {
	for s in 1 2; do
		saves $s.json run $virtual -t 0.01 -r 4 --seed $s --format json
		values $s.json trace_hash >$s.hash
		grep -Eq '^"[0-9a-f]{16}"$' $s.hash || atf_fail "no hash"
	done
	! cmp -s 1.hash 2.hash || atf_fail "both are the same"
}

test_case virtual__verify "bytes are made on demand, follow from the seed," \
    "and change nothing else"
virtual__verify_body() {
	for d in locked concurrent; do
		for v in "" --verify "--verify -S rngsim.virtual.threads=1"; do
			saves r.json run $virtual -t 0.05 \
			    -S rngsim.warmup_ms=80 --seed 7 -r 3 -l mcs -d $d \
			    -S rngsim.harvest.model=2019 \
			    --format json $v
			values r.json trace_hash >>traces.$d
			grep -E '^ *"[0-9a-f]{64}"' r.json >>bytes.$d
		done
		[ "$(sort -u traces.$d | wc -l)" -eq 1 ] ||
		    atf_fail "$d: --verify shows in the trace"
		[ "$(wc -l <bytes.$d)" -eq 6 ] || atf_fail "$d: no bytes"
		# Sources must have had their say, or only the seed had.
		[ "$(values r.json reseeds)" != 0 ] || atf_fail "no reseed"
		head -n 3 bytes.$d >first
		tail -n 3 bytes.$d | cmp - first ||
		    atf_fail "$d: other bytes the second time"
		[ "$(sort -u first | wc -l)" -eq 3 ] ||
		    atf_fail "$d: two readers read the same"
	done
}

test_case virtual__memory "what no memory can hold is refused before it starts"
virtual__memory_body() {
	fails 1 'need up to [0-9.e+]+ GB' run $virtual $brief -r 1024 -s 1g \
	    --verify -o r.json
	[ ! -e r.json ] || atf_fail "it had begun"
}

test_case virtual__stuck "a cell that cannot go on names waiters and owners" \
    "and is left out; others are there"
virtual__stuck_body() {
	# One CPU that is taken away every ten seconds, mostly from the owner of
	# the lock; the next owner spins for as long.
	"$(program)" list profiles epyc-9654-2s |
	    sed -e 's/^topo.cpus = 192/topo.cpus = 1/' \
	    -e 's/^topo.nodes = 2/topo.nodes = 1/' \
	    -e 's/^topo.ccx = 8/topo.ccx = 1/' \
	    -e 's/^os.quantum = [0-9.]*/os.quantum = 10000/' \
	    -e 's/^os.preempt = [0-9]*/os.preempt = 1/' \
	    -e 's/\.byte = [0-9.]*/.byte = 1000/' >slow.conf
	atf_check -s exit:1 -o save:out.txt -e save:err.txt "$(program)" \
	    sweep --engine virtual --profile ./slow.conf -t 25 --seed 7 -n 2 \
	    -r 1,6 -c aes -d locked -l ticket -s 4k -o r.json \
	    -S rngsim.lock.spin_polls=0
	grep -q 'sweep: locked ticket aes, 6 readers, [0-9]* bytes: ' err.txt ||
	    atf_fail "which cell it was: $(cat err.txt)"
	grep -q 'reader.* waits for .*held by' err.txt ||
	    atf_fail "who waits: $(cat err.txt)"
	grep -q '1 of 2 cells could not go on' err.txt || atf_fail "the sum"
	[ "$(values r.json complete)" = false ] || atf_fail "complete"
	[ "$(values r.json readers)" = 1 ] || atf_fail "the other cell"
	grep -q INCOMPLETE out.txt || atf_fail "the table"
	# All that can be had is in it.
	[ "$(echo r.json*)" = r.json ] || atf_fail "left: $(echo r.json*)"
}

test_case virtual__slow "requests that wait long for each other are not stuck"
virtual__slow_body() {
	shows '140 readers of 16 MiB' run --engine virtual \
	    --profile xeon-e7v3-4s-2015 -r 140 -c chacha20 -s 16m -d locked -l mcs \
	    -t 0.05 --seed 1
}

test_case virtual__interrupted "an interruption keeps what is complete"
virtual__interrupted_body() {
	"$(program)" run $virtual -t 80000 -r 64 --seed 1 -o r.json \
	    >out.txt 2>err.txt &
	pid=$!
	# Until it has caught the signal nothing would be written.
	while [ -z "$(ls r.json* 2>/dev/null)" ]; do sleep 0.05; done
	kill -TERM $pid
	wait $pid
	[ $? = 1 ] || atf_fail "exit status"
	grep -q 'interrupted' err.txt || atf_fail "$(cat err.txt)"
	[ "$(values r.json complete)" = false ] || atf_fail "complete"
}

test_case virtual__uncertainty "bands, what moves them, and which rankings hold"
virtual__uncertainty_body() {
	saves table.txt sweep $virtual $brief -n 1 -c aes -r 1,16 \
	    --uncertainty 12 -o r.json
	grep -q '12 profiles drawn around epyc-9654-2s' table.txt ||
	    atf_fail "no head"
	[ "$(grep -c '^ *[0-9]* *[a-z]* *\[.*\.\..*\].*\[.*\]^*?.*\[.*s\]' table.txt)" \
	    -eq 4 ] || atf_fail "no bands: $(cat table.txt)"
	[ "$(grep -c ' |\|#|\||#' table.txt)" -eq 8 ] ||
	    atf_fail "not eight values"
	grep -q 'aes.kernel.byte *guessed *-' table.txt ||
	    atf_fail "what a byte costs does not matter"
	grep -q 'concurrent over locked, mtx, aes, 16 readers.* robust' \
	    table.txt || atf_fail "no ranking"
	# The margin is that of compare.
	tr -s '\n ' ' ' <table.txt |
	    sed -n 's/.* by more than \([0-9.]* %\).*/up to \1/p' >margin
	"$(program)" compare r.json --by design 2>&1 | tr -s '\n ' ' ' |
	    atf_check -o ignore grep -F -f margin
	saves again.txt report r.json
	cmp table.txt again.txt || atf_fail "report says something else"
	# The samples of one more profile than there are is an edited file.
	sed 's/"samples": 12/"samples": 13/' r.json >edited.json
	fails 1 'total_samples' report edited.json
	saves cell.txt run $virtual $brief -r 2 --uncertainty 10
	grep -q '^10-90 %  *of the drawn profiles: total \[.*\.\..*\]^* MB/s' cell.txt ||
	    atf_fail "no band of one cell"
	tr -s '\n ' ' ' <cell.txt | grep -q 'harvest CPU \[[^]]*\]^*? %' ||
	    atf_fail "no ? at harvest CPU: $(cat cell.txt)"
}

test_case virtual__uncertain_repeats "each drawn profile runs as many repeats" \
    "as the profile itself: where no value is drawn, a draw is the run"
virtual__uncertain_repeats_body() {
	"$(program)" list profiles epyc-9654-2s |
	    sed -E 's/ (guessed|published|fitted) / measured /' >sure.conf
	runs run --engine virtual --profile sure.conf $brief -d locked -r 8 \
	    -s 32 -n 3 --uncertainty 10 -o sure.json
	saves sure.txt report sure.json
	values sure.json total_mb_per_s | sed -n 1p >total
	! grep -q '\^ ' sure.txt || atf_fail "$(cat sure.txt)"
	sed -n '/"total_samples"/,/]/p' sure.json | grep -c "$(cat total)" |
	    atf_check -o inline:'10\n' cat
}

test_case virtual__compare "a prediction is not judged by a measurement, nor" \
    "machines by each other unawares"
virtual__compare_body() {
	runs run $virtual $brief -n 3 -r 1 -o a.json
	runs run -t 0.01 -n 3 -r 1 -o b.json
	runs run --engine virtual --profile graviton3 $brief -n 3 -r 1 -o c.json
	for o in "" --across; do
		fails 1 'predicted, B measured' compare a.json b.json $o
	done
	fails 1 'machine .*epyc.*graviton3' compare a.json c.json
	atf_check -s ignore -o match:'predicted for graviton3' "$(program)" \
	    compare a.json c.json --across
}

test_case virtual__per_cpu_designs_scale "what a design has for each CPU is" \
    "shared with no other: small reads on 16 CPUs, two nodes, are as many" \
    "each as on one, but not with one mutex"
virtual__per_cpu_designs_scale_body() {
	"$(program)" sweep $virtual $brief --cpus 16 --nodes 2 \
	    -d concurrent,percpu,fxrng -r 1,16 -s 32 -n 1 --format csv >cells.csv || atf_fail "exit $?"
	awk -F, 'NR > 1 { rate = $11 / $6; key = $2 " " $4
	    if ($6 == 1) one[key] = rate; else print key, rate / one[key] }' \
	    cells.csv >ratios
	[ "$(wc -l <ratios)" -eq 6 ] || atf_fail "$(cat ratios)"
	awk '$1 == "concurrent" ? $3 > 0.5 : $3 < 0.95' ratios >wrong
	[ ! -s wrong ] || atf_fail "$(cat wrong)"
}

test_case virtual__reads_without_a_call "a design in the program's memory" \
    "enters the kernel for keys alone; os.read is 200 ns there"
virtual__reads_without_a_call_body() {
	"$(program)" sweep $virtual $brief -d percpu,vdso -c chacha20 -r 1 \
	    -s 4 -n 1 --format json >cells.json || atf_fail "exit $?"
	values cells.json reads_per_s >rates
	awk '{ ns[NR] = 1e9 / $1 }
	    END { exit !(NR == 2 && ns[1] > 200 && ns[2] < 100) }' rates ||
	    atf_fail "$(cat rates)"
}
