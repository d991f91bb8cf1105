# Kernel sources as designs: where they are found, compiled and kept, what
# results say of them, and what is refused.

command=kernel
brief="-r 1 -s 1k -t 0.05 -c aes -S rngsim.warmup_ms=0"

# setup [cold]: a cache of this case, and a compiler that notes what it compiles.
# cold: it shares nothing.
setup() {
	src=$(cd "$(source_folder)" && pwd)
	export XDG_CACHE_HOME="$PWD/cache" HOME="$PWD"
	real=$(command -v "${CC:-cc}") || atf_skip "no C compiler"
	printf '#! /bin/sh\ncase " $* " in\n*" -c "*) echo x >>"%s";;\nesac\n%s' \
	    "$PWD/compiled" "exec $real \"\$@\"" >cc
	chmod +x cc
	# Its path would be part of what a unit is kept for.
	export CC=cc PATH="$PWD:$PATH"
	unset RNGSIM_KERNEL_CFLAGS
	[ "${1-}" = cold ] || kernel_cache
}

# tree DIR: a sys directory with a source.
tree() {
	mkdir -p "$1/dev/random"
	cp "$src/fortuna/fortuna.c" "$1/dev/random"
}

# builds NAME ARGUMENT: it compiles, under that name.
builds() {
	atf_check -o match:"^kernel:$1 " "$(program)" kernel build "$2"
}

# compiled COUNT: so many calls of the compiler since the last time.
compiled() {
	n=$(cat compiled 2>/dev/null | wc -l)
	rm -f compiled
	[ "$n" -eq "$1" ] || atf_fail "compiled $n times, not $1"
}

nothing_left() {
	left=$(ls cache/rngsim/kernel 2>/dev/null | grep '^work')
	[ -z "$left" ] || atf_fail "left: $left"
}

commit() {
	git -C "$1" add -A
	git -C "$1" -c user.name=x -c user.email=x@y -c commit.gpgsign=false \
	    commit -q -m "$2"
}

repository() {
	git init -q "$1"
	tree "$1/sys"
	commit "$1" first
	git -C "$1" checkout -q -b base
	git -C "$1" checkout -q -b topic/lock
	echo '/* Longer. */' >>"$1/sys/dev/random/fortuna.c"
	commit "$1" second
	git -C "$1" checkout -q base
}

test_case kernel__path "a sys directory, the one above it, a file and a" \
    "relative path with blanks are found; names are short and unique"
kernel__path_body() {
	setup
	tree 'a tree/sys'
	builds a_tree 'a tree'
	[ -s compiled ] || atf_fail "no call is noted"
	rm compiled
	builds a_tree 'a tree/sys/'
	builds fortuna 'a tree/sys/dev/random/fortuna.c'
	cd 'a tree/sys/dev'
	builds a_tree ..
	cd ../../..
	compiled 0
	mkdir other
	cp 'a tree/sys/dev/random/fortuna.c' other
	saves out.json sweep $brief -n 1 --format json -d \
	    "kernel:a tree,kernel:other/fortuna.c,kernel:a tree/sys/dev/random/fortuna.c"
	grep '"design": "kernel' out.json | sort -u | tr -d ' ,"' >names
	atf_check -o inline:'design:kernel:a_tree\ndesign:kernel:fortuna\ndesign:kernel:fortuna-2\n' \
	    cat names
	# Rows that run the program again.
	saves page assure -d 'kernel:a tree' --budget 1 --seed 1 \
	    --only ledger,statistics
	grep -q "^Claim .*kernel:a_tree holds" page || atf_fail "$(cat page)"
	complains 2 'named twice' sweep -d "kernel:other/fortuna.c,kernel:$PWD/other/fortuna.c"
	complains 2 'a list' run -d "kernel:other/fortuna.c,locked"
	complains 2 'expected none' run -d fortuna
}

