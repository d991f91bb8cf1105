# run and sweep for real, in windows of hundredths of a second: what is looked at
# is the structure of what they write, never how fast anything was.

# As short as it gets, and as patient: a busy machine may be late.
brief="-t 0.01 -S rngsim.warmup_ms=0 -S rngsim.seed_timeout_ms=60000"

# has FILE PATTERN...: lines of json_flat().
has() {
	file=$1
	shift
	for pattern; do
		grep -Eq -e "^$pattern\$" "$file" ||
		    atf_fail "$file has no line \"$pattern\""
	done
}

run_json() {
	saves run.json run --format json $brief "$@"
	json_flat run.json run.flat
}

test_case run__has_every_pinned_key "every key that outsiders depend on, with" \
    "its type"
run__has_every_pinned_key_body() {
	n='-?[0-9][-+.0-9eE]*' i='[0-9]+' s='".+"' b='(true|false)'
	run_json -n 3 -r 2 -d locked -l pthread -c aes -s 4k \
	    -S kern.random.fortuna.minpoolsize=128
	has run.flat 'schema "rngsim-result/1"' 'complete true' 'argv \[' \
	    'argv.1 "run"' "seed $i" 'cells \[' \
	    'started "2[0-9]{3}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](Z|[-+][0-9:]+)"'
	has run.flat "host.cpu_model $s" "host.cpus $i" "host.numa_nodes $i" \
	    "host.kernel $s" "host.compiler $s" "host.flags $s" \
	    'host.libcrypto "OpenSSL .*"' "host.invariants $b"
	[ "$(get run.flat host.kernel)" = "\"$(uname -srm)\"" ] ||
	    atf_fail "$(get run.flat host.kernel), not $(uname -srm)"
	c='cells\.0\.'
	has run.flat "${c}engine \"real\"" "${c}design \"locked\"" \
	    "${c}lock \"pthread\"" "${c}cipher \"aes\"" \
	    "${c}crypto \"kernel\"" "${c}readers 2" "${c}request_bytes 4096" \
	    "${c}repeats 3" "${c}oversubscribed $b" "${c}total_mb_per_s $n"
	has run.flat "${c}reader_mb_per_s.0 $n" "${c}reader_mb_per_s.1 $n" \
	    "${c}total_mb_per_s_ci95.0 $n" "${c}total_mb_per_s_ci95.1 $n" \
	    "${c}lock_profile \[" "${c}samples \["
	for k in p50 p90 p99 p999 max; do
		has run.flat "${c}latency_ns.$k $n"
	done
	for k in min_max cov jain hold_share_harvest; do
		has run.flat "${c}fairness.$k $n"
	done
	for k in cpu_percent spin_percent block_percent events_per_s dropped \
	    latency_p99_ns; do
		has run.flat "${c}harvest.$k $n"
	done
	has run.flat "${c}lock_profile.0.site $s"
	for k in count contended hold_total_ns hold_max_ns wait_total_ns \
	    wait_max_ns; do
		has run.flat "${c}lock_profile.0.$k $n"
	done
	for k in 0 1 2; do
		has run.flat "${c}samples.$k.total_mb_per_s $n" \
		    "${c}samples.$k.order $i"
	done
	has run.flat 'tunables\.[0-9] "kern.random.fortuna.minpoolsize=128"'
	! grep -Eq '^(cells\.1|cells\.0\.samples\.3|cells\.0\.reader_mb_per_s\.2) ' \
	    run.flat || atf_fail "more cells, samples or readers than asked"
	# The estimate lies in its interval, quantiles ascend.
	l=$(get run.flat cells.0.total_mb_per_s_ci95.0)
	m=$(get run.flat cells.0.total_mb_per_s)
	h=$(get run.flat cells.0.total_mb_per_s_ci95.1)
	awk -v l="$l" -v m="$m" -v h="$h" \
	    'BEGIN { exit !(0 <= l && l <= m && m <= h) }' ||
	    atf_fail "$m is not within $l to $h"
	last=0
	for k in p50 p90 p99 p999 max; do
		v=$(get run.flat cells.0.latency_ns.$k)
		awk -v a="$last" -v b="$v" 'BEGIN { exit !(a <= b) }' ||
		    atf_fail "latency $k is $v, less than $last"
		last=$v
	done
}

