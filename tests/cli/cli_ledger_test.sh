# run and sweep under a ledger; that wrong designs are told is in
# ledger_engine_test.c and mutant_test.c.

machine="--engine virtual --profile epyc-9654-2s --cpus 2"
simulated="$machine -t 0.01 -S rngsim.warmup_ms=0"
measured="-t 0.05 -S rngsim.warmup_ms=0 -S rngsim.seed_timeout_ms=60000"

# ledgers FILE CONDITION...: every cell has a ledger of which all are so; cell
# is the cell, l its ledger.
ledgers() {
	file=$1
	shift
	python3 - "$file" "$@" <<-'PYTHON' || atf_fail "$file: $*"
		import json, sys
		cells = json.load(open(sys.argv[1]))["cells"]
		for cell in cells:
		    l = cell["ledger"]
		    for condition in sys.argv[2:]:
		        if not eval(condition):
		            sys.exit("%s: %s: %s" % (cell["design"], condition, l))
		sys.exit(not cells)
	PYTHON
}

needs=python3
test_case ledger__run "run --ledger checks every design on both engines, says" \
    "so and what it costs, and the result has it"
ledger__run_body() {
	for d in $("$(program)" list designs | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	for engine in "$simulated" "$measured"; do
		"$(program)" run $engine -d $d -r 2 -s 4k --ledger -o r.json \
		    >out 2>err || atf_fail "$d $engine: $(cat err)"
		tr '\n' ' ' <out | grep -q 'ledger: .* checked.* 0 violations' ||
		    atf_fail "$d $engine: $(cat out)"
		case $engine in
		"$simulated") cost='takes no virtual time';;
		*) cost='cost -\{0,1\}[0-9.]* %';;
		esac
		tr -s '\n ' ' ' <out | grep -q "violations; $cost" ||
		    atf_fail "$d $engine: no $cost: $(cat out)"
		ledgers r.json 'l["violations"] == 0' 'l["records"] > 0' \
		    'l["keys"] == l["wipes"]' 'l["forgotten"] == 0' \
		    'cell["design"] == "none" or l["reads"] > 0' \
		    'cell["design"] == "none" or l["blocks"] >= l["reads"]' \
		    '(l["plain_mb_per_s"] > 0) == (cell["engine"] == "real")'
	done
	done
}

needs=python3
test_case ledger__sweep "sweep --ledger, too, cells and repeats together;" \
    "reports of its result have the same ledgers"
ledger__sweep_body() {
	for engine in "$simulated" "$measured"; do
		"$(program)" sweep $engine -r 1,2 -s 4k -n 2 --ledger -o r.json \
		    >out 2>err || atf_fail "$engine: $(cat err)"
		[ "$(grep -c '^ledger: ' out)" = 8 ] || atf_fail "$(cat out)"
		ledgers r.json 'l["violations"] == 0' 'l["reads"] > 0' \
		    'l["keys"] == l["wipes"]' \
		    'all(("plain_mb_per_s" in s) == (cell["engine"] == "real")
			for s in cell["samples"])'
		"$(program)" report --format json r.json >again ||
		    atf_fail "$engine: report"
		cmp again r.json || atf_fail "$engine: report lost something"
		"$(program)" report r.json >table || atf_fail "$engine: report"
		grep '^ledger: ' out >want
		grep '^ledger: ' table | cmp - want ||
		    atf_fail "$engine: $(cat table)"
	done
	# Each reader has a generator, and a ledger of it, then.
	"$(program)" run $simulated -l none -r 3 --ledger -o r.json >out 2>err ||
	    atf_fail "-l none: $(cat err)"
	ledgers r.json 'l["reseeds"] >= 3'
}

needs=python3
test_case ledger__repeats "a simulated run is the same with a ledger and" \
    "without"
ledger__repeats_body() {
	for way in "" --ledger; do
		"$(program)" run $simulated -r 2 -s 64k --seed 5 $way \
		    -o "r$way.json" >/dev/null 2>err || atf_fail "$(cat err)"
	done
	grep trace_hash r.json >want
	[ -s want ] || atf_fail "no hash"
	grep trace_hash r--ledger.json | cmp - want || atf_fail "it differs"
}

needs=python3
test_case ledger__health_and_faults "what health tests discard and fail" \
    "points make of a run is no violation"
ledger__health_and_faults_body() {
	tested="-S kern.random.nist_healthtest_enabled=1
	    -S rngsim.source.interrupt.rate_hz=50000"
	for d in $("$(program)" list designs | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	for engine in "$simulated" "$measured"; do
		"$(program)" run $engine -d $d -r 2 $tested --ledger \
		    -o r.json >out 2>err ||
		    atf_fail "$d $engine: $(cat err)"
		ledgers r.json 'l["violations"] == 0' '(cell["design"] == "none"
		    or any(h["discarded"] > 0 for h in cell["health"]))'
	done
	done
	for point in "clock_step=20%return(-50)" "clock_step=5%return(150)" \
	    "random_fortuna_pre_read=50%return(1)" \
	    "random_fortuna_seeded=30%return(1)" \
	    "fortuna_snapshot_pause=3*sleep(30)" \
	    "fortuna_unlock_pause=3*sleep(30)" \
	    "lock_owner_preempt=1%20*sleep(5)" "harvest_ring_full=30%return(1)" \
	    "harvest_swap_pause=1*pause->off" \
	    "healthtest_force_fail=500*off->1*return(1)"; do
		shows "Nothing here is a measurement" run $machine -t 0.3 -r 2 \
		    $tested --ledger --failpoint "$point"
	done
}