test_case kernel__folder "a folder of fx_*.c files is one source"
kernel__folder_body() {
	setup
	mkdir fx
	cp "$src/fortuna/fortuna.c" fx/fx_b.c
	echo '#include "fx_missing.h"' >fx/fx_c.c
	complains 1 'fx/fx_c.c:1|fx_missing.h' kernel build fx
	echo '/* The last one. */' >fx/fx_c.c
	builds fx fx
	grep -q "$PWD/fx/fx_c.c" cache/rngsim/kernel/files.* ||
	    atf_fail "fx_c.c is no part of it"
}

needs="git python3"
test_case kernel__revision "two branches and a work tree side by side; the" \
    "result has revisions, differences and contents; the work tree stays"
kernel__revision_body() {
	setup cold
	export RNGSIM_KERNEL_CFLAGS=-O0
	repository repo
	echo '/* Not committed. */' >>repo/sys/dev/random/fortuna.c
	saves out.json sweep $brief -n 1 --format json -d \
	    "kernel:repo@base,kernel:repo/sys@topic/lock,kernel:repo,locked"
	first=$(git -C repo rev-parse base)
	second=$(git -C repo rev-parse topic/lock)
	sum=$(git -C repo show topic/lock:sys/dev/random/fortuna.c | sha256sum)
	python3 - "$first" "$second" "${sum%% *}" <<-'PYTHON' ||
		import json, sys
		first, second, sum = sys.argv[1:]
		k = json.load(open("out.json"))["kernels"]
		assert [x["name"] for x in k] == ["kernel:base",
		    "kernel:topic/lock", "kernel:repo"], k
		assert [x["revision"] for x in k] == [first, second, ""], k
		assert k[0]["diff"] == [], k
		assert k[1]["diff"][0] == "fortuna.c | 1 +", k
		assert "1 insertion" in k[2]["diff"][-1], k
		assert k[1]["files"][0] == {"name": "dev/random/fortuna.c",
		    "sha256": sum}, k
		assert all(x["probed"] and x["compiler"] for x in k), k
		assert "-D_KERNEL" in k[0]["flags"], k
	PYTHON
	    atf_fail "$(grep -A 40 '"kernels"' out.json)"
	atf_check -o inline:' M sys/dev/random/fortuna.c\n' \
	    git -C repo status --short
	nothing_left
	# What none of the three brings is the same.
	compiled 22
	git clone -q --bare repo bare
	builds topic/lock bare@topic/lock
	builds "$(printf %.12s "$second")" "repo@$second"
	# One tree hash: neither taken out nor compiled again.
	compiled 0
	builds base repo/sys/dev/random/fortuna.c@base
	git -C repo branch file
	# A file beside a folder dev/random, of which that is no part.
	mkdir -p repo/own/dev/random && : >repo/own/dev/random/own.h
	cp "$src/harvest/random_harvestq.c" repo/own && commit repo own
	atf_check -o match:'^replaced  fortuna.c$' "$(program)" kernel check \
	    repo/own/random_harvestq.c@HEAD
	git -C repo rm -q -f -r sys
	commit repo gone
	builds file repo/sys@file
	complains 2 'revision base has no |sys' kernel build repo/sys@base
	complains 2 'no revision "nosuch"|branch' kernel build repo@nosuch
	complains 2 'no revision' kernel build repo@--help
	complains 2 'no revision after' kernel build repo@
	tree plain/sys
	complains 2 'finds no repository|not a git' kernel build plain@base
}

test_case kernel__cache "equal contents are compiled once; other contents," \
    "flags and compilers are not taken for them"