test_case run__defaults "what run measures without options"
run__defaults_body() {
	run_json
	cpus=$(get run.flat host.cpus)
	[ "$cpus" -le 1024 ] || cpus=1024
	c='cells\.0\.'
	has run.flat "${c}design \"concurrent\"" "${c}lock \"mtx\"" \
	    "${c}cipher \"chacha20\"" "${c}crypto \"kernel\"" \
	    "${c}readers $cpus" "${c}request_bytes 65536" "${c}repeats 1" \
	    'sources.0 "rdrand"|sources.0 "interrupt"'
	! grep -q '^cells\.1 ' run.flat || atf_fail "more than one cell"
}

test_case run__crypto_modes "both --crypto modes run and are recorded"
run__crypto_modes_body() {
	for m in kernel native; do
		run_json -r 1 --crypto $m
		has run.flat "cells\.0\.crypto \"$m\""
	done
	# What the user set is not in the way of kernel's.
	OPENSSL_ia32cap=0:0:0:0:0 run_json -r 1 --crypto native
	has run.flat 'cells\.0\.crypto "native"'
}

test_case sweep__defaults "both designs, both ciphers, 1 to CPUs+1 readers, 5" \
    "repeats"
sweep__defaults_body() {
	# The readers by default, the rest small.
	saves s.json sweep $brief -n 1 -d none -c aes --format json
	json_flat s.json s.flat
	cpus=$(get s.flat host.cpus)
	sed -n 's/^cells\.[0-9]*\.readers //p' s.flat | sort -n >readers.txt
	awk -v n="$((cpus + 1))" \
	    'BEGIN { for (i = 1; i <= n && i <= 1024; i++) print i }' >want.txt
	atf_check cmp want.txt readers.txt
	# The designs, ciphers and repeats by default.
	saves s.json sweep $brief -r 1 --format json
	json_flat s.json s.flat
	for d in locked concurrent; do for c in aes chacha20; do
		echo "\"$d\" \"$c\" 5"
	done; done | sort >want.txt
	for i in 0 1 2 3; do
		echo "$(get s.flat cells.$i.design)" \
		    "$(get s.flat cells.$i.cipher)" \
		    "$(get s.flat cells.$i.repeats)"
	done | sort >cells.txt
	atf_check cmp want.txt cells.txt
	! grep -q '^cells\.4 ' s.flat || atf_fail "more than four cells"
}

test_case sweep__lists_and_ranges "the grid is the product of its lists"
sweep__lists_and_ranges_body() {
	saves s.json sweep $brief -n 1 -r 1-2,4 -s 1,1k -l none,mtx-spin \
	    -d none -c chacha20 --format json
	json_flat s.json s.flat
	for r in 1 2 4; do for s in 1 1024; do for l in mtx-spin none; do
		echo "$r $s \"$l\""
	done; done; done | sort >want.txt
	i=0
	while grep -q "^cells\.$i " s.flat; do
		echo "$(get s.flat cells.$i.readers)" \
		    "$(get s.flat cells.$i.request_bytes)" \
		    "$(get s.flat cells.$i.lock)"
		i=$((i + 1))
	done | sort >cells.txt
	atf_check cmp want.txt cells.txt
}

# The order in which cells were measured, cell by cell.
order_of() {
	saves s.json sweep $brief -n 2 -r 1-3 -d none,locked \
	    -S rngsim.sweep.controls=0 -c aes --format json --seed "$1"
	json_flat s.json s.flat
	[ "$(get s.flat seed)" = "$1" ] || atf_fail "seed $1 is not recorded"
	grep '^cells\.[0-9]*\.samples\.[0-9]*\.order ' s.flat >"$2"
}

test_case sweep__side_by_side "cells to compare are measured in slices that" \
    "belong together; the ratio has an interval; a ledger's cells are not"