needs=python3
test_case ledger__log "--ledger-log writes a line for each operation, in order"
ledger__log_body() {
	# What follows the operation: key, lo, hi, generation, wiped.
	cat >forms <<-'END'
	begin 0 0x0 0x1000 0 0
	end 0 0x0 0x[0-9a-f]+ 0 0
	set [1-9][0-9]* 0x0 0x0 [0-9]+ 0
	wipe [1-9][0-9]* 0x0 0x0 [0-9]+ [01]
	use [1-9][0-9]* 0x[0-9a-f]+ 0x[0-9a-f]+ [1-9][0-9]* 0
	install [1-9][0-9]* 0x[0-9a-f]+ 0x0 [1-9][0-9]* 0
	event 0 0x[01]?[0-9a-f] 0x[0-9a-f]+ 0 0
	drain 0 0x([1-9a-f]|1[0-9a-f]|20) 0x[0-9a-f]+ 0 0
	reseed 0 0x0 0x0 [1-9][0-9]* 0
	END
	for engine in "$simulated" "$measured"; do
		"$(program)" run $engine -r 2 -s 4k --ledger-log log -o r.json \
		    >out 2>err || atf_fail "$engine: $(cat err)"
		[ "$(head -n 1 log)" = "# rngsim-ledger/1" ] ||
		    atf_fail "$(head -n 1 log)"
		awk 'NR > 1 && ($1 != NR - 1 || NF != 9) { exit 1 }' log ||
		    atf_fail "$engine: not one line each"
		sed '1d; s/.* \([a-z]\)/\1/' log | grep -vxE -f forms >wrong
		[ ! -s wrong ] || atf_fail "$engine: $(head wrong)"
		# What writing takes is no cost of the ledger.
		case $engine in
		"$simulated") cost='takes no virtual time';;
		*) cost='its cost was not measured';;
		esac
		tr -s '\n ' ' ' <out | grep -q "violations; $cost" ||
		    atf_fail "$engine: no $cost: $(cat out)"
		ledgers r.json "l['plain_mb_per_s'] == 0"
		ledgers r.json "l['records'] == $(($(wc -l <log) - 1))"
		# When it was decided, ns, stands with what was emptied.
		awk '$4 == "drain" && length($7) > 18 { n++ }
		    END { exit n == 0 }' log || [ "$engine" = "$simulated" ] ||
		    atf_fail "$engine: $(grep drain log)"
	done
}

test_case ledger__refuses "logs that cannot be, and where they cannot be"
ledger__refuses_body() {
	complains 2 '--ledger-log|a file name' run --ledger-log ""
	complains 2 '-n: "2"|expected 1 with --ledger-log' run -n 2 --ledger-log log
	complains 2 '--ledger-log and --uncertainty: expected one' run $simulated \
	    --uncertainty 10 --ledger-log log
	complains 2 '--ledger-log|"x"|two' run -o x --ledger-log x
	complains 2 '--ledger-log|"x"|two' run $simulated --trace x \
	    --ledger-log x
	complains 2 '--ledger-log' sweep --ledger-log log
	complains 2 '--ledger' cat --ledger
	complains 1 'missing/log: No such file' run $simulated \
	    --ledger-log missing/log
	echo earlier >r.json
	complains 1 'missing/log: No such file' run $simulated -o r.json \
	    --ledger-log missing/log
	[ "$(cat r.json)" = earlier ] || atf_fail "r.json was touched"
	[ "$(echo r.json*)" = r.json ] || atf_fail "left: $(echo r.json*)"
	[ ! -e log ] && [ ! -e x ] || atf_fail "a file was written"
	# All of it or an error.
	atf_check -s exit:1 -o ignore -e match:'/dev/full: ' "$(program)" run \
	    $simulated -r 2 --ledger-log /dev/full
}

needs=readelf
test_case ledger__bound "nothing that is allocated can put registers on the" \
    "stack of a read"
ledger__bound_body() {
	[ -z "$RNGSIM_SANITIZER" ] || atf_skip "a sanitizer has its own malloc"
	[ -f "$(cc -print-file-name=libjemalloc_pic.a)" ] ||
	    atf_skip "no libjemalloc_pic.a"
	atf_check -o save:dynamic readelf -d "$(program)"
	! grep -q 'NEEDED.*jemalloc' dynamic || atf_fail "$(cat dynamic)"
	grep -q 'FLAGS.*NOW' dynamic || atf_fail "$(cat dynamic)"
}
