# Kernel sources as designs: shipped files by their paths, and a real tree.
# Wrong ones are tests/mutants.

virtual="--engine virtual --profile epyc-9654-2s -S rngsim.warmup_ms=0"

# Compiled into the build's folder, once for all cases.
prepare() {
	crypto=
	XDG_CACHE_HOME=$(cd "$(atf_get_srcdir)/.." && pwd)/kernel-cache
	# Sources of tests assert on this machine, too.
	RNGSIM_KERNEL_CFLAGS=-DINVARIANTS
	export XDG_CACHE_HOME RNGSIM_KERNEL_CFLAGS
	folder=$(source_folder)/tests
}

# kernel NAME: a shipped file, or a folder of files, as -d takes it.
kernel() {
	name=$(cd "$folder/.." && ls -d fortuna/$1 fortuna/$1.c \
	    tests/kernel/$1.c 2>/dev/null | head -n 1)
	echo "kernel:$folder/../$name"
}

# answers DESIGN SCRIPT...: all known answers hold.
answers() {
	design=$1
	shift
	for script; do
		cat "${script%.script}.expected"
	done >expected || atf_fail "no answers"
	"$(program)" kat $crypto -d "$design" "$@" >out 2>&1
	cmp -s out expected ||
	    atf_fail "$design: $(diff out expected | head -n 4)"
}

test_case kernel_source__answers "shipped files by their paths give FreeBSD's" \
    "bytes, and their models'"