kernel__cache_body() {
	setup cold
	export RNGSIM_KERNEL_CFLAGS=-O0
	tree one/sys
	f=one/sys/dev/random/fortuna.c
	builds one one
	compiled 18
	runs run $brief -d kernel:one
	compiled 0
	echo '#include "more.h"' >>$f
	: >one/sys/dev/random/more.h
	builds one one
	compiled 18
	echo 'int more;' >one/sys/dev/random/more.h
	builds one one
	compiled 18
	: >one/sys/dev/random/more.h
	builds one one
	compiled 0
	RNGSIM_KERNEL_CFLAGS='-O0 -DX=1' builds one one
	compiled 18
	# A header that now comes before one of rngsim's.
	cp "$src/fortuna/dev/random/hash.h" one/sys/dev/random
	builds one one
	compiled 18
	mv cc cc2
	CC="$PWD/cc2" builds one one
	compiled 18
	mv cc2 cc
	for so in cache/rngsim/kernel/*/real.so; do
		: >"$so"
	done
	complains 1 'kernel clean' kernel build one
	atf_check -o match:'^removed 6 compiled sources' \
	    "$(program)" kernel clean
	[ ! -e cache/rngsim/kernel ] || atf_fail "not removed"
	builds one one
	compiled 18
	ends 0 check one
	compiled 2
	# What an edit cannot change is not compiled again.
	cp "$src/harvest/random_harvestq.c" one/sys/dev/random
	builds one one
	rm -f compiled
	echo 'extern int other;' >>$f
	builds one one
	compiled 2
	echo 'extern int other;' >>one/sys/dev/random/random_harvestq.c
	builds one one
	compiled 4
	# A header that one of both builds reads.
	printf '#ifdef INVARIANTS\n#include "some.h"\n#endif\n' >>$f
	: >one/sys/dev/random/some.h
	builds one one
	echo 'int some;' >one/sys/dev/random/some.h
	rm -f compiled
	builds one one
	compiled 14
}

test_case kernel__two_at_once "two processes make one entry, and a signal" \
    "leaves nothing"
kernel__two_at_once_body() {
	setup cold
	tree one/sys
	"$(program)" kernel build one >a &
	"$(program)" kernel build one >b
	wait $! || atf_fail "one of them fails"
	atf_check cmp a b
	nothing_left
	ends 0 list
	atf_check -o match:'^  one  .* kB  [0-9a-f]{12}$' \
	    -o match:'^1 compiled source,' cat out
	atf_check -o match:'^removed 1' "$(program)" kernel clean
	rm compiled
	setsid "$(program)" kernel build one >a 2>&1 &
	while [ ! -s compiled ]; do
		sleep 0.05
	done
	kill -TERM -$! || kill -TERM $!
	wait $! && atf_fail "a signal did not end it"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		ls cache/rngsim/kernel | grep -q '^work' || return 0
		sleep 1
	done
	nothing_left
}

# lines TEXT...: a source of these lines.
lines() { printf '%s\n' "$@" >own.c; }

test_case kernel__lacks "what rngsim lacks is named, by gcc and clang; the" \
    "tree's own headers do not take its place"
kernel__lacks_body() {
	setup
	tree one/sys
	f=one/sys/dev/random/fortuna.c
	for real in gcc clang; do
		command -v $real >/dev/null || continue
		CC=$real
		lines '#include <sys/param.h>' '#include <sys/nosuch.h>' \
		    '#include <vm/nosuch.h>' 'static odd_t x;' \
		    'int f(void) { return (odd(1)); }'
		complains 1 'own.c:2:|rngsim lacks the header sys/nosuch.h' \
		    kernel build own.c
		ends 1 check own.c
		[ ! -s err ] || atf_fail "$(cat err)"
		for lack in 'the header sys/nosuch.h' 'the header vm/nosuch.h' \
		    odd_t; do
			grep -qx "lacks     $lack" out ||
			    atf_fail "$real: $lack: $(cat out)"
		done
		lines '#include <sys/param.h>' 'int f(void) { return (odd(1)); }'
		complains 1 'own.c:2:|rngsim lacks odd' kernel build own.c
		lines '#include <sys/param.h>' 'int f(void) { return 1 }'
		complains 1 'own.c:2:|error' kernel build own.c
		case $message in
		*lacks*) atf_fail "$message" ;;
		esac
		sed 's/^	now = getsbinuptime();/void random_account(void); &\
	random_account();/' "$src/fortuna/fortuna.c" >unlinked.c
		complains 1 'random_account' kernel build unlinked.c
		ends 1 check unlinked.c
		grep -qx 'lacks     random_account' out || atf_fail "$(cat out)"
	done
	mkdir one/sys/vm
	echo 'struct nosuch;' >one/sys/vm/nosuch.h
	ends 0 check one
	grep -qx 'compiles  yes' out && grep -qx 'probe     yes' out ||
	    atf_fail "$(cat out)"
	sed -i '1i #include <vm/nosuch.h>' $f
	complains 1 'rngsim lacks the header vm/nosuch.h' kernel build one
	ends 1 check one
	grep -qx 'lacks     the header vm/nosuch.h' out || atf_fail "$(cat out)"
	nothing_left
}

needs=python3
test_case kernel__boot "a source may use locks, clocks and CPUs at boot," \
    "also where its sysctls are only looked at"
kernel__boot_body() {
	setup
	cat >boot.c <<-END
	#include "$src/fortuna/fortuna.c"
	static uint64_t when;
	static int where;
	static void
	early(void *arg)
	{
		when = get_cyclecount() + (arg != NULL);
		where = curcpu;
		cpu_spinwait();
		if (mtx_trylock(&fortuna_state.fs_mtx))
			mtx_unlock(&fortuna_state.fs_mtx);
	}
	SYSINIT(early, SI_SUB_DRIVERS, SI_ORDER_ANY, early, NULL);
	END
	"$(program)" list tunables -d kernel:boot.c >out || atf_fail "list: $?"
	grep -q 'kern.random.fortuna.concurrent_read=1' out ||
	    atf_fail "$(cat out)"
	runs run $brief -d kernel:boot.c \
	    -S kern.random.fortuna.concurrent_read=0
	# A lock that cannot be tried does not wait instead.
	atf_check -s not-exit:0 -e match:'mtx_trylock.., which lock kind clh' \
	    "$(program)" run $brief -d kernel:boot.c -l clh
}

test_case kernel__unprobed "a source with other private names works, and is" \
    "recorded as not probed"
kernel__unprobed_body() {
	setup cold
	export RNGSIM_KERNEL_CFLAGS=-O0
	sed 's/fs_counter/fs_ctr/g' "$src/fortuna/fortuna.c" >own.c
	saves out.json run $brief --format json -d kernel:own.c
	grep -q '"probed": false' out.json || atf_fail "probed"
	compiled 20
	runs run $brief -d kernel:own.c
	compiled 0
	ends 0 check own.c
	grep -q '^probe     no' out || atf_fail "$(cat out)"
	# Its pools cannot be seen, which is no fault of its own.
	runs explore -d kernel:own.c --schedules 300 --seed 1
	"$(program)" assure -d kernel:own.c --only schedules --budget 1 >page ||
	    atf_fail "$(cat page)"
	tr -s ' \n' ' ' <page | grep -q 'Pools, reseeds, C and K' ||
	    atf_fail "$(cat page)"
}

test_case kernel__files "comparing and reporting do not need the source;" \
    "going on needs the same contents"
kernel__files_body() {
	setup
	tree one/sys
	runs sweep --engine virtual --profile epyc-9654-2s -r 2 -s 1k -n 3 \
	    -t 0.02 -c aes -d locked,kernel:one -o r.json
	"$(program)" sweep -r 1 -s 1k -t 1 -n 9 -c aes -d kernel:one,locked \
	    -o s.json >/dev/null 2>&1 &
	pid=$!
	while [ "$(cat s.json.journal 2>/dev/null | wc -l)" -lt 2 ]; do
		kill -0 $pid || atf_fail "it ended"
		sleep 0.1
	done
	kill -KILL $pid
	wait $pid
	echo '/* Other. */' >>one/sys/dev/random/fortuna.c
	complains 1 'mean something else|kernels is |fortuna.c", "sha256": ' \
	    sweep --resume s.json
	mv one two
	shows kernel:one compare r.json --by design
	shows kernel:one report r.json
	complains 2 'no such file' run -d kernel:one
}