sweep__side_by_side_body() {
	command=sweep
	ends 0 -d locked,concurrent -l mtx,pthread -c chacha20 -r 1,2 -s 4k \
	    -n 3 -t 0.1 -S rngsim.sweep.controls=0 -o r.json
	grep -q 'paired +-%' out || atf_fail "$(cat out)"
	json_flat r.json flat
	awk '/samples.[0-9]*.together / { n++; seen[$2]++ }
	    END { for (i in seen) if (seen[i] != 4) exit 1; exit n != 24 }' \
	    flat || atf_fail "$(grep together flat)"
	grep -q 'slice_mb_per_s.0 [0-9]' flat || atf_fail "no slices"
	"$(program)" compare r.json --by lock -q total_mb_per_s >out ||
	    atf_fail "compare: $?"
	grep -q "Yuen's" out || atf_fail "$(cat out)"
	ends 0 -c chacha20 -r 1 -s 4k -n 1 -t 0.1 --ledger -o l.json
	! grep -q together l.json || atf_fail "a ledger in slices"
	ends 0 -c aes -r 1 -s 1048577 -n 1 -t 0.1 \
	    -S rngsim.sweep.controls=0 -o l.json
	! grep -q together l.json || atf_fail "large requests in slices"
}

test_case sweep__until "repeats go on until an interval is narrow or the time" \
    "is over, which is said; what cannot be is refused"
sweep__until_body() {
	command=sweep
	set -- -c chacha20 -r 1 -s 32 -t 0.1 -S rngsim.sweep.controls=0
	ends 0 "$@" -n 4 --until 100 --time-limit 600 -o r.json
	[ ! -s err ] || atf_fail "$(cat err)"
	json_flat r.json flat
	[ "$(get flat cells.0.repeats)" -ge 4 ] || atf_fail "$(cat out)"
	[ "$(get flat complete)" = true ] || atf_fail "not complete"
	ends 0 "$@" -n 3 --until 0.01% --time-limit 1
	grep -q 'wider than 0.01 %' err || atf_fail "$(cat err)"
	refused 2 '"0": expected percent, 0.01..100' "$@" --until 0
	refused 2 '"2x": expected' "$@" --until 2x
	refused 2 'expected --until with it' "$@" --time-limit 2
	refused 2 'expected two designs' "$@" -d locked --until 2%
	refused 2 'expected two designs' "$@" --until 2% --ledger
	refused 2 'at most 1048576' -r 1 -t 0.1 --until 2% -s 32,2m
}

test_case sweep__seed_sets_the_order "equal seeds measure in equal order," \
    "others in another; repeats are interleaved"
sweep__seed_sets_the_order_body() {
	order_of 42 a.txt
	order_of 42 b.txt
	order_of 43 c.txt
	[ "$(wc -l <a.txt)" -eq 12 ] || atf_fail "not 6 cells of 2 samples"
	atf_check cmp a.txt b.txt
	atf_check -s exit:1 -o ignore cmp a.txt c.txt
	# Every place in the order once.
	sed 's/.* //' a.txt | sort -n >places.txt
	awk 'BEGIN { for (i = 0; i < 12; i++) print i }' >want.txt
	atf_check cmp want.txt places.txt
	# All cells once before any twice.
	awk '/samples\.0\./ && $2 > 5 || /samples\.1\./ && $2 < 6 { exit 1 }' \
	    a.txt || atf_fail "$(cat a.txt)"
	# The largest seed survives the way into the file and back.
	run_json -r 1 --seed 18446744073709551615
	has run.flat 'seed "?18446744073709551615"?'
}

test_case sweep__controls "a sweep measures each lock around nothing and each" \
    "cipher unshared, among its cells; run does not, nor if told not to"
sweep__controls_body() {
	runs sweep $brief -n 2 -r 1 -d locked -l mtx,pthread -c aes,chacha20 \
	    -o r.json
	json_flat r.json r.flat
	has r.flat 'cells\.3\.design "locked"' \
	    'controls\.0\.design "none"' 'controls\.0\.lock "mtx"' \
	    'controls\.1\.design "none"' 'controls\.1\.lock "pthread"' \
	    'controls\.2\.lock "none"' 'controls\.2\.cipher "aes"' \
	    'controls\.3\.lock "none"' 'controls\.3\.cipher "chacha20"'
	# One order for all: 4 cells and 4 controls, twice each.
	grep -E 'samples\.[0-9]+\.order ' r.flat | sed 's/.* //' | sort -n \
	    >places.txt
	awk 'BEGIN { for (i = 0; i < 16; i++) print i }' >want.txt
	atf_check cmp want.txt places.txt
	runs sweep $brief -n 1 -r 1 -c aes -S rngsim.sweep.controls=0 -o s.json
	runs run $brief -r 1 -o t.json
	for f in s t; do
		json_flat $f.json $f.flat
		! grep -q '^controls\.0' $f.flat || atf_fail "$f has controls"
	done
}

