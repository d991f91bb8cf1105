# From boot to the first seed.

machine="--engine virtual --profile graviton3 --cpus 4 --seed 1 --until-seeded"
slow="-S rngsim.harvest.sources=interrupt"
tests="-S kern.random.nist_healthtest_enabled=1"

# cell EXPRESSION: of c, the first cell of run.json, in python.
cell() {
	python3 -c '
import json, sys
c = json.load(open("run.json"))["cells"][0]
sys.exit(not eval(sys.argv[1]))' "$1" || atf_fail "not: $1"
}

needs=python3
test_case seeded__samples "a source that is tested gives 1024 samples more"
seeded__samples_body() {
	# Interrupts are hashed: 4 bytes and a counter, of 32 pools in turn.
	for rate in 100 1000 5000; do
		for set in "" "$tests"; do
			saves run.json run $machine -r 2 $slow $set \
			    --format json -S rngsim.seed_timeout_ms=60000 \
			    -S rngsim.source.interrupt.rate_hz=$rate
			least="(${set:+1024 +} 7 * 32) / $rate"
			cell "$least < c['time_to_seeded_ns'] / 1e9 < \
			    $least + 0.35"
			cell "c['harvest']['discarded'] == ${set:+1024 +} 0"
			cell "c['blocked_readers'] == 2"
			cell "0 <= c['latency_ns']['p50'] - \
			    c['time_to_seeded_ns'] < 1e6"
		done
	done
	# Ring and pass of the harvest thread carry 256 samples of RDRAND.
	saves run.json run $machine -r 1 $tests --format json \
	    -S rngsim.harvest.sources=rdrand
	cell "0.39e9 < c['time_to_seeded_ns'] < 0.6e9"
	# What the loader hands over is not tested.
	saves run.json run $machine -r 1 $tests --format json $slow \
	    -S rngsim.harvest.boot_entropy_bytes=2048
	cell "c['time_to_seeded_ns'] < 1e5"
}

needs=python3
test_case seeded__designs "all designs that wait, both queues, other readers"
seeded__designs_body() {
	"$(program)" list designs | sed -n 's/^  \([a-z]*\) .*/\1/p' >designs
	[ "$(wc -l <designs)" -ge 9 ] || atf_fail "$(cat designs)"
	for queue in newest 2019; do
		while read -r d; do
			case $d in
			none|fxrng)
				complains 2 "-d $d|wait" run $machine -d $d
				continue
			esac
			saves run.json sweep $machine -d $d -r 1,3 -n 2 \
			    -c chacha20 --ledger --format json \
			    -S rngsim.harvest.model=$queue
			cell "0 < c['time_to_seeded_ns'] < 0.5e9"
		done <designs
	done
}

needs=python3
test_case seeded__blocked "a reader is blocked from its request on"
seeded__blocked_body() {
	saves run.json run $machine -r 4 --workload think~300ms $slow \
	    -S rngsim.source.interrupt.rate_hz=500 --format json
	cell "all(0 <= ns <= c['time_to_seeded_ns'] + 1e6
	    for ns in c['samples'][0]['reader_blocked_ns'])"
	cell "c['blocked_readers'] == sum(
	    ns > 0 for ns in c['samples'][0]['reader_blocked_ns'])"
	cell "len(set(c['samples'][0]['reader_cpu'])) > 1"
	cell "c['latency_ns']['p50'] < 0.9 * c['time_to_seeded_ns']"
	# Producers feed it, too; the harvest thread seeds it.
	saves run.json run $machine -r 0 --producers 2 --producer \
	    interrupt:work=1us,rate=200 -S rngsim.harvest.sources=none \
	    --format json
	cell "224 / 400 - 0.01 < c['time_to_seeded_ns'] / 1e9 < 1"
	saves a.json run $machine $slow --format json
	saves b.json run $machine $slow --format json
	python3 -c '
import json
a, b = (json.load(open(f))["cells"] for f in ("a.json", "b.json"))
assert a == b' || atf_fail "not repeatable"
}

