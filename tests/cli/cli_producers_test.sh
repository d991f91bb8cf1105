# Producers of entropy events, beside readers and alone.

machine="--engine virtual --profile xeon-e5-2650 -t 0.01 --seed 1"
kinds="ether interrupt swi callout atime uma"

# number JSON-PATH: of the result in run.json, with cells[0] in front.
number() {
	python3 -c '
import json, sys
v = json.load(open("run.json"))["cells"][0]
for key in sys.argv[1].split("."):
    v = v[int(key)] if key.isdigit() else v[key]
print(v)' "$1" || atf_fail "no $1"
}

# holds EXPRESSION: of numbers, in python.
holds() {
	python3 -c "import sys; sys.exit(not ($1))" || atf_fail "not: $1"
}

run_json() {
	saves run.json run --format json $machine "$@"
}

# has KEY AT-LEAST AT-MOST
has() {
	holds "$2 <= $(number "$1") <= $3"
}

needs=python3
test_case producers__kinds "each kind queues events, with and without readers"
producers__kinds_body() {
	for kind in $kinds; do
		run_json --producers 3 --producer $kind:work=500ns
		[ "$(number producers)" = 3 ] || atf_fail "not 3 producers"
		[ "$(number readers)" = 0 ] || atf_fail "readers"
		has production.events_per_s 4.5e6 6e6
		holds "abs($(number production.taken_percent) + \
		    $(number production.full_percent) - 100) < 1e-6"
		has production.masked_percent 0 0
		has production.min_max 0.9 1
		has call_ns.p50 10 300
		[ $kind = uma ] || has production.full_percent 50 100
	done
	run_json --producers 2 --producer ether:work=1us -r 2 -s 4k --ledger
	has production.events_per_s 1.7e6 2e6
	has total_mb_per_s 100 1000
	has samples.0.producer_per_s.1 0.8e6 1e6
}