test_case run__places "threads end where --place put them, and the result" \
    "says where that was"
run__places_body() {
	runs run $brief --engine virtual --profile graviton3 --cpus 4 -r 2 \
	    --place 2,1/3 -o r.json
	json_flat r.json r.flat
	has r.flat "cells\.0\.samples\.0\.reader_cpu\.0 2" \
	    "cells\.0\.samples\.0\.reader_cpu\.1 1" \
	    "cells\.0\.samples\.0\.harvest_cpu_os 3"
	cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *//; s/[,-].*//')
	[ -n "$cpu" ] || atf_skip "no taskset to ask for a usable CPU"
	runs run $brief -r 2 --place "$cpu/$cpu" -o r.json
	json_flat r.json r.flat
	has r.flat "place \"$cpu/$cpu\"" \
	    "cells\.0\.samples\.0\.reader_cpu\.0 $cpu" \
	    "cells\.0\.samples\.0\.reader_cpu\.1 $cpu" \
	    "cells\.0\.samples\.0\.harvest_cpu_os $cpu"
	fails 2 '--place: "99999": CPU 99999 is not' run $brief --place 99999
	fails 2 '--place: "near": expected compact' run $brief --place near
}

test_case run__chosen_seed_is_printed "a seed that was not given is chosen," \
    "printed and recorded"
run__chosen_seed_is_printed_body() {
	saves table.txt run $brief -r 1 -o r.json
	json_flat r.json r.flat
	seed=$(get r.flat seed)
	# A long name of a CPU breaks the line elsewhere.
	tr -s ' \n' ' ' <table.txt | grep -q "seed $seed " ||
	    atf_fail "the table has no $seed"
}

test_case sweep__formats "every format of one result, and report gives the same"
sweep__formats_body() {
	saves json.txt sweep $brief -n 3 -r 1,2 -c aes -o r.json --format json
	# The file is what stdout got.
	atf_check cmp r.json json.txt
	json_flat r.json r.flat
	saves again.json report r.json --format json
	atf_check cmp r.json again.json
	saves csv.txt report --format=csv r.json
	[ "$(wc -l <csv.txt)" -eq 5 ] || atf_fail "not a header and 4 rows"
	awk -F, 'NR == 1 { n = NF } NF != n || n < 10 { exit 1 }' csv.txt ||
	    atf_fail "rows of unlike width: $(cat csv.txt)"
	head -n 1 csv.txt | grep -q '^engine,design,lock,cipher,.*total_mb_per_s' ||
	    atf_fail "$(head -n 1 csv.txt)"
	saves m.txt report r.json --format ministat
	# A column for each cell, a line for each repeat.
	grep -v '^#' m.txt | awk 'NF != 4 { exit 1 } END { exit NR != 3 }' ||
	    atf_fail "$(cat m.txt)"
	saves t.txt report - <r.json
	for w in locked concurrent mtx aes 'MB/s' seed INVARIANTS measured; do
		grep -q -e "$w" t.txt || atf_fail "the table has no $w"
	done
	# Straight from a measurement.
	for f in table csv json ministat; do
		atf_check -o not-empty "$(program)" run $brief -n 2 -r 1 \
		    --format $f
	done
}

test_case run__table_fits_80_columns "tables are at most 80 columns wide," \
    "whatever is in them"
run__table_fits_80_columns_body() {
	wide=$(printf 'events%0150d' 0)
	saves 1.txt run $brief -r 40 -s 1m -d locked
	saves 2.txt sweep $brief -n 3 -r 1,9 -s 1,1m -l mtx-spin,pthread \
	    -d concurrent,none -c chacha20
	saves 3.txt run $brief -r 1 -S rngsim.harvest.record="$wide"
	for f in 1.txt 2.txt 3.txt; do
		LC_ALL=C awk 'length($0) > 80 { print; n++ } END { exit n > 0 }' \
		    $f || atf_fail "lines of more than 80 columns"
	done
}

test_case run__nothing_on_stderr "progress shows only on a terminal"
run__nothing_on_stderr_body() {
	atf_check -o ignore -e empty "$(program)" sweep $brief -n 2 -r 1
}

test_case run__oversubscribed "more readers than CPUs run, and their row says" \
    "so"
