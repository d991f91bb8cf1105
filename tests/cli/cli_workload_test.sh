# The program's side of workloads: options, files, traces, and what results say.

# As short as it gets, and as patient: a busy machine may be late.
brief="-t 0.05 -S rngsim.warmup_ms=0 -S rngsim.seed_timeout_ms=60000"

# The value of a key of the only cell; objects on lines of their own.
value() {
	sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" |
	    sed -n "${3:-1}p" | grep . || atf_fail "$1 has no $2"
}

run_json() {
	saves run.json run --format json $brief "$@"
}

# is KEY VALUE
is() {
	got=$(grep -m 1 "^ *\"$1\": " run.json |
	    sed 's/^[^:]*: //; s/,$//; s/^"//; s/"$//')
	[ "$got" = "$2" ] || atf_fail "$1 is \"$got\", not \"$2\""
}

two_streams() {
	cat >two.workload <<EOF
rngsim-workload/1
# Made by hand.
length 2000000
stream a
100000 16
50000 32
stream b
0 5000
EOF
}

test_case run__closed_loops "a mix, think time and bursts run, and are recorded"
run__closed_loops_body() {
	run_json -r 2 --workload 16:70,32:20,4096:10
	is workload 16:70,32:20,4k:10
	is request_bytes 427
	is rate_per_s 0
	is arrivals ''
	for w in think=100us think~100us burst=10:1ms; do
		run_json -r 2 -s 1k --workload $w
		is workload $w
		is request_bytes 1024
		is rate_per_s 0
	done
	shows 'reader of 1 KiB, think=100us$' run $brief -r 1 -s 1k \
	    --workload think=0.1ms
	# think=1ms leaves room for 51 requests; the first pause is shorter.
	run_json -r 1 -s 16 --workload think=1ms
	n=$(value run.json reads_per_s)
	awk -v n="$n" 'BEGIN { exit !(n > 0 && n <= 52 / 0.05) }' ||
	    atf_fail "$n requests a second with 1 ms between them"
	run_json -r 1
	is workload ''
	is request_bytes 65536
}

test_case run__open_loop "requests are due by a plan; latency from then and" \
    "from their beginning"
run__open_loop_body() {
	for a in constant poisson; do
		run_json -r 2 -s 64 --rate 2000 --arrivals $a
		is arrivals $a
		is rate_per_s 2000
		is workload ''
		# Objects are in the order of the keys, quantiles first.
		for k in p50 p90 p99 p999 max; do
			c=$(sed -n '/"latency_ns": {/,/}/p' run.json |
			    value - $k)
			u=$(sed -n '/"latency_uncorrected_ns": {/,/}/p' \
			    run.json | value - $k)
			awk -v c="$c" -v u="$u" 'BEGIN { exit !(c >= u) }' ||
			    atf_fail "$k from due is $c, from begun $u"
		done
	done
	# None begins before it is due, but for one that the window cuts.
	run_json -r 1 -s 64 --rate 2000
	is arrivals constant
	n=$(value run.json reads_per_s)
	w=$(value run.json window_s)
	awk -v n="$n" -v w="$w" 'BEGIN { exit !(n * w <= 2000 * w + 2) }' ||
	    atf_fail "$n requests a second for $w s, of 2000"
	# Sizes may be mixed in open loop.
	run_json -r 1 --workload 16:1,64:1 --rate 100
	is workload 16:1,64:1
	is rate_per_s 100
	# In a closed loop a request is due when it begins.
	run_json -r 1
	c=$(sed -n '/"latency_ns": {/,/}/p' run.json | value - p50)
	u=$(sed -n '/"latency_uncorrected_ns": {/,/}/p' run.json | value - p50)
	[ "$c" = "$u" ] || atf_fail "closed loop: $c and $u"
}

test_case run__overload "a load that cannot be sustained says so"
run__overload_body() {
	run_json -r 1 -s 64k --rate 1000000
	# All but the first began late.
	c=$(sed -n '/"latency_ns": {/,/}/p' run.json | value - p99)
	u=$(sed -n '/"latency_uncorrected_ns": {/,/}/p' run.json | value - p99)
	awk -v c="$c" -v u="$u" 'BEGIN { exit !(c > u) }' ||
	    atf_fail "p99 from due is $c, from begun $u"
	grep -q '"notes": ".*the load was not sustained: [0-9]* requests' \
	    run.json || atf_fail "$(grep '"notes"' run.json)"
	run_json -r 1 -s 16 --rate 1
	! grep -q 'not sustained' run.json || atf_fail "1/s is no overload"
}