kernel_source__answers_body() {
	prepare
	answers "$(kernel fortuna)" "$folder"/vectors/*.script
	answers "$(kernel percpu)" "$(atf_get_srcdir)"/vectors-designs/percpu-*.script
}

# A copy whose reseeds need no events is a scenario of two threads.  Each line:
# the property that fails, the memory, how schedules are chosen, the edit.
test_case kernel_source__orders "pcpu.c with one step less in how it publishes" \
    "a seed is broken, with each fence and each order"
kernel_source__orders_body() {
	prepare
	sed 's/if (\(.*fsp_length < fortuna_state.fs_minpoolsize\))/if (\
	    fortuna_state.fs_reseedcount == 0 \&\& \1)/' \
	    "$folder/../fortuna/pcpu.c" >often.c
	while read -r property memory how edit; do
		sed "$edit" often.c >one.c
		cmp -s often.c one.c && [ "$property" != none ] &&
		    atf_fail "$edit: no change"
		expected="exit:1 -o match:^FAILED.$property:"
		[ "$property" != none ] || expected="exit:0 -o match:^No.failure:"
		# Of all executions it needs the same addresses in each run.
		[ "$how" != exhaustive ] || [ -z "$RNGSIM_SANITIZER" ] ||
		    continue
		atf_check -s $expected "$(program)" explore -d kernel:one.c \
		    -l one-step --reads 2 --reseeds 0 --allow pools --seed 1 \
		    --memory "$memory" "--$how" --schedules 60000 \
		    -o one.schedule
		rm -f one.schedule
	done <<-'END'
	none weak strategy=pct s,^,,
	none tso exhaustive s,^,,
	torn sc exhaustive s/generation % 2/0/
	torn sc exhaustive s/while (generation != .*/while (0);/
	stale sc exhaustive s/\(fl_generation = \)generation/\1fortuna_shared.fh_generation/
	torn weak exhaustive /^.atomic_store_rel_int(&fortuna_shared/s/_rel//
	torn weak exhaustive /generation = atomic_load_acq_int/s/_acq//
	torn weak strategy=pct /atomic_thread_fence_rel/d
	torn weak strategy=pct /atomic_thread_fence_acq/d
	END
	[ -z "$RNGSIM_SANITIZER" ] || return 0
	sed '/explicit_bzero(newkey/d' "$folder/../fortuna/fortuna.c" >left.c
	atf_check -s exit:1 -o match:'^FAILED residue:' "$(program)" explore \
	    -d kernel:left.c --exhaustive -r 1 -o left.schedule
}

test_case kernel_source__queue "all executions of two producers and the thread" \
    "are right, and not if the thread, or a producer, does not take the mutex"
kernel_source__queue_body() {
	prepare
	[ -z "$RNGSIM_SANITIZER" ] || atf_skip "other addresses in each run"
	queue=$folder/../harvest/random_harvestq.c
	mkdir thread producer
	sed '/random_kthread_control = 1/,/for (u_int/s/RANDOM_HARVEST_.*LOCK()//' \
	    "$queue" >thread/random_harvestq.c
	sed '/^random_harvest_queue_/,/^}/s/RANDOM_HARVEST_.*LOCK()//' \
	    "$queue" >producer/random_harvestq.c
	for memory in sc weak; do
		atf_check -o match:'these are all .* of 2 producers with 2 events' \
		    "$(program)" explore -d "kernel:$queue" --exhaustive \
		    --reads 0 --memory $memory
	done
	for of in thread producer; do
		cmp -s "$queue" $of/random_harvestq.c &&
		    atf_fail "$of: no change"
		atf_check -s exit:1 -o match:'^FAILED (sources|queued):' \
		    "$(program)" explore -d kernel:$of/random_harvestq.c \
		    --exhaustive --reads 0 -o $of.schedule
		atf_check -s exit:1 -o match:'^FAILED (sources|queued):' \
		    "$(program)" explore --replay $of.schedule
	done
	atf_check -o match:'Exhaustive .*sc: all [0-9]* executions' \
	    -o match:'The queue.*' -o match:'2 producers with' "$(program)" \
	    assure -d "kernel:$queue" --only exhaustive
}

# A tree of AES alone, with reads of whole blocks, a LIST and ra_init_alg.
test_case kernel_source__old "a release before r349154 is explored whole, with" \
    "weak memory too; its cipher is AES, and no other by that name"
kernel_source__old_body() {
	prepare
	old=kernel:$folder/kernel/old
	for memory in sc weak; do
		atf_check -o match:'kernel:old ticket .*aes .* 3000 ' \
		    "$(program)" explore -d "$old" -l ticket --schedules 3000 \
		    --seed 5 -j 1 --memory $memory
	done
	atf_check -o match:'kernel:old, mtx, aes' "$(program)" run -d "$old" \
	    $virtual -r 2 -s 100 -t 0.02 --ledger \
	    -S kern.random.fortuna.minpoolsize=128
	for arguments in "explore -c chacha20" "run -c chacha20" \
	    "sweep -c aes,chacha20 -t 0.01" \
	    "run -S kern.random.use_chacha20_cipher=1"; do
		atf_check -s exit:2 -e match:'-c: .*kernel:old.*expected aes' \
		    "$(program)" $arguments -d "$old"
	done
	echo 'cipher chacha
	mode locked
	init' >script
	atf_check -s exit:1 -e match:'chacha20.*expected aes' \
	    "$(program)" kat -d "$old" script
	# Carries are below the place where it asserts that C is not 0.
	atf_check -o match:'Arithmetic  *aes: [0-9]* sizes' \
	    -o match:'Answers  *None' "$(program)" assure -d "$old" \
	    --only arithmetic,answers --budget 1 --seed 1
	# A block that comes twice, a page's key that is not replaced.
	cp -R "$folder/kernel/old" tree
	for edit in '/&fortuna_state.fs_counter, buf/{n;d;}' \
	    '/^	randomdev_encrypt_init.*temp/d' '/explicit_bzero(temp/d' \
	    '/explicit_bzero(s,/d'; do
		sed "$edit" "$folder/kernel/old/dev/random/fortuna.c" \
		    >tree/dev/random/fortuna.c
		! cmp -s tree/dev/random/fortuna.c \
		    "$folder/kernel/old/dev/random/fortuna.c" ||
		    atf_fail "$edit: no change"
		atf_check -s exit:1 -o match:'^FAILED' "$(program)" explore \
		    -d kernel:tree --schedules 3000 --seed 1 -j 1
	done
	# No whole block: the cipher writes nothing.
	cp "$folder/kernel/old/dev/random/fortuna.c" tree/dev/random
	sed 's/in, n \* 8, out/in, n * 4, out/' \
	    "$folder/kernel/old/dev/random/hash.c" >tree/dev/random/hash.c
	atf_check -s exit:1 -o match:'^FAILED made' "$(program)" explore \
	    -d kernel:tree --schedules 100 --seed 1 -j 1
}

test_case kernel_source__vmgenid "what tells of a clone is known by the number" \
    "that a release gives it"
kernel_source__vmgenid_body() {
	prepare
	mkdir -p tree/sys/dev/random tree/sys/sys
	sed '/RANDOM_PURE_VMGENID,/d; s/= RANDOM_PURE_START,/& RANDOM_PURE_VMGENID,/' \
	    "$folder/../fortuna/sys/random.h" >tree/sys/sys/random.h
	sed 's/->he_source == RANDOM_PURE_VMGENID/->he_size > 99/' \
	    "$folder/../fortuna/fortuna.c" >tree/sys/dev/random/fortuna.c
	atf_check -s exit:1 -o match:'an event of VMGENID' "$(program)" \
	    explore -d kernel:tree --schedules 2000 --seed 1 -j 1
}

test_case kernel_source__threads "more readers than locks have threads by" \
    "default share a source"
kernel_source__threads_body() {
	prepare
	"$(program)" cat -d "$(kernel fortuna)" -r 200 -n 100000 >out ||
	    atf_fail "cat: $?"
	[ "$(wc -c <out)" = 100000 ] || atf_fail "$(wc -c <out) bytes"
}

test_case kernel_source__clean "shipped files are explored, and none fails;" \
    "on this machine the ledger finds nothing"
kernel_source__clean_body() {
	prepare
	for name in fortuna percpu; do
		# Some step the clock, and stacks have hashes of earlier runs.
		atf_check -o match:"kernel:$name .* 3000 " "$(program)" \
		    explore -d "$(kernel $name)" -c all --schedules 3000 \
		    --seed 1 -j 1
		runs run -d "$(kernel $name)" -r 2 -s 4k -t 0.2 --ledger
		runs run -d "$(kernel $name)" $virtual -r 8 -s 32 -t 0.02 \
		    --ledger
	done
}

# found NAME WORDS ARGUMENT...: rngsim ARGUMENT... -d NAME fails; each of WORDS,
# separated by |, is in what it prints.
found() {
	name=$1 words=$2
	shift 2
	[ ! -f "$name.c" ] && design=$(kernel $name) || design=kernel:$name.c
	"$(program)" "$@" -d "$design" >out 2>&1
	status=$?
	[ $status = 1 ] || atf_fail "$name, $*: exit $status: $(cat out)"
	old=$IFS
	IFS='|'
	for word in $words; do
		grep -q -- "$word" out ||
		    atf_fail "$name, $*: no \"$word\" in $(cat out)"
	done
	IFS=$old
}

test_case kernel_source__broken "what does not compile or link is told," \
    "also a function for another kind of lock"
kernel_source__broken_body() {
	prepare
	while IFS='|' read -r name change word; do
		sed "$change" "$folder/../fortuna/fortuna.c" >$name.c
		line=$(diff "$folder/../fortuna/fortuna.c" $name.c |
		    sed -n '1s/[^0-9].*//p')
		found $name "$name.c:$line:.*$word" run -r 1 -s 64 -t 0.05
	done <<-'END'
	uncompiled|/^static bool fortuna_conc/s/^/static vmem_t arena; /|vmem_t
	unlinked|s/^	now = getsbin.*/void lost(void); & lost();/|undefined .*lost
	kind|s/^	now = getsbin.*/& rw_wlock(\&fortuna_state.fs_mtx);/|rw_lock
	END
}

test_case kernel_source__sanitizer "with ThreadSanitizer the source has it," \
    "too; only FreeBSD's load of the counter is no error"
kernel_source__sanitizer_body() {
	prepare
	[ "$RNGSIM_SANITIZER" = tsan ] ||
	    atf_skip "only in a build with ThreadSanitizer"
	export TSAN_OPTIONS=exitcode=86:halt_on_error=1:print_suppressions=1
	run='run -r 2 -s 64k -t 0.5 -c chacha20'
	atf_check -o ignore -e match:'Matched .*suppressions' \
	    "$(program)" $run -d "$(kernel fortuna)"
	sed -e 's/^static bool fortuna_concurrent_read/static u_long made; &/' \
	    -e '/explicit_bzero(&key_copy/s/^/made += bytecount; /' \
	    "$folder/../fortuna/fortuna.c" >race.c
	atf_check -s exit:86 -o ignore -e match:'data race.*random_fortuna_read' \
	    "$(program)" $run -d kernel:race.c
}

test_case kernel_source__waits "readers wait for the first seed, and for ever" \
    "where the source denies it, in both engines"
kernel_source__waits_body() {
	prepare
	for engine in real "virtual --profile epyc-9654-2s"; do
		atf_check -s exit:1 -o ignore -e match:'never seeded:.*block' \
		    "$(program)" run --engine $engine -r 2 -s 64 -t 0.02 \
		    -d "$(kernel fortuna)" -S rngsim.seed_timeout_ms=300 \
		    -S kern.random.block_seeded_status=1
	done
}

test_case kernel_source__instances "two sources, and two generators of one," \
    "at once give what they give alone"
kernel_source__instances_body() {
	prepare
	both=$(kernel fortuna),$(kernel percpu)
	for jobs in 1 2; do
		runs explore -d "$both" -c all --schedules 500 --seed 3 -j $jobs
		"$(program)" sweep $virtual -d "$both" -r 1,8 -s 32 -t 0.01 \
		    -n 2 --seed 3 --format csv >jobs.$jobs 2>err || atf_fail "$(cat err)"
	done
	cmp -s jobs.1 jobs.2 || atf_fail "$(diff jobs.1 jobs.2)"
	# Alone, its rows are the same.
	"$(program)" sweep $virtual -d "$(kernel percpu)" -r 1,8 -s 32 \
	    -t 0.01 -n 2 --seed 3 --format csv >alone 2>err || atf_fail "$(cat err)"
	grep kernel:percpu jobs.1 >beside
	grep kernel:percpu alone | cmp -s - beside ||
	    atf_fail "$(diff alone beside)"
}

test_case kernel_source__events "the harvest thread puts the same events into" \
    "the same pools as those of the shipped design"
kernel_source__events_body() {
	prepare
	for design in concurrent "$(kernel fortuna)"; do
		"$(program)" run $virtual -d "$design" -r 1 -s 4k -t 0.5 --seed 5 --ledger \
		    -o result.json >out 2>&1 || atf_fail "$(cat out)"
		json_flat result.json flat
		get flat cells.0.harvest.events_per_s >>events
		rm -f result.json
	done
	[ "$(uniq events | wc -l)" = 1 ] || atf_fail "$(cat events)"
}

test_case kernel_source__locks "locks, sections and sleep exclude and wake as" \
    "the kernel's, in every memory and both engines"
kernel_source__locks_body() {
	prepare
	design=$(kernel locks)
	for memory in sc tso weak; do
		runs explore -d "$design" -c chacha20 --schedules 1500 \
		    --seed 1 -j 1 --memory $memory
	done
	runs run -d "$design" $virtual -r 8 -s 32 -t 0.02 --ledger
	runs run -d "$design" -r 3 -s 32 -t 0.2 --ledger
}

test_case kernel_source__misuse "what witness(4) and INVARIANTS forbid ends the" \
    "run, with its words and the place of what it conflicts with"
kernel_source__misuse_body() {
	prepare
	# The words of the n-th are those of the list in the file.
	awk '/^#define	MISUSES/ { on = 1; next } !on { next } /^$/ { exit }
	    { sub(/[ 	]*\\$/, ""); sub(/^[ 	]+/, ""); text = text " " $0 }
	    END { n = split(text, row, /MISUSE\("/)
		for (i = 2; i <= n; i++) {
			gsub(/" *"/, "", row[i]); sub(/",.*/, "", row[i])
			gsub(/\\"/, "\"", row[i]); print row[i]
		} }' "$folder/kernel/locks.c" >words
	number=0
	while read -r words; do
		number=$((number + 1))
		"$(program)" cat -d "$(kernel locks)" -n 32 \
		    -S kern.random.misuse=$number >out 2>&1 </dev/null
		status=$?
		[ $status = 1 ] && grep -qF -e "$words" out ||
		    atf_fail "$number: exit $status, no \"$words\" in $(cat out)"
	done <words
	[ $number -ge 60 ] || atf_fail "$number: $(cat words)"
}

test_case kernel_source__fenestras "FenestrasX gives the bytes of fxrng; a" \
    "reader that loses the race for a CPU leaves nothing; no more output is" \
    "stored than is declared"
kernel_source__fenestras_body() {
	prepare
	for design in "$(kernel fenestras)" \
	    ${RNGSIM_KERNEL_SRC:+"kernel:$RNGSIM_KERNEL_SRC/dev/random/fenestrasX"}; do
		answers "$design" "$(atf_get_srcdir)"/vectors-designs/fxrng-chacha-*.script
		runs explore -d "$design" --schedules 3000 --seed 1 -j 1
		runs run -d "$design" -r 2 -s 32 -t 0.2 -c chacha20 --ledger
	done
	design=$(kernel fenestras)
	for flags in -DFX_ONE_CPU -DFX_CHURN; do
		export RNGSIM_KERNEL_CFLAGS=$flags
		runs explore -d "$design" --schedules 3000 --seed 1 -j 1
		runs run -d "$design" -r 2 -s 32 -t 0.2 -c chacha20 --ledger
	done
	export RNGSIM_KERNEL_CFLAGS=-DFX_STORED=0
	found fenestras '^FAILED made:' explore --schedules 3000 --seed 1 -j 1
}

test_case kernel_source__interfaces "each interface does what the kernel's" \
    "does, in both engines; atomics of a source have their order"
kernel_source__interfaces_body() {
	prepare
	export RNGSIM_KERNEL_CFLAGS="-O1 -g0"
	design=$(kernel interfaces)
	set --
	for name in S8 U8 S16 U16 S32 U32 S64 U64 LONG ULONG QUAD BOOL; do
		case $name in
		BOOL) value=1 ;;
		*8) value=1 ;;
		*) value=9 ;;
		esac
		set -- "$@" -S kern.random.check.set_$name=$value \
		    -S kern.random.more.$name=$value
	done
	set -- "$@" -S kern.random.check.tuned=9 -S kern.random.check.delay_ms=9
	runs run -d "$design" -r 2 -s 64 -t 0.3 "$@"
	runs run -d "$design" $virtual -r 2 -s 64 -t 0.3 "$@"
	for memory in sc tso weak; do
		for publish in 0 1 2 3; do
			case $memory-$publish in
			weak-[23]) fails=1 ;;
			*) fails=0 ;;
			esac
			"$(program)" explore -d "$design" --memory $memory \
			    --schedules 1000 --seed 1 -j 1 \
			    -S kern.random.check.publish=$publish >out 2>&1
			[ $? = $fails ] ||
			    atf_fail "$memory, $publish: $(cat out)"
			[ $fails = 0 ] || grep -q 'interfaces.c:.*after' out ||
			    atf_fail "$memory, $publish: $(cat out)"
		done
	done
}