run__oversubscribed_body() {
	run_json -r 1 -d none
	has run.flat 'cells\.0\.oversubscribed false'
	cpus=$(get run.flat host.cpus)
	run_json -r $((cpus + 1))
	has run.flat 'cells\.0\.oversubscribed true' \
	    "cells\.0\.readers $((cpus + 1))"
	saves t.txt run $brief -r $((cpus + 1))
	grep -qi 'more.*CPUs\|oversubscribed' t.txt ||
	    atf_fail "the table does not say that there were too few CPUs"
}

test_case run__affinity_mask "an affinity mask narrower than the machine is" \
    "in the notes"
run__affinity_mask_body() {
	run_json -r 1 -d none
	[ "$(get run.flat host.cpus)" -gt 1 ] || atf_skip "only one CPU"
	if command -v taskset >/dev/null; then
		cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
		bind="taskset -c $cpu"
	elif command -v cpuset >/dev/null; then
		cpu=$(cpuset -g -p $$ | sed -n '1s/.*: \([0-9]*\).*/\1/p')
		bind="cpuset -l $cpu"
	else
		atf_skip "neither taskset nor cpuset"
	fi
	atf_check -o save:run.json $bind "$(program)" run --format json $brief \
	    -r 2
	json_flat run.json run.flat
	has run.flat 'host.cpus 1' 'cells\.0\.notes ".*affinity mask: 1 of .*"' \
	    'cells\.0\.oversubscribed true'
	atf_check -o match:'affinity mask: 1 of' $bind "$(program)" run $brief \
	    -r 1
}

test_case run__every_design_and_lock "all members of the families run, the" \
    "null members too"
run__every_design_and_lock_body() {
	saves list.txt list locks
	sed -n 's/^  \([a-z][^ ]*\).*/\1/p' list.txt >locks.txt
	saves list.txt list designs
	sed -n 's/^  \([a-z][^ ]*\).*/\1/p' list.txt >designs.txt
	[ "$(cat locks.txt designs.txt | wc -l)" -ge 7 ] || atf_fail "no list"
	for d in $(cat designs.txt); do
		"$(program)" list designs $d | grep -q '^  locks *several' &&
		    echo $d
	done >several.txt
	# All pairs are ra_read__every_lock's.
	{
		sed 's/$/ concurrent/' locks.txt
		sed 's/^/mtx /; p; s/^mtx/mcs/; p; s/^mcs/none/' designs.txt
	} | sort -u >pairs.txt
	while read -r l d; do
		# That is refused: cli__designs_with_several_locks.
		[ $l != none ] || ! grep -qx $d several.txt || continue
		run_json -r 2 -l "$l" -d "$d"
		has run.flat "cells\.0\.lock \"$l\"" "cells\.0\.design \"$d\"" \
		    'complete true'
	done <pairs.txt
}

test_case run__tunables_take_effect "the tunables that say the same as an" \
    "option, and others"
run__tunables_take_effect_body() {
	run_json -r 1 -S kern.random.fortuna.concurrent_read=0
	has run.flat 'cells\.0\.design "locked"'
	run_json -r 1 -S kern.random.fortuna.concurrent_read=1 -d concurrent
	has run.flat 'cells\.0\.design "concurrent"'
	run_json -r 1 -S kern.random.use_chacha20_cipher=0
	has run.flat 'cells\.0\.cipher "aes"'
	run_json -r 2 -S debug.lock.delay_base=4 -S debug.lock.delay_max=4 \
	    -d locked
	has run.flat 'tunables\.. "debug.lock.delay_base=4"' \
	    'tunables\.. "debug.lock.delay_max=4"'
	run_json -r 1 -S debug.lock.prof.enable=0
	has run.flat 'cells\.0\.profiled false'
	! grep -q '^cells\.0\.lock_profile\.0' run.flat ||
	    atf_fail "lock profile although it is switched off"
	# Without a lock each reader has a generator of its own.
	run_json -l none -r 2 -d locked --engine virtual --profile graviton3
	has run.flat 'cells\.0\.lock_profile\.[0-9]\.role "reader"'
	! grep 'lock_profile\.[0-9]\.lock "(null)"' run.flat || atf_fail "unnamed"
	run_json -r 1 -S rngsim.harvest.sources=none
	has run.flat 'sources\.0 "none"'
	! grep -q '^sources\.1' run.flat || atf_fail "more than one source"
}