needs=python3
test_case producers__mask "events are masked by the bits of the source"
producers__mask_body() {
	for queue in newest 2019; do
		mask="-S rngsim.harvest.model=$queue -S kern.random.harvest.mask"
		for case in ether:351:100 ether:511:0 interrupt:351:100 \
		    interrupt:4607:0 swi:351:0 uma:511:100; do
			want=${case##*:} value=${case%:*}
			run_json --producers 1 --producer \
			    ${case%%:*}:work=1us $mask=${value#*:}
			has production.masked_percent $want $want
		done
	done
}

needs=python3
test_case producers__arrivals "packets that arrive, wait, are lost; an " \
    "interrupt takes its CPU at once and leaves it"
producers__arrivals_body() {
	run_json --producers 4 --producer ether:work=1us,rate=100k -r 8 -s 4k
	has production.events_per_s 3.9e5 4.1e5
	has production.lost_percent 0 0
	# Of which a switch to each interrupt's thread and back takes a part.
	has production.cpu_percent 42 120
	has fairness.min_max 0.4 0.95
	run_json --producers 1 --producer ether:work=1us,rate=2m
	has production.events_per_s 0.9e6 1e6
	has production.lost_percent 48 56
	# No producer waits for a packet of the time before it began.
	run_json --producers 4 --producer ether:work=1us,rate~100k
	has production.min_max 0.8 1
	run_json --producers 2 --producer ether:work=1us,rate~100k,burst=64,queue=8
	has production.lost_percent 70 90
}

needs=python3
test_case producers__alike "no producers change nothing; a run is repeatable"
producers__alike_body() {
	saves plain.json run --format json $machine -r 2 -s 4k
	saves none.json run --format json $machine -r 2 -s 4k --producers 0
	saves a.json run --format json $machine --producers 8 --producer \
	    ether:work=700ns,cv=0.3
	saves b.json run --format json $machine --producers 8 --producer \
	    ether:work=0.7us,cv=0.3
	python3 -c '
import json
def cells(f): return json.load(open(f))["cells"]
assert cells("plain.json") == cells("none.json")
assert cells("a.json") == cells("b.json")
assert "producers" not in cells("plain.json")[0]' || atf_fail "they differ"
}

test_case producers__refused "what producers cannot be"
producers__refused_body() {
	printf '1 650\n4 700\n' >hole.curve
	printf '1 650\n1 700\n' >twice.curve
	printf '1 zero\n' >wrong.curve
	printf '4 700\n1025 5\n' >above.curve
	: >empty.curve
	while IFS='!' read -r words args; do
		complains 2 "$words" run $machine $args
	done <<EOF
-r: "0"|1..1024!-r 0
--producers|--producer!--producers 2
--producer|--producers!--producer ether:work=1us
--producer|"wifi"|ether, interrupt!--producers 1 --producer wifi:work=1us
work|"0ns"|1ns!--producers 1 --producer ether:work=0ns
"ether"|work=|curve=!--producers 1 --producer ether
1 s, is longer than the window|0.01 s|-t!--producers 1 --producer ether:work=1s
work|"0"|1ns!--producers 1 --producer ether:work=0
cv|"2"|0..1!--producers 1 --producer ether:work=1us,cv=2
"frobs"|work=TIME!--producers 1 --producer ether:frobs
rate|"0"!--producers 1 --producer ether:work=1us,rate=0
burst=|rate=!--producers 1 --producer ether:work=1us,burst=4
--producers|9|8 CPUs!--producers 9 --producer ether:work=1us
4 and 5 readers on 8|rate=!--producers 4 -r 5 --producer ether:work=1us
harvest thread|producer 1!--producers 2 --place 0-3/1 --producer ether:work=1us
--place|"none"!--producers 1 --place none --producer ether:work=1us
no line for 2 producers|"2 NS"|1, 4!--producers 2 --producer ether:curve=hole.curve
has: nothing!--producers 2 --producer ether:curve=empty.curve
--producers and --loop!--producers 1 --producer ether:work=1us --loop lock
--failpoint!--producers 1 --producer ether:work=1us --failpoint harvest_ring_full=return(1)
EOF
	complains 1 "twice.curve:2|twice" run $machine --producers 1 \
	    --producer ether:curve=twice.curve
	complains 1 "wrong.curve:1|ns" run $machine --producers 1 \
	    --producer ether:curve=wrong.curve
	complains 1 "above.curve:2|1..1024" run $machine --producers 4 \
	    --producer ether:curve=above.curve
	complains 2 "no line for 3 producers|1, 4" sweep $machine \
	    --producers 4,3 --producer ether:curve=hole.curve
	complains 1 "none.curve" run $machine --producers 1 \
	    --producer ether:curve=none.curve
	complains 2 "--producer|-o" run $machine --producers 1 \
	    --producer ether:curve=hole.curve -o hole.curve
	# More lines than producers are the rest of a curve.
	atf_check -o match:'curve=hole.curve#' "$(program)" run $machine \
	    --producers 4 --producer ether:curve=hole.curve
}

needs=python3 limit=300
test_case producers__tree "kinds and the queue of a tree; interrupts on the " \
    "CPU of the harvest thread"
producers__tree_body() {
	kernel_cache
	elder=kernel:$(source_folder)/tests/kernel/old
	complains 1 '--producer|no RANDOM_CALLOUT|one of|RANDOM_UMA' run \
	    $machine -d "$elder" --producers 1 --producer callout:work=1us
	run_json -d "$elder" --producers 1 --producer ether:work=1us
	has production.full_percent 50 100
	[ -z "$(number notes)" ] || atf_fail "$(number notes)"
	cp "$(source_folder)/fortuna/fortuna.c" own.c
	for queue in newest 2019; do
		run_json -d kernel:own.c --producers 1 --producer \
		    ether:work=1us -S rngsim.harvest.model=$queue
		case $(number notes) in
		*"no random_harvestq.c: producers use rngsim's, model $queue"*) ;;
		*) atf_fail "$(number notes)" ;;
		esac
	done
	# Between packets the harvest thread has its CPU.
	longer=$(echo "$machine" | sed 's/-t 0.01/-t 0.3/')
	saves run.json run --format json $longer --place 0-3/1 --producers 2 \
	    --producer ether:work=1us,rate=100k
	has harvest.cpu_percent 0.001 50
	has production.taken_percent 1 100
	saves run.json run --format json $longer --producers 8 \
	    --producer ether:work=1us
	case $(number notes) in
	*'harvest thread got no CPU'*) ;;
	*) atf_fail "$(number notes)" ;;
	esac
}