needs=python3
test_case seeded__forms "tables, CSV, ministat, comparisons, a trace"
seeded__forms_body() {
	saves run.json sweep $machine -d locked,concurrent -r 1,2 -n 3 \
	    -c chacha20 --format json $slow
	atf_check -o match:'^readers design +seeded' -o match:'^ +2 .* 300ms' \
	    "$(program)" report run.json
	saves run.csv report --format csv run.json
	python3 -c '
import csv
rows = list(csv.DictReader(open("run.csv")))
for row in rows:
    assert float(row["time_to_seeded_ns_ci95_low"]) <= \
        float(row["time_to_seeded_ns"]) <= \
        float(row["time_to_seeded_ns_ci95_high"])
    assert row["blocked_readers"] == row["readers"]' ||
	    atf_fail "wrong columns"
	atf_check -o match:'^# time to seeded' -o match:'^30[0-9.]+ 30' \
	    "$(program)" report --format ministat run.json
	saves slow.json sweep $machine -d locked,concurrent -r 1,2 -n 3 \
	    -c chacha20 --format json $slow \
	    -S rngsim.source.interrupt.rate_hz=500
	atf_check -s exit:1 -o match:'time to seeded.*worse' -e ignore \
	    "$(program)" compare run.json slow.json --across \
	    --fail-if 'time_to_seeded_ns > 5%'
	atf_check -o ignore "$(program)" compare run.json --by design \
	    --fail-if 'time_to_seeded_ns > 5%'
	saves plain.json run --engine virtual --profile graviton3 -t 0.01 \
	    --format json
	python3 -c '
import json
for cell in json.load(open("plain.json"))["cells"]:
    assert "time_to_seeded_ns" not in cell' || atf_fail "in a plain cell"
	complains 1 "run.png|not drawn" report run.json --plot run.png
	atf_check -o ignore "$(program)" run $machine --trace trace.json
	python3 -m json.tool trace.json >/dev/null || atf_fail "no trace"
}

needs=python3
test_case seeded__real "on this machine"
seeded__real_body() {
	saves run.json run --until-seeded -r 2 $slow $tests --format json \
	    -S rngsim.seed_timeout_ms=60000 \
	    -S rngsim.source.interrupt.rate_hz=10000
	cell "0.12e9 < c['time_to_seeded_ns']"
	cell "c['harvest']['discarded'] >= 1024"
}

needs=python3
test_case seeded__drawn "with drawn profiles"
seeded__drawn_body() {
	saves run.json sweep $machine -d locked,pcpu -r 2 -n 5 --format json \
	    -c chacha20 $slow --uncertainty 10
	cell "len(c['uncertainty']['time_to_seeded_samples']) == 10"
	atf_check -o match:'1 no difference shown' \
	    "$(program)" compare run.json --by design -q time_to_seeded_ns
	atf_check -o match:'300ms' "$(program)" report run.json
}

needs=python3 limit=300
test_case seeded__patches "a wake-up that is missing shows; so does a thread " \
    "that sleeps less until it is seeded"
seeded__patches_body() {
	kernel_cache
	from=$(source_folder)
	mkdir nowake noblock fast
	cp "$from/fortuna/fortuna.c" nowake
	sed 's/^	wakeup(&random_alg_context);//' "$from/fortuna/randomdev.c" \
	    >nowake/randomdev.c
	saves run.json run $machine -d kernel:nowake -r 3 $slow --format json
	# Readers poll each 0.1 s.
	cell "0.09e9 < c['latency_ns']['p50'] - c['time_to_seeded_ns'] < 0.11e9"
	sed 's/randomdev_unblock();/(void)0;/' "$from/fortuna/fortuna.c" \
	    >noblock/fortuna.c
	complains 1 'seeded, but no call of randomdev_unblock() in 500 ms' run \
	    $machine -d kernel:noblock $slow -S rngsim.seed_timeout_ms=500
	cp "$from/fortuna/fortuna.c" fast
	sleep='SBT_1S / RANDOM_KTHREAD_HZ'
	sed "s,$sleep,p_random_alg_context->ra_seeded() ? & : SBT_1S / 1000," \
	    "$from/harvest/random_harvestq.c" >fast/random_harvestq.c
	saves run.json run $machine -d kernel:fast -r 2 $tests --format json \
	    -S rngsim.harvest.sources=rdrand
	cell "c['time_to_seeded_ns'] < 10e6"
	cell "c['harvest']['discarded'] == 1024"
}

test_case seeded__refused "what has no time to a seed"
seeded__refused_body() {
	while IFS='!' read -r words args; do
		complains 2 "--until-seeded|$words" run $machine $args
	done <<EOF
-t|expected one of them!-t 1
-d none|wait!-d none
-d fxrng|wait!-d fxrng
-l none!-l none
--loop!--loop lock
--failpoint!--failpoint harvest_ring_full=return(1)
EOF
	complains 2 '-r: "0"' run $machine -r 0
	complains 1 'never seeded in 50 ms|pool 0 has 0 bytes' run $machine \
	    -S rngsim.harvest.sources=none -S rngsim.seed_timeout_ms=50
	complains 1 'never seeded|block_seeded_status=1' run $machine \
	    -S kern.random.block_seeded_status=1 -S rngsim.seed_timeout_ms=200
}