test_case run__harvest_models "both FreeBSD models of the harvest side" \
    "deliver events"
run__harvest_models_body() {
	for m in 2019 newest; do
		# Nothing but the source can seed the generator here.
		run_json -r 1 -S rngsim.harvest.model=$m \
		    -S rngsim.harvest.sources=interrupt \
		    -S rngsim.source.interrupt.rate_hz=100000 \
		    -S rngsim.harvest.boot_entropy_bytes=0 \
		    -S rngsim.harvest.rate_hz=1000
		has run.flat "tunables\.. \"rngsim.harvest.model=$m\"" \
		    "harvest_model \"$m\"" \
		    'complete true' 'sources\.0 "interrupt"'
	done
	run_json -r 1
	has run.flat 'harvest_model "newest"'
}

test_case run__record "the events that a run delivered, in a file"
run__record_body() {
	run_json -r 1 -S rngsim.harvest.record=events.txt
	# 2048 bytes of boot entropy alone are 256 events.
	[ "$(grep -c '^event ' events.txt)" -ge 256 ] ||
	    atf_fail "only $(wc -l <events.txt) lines"
	! grep -Evq '^#|^event [0-9]+ [0-9]+ [0-9a-f]{2,16}( |$)' events.txt ||
	    atf_fail "$(grep -Ev '^#|^event [0-9]+ [0-9]+ ' events.txt | head)"
	fails 1 'missing/events' run -t 1000 \
	    -S rngsim.harvest.record=missing/events
}

needs=cc limit=300
test_case run__stuck_source "a hardware source that returns a constant is" \
    "left out, others go on, and the result says so; both engines, exit 0"
run__stuck_source_body() {
	kernel_cache
	sed 's/^\(.*\)n = rrs->rrs_source->rs_read(.*/&\n\1memset(entropy, 7, n);/' \
	    "$(source_folder)/harvest/random_harvestq.c" >random_harvestq.c
	for engine in real 'virtual --profile epyc-9654-2s'; do
		# It is seeded by the sound source alone, after its start.
		run_json -r 1 -n 2 --engine $engine \
		    -d kernel:random_harvestq.c \
		    -S kern.random.nist_healthtest_enabled=1 \
		    -S rngsim.harvest.boot_entropy_bytes=0 \
		    -S rngsim.source.interrupt.rate_hz=100000 \
		    -S rngsim.harvest.rate_hz=1000
		h='cells\.0\.health\.'
		has run.flat 'complete true' "${h}0.source \"INTERRUPT\"" \
		    "${h}0.discarded 2048" "${h}0.passed 2" \
		    "${h}0.repetitions 0" "${h}0.excluded 0" \
		    "${h}1.source \"PURE_RDRAND\"" "${h}1.passed 0" \
		    "${h}1.repetitions 2" "${h}1.proportions 0" \
		    "${h}1.excluded 2" \
		    'cells\.0\.notes ".*health test failed: PURE_RDRAND.*"'
		# What a report makes of the file.
		atf_check -o match:'^health tests   INTERRUPT: 2048 disc' \
		    -o match:' PURE_RDRAND: .* discarded, 0 starts pass' \
		    -o match:'repetition 2, by proportion 0' \
		    "$(program)" report run.json
	done
	# Off by default.
	run_json -r 1 -d kernel:random_harvestq.c
	has run.flat 'cells\.0\.harvest\.discarded 0'
	! grep -q 'cells\.0\.health' run.flat || atf_fail "tested by default"
}

test_case run__never_seeded "a bounded wait for entropy that does not come," \
    "then exit 1 with what pool 0 has and needs"
run__never_seeded_body() {
	none="-t 1000 -S rngsim.seed_timeout_ms=50 -S rngsim.warmup_ms=0
	    -S rngsim.harvest.sources=none"
	boot=rngsim.harvest.boot_entropy_bytes
	for d in locked concurrent; do
		atf_check -s exit:1 -o empty -e match:'never seeded' \
		    -e match:'pool 0 has 0 bytes' -e match:'needs 64' \
		    "$(program)" run $none -d $d -r 2 -S $boot=0
	done
	# Boot entropy goes round 32 pools, so little of it reaches pool 0.
	atf_check -s exit:1 -o empty -e match:'has [1-9][0-9]* bytes' \
	    -e match:'needs 1024' "$(program)" run $none -r 1 -S $boot=100 \
	    -S kern.random.fortuna.minpoolsize=1024
	fails 1 'kern.random.block_seeded_status' run $none -r 1 \
	    -S kern.random.block_seeded_status=1
	echo earlier >r.json
	fails 1 'never seeded' sweep $none -r 1 -S $boot=0 -o r.json
	[ "$(cat r.json)" = earlier ] || atf_fail "an earlier result is gone"
	[ "$(echo r.json*)" = r.json ] || atf_fail "left: $(echo r.json*)"
}