test_case kernel__everywhere "explore, replay, assure, cat, kat and list take" \
    "the same names"
kernel__everywhere_body() {
	setup
	tree one/sys
	shows 'kernel:one' explore -d kernel:one --schedules 100 --seed 1
	sed '/explicit_bzero(&key_copy/d' "$src/fortuna/fortuna.c" >left.c
	atf_check -s exit:1 -o match:'Again:' "$(program)" explore \
	    -d kernel:left.c --schedules 5000 --seed 1 -o x.schedule
	atf_check -s exit:1 -o match:'As recorded' "$(program)" explore \
	    --replay x.schedule
	atf_check -o save:bytes "$(program)" cat -n 1k -d kernel:one
	[ "$(wc -c <bytes)" = 1024 ] || atf_fail "cat: $(wc -c <bytes)"
	atf_check -o match:'kernel:one' "$(program)" assure -d kernel:one \
	    --only arithmetic --budget 1
	script=$(ls "$src"/tests/vectors/*-concurrent-*.script | head -n 1)
	atf_check -o file:"${script%.script}.expected" \
	    "$(program)" kat -d kernel:one "$script"
	complains 2 'no such file' kat -d kernel:nosuch "$script"
}

test_case kernel__section "critical sections, pins and interrupts that are off" \
    "keep a CPU's data apart as in a kernel"
kernel__section_body() {
	setup
	way=kern.random.section.way
	design="-d kernel:$src/tests/kernel/section.c"
	for i in 0 1 2 3; do
		runs explore $design -S $way=$i --schedules 1000 --seed 1
		runs run $brief $design -S $way=$i
		runs run $brief $design -S $way=$i --ledger --engine virtual \
		    --profile epyc-9654-2s --cpus 2
	done
	while read -r i words; do
		"$(program)" explore $design -S $way=$i --schedules 1000 \
		    --seed 1 -o $i.schedule >out 2>&1 && atf_fail "$i: none"
		tr -s ' \n' ' ' <out | grep -q "$words" ||
		    atf_fail "$i: no \"$words\": $(cat out)"
		"$(program)" explore --replay $i.schedule 2>&1 |
		    grep -q 'As recorded' || atf_fail "$i: replay"
	done <<-'END'
	4 (neither pinned nor in a critical section); before it returned
	5 (neither pinned nor in a critical section); before it returned
	6 (pinned, not in a critical section); before it returned
	7 section.c:[0-9]*: .*critical section entered at section.c:[0-9]*
	8 section.c:[0-9]*: .*no critical_enter() before this
	9 section.c:[0-9]*: .*returned pinned here
	10 section.c:[0-9]*: .*no sched_pin() before this
	11 smp_rendezvous() with spinlock or critical section held: critical
	END
	"$(program)" explore --replay 5.schedule | grep -q "critical, CPU" ||
	    atf_fail "steps without CPUs"
}

test_case kernel__mode "a source runs in the mode that -S names, alone and" \
    "beside the shipped design of that mode"
kernel__mode_body() {
	setup
	tree one/sys
	line=$(grep -n -A 9 '^random_fortuna_read(' \
	    one/sys/dev/random/fortuna.c |
	    sed -n 's/-		RANDOM_RESEED_LOCK.*//p')
	mode=kern.random.fortuna.concurrent_read
	for designs in kernel:one locked,kernel:one; do
		saves out.json sweep $brief -n 1 --format json -d $designs \
		    -S $mode=0
		grep -q "fortuna.c:$line\"" out.json ||
		    atf_fail "$designs, not locked: $(grep '"site"' out.json)"
	done
	saves out.json sweep $brief -n 1 --format json \
	    -d concurrent,kernel:one -S $mode=1
	! grep -q "fortuna.c:$line\"" out.json || atf_fail "locked"
	complains 2 "$mode|-d" sweep -d locked,kernel:one -S $mode=1
}

test_case kernel__bad_input "messages say what is wrong and what is right"
kernel__bad_input_body() {
	setup
	tree one/sys
	refused 2 '""|check PATH | build PATH | list | clean | interfaces'
	refused 2 '"x"|check PATH | build PATH | list | clean | interfaces' x
	refused 2 '"build"|build PATH' build
	refused 2 '"x"|list' list x
	refused 2 'nosuch: no such file|sys directory' build nosuch
	: >empty.c
	refused 2 'empty.c is empty|sys directory' build empty.c
	refused 2 '/dev/null is neither a file nor a folder' build /dev/null
	refused 2 'no path' build ''
	refused 2 'has no|fortuna.c' build .
	refused 2 'no C file' build cc
	refused 2 'quote' check 'a"b'
	complains 2 '-d: "kernel:nosuch"|no such file' run -d kernel:nosuch
	complains 2 '-d: "kernel:"|no path' sweep -d locked,kernel:
	long=$(printf '%05000d' 0)
	complains 2 'too long' run -d "kernel:$long"
	CC=nosuch-cc refused 1 'no compiler "nosuch-cc"|CC' build one
	CC=false refused 1 'no compiler "false"|CC' build one
	CC=true refused 1 'no compiler "true"|CC' check one
	refused 2 '/ has no dev/random/fortuna.c' build /
	XDG_CACHE_HOME=/proc/x refused 1 \
	    'cannot write the cache /proc/x/|XDG_CACHE_HOME' build one
	XDG_CACHE_HOME= HOME= refused 1 'neither' list
	echo x >file
	XDG_CACHE_HOME=$PWD/file refused 1 'cannot write the cache' build one
	RNGSIM_KERNEL_CFLAGS=-DX=' -nosuch-flag' refused 1 'nosuch-flag' \
	    build one
	[ ! -e cache ] || nothing_left
	PATH=/nowhere refused 1 'sh' build one
}

test_case kernel__options "a kernel's options: SMP, -D and a compile" \
    "directory's opt_*.h; commands that a page prints have them"
kernel__options_body() {
	setup
	export RNGSIM_KERNEL_CFLAGS=-O0
	cat - "$src/fortuna/fortuna.c" >own.c <<-'EOF'
	#include "opt_own.h"
	#if !defined(SMP) || !defined(OWN) || OWN != 3
	#error no option
	#endif
	EOF
	complains 1 'own.c:3:|no option' kernel build own.c
	complains 2 '-D|3X|NAME' kernel build -D 3X own.c
	complains 2 '-D|X=a b|NAME' kernel build -D 'X=a b' own.c
	atf_check -o match:'^kernel:own ' -o match:'options -DOWN=3;' \
	    "$(program)" kernel build -D OWN=3 own.c
	atf_check -o match:'own.c -D OWN=3 -D X -l' sh -c "$(program) assure \
	    -d kernel:own.c -D OWN=3 -D X --only schedules --budget 1 |
	    tr -s ' \\\\\\n' ' '"
	mkdir conf
	echo '#define OWN 3' >conf/opt_own.h
	RNGSIM_KERNEL_CFLAGS="-O0 -I$PWD/conf" builds own own.c
	# An option that chooses the algorithm.
	tree one/sys
	mkdir one/sys/dev/random/fenestrasX
	cp "$src/fortuna/fortuna.c" one/sys/dev/random/fenestrasX/fx_main.c
	atf_check -o match:'^source .*/fenestrasX/fx_main.c$' \
	    -o match:'^compiles  yes' -o not-match:'random/fortuna.c' \
	    "$(program)" kernel check -D RANDOM_FENESTRASX one
	complains 2 'lacks the option RANDOM_LOADABLE' kernel build \
	    -D RANDOM_LOADABLE one
}

test_case kernel__interfaces "each header that the list of interfaces names is" \
    "there"
kernel__interfaces_body() {
	setup
	"$(program)" kernel interfaces >list
	sed -n 's/^[^ ].*: \(.*\), FreeBSD .*/\1/p' list | tr ' ' '\n' |
	    sed -n 's/.*\.h$/#include <&>/p' >own.c
	grep -q '<sys/mutex.h>' own.c || atf_fail "$(cat list)"
	# A name that chacha.c has may be the source's.
	echo 'static const char sigma[16] __unused = "expand 32-byte k";' >>own.c
	cat "$src/fortuna/fortuna.c" >>own.c
	builds own own.c
	ends 0 check own.c
	grep -qx 'compiles  yes' out || atf_fail "$(cat out)"
}

test_case kernel__faults "a fault inside a source has its file and line," \
    "whatever runs it; so has a frame that is too large"
kernel__faults_body() {
	setup
	line=$(sed -n '/^random_fortuna_read(/,/^}/{/explicit_bzero/=;}' \
	    "$src/fortuna/fortuna.c")
	while IFS='|' read -r name code said; do
		sed "${line}s|^|	if (bytecount > 512) { $code }|" \
		    "$src/fortuna/fortuna.c" >$name.c
		complains 1 "$name.c:$line|$said" run -d kernel:$name.c \
		    $brief --engine virtual --profile epyc-9654-2s
	done <<-'EOF'
	null|*(volatile int *)(buf - (uintptr_t)buf + 8) = 1;|page fault
	called|strlcat((char *)(buf - (uintptr_t)buf) + 8, "x", 9);|page fault
	nowhere|((void (*)(void))0x7654321000)();|page fault
	zero|panic("%d", 7 / *(const volatile int *)zero_region);|divide fault
	loop|for (;;) __compiler_membar();|does not end
	deep|random_fortuna_read(buf, bytecount); newkey[1] = 0;|stack
	EOF
	complains 1 "null.c:$line|page fault" run -d kernel:null.c $brief
	complains 1 "deep.c:$line|stack" run -d kernel:deep.c $brief
	sed "${line}s|^|	memset((char *)__builtin_frame_address(0) + 64, 7, 4000);|" \
	    "$src/fortuna/fortuna.c" >smash.c
	complains 1 'kernel:smash|not in its code' run -d kernel:smash.c $brief
	complains 1 "loop.c:$line|does not end" run -d kernel:loop.c $brief
	sed "${line}s|^|	while (bytecount > 512) pause(\"x\", hz);|" \
	    "$src/fortuna/fortuna.c" >sleeps.c
	complains 1 "1 of 1 readers do not end" run -d kernel:sleeps.c \
	    $brief -S rngsim.end_timeout_ms=1000 -o sleeps.json
	[ -z "$(ls -A | grep sleeps.json.tmp)" ] || atf_fail "left: $(ls -A)"
	# A queue by what it defines, whatever its name, in a tree as well.
	tree one/sys
	cp "$src/harvest/random_harvestq.c" one/sys/dev/random
	f=one/sys/dev/random/never.c
	cp "$src/harvest/random_harvestq.c" $f
	RNGSIM_KERNEL_CFLAGS=-O0 atf_check -o match:"^source .*/$f\$" \
	    -o not-match:random_harvestq "$(program)" kernel check $f
	sed '/random_kthread_control = -1;/d' "$src/harvest/random_harvestq.c" \
	    >never.c
	complains 1 "harvest thread or a source does not end" run \
	    -d kernel:never.c $brief -S rngsim.end_timeout_ms=3000
	sed '/\.ra_seeded/d' "$src/fortuna/fortuna.c" >lacks.c
	complains 1 'lacks a function' run -d kernel:lacks.c $brief
	RNGSIM_KERNEL_CFLAGS='-O0 -g0' complains 1 "page fault|random_fortuna_read" \
	    run -d kernel:null.c $brief
	atf_check -s exit:1 -o match:"called.c:$line" -o match:'schedule 0' \
	    "$(program)" explore -d kernel:called.c -s 4k --seed 1 --schedules 9
	sed "${line}s|^|	char big[20000]; memset(big, 0, bytecount);|" \
	    "$src/fortuna/fortuna.c" >big.c
	complains 1 'big.c:|frame|16384' kernel build big.c
}

test_case kernel__answers "a tree's own hash.c is compiled, and an error in" \
    "it is none of another algorithm"
kernel__answers_body() {
	setup
	tree one/sys
	cp "$src/fortuna/hash.c" one/sys/dev/random
	assure="assure -d kernel:one --budget 1 --only answers"
	atf_check -o match:'^Compiled .*random/fortuna.c, dev/random/hash.c' \
	    -o match:'^Replaced .*randomdev.c' -o match:'^Claim .*holds' \
	    "$(program)" $assure
	sed '/HASH_AES_RUN);/,/^	}/s/next++;//' "$src/fortuna/hash.c" \
	    >one/sys/dev/random/hash.c
	atf_check -s exit:1 -o match:'hash.c, with aes: the keystream' \
	    "$(program)" $assure
	# A file alone is used with rngsim's hash.c, which is said.
	cp one/sys/dev/random/* .
	atf_check -o match:'^replaced  hash.c \(not the one beside' \
	    "$(program)" kernel check fortuna.c
}

test_case kernel__cleared "a key that plain stores overwrite is gone, and one" \
    "with half of it left is not"
kernel__cleared_body() {
	setup
	while read -r name n; do
		sed "/explicit_bzero(&key_copy/s/.*/for (volatile char *p = (void *)\
		    \\&key_copy; p < (char *)\\&key_copy + $n;) *p++ = 0;/" \
		    "$src/fortuna/fortuna.c" >$name.c
	done <<-END
	whole sizeof(key_copy)
	half 16
	END
	run="explore -r 2 --schedules 60 --seed 1 --allow residue"
	atf_check -o match:'^No failure' "$(program)" $run -d kernel:whole.c
	atf_check -s exit:1 -o match:'FAILED kept' "$(program)" $run \
	    -d kernel:half.c
}

test_case kernel__allow "assure does not check what --allow names, and says so"
kernel__allow_body() {
	setup
	sed '/explicit_bzero(&key_copy/d' "$src/fortuna/fortuna.c" >left.c
	assure="assure -d kernel:left.c --budget 1 --seed 1 --only schedules"
	atf_check -s exit:1 -o match:'FAILS. kept' "$(program)" $assure
	atf_check -o match:'^Allowed  *NOT CHECKED.*kept' -o save:page \
	    "$(program)" $assure --allow kept,residue
	# All rows, whose programs need not take the option.
	atf_check -o match:'comes twice: [1-9]' "$(program)" assure \
	    -d kernel:left.c --budget 1 --seed 1 --only statistics --allow kept
	# A folder's name may break the line.
	tr -s ' \\\n' ' ' <page | grep -q -e '--allow kept,residue --budget' ||
	    atf_fail "$(cat page)"
	complains 2 '--allow|nosuch|kept' $assure --allow nosuch
}

test_case kernel__bytes "Fortuna with other bytes fails, with the scripts that" \
    "say so, unless that is allowed"
kernel__bytes_body() {
	setup
	sed 's/i < RANDOM_FORTUNA_NPOOLS \&\&/i < 12 \&\&/' \
	    "$src/fortuna/fortuna.c" >capped.c
	! cmp -s capped.c "$src/fortuna/fortuna.c" || atf_fail "no change"
	assure="assure -d kernel:capped.c --budget 1 --seed 1 --only answers"
	atf_check -s exit:1 -o match:'46 of 50 scripts' \
	    -o match:'aes-concurrent-13-long-life,' -o match:'allow answers' \
	    "$(program)" $assure
	atf_check -o match:'^Answers  *None' \
	    -o match:'NOT CHECKED.*answers' "$(program)" $assure --allow answers
}

test_case kernel__points "fail points that a source lacks are not asked for"
kernel__points_body() {
	setup
	sed '/KFAIL_POINT_CODE/,/});/d' "$src/fortuna/fortuna.c" >own.c
	grep -q KFAIL "$src/fortuna/fortuna.c" || atf_fail "none to remove"
	atf_check -o match:'Not in this design: random_fortuna_pre_read' \
	    -o not-match:'Never hit' "$(program)" assure -d kernel:own.c \
	    --only faults --budget 1 --seed 1
}