test_case run__recorded "recorded workloads by file and by name, faster or" \
    "slower"
run__recorded_body() {
	two_streams
	run_json -r 3 --workload @two.workload
	is arrivals recorded
	# 3 requests of 2 streams in 2 ms.
	is rate_per_s 750
	is request_bytes 1683
	# The number is of what it holds, so it stays.
	grep -q '"workload": "two#29f53053"' run.json ||
	    atf_fail "$(grep '"workload"' run.json)"
	run_json -r 1 --workload @two.workload/speed=0.5
	is rate_per_s 375
	grep -Eq '"workload": "two#[0-9a-f]{8}/speed=0.5"' run.json ||
	    atf_fail "$(grep '"workload"' run.json)"
	mkdir folder
	mv two.workload folder/own.workload
	export RNGSIM_WORKLOADS="$(pwd)/folder"
	run_json -r 1 --workload own
	grep -q '"workload": "own#' run.json || atf_fail "not found by name"
	shows '^  own +/.*folder/own.workload' workload list
}

test_case run__cut "a window shorter than the recording, or than a few passes" \
    "of the harvest thread, says so"
run__cut_body() {
	two_streams
	v='run --engine virtual --profile graviton3 --cpus 2 -r 2 --seed 1'
	passes='Windows of 0.01 s have fewer than 3 passes'
	saves cut $v -t 0.01 --workload @two.workload/speed=0.1
	tr -s '\n ' ' ' <cut >line
	grep -q 'has 50 % of the recording, 0.01 of 0.02 s' line ||
	    atf_fail "$(cat cut)"
	[ "$(grep -o "$passes" line | wc -l)" = 1 ] || atf_fail "$(cat cut)"
	for o in '-t 0.01 -S rngsim.harvest.rate_hz=300' '-t 0.3'; do
		saves whole $v $o --workload @two.workload
		! grep -q -e recording, -e 'Windows of' whole ||
		    atf_fail "$(cat whole)"
	done
}

test_case run__formats "tables name the workload and fit; CSV has its columns"
run__formats_body() {
	two_streams
	for w in '16:70,4k:10' @two.workload/speed=0.123456789 \
	    111:11111,222:22222,333:33333,444:44444,555:55555,666:66666,777:77777
	do
		saves one.txt run $brief -r 2 --workload "$w"
		saves many.txt sweep $brief -n 3 -r 1,3 -c aes --workload "$w"
		LC_ALL=C awk 'length($0) > 80 { print; n++ } END { exit n > 0 }' \
		    one.txt many.txt || atf_fail "lines of more than 80 columns"
		for f in one many; do
			grep -Eq '16:70|two#|111:11111' $f.txt ||
			    atf_fail "no workload in the tables"
		done
	done
	saves many.txt sweep $brief -n 3 -r 1,3 -c aes -s 64 --rate 1000 \
	    -o r.json
	grep -Eq 'p99 +begun' many.txt || atf_fail "$(cat many.txt)"
	saves again.txt report r.json
	atf_check cmp many.txt again.txt
	saves r.csv report r.json --format csv
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = NF }
	    NF != n { exit 1 }
	    NR > 1 && ($at["rate_per_s"] != 1000 || $at["arrivals"] != "constant" ||
	    $at["latency_uncorrected_p99_ns"] > $at["latency_p99_ns"]) { exit 1 }' \
	    r.csv || atf_fail "$(cat r.csv)"
}