# The threads of a process that it named: neither the first nor a sanitizer's.
threads() {
	if [ -d "/proc/$1/task" ]; then
		(cd "/proc/$1/task" && grep -Lx "$(cat "$1/comm")" */comm |
		    grep -vx "$1/comm")
	else
		ps -H -o lwp=,tdname= -p "$1" | grep -v ' rngsim$'
	fi 2>/dev/null
}

# Waits until the program whose id will be in a file has threads, which is when
# it measures; leaves its id in $pid.  Fails when it ended before.
until_measuring() {
	while [ ! -s "$1" ]; do sleep 0.01; done
	pid=$(cat "$1")
	while [ "$(threads "$pid" | wc -l)" -lt 1 ]; do
		kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.01
	done
}

# Runs the program in the foreground: shells let background jobs ignore SIGINT.
# The file is there, whole, at once.
in_foreground() {
	sh -c 'echo $$ >pid.tmp && mv pid.tmp pid && exec "$@"' sh "$@"
}

test_case sweep__signal_ends_it_in_order "SIGINT, SIGTERM and SIGHUP: exit 1," \
    "a file that says that it is not complete"
sweep__signal_ends_it_in_order_body() {
	for s in INT TERM HUP; do
		rm -f pid
		{ until_measuring pid && kill -$s "$pid"; } &
		in_foreground "$(program)" sweep -t 1000 -n 5 -r 1,2 -o r.json \
		    >out 2>err
		status=$?
		wait
		[ $status = 1 ] || atf_fail "SIG$s: exit $status: $(cat err)"
		grep -qi interrupted err || atf_fail "SIG$s: $(cat err)"
		json_flat r.json r.flat
		has r.flat 'complete false' 'schema "rngsim-result/1"' 'cells \['
		[ "$(echo r.json*)" = 'r.json r.json.journal' ] ||
		    atf_fail "left: $(echo r.json*)"
		rm r.json*
	done
}

test_case sweep__signal_keeps_what_is_measured "a signal after the first" \
    "repeat: its cell is in the file, marked as not complete, and report says" \
    "so"
sweep__signal_keeps_what_is_measured_body() {
	{
		until_measuring pid
		threads "$pid" >first.txt
		# None of the first repeat's threads is left.
		until [ "$(threads "$pid" | cat first.txt - | sort |
		    uniq -d | wc -l)" = 0 ]; do
			kill -0 "$pid" 2>/dev/null || break
		done
		kill -TERM "$pid"
	} &
	in_foreground "$(program)" sweep $brief -n 10000 -r 1 -d none -c aes \
	    -S rngsim.sweep.controls=0 -o r.json >out 2>err
	status=$?
	wait
	[ $status = 1 ] || atf_fail "exit $status: $(cat err)"
	json_flat r.json r.flat
	has r.flat 'complete false' 'cells\.0\.design "none"' \
	    'cells\.0\.samples\.0\.order 0'
	n=$(get r.flat cells.0.repeats)
	[ "$n" -lt 10000 ] || atf_fail "it was not interrupted"
	grep -q '^INCOMPLETE' out || atf_fail "stdout does not say so"
	shows '^INCOMPLETE' report r.json
}

test_case sweep__ignored_hangup_stays_ignored "nohup(1) keeps a sweep alive"
sweep__ignored_hangup_stays_ignored_body() {
	{ until_measuring pid && kill -HUP "$pid"; } &
	(trap '' HUP; in_foreground "$(program)" run -t 0.3 -r 1 -o r.json \
	    >out 2>err)
	status=$?
	wait
	[ $status = 0 ] || atf_fail "exit $status: $(cat err)"
	json_flat r.json r.flat
	has r.flat 'complete true'
}
