# rngsim explore: what it finds, prints and replays.

command=explore

has() {
	grep -q -- "$1" out || atf_fail "no \"$1\" in $(cat out)"
}

test_case explore__clean "every design is explored under FreeBSD's mutex, and" \
    "every lock under FreeBSD's design, and none fails"
explore__clean_body() {
	ends 0 -d all -c all --schedules 400 --seed 1 -j 2
	[ ! -s err ] || atf_fail "$(cat err)"
	"$(program)" list designs | sed -n 's/^  \([a-z]*\) .*/\1/p' |
	    grep -v none >names
	[ "$(wc -l <names)" -ge 8 ] || atf_fail "$(cat names)"
	for name in $(cat names); do
		[ "$(grep -c "^$name .* 400 " out)" = 2 ] ||
		    atf_fail "not both of $name: $(cat out)"
	done
	has "^No failure: .*0.05^(1/10) = 0.26 of such"
	ends 0 -l all --schedules 400 --seed 2 -j 1
	grep -q "^concurrent  *cohort .* 400 " out || atf_fail "$(cat out)"
	grep -q "^concurrent  *none " out && atf_fail "none is among all"
	# Of two rows the first is cut short.  A sanitizer's malloc(3) has other
	# addresses in each run.
	[ -z "$RNGSIM_SANITIZER" ] || return 0
	ends 0 -d locked,none -l ticket --exhaustive -r 2 --schedules 800
	grep -q "^locked .* 800 " out || atf_fail "$(cat out)"
	grep -q "^none .* 800 " out && atf_fail "$(cat out)"
	has "these are not all"
}

# Standard input, a kernel source, which claims to heed generation IDs.
claims_clones() {
	cat
	printf '#include <random_abi.h>\nRANDOM_CLAIMS(%s);\n' \
	    '.rm_clones = true, .rm_key = &fortuna_state.fs_key'
}

test_case explore__clones "two copies of a machine: each design returns some" \
    "bytes again until it has reseeded; a source that heeds an ID holds, and" \
    "one that knows the ID from before, or keeps a CPU's key, does not"
explore__clones_body() {
	for mode in unnoticed vmgenid; do
		ends 0 -d all --clone $mode --schedules 120 --seed 3 -j 2
		# a copy returns N bytes, N of them again (N %), N % late
		awk '/^  a copy returns/ { n++; again = substr($10, 2) + 0
		    if ($4 < 50 || $6 < 10 || again < 100 * $6 / $4 - 1 ||
		    again > 80 || $12 > again) exit 1 }
		    END { exit n < 8 }' out || atf_fail "$mode: $(cat out)"
		has "real ciphers"
	done
	ends 0 -d locked --clone none --schedules 80
	grep -q "a copy" out && atf_fail "$(cat out)"
	ends 0 -d locked --clone vmgenid --schedules 80 --seed 3 --json one.json
	grep -q '"again_bytes": [1-9]' one.json || atf_fail "$(cat one.json)"
	# Without events a copy has nothing of its own, but in one run of 32.
	ends 0 -d locked --clone unnoticed --reads 2 --reseeds 0 --seed 1 \
	    --schedules 80
	has "again (9[5-9].* %), 0.00 % late"
	refused 2 '--clone|--exhaustive' --clone vmgenid --exhaustive
	refused 2 '--clone|dpor' --clone vmgenid --strategy dpor
	refused 2 '--clone|-s' --clone vmgenid -s 4k
	refused 2 '--clone|--reads 0' --clone vmgenid --reads 0
	refused 2 '--reads 0|-r' --reads 0 -r 2
	refused 2 'none|unnoticed|vmgenid' --clone twice

	kernel_cache
	src=$(cd "$(source_folder)" && pwd)/fortuna
	claims_clones <"$src/fortuna.c" >ignores.c
	# It reseeds at once, with the new ID or with the old one.
	sed -e '/^ \* Absorbs an event/,/^ \*\// {
	/^ \*\//a \
static bool fortuna_cloned;
	}' -e '/^	absorbed = /i \
	fortuna_cloned |= event->he_source == RANDOM_PURE_VMGENID;' -e '/^random_fortuna_due(/,/^}/ {
	/ASSERT_LOCK_OWNED/a \
	if (fortuna_cloned) { \
		fortuna_cloned = false; \
		return (true); \
	}
	}' "$src/fortuna.c" | claims_clones >heeds.c
	sed 's/^\(	randomdev_hash_iterate(&pool->fsp_hash, \)\(event->he_entropy\),/\1 \
	    event->he_source == RANDOM_PURE_VMGENID ? old_id : (void *)\2,/
	s/^static bool fortuna_cloned;/&\