test_case run__refuses "bad workloads, and options that contradict them"
run__refuses_body() {
	two_streams
	for c in run sweep; do
		complains 2 '--workload|weight "0"|1..1000000' $c --workload 16:0
		complains 2 '--workload|expected sizes' $c --workload nonesuch
		complains 2 '--workload|expected' $c --workload
		complains 2 '--workload|twice' $c --workload 1:1 --workload 1:1
		for r in 0 -1 x nan 1e3 0.0001 10000001 ''; do
			complains 2 "--rate|\"$r\"|0.001..10000000" $c --rate "$r"
		done
		complains 2 '--arrivals|"even"|constant or poisson' \
		    $c --rate 1 --arrivals even
		complains 2 '--arrivals|"recorded"|constant or poisson' \
		    $c --rate 1 --arrivals recorded
		complains 2 '--arrivals|--rate' $c --arrivals poisson
		complains 2 '-s|--workload 16:1|drop' $c -s 1k --workload 16:1
		complains 2 '-s|--workload two#|drop' \
		    $c -s 1k --workload @two.workload
		complains 2 '--rate|--workload two#|drop' \
		    $c --rate 5 --workload @two.workload
		complains 2 '--rate|--workload think=1ms|drop' \
		    $c --rate 5 --workload think=1ms
	done
	complains 2 '--workload|rngsim cat --help' cat --workload 16:1
	echo earlier >old.json
	complains 1 'none.workload: No such file' \
	    run -o old.json --workload @none.workload
	echo 'rngsim-workload/1' >bad.workload
	echo 'stream a' >>bad.workload
	echo '5 -5' >>bad.workload
	complains 1 'bad.workload:3: |"5 -5"|and bytes' \
	    run -o old.json --workload @bad.workload
	complains 1 'expected a regular file' run --workload @/dev/zero
	complains 1 'use fewer readers|--workload' \
	    run -r 1024 --workload 16:1,1g:1
	[ "$(cat old.json)" = earlier ] || atf_fail "old.json was touched"
}

trace() {
	cat <<EOF
41 0.000000 getrandom("\x00"..., 32, 0) = 32
41 0.001000 read(3</dev/urandom>, "\x00", 16) = 16
41 0.000500 +++ exited with 0 +++
EOF
}

test_case workload__import "from a trace to a run, by file and by pipe"
workload__import_body() {
	trace >strace.txt
	atf_check -o empty -e match:'2 requests of 1 thread in 1 stream' \
	    "$(program)" workload import strace.txt -o w.workload
	sed 1,2d w.workload >body.txt
	printf '%s\n' 'length 1500000' 'stream pid-41' '0 32' '1000000 16' \
	    >want.txt
	atf_check cmp want.txt body.txt
	atf_check -o save:piped.txt -e ignore "$(program)" workload import - \
	    <strace.txt
	sed 1,2d piped.txt >body.txt
	atf_check cmp want.txt body.txt
	atf_check -e ignore "$(program)" workload import \
	    --output=other.workload strace.txt
	sed 1,2d other.workload >body.txt
	atf_check cmp want.txt body.txt
	run_json -r 2 --workload @w.workload
	is request_bytes 24
}

test_case workload__import_refuses "a bad trace is named by file and line;" \
    "nothing is written"
workload__import_refuses_body() {
	echo earlier >old.workload
	{ trace; echo nonsense; } >strace.txt
	complains 1 'strace.txt:4: |"nonsense"|expected' \
	    workload import strace.txt -o old.workload
	trace | sed 's/ 0[.][0-9]*//' >strace.txt
	complains 1 'strace.txt:1: |strace -f -r' \
	    workload import strace.txt -o old.workload
	trace | sed 's/<[^>]*>//; /getrandom/d' >strace.txt
	complains 1 'no request|strace -y' \
	    workload import strace.txt -o old.workload
	complains 1 'No such file' workload import none -o old.workload
	complains 1 'Is a directory' workload import . -o old.workload
	[ "$(cat old.workload)" = earlier ] || atf_fail "it was touched"
	trace >strace.txt
	complains 1 'none/x: No such file' workload import strace.txt -o none/x
	complains 2 '""|import FILE' workload
	complains 2 '"frob"|import FILE|list' workload frob
	complains 2 '"import"|import FILE' workload import
	complains 2 'surplus|"b"' workload import a b
	complains 2 '"a"|list' workload list a
	complains 2 '-o|import' workload list -o x
	complains 2 '-o|expected' workload import a -o
	complains 2 '-o|""' workload import a -o ''
	complains 2 '-o|twice' workload import a -o b -o c
	complains 2 '-q|--help' workload import a -q
	complains 2 '"none": expected |@FILE|recorded' run --workload none
	complains 2 '"@-": expected a file, not stdin' run --workload @-
	[ "$(echo *.tmp.*)" = '*.tmp.*' ] || atf_fail "left: $(echo *.tmp.*)"
}