test_case kernel_source__tree "a kernel's own file gives FreeBSD's bytes, is" \
    "explored and measured"
kernel_source__tree_body() {
	prepare
	[ -n "$RNGSIM_KERNEL_SRC" ] ||
	    atf_skip "RNGSIM_KERNEL_SRC names no kernel source tree"
	design=kernel:$RNGSIM_KERNEL_SRC
	answers "$design" "$folder"/vectors/*.script
	runs explore -d "$design" -c all --schedules 3000 --seed 1 -j 1
	runs sweep -d "concurrent,$design" -r 1-2 -s 4k -t 0.1 -n 2 \
	    -o result.json
	runs sweep $virtual -d "concurrent,$design" -r 1,16 -s 32 -t 0.02 -n 2
}

test_case kernel_source__crypto "with --crypto source a kernel's own ciphers" \
    "give FreeBSD's bytes and are measured"
kernel_source__crypto_body() {
	prepare
	complains 2 'kernel sources|kernel:PATH' run --crypto source
	complains 2 'hash.c|--crypto kernel' run --crypto source \
	    -d "$(kernel fortuna)"
	complains 2 'expected kernel or native' hash --crypto source
	[ -n "$RNGSIM_KERNEL_SRC" ] ||
	    atf_skip "RNGSIM_KERNEL_SRC names no kernel source tree"
	design=kernel:$RNGSIM_KERNEL_SRC
	crypto="--crypto source"
	answers "$design" "$folder"/vectors/*.script
	complains 2 'ledger' run $crypto -d "$design" --ledger
	saves result.json run -d "$design" $crypto -r 1 -s 4k -t 0.1 \
	    --format json
	json_flat result.json flat
	[ "$(get flat cells.0.crypto)" = '"source"' ] || atf_fail "$(cat flat)"
	runs run -d "$design" $crypto --ledger $virtual -r 8 -s 32 -t 0.02
	# A wrong cipher of the tree shows, and only with --crypto source.
	mkdir -p sys/dev sys/crypto sys/sys
	cp -R "$RNGSIM_KERNEL_SRC/dev/random" sys/dev
	cp "$RNGSIM_KERNEL_SRC/sys/random.h" sys/sys
	for name in chacha20 rijndael sha2; do
		cp -R "$RNGSIM_KERNEL_SRC/crypto/$name" sys/crypto
	done
	rm sys/crypto/sha2/sha256c.c
	complains 2 'no sys directory with crypto/sha2/sha256c.c' run $crypto \
	    -d kernel:sys
	cp "$RNGSIM_KERNEL_SRC/crypto/sha2/sha256c.c" sys/crypto/sha2
	sed -i 's/expand 32/Expand 32/' sys/crypto/chacha20/chacha.c
	script=$(ls "$folder"/vectors/chacha-*.script | head -n 1)
	answer() { "$(program)" kat -d kernel:sys "$@" "$script" | cksum; }
	expected=$(cksum <"${script%.script}.expected")
	[ "$(answer)" = "$expected" ] || atf_fail "rngsim's are not used"
	[ "$(answer $crypto)" != "$expected" ] || atf_fail "theirs are not used"
}