static uint8_t old_id[8];/' heeds.c >old.c
	sed 's/^\(	\)\(random_fortuna_mix(&leaf->fl_key, true, seed\)/\1if (PCPU_GET(cpuid) != 1) \2/' \
	    "$src/pcpu.c" >survives.c
	for f in heeds ignores old survives; do
		# A path's line may be wider than 80 columns.
		"$(program)" explore -d kernel:$f.c --allow pace,pools,stale \
		    --clone vmgenid --schedules 800 --seed 1 -j 2 \
		    -o $f.schedule >out
		[ $f = heeds ] && has "^No failure" || has "^FAILED cloned:"
	done
	has " of the second copy got are those that the first"
	again=$(sed -n '/^Unshrunk: /,$ { s/^.*rngsim explore //; s/\\$//; p; }' out)
	# shellcheck disable=SC2086
	"$(program)" explore $again -o again.schedule >out
	cmp survives.schedule again.schedule || atf_fail "$(cat out)"
	grep -q "^copied [1-9]" again.schedule || atf_fail "$(cat again.schedule)"
	ends 1 --replay ignores.schedule
	has "^As recorded"
	sed '/^copied/d' ignores.schedule >one.schedule
	ends 0 --replay one.schedule
	has "^Does not fail"
}

test_case explore__exhaustive "all executions of a small scenario: as many" \
    "each time; a lock that does not exclude is found"
explore__exhaustive_body() {
	for design in none locked; do
		ends 0 --exhaustive -d $design -l ticket -r 1
		grep -o "these are all .* executions" out >all
		ends 0 --strategy dpor -S rngsim.lock.spin_polls=0 \
		    -d $design -l ticket -r 1 --seed 2
		grep -o "these are all .* executions" out | diff all - ||
		    atf_fail "another number: $(cat out)"
	done
	for memory in sc tso; do
		ends 0 --exhaustive -d pcpu --memory $memory
		has "^pcpu *one-step "
		has "these are all [0-9]* executions of 2 readers with 1 read"
	done
	ends 0 --exhaustive -d percpu --memory weak
	has "these are all [0-9]* executions"
	# One reseed comes before the two reads, so others came beside them.
	for design in locked concurrent percpu vdso privctx cckprng pcpu; do
		ends 0 --exhaustive -d $design
		awk '/^Checked:/ { exit !($4 > $2 / 2) }' out ||
		    atf_fail "no reseed: $(cat out)"
	done
	ends 0 --exhaustive -d locked --reads 2 --reseeds 0 -s 32
	has "of 2 readers with 2 reads each, of 32"
	has "events for 0 reseeds"
	ends 0 --exhaustive -d privctx -r 1 --reseeds 2
	has "of 1 reader with 1 read each"
	has "events for 2 reseeds"
	awk '/^Checked:/ { exit !($4 == 3 * $2) }' out || atf_fail "$(cat out)"
	ends 0 --exhaustive -d locked --reads 0 --reseeds 2
	has "of 2 producers with 4 events each and"
	ends 0 -d locked --reads 0 --schedules 100
	has "^Checked: 0 reads, 100 reseeds, 0 blocks"
	# The same scenario, sampled: no reseed but the first.
	ends 0 -d locked --strategy random --schedules 50 --reads 2 --reseeds 0
	has "^Checked: 200 reads, 50 reseeds,"
	ends 0 --exhaustive -d pcpu -l mcs --schedules 100
	has "these are not all: 100 executions were run, at least [0-9]"
	ends 1 --exhaustive -d pcpu -l none --seed 5 -o first.schedule
	has "^FAILED "
	again=$(sed -n '/^Unshrunk:/,$p' out | sed 's/^.*explore//' |
	    tr -d '\\\n')
	eval "ends 1 $again -o again.schedule"
	cmp first.schedule again.schedule || atf_fail "another failure"
	refused 2 '--exhaustive and --strategy' --exhaustive --strategy pct
}

test_case explore__finds "a lock without mutual exclusion fails; its file," \
    "its seed and the program give the same failure again"