test_case workload__beside_the_program "recorded workloads are found where the" \
    "program is installed or built; none at all is a failure"
workload__beside_the_program_body() {
	two_streams
	unset RNGSIM_WORKLOADS
	mkdir -p at/bin at/share/rngsim/workloads at/bench/workload
	cp "$(program)" at/bin/rngsim
	atf_check -s exit:1 -e match:'no recorded workloads are installed' \
	    at/bin/rngsim workload list
	cp two.workload at/share/rngsim/workloads/one.workload
	mv two.workload at/bench/workload
	printf '  %-14s %s\n' \
	    one "$(pwd -P)/at/share/rngsim/workloads/one.workload" \
	    two "$(pwd -P)/at/bench/workload/two.workload" >list
	atf_check -o file:list at/bin/rngsim workload list
}

test_case workload__shipped "what comes with the program is found and runs"
workload__shipped_body() {
	dir=$(source_folder)/bench/workload
	export RNGSIM_WORKLOADS="$(cd "$dir" && pwd)"
	for w in tls-server shell; do
		run_json -r 2 --workload $w/speed=100
		grep -q "\"workload\": \"$w#[0-9a-f]*/speed=100\"" run.json ||
		    atf_fail "$(grep '"workload"' run.json)"
	done
}

# locks ARGUMENT...: a simulated lock loop.
locks() {
	saves run.json run --format json --engine virtual \
	    --loop lock -t 0.01 --seed 1 "$@"
	got=$(value run.json acquisition_ns)
}

# between LOW HIGH
between() {
	awk -v v="$got" -v a="$1" -v b="$2" 'BEGIN { exit !(v > a && v < b) }' ||
	    atf_fail "$got ns, not $1 to $2"
}

test_case lock_loop__times "hold, lines and pause of a lock loop take the time" \
    "that they are given; a thread has its share; both are in the table"
lock_loop__times_body() {
	small="--profile xgene1 -l ticket -r 2"
	locks $small
	between 20 200
	bare=$got
	[ "$(value run.json design)" = none ] || atf_fail "design"
	locks $small -S rngsim.none.hold_ns=5000
	between 5020 5200
	awk -v v="$got" -v t="$(value run.json acquisition_thread_ns)" \
	    'BEGIN { exit !(t / v > 1.999 && t / v < 2.001) }' ||
	    atf_fail "a thread of two"
	locks $small -S rngsim.none.hold_ns=5000 -S rngsim.none.hold_drawn=1
	between 4700 5500
	locks $small -S rngsim.none.lines=8
	between $(awk -v b=$bare 'BEGIN { print b + 10, b + 8 * 80 }')
	# One acquisition each 10 us.
	locks $small --workload think=20us
	between 9900 10200
	atf_check -o match:'^acquisitions +[0-9.]+ ns between those of the whole' \
	    -o match:"nodes. min/max 1.000" "$(program)" run --engine virtual \
	    --profile xgene1 --loop lock -r 2 -t 0.01 --seed 1
	atf_check -o match:'^readers design +ns +.-% +thread +p99$' \
	    -o match:'^ns: between acquisitions' "$(program)" sweep \
	    --engine virtual --profile xgene1 --loop lock -r 1-2 -n 1 -t 0.01 \
	    -l tas-swap,refcount --seed 1
	# Threads of one node have less than those of the other.
	locks --profile xeon-e5-2699v4-2s --place 0,1,22 -r 3 -l tas
	grep -Eq '"node_min_max": (0\.|[0-9.]+e-)' run.json || atf_fail "nodes"
}

test_case lock_loop__real "a lock loop runs on this machine"
lock_loop__real_body() {
	run_json --loop lock -r 1 -S rngsim.none.hold_ns=20000
	got=$(value run.json acquisition_ns)
	between 20000 1e9
	run_json -d none --workload 16 -r 1
	is workload 16:1
	is request_bytes 16
	complains 2 '--loop|"lock"|-d none' run --loop lock -d locked
	complains 2 '--loop|no sizes' run --loop lock -s 1
	complains 2 '--loop|no sizes' run --loop lock --workload 16
	complains 2 '--loop|"x"|read or lock' run --loop x
	complains 2 'hold_ns|no effect|none' run -d locked \
	    -S rngsim.none.hold_ns=1
}