needs=python3
test_case producers__forms "tables, CSV, comparisons, and a run that continues"
producers__forms_body() {
	saves run.json sweep --format json $machine -n 5 -c chacha20 \
	    -d concurrent -l mtx,tas --producers 1-2 --producer ether:work=1us \
	    -r 0,1
	atf_check -o match:'producers design +M events/s' -o match:'^ +2 ' \
	    "$(program)" report run.json
	shows 'M events/s, too few repeats for an interval; queued' run \
	    $machine -n 1 --producers 1 --producer ether:work=1us
	saves run.csv report --format csv run.json
	python3 -c '
import csv
rows = list(csv.DictReader(open("run.csv")))
assert len(rows) == 8
for row in rows:
    assert 0.8e6 * int(row["producers"]) < \
        float(row["production_events_per_s"]) < 2e6
    assert float(row["call_p99_ns"]) > 0' || atf_fail "wrong columns"
	saves out compare run.json --by lock -v -q \
	    production_events_per_s,call_p99_ns --fail-if \
	    'production_events_per_s < -5%'
	grep -q "producers' events/s" out || atf_fail "not compared"
	atf_check -s exit:1 -o ignore -e match:'no cell has enough readers' \
	    "$(program)" compare run.json --by lock -q reader_mb_per_s_min \
	    --fail-if 'reader_mb_per_s_min < -5%'
}

needs=python3
test_case producers__real "producers run on this machine"
producers__real_body() {
	# The ring has room for a second, however seldom it is emptied.
	saves run.json run --format json --producers 1 --producer \
	    ether:work=1ms -t 0.5 -S rngsim.warmup_ms=0 \
	    -S rngsim.seed_timeout_ms=60000
	has production.events_per_s 1 1e6
	holds "abs($(number production.taken_percent) + \
	    $(number production.full_percent) - 100) < 1e-6"
	has call_ns.p50 1 1e6
	has production.taken_percent 0.01 100
}

needs=python3 limit=300
test_case producers__forwarding "FreeBSD's routers, with and without the " \
    "harvest of packets"
producers__forwarding_body() {
	all=$(source_folder)/lib/published/freebsd_forwarding.csv
	grep -e '^machine' -e 'yandex,[0-9]*,[18],' -e 'GX' "$all" >some.csv
	saves out reproduce freebsd-forwarding --published some.csv --format json
	python3 -c '
import json
rows = json.load(open("out"))["rows"]
assert len(rows) == 3
for row in rows:
    assert abs(row["error"]) < 0.1, row
    assert row["band"][0] < row["predicted"] < 1.01 * row["band"][1], row
one, eight = (1e9 * row["queues"] / row["predicted"] -
    1e9 * row["queues"] / row["without"] for row in rows[:2])
assert 14 < one < 34 and eight > 150, (one, eight)' || atf_fail "$(cat out)"
	sed 's/Xeon/Other/' some.csv >other.csv
	complains 2 'no profile|Other E5|--profile' reproduce \
	    freebsd-forwarding --published other.csv
	echo 'Xeon E5-2650,nic,fbsd11.1,511,0,1,1,1' >zero.csv
	complains 2 'zero.csv:1|queues' reproduce freebsd-forwarding \
	    --published zero.csv
	complains 2 '--map has no effect on "freebsd-forwarding"' reproduce freebsd-forwarding \
	    --map a=tas
	for bad in 'Xeon,n,r,1,8,9,,|"": expected machine' \
	    'Xeon,n,r,1,8.5,9,1,1|expected a whole mask' \
	    "$(printf 'Xeon,n,r,%s,9,9,1,1\n' 0 1)|xeon-e5-2650 has no 9 CPUs"; do
		echo "${bad%|*}" >bad.csv
		complains 2 "${bad##*|}" reproduce freebsd-forwarding \
		    --published bad.csv
	done
	complains 2 '--threads: expected queues of which' reproduce \
	    freebsd-forwarding --threads 12
	kernel_cache
	cp "$(source_folder)/harvest/random_harvestq.c" .
	printf 'Xeon,n,r,%s,8,9000000,1,1\n' 351 511 >one.csv
	atf_check -o match:'kernel:random_harvestq,' -o match:'^1 row: ' \
	    "$(program)" reproduce freebsd-forwarding --published one.csv \
	    -d kernel:random_harvestq.c
	saves out.csv reproduce freebsd-forwarding --threads 2 --format csv
	[ "$(wc -l <out.csv)" = 2 ] || atf_fail "$(cat out.csv)"
	complains 2 '-d has no effect on "fbsd-2019"' reproduce fbsd-2019 -d locked
}