explore__finds_body() {
	ends 1 -l none -c aes --seed 7 -j 2 --allow stale
	has "^FAILED [a-z]*: "
	has "schedule [0-9]*, "
	has "^ *step setup .*reader 1"
	has "L1 reseed mutex"
	has "^ *[0-9]* ---- point of no return: [1-9][0-9]* of 200 "
	has "Again: *rngsim explore --replay rngsim-explore-7.schedule --allow stale"
	[ -f rngsim-explore-7.schedule ] || atf_fail "no file"
	sed -n '/^FAILED/,/seed 7, /p; /^  step/,/^ *L1/p' out >first
	ends 1 --replay rngsim-explore-7.schedule --allow stale
	has "^As recorded"
	sed -n '/^FAILED/,/seed 7, /p; /^  step/,/^ *L1/p' out >second
	cmp -s first second || atf_fail "$(diff first second)"
	# From the seed, the unshrunk one comes out as that file again.
	cp rngsim-explore-7.schedule before
	rm rngsim-explore-7.schedule
	number=$(sed -n 's/^number //p' before)
	ends 1 -l none -c aes --seed 7 --only $number
	cmp -s before rngsim-explore-7.schedule ||
	    atf_fail "$(diff before rngsim-explore-7.schedule)"
	ends 1 -l none -c aes --seed 7 -o "an other"
	cmp -s before "an other" || atf_fail "-o has another"
	has "^Again: *rngsim explore --replay 'an other'$"
	# What is there stays.
	echo mine >mine
	refused 2 '-o|"mine" is there' -l none -c aes --seed 7 -o mine
	[ "$(cat mine)" = mine ] || atf_fail "$(cat mine)"
	echo mine >rngsim-explore-7.schedule
	ends 1 -l none -c aes --seed 7 --only $number
	has "--replay rngsim-explore-7-2.schedule"
	cmp -s before rngsim-explore-7-2.schedule || atf_fail "no second file"
	mv before rngsim-explore-7.schedule
	# Without a file the seed is printed; a full disk is reported.
	ends 1 -l none -c aes --seed 7 -o nowhere/other
	grep -q "nowhere/other" err || atf_fail "$(cat err)"
	has "^Unshrunk: "
	grep -q "^Again" out && atf_fail "$(cat out)"
	if [ -c /dev/full ]; then
		atf_check -s exit:1 -e match:'^rngsim: explore: stdout: ' sh \
		    -c '"$0" explore -l none --seed 7 >/dev/full' "$(program)"
	fi
}

test_case explore__memory "no design and no lock fails with weaker memory;" \
    "a schedule file has its memory"
explore__memory_body() {
	for memory in tso weak; do
		ends 0 -d all --memory $memory --schedules 1000 --seed 1
		ends 0 -l all --memory $memory --schedules 1000 --seed 2
		ends 1 -l none -c aes --memory $memory --seed 7 -o $memory
		has " --memory $memory "
		grep -q "^memory $memory$" $memory || atf_fail "$(cat $memory)"
		ends 1 --replay $memory
		has "^As recorded"
	done
	# Only with a memory a load has a choice of values.
	sed 's/^end$/choices 33\
&/' weak >more
	ends 1 --replay more
	has "not as recorded"
	sed '/^memory/d' more >strong
	refused 1 "strong|33|1..8" --replay strong
	sed 's/^memory .*/memory lax/' weak >lax
	refused 1 "lax|weak" --replay lax
	refused 2 "--memory|lax|sc, tso or weak" --memory lax
}

test_case explore__only "one schedule counts as one, whatever was run ahead" \
    "of it, and excludes nothing"
explore__only_body() {
	# A scenario has 40.
	ends 0 --seed 7 --only 80
	has "^concurrent *mtx *chacha20 *1 "
	has "^No failure: schedule 80 alone, which excludes nothing\.$"
	ends 0 --seed 7 --only 119
	has "^concurrent *mtx *chacha20 *1 "
	has "^No failure: schedule 119 alone, which excludes nothing\. *The earlier"
	grep -q "95 %" out && atf_fail "$(cat out)"
	ends 0 --seed 7 --schedules 39
	has "^No failure: not all 40 schedules .* excludes nothing\.$"
	ends 0 --seed 7 --schedules 41
	has "1 - 0.05^(1/1) = 0.95 of such$"
}

test_case explore__replay_mended "a schedule of a fault that was fixed does" \
    "not fail, and another outcome is reported"
explore__replay_mended_body() {
	ends 1 -l none --seed 7
	sed 's/^lock none/lock mtx/' rngsim-explore-7.schedule >mended
	ends 0 --replay mended
	has "^Does not fail"
	sed 's/^hash .*/hash 0x1/' rngsim-explore-7.schedule >changed
	ends 1 --replay changed
	has "not as recorded"
	sed '3s/.*/lock nonsense/' rngsim-explore-7.schedule >broken
	refused 1 "broken:3:|nonsense" --replay broken
	refused 1 "nowhere" --replay nowhere
	# Each line that is always there is there once.
	sed -n 's/^\([a-z]*\) .*/\1/p; /^bursts$/p' rngsim-explore-7.schedule \
	    | grep -v -e reader -e choices -e answers -e polls >words
	[ "$(wc -l <words)" -ge 14 ] || atf_fail "$(cat words)"
	for word in $(cat words); do
		grep -v "^$word" rngsim-explore-7.schedule >short
		refused 1 "no line|$word" --replay short
		sed "/^$word/p" rngsim-explore-7.schedule >long
		refused 1 "a second|$word" --replay long
	done
	sed 's/^property .*/property nonsense/' rngsim-explore-7.schedule >odd
	refused 1 "nonsense|no property" --replay odd
}

test_case explore__failpoint "fail points make other runs, none of which" \
    "fails, and stand in the schedule's file"
explore__failpoint_body() {
	for point in 'random_fortuna_pre_read=50%return(1)' \
	    'random_fortuna_seeded=50%return(1)' \
	    'fortuna_unlock_pause=20%sleep(200)' 'lock_owner_preempt=5%pause' \
	    'harvest_ring_full=20%return(1)'; do
		ends 0 --failpoint "$point" --schedules 400 --seed 1 -j 1
		grep ^concurrent out | cut -c1-56 >>rows
	done
	[ "$(wc -l <rows)" = 5 ] || atf_fail "$(cat rows)"
	ends 1 -l none --failpoint 'fortuna_unlock_pause=20%yield' --seed 7
	has "--failpoint fortuna_unlock_pause=20%yield "
	grep -q '^failpoint fortuna_unlock_pause=20%yield$' \
	    rngsim-explore-7.schedule || atf_fail "not in the file"
	ends 1 --replay rngsim-explore-7.schedule
	has "^As recorded"
}

test_case explore__refuses "a wrong command line is refused, with" \
    "what would be accepted"
explore__refuses_body() {
	refused 2 "-d|nonsense|concurrent|or all" -d nonsense
	refused 2 "-l|all|alone" -l mtx,all
	refused 2 "-d|twice" -d locked,locked
	refused 2 "-l|pthread|mtx" -l pthread
	refused 2 "-c|des|aes" -c des
	refused 2 "-r|0|1..6" -r 0
	refused 2 "-r|3-2|1..6" -r 3-2
	refused 2 "-r|7|1..6" -r 7
	refused 2 "-s|5m|4m" -s 5m
	refused 2 "--schedules|0|1.." --schedules 0
	for name in best pct:9 random:1 dfs; do
		refused 2 "--strategy|$name|random, pct:1..8, starve" \
		    --strategy $name
	done
	refused 2 "--seed|-1|number" --seed -1
	refused 2 "-j|0|1.." -j 0
	refused 2 "-S|nonsense|name=value" -S nonsense
	refused 2 "-S|kern.random.fortuna.minpoolsize|3|16.." \
	    -S kern.random.fortuna.minpoolsize=3
	refused 2 "-S|rngsim.pool_hash|of locks or of design concurrent" \
	    -S rngsim.pool_hash=sha512
	refused 2 "--failpoint|nonsense|lock_owner_preempt" \
	    --failpoint nonsense=off
	refused 2 "-o|file name" -o ""
	refused 2 "--replay|no other option" --replay x -d locked
	refused 2 "--replay|no other option" --replay x -o y
	refused 2 "surplus|more" more
}

test_case explore__interrupted "a signal ends it, with what was done so far"
explore__interrupted_body() {
	"$(program)" explore --schedules 1000000000 --seed 1 -j 1 >out 2>err &
	child=$!
	# As soon as it is at work; a signal before that would end it too.
	until grep -q ^design out 2>/dev/null; do sleep 0.01; done
	kill -TERM $child
	wait $child
	status=$?
	[ $status = 1 ] || atf_fail "exit $status: $(cat out err)"
	grep -q "^concurrent  *mtx  *chacha20  *[0-9]" out ||
	    atf_fail "$(cat out)"
	grep -q "interrupted: .* nothing had failed" err ||
	    atf_fail "$(cat err)"
}
