# rngsim assure: the page of a design, and designs that are wrong.

command=assure

# Lines are put together again, commands as a shell does it.
has() {
	sed 's/\\$//' out | tr -s ' \n' '  ' | grep -q -- "$1" ||
	    atf_fail "no \"$1\" in $(cat out)"
}

# The text of a row.
row() {
	awk -v name="$1" '/^[A-Z]/ { on = $1 == name } on' out
}

test_case assure__refuses "what is wrong with a command line is said, with" \
    "what would be accepted"
assure__refuses_body() {
	refused 2 "-d NAME|-l NAME|list designs|list locks"
	refused 2 "-d NAME|-l NAME" -d locked -l mtx
	refused 2 "-l|nonsense|ticket" -l nonsense
	refused 2 "--only|order|lock" -d locked --only order
	refused 2 "--only|schedules|design" -l mtx --only order,schedules
	refused 2 "-d|nonsense|concurrent" -d nonsense
	refused 2 "none|makes no random numbers" -d none
	refused 2 "--budget|0|1..604800" -d locked --budget 0
	refused 2 "--budget|1e9|1..604800" -d locked --budget 1e9
	refused 2 "--budget|much" -d locked --budget much
	refused 2 "--only|nonsense|schedules" -d locked --only nonsense
	refused 2 "--only|answers|twice" -d locked --only answers,answers
	refused 2 "-j|0|1..1024" -d locked --jobs 0
	refused 2 "--seed|-1|18446744073709551615" -d locked --seed -1
	refused 2 '-o|""|file name' -d locked -o ''
	refused 1 "nowhere" -d locked --only answers -o nowhere/page
}

# few_models FILE: of a table of models enough for the row; model_spin_test runs
# all of them.
few_models() {
	sed -n -e '/^run concurrent-2x1 /p' -e '/^run harvest-1x3 /p' \
	    -e '/^mutant position-kept /,/^$/p' "$1" >few
	[ "$(grep -c '^[rm]' few)" = 3 ] || atf_fail "$(cat few)"
}

limit=900 needs='python3 spin'
test_case assure__rows "each row can be had alone, and none fails for" \
    "FreeBSD's design"
assure__rows_body() {
	"$(program)" assure --help | sed -n '/^Checks:/,$s/^  \([a-z]*\) .*/\1/p' \
	    >names
	[ "$(wc -l <names)" -ge 15 ] || atf_fail "$(cat names)"
	# Those of locks come last.
	sed -i '/^exclusion$/,$d' names
	# A copy, beside which there are no other builds.
	src=$(cd "$(source_folder)" && pwd)
	mkdir -p copy/build
	ln -s "$src/tests" copy/tests
	cp "$(program)" copy/build
	program() { echo copy/build/rngsim; }
	few_models copy/tests/spin/runs.tbl
	export MODEL_TABLE="$PWD/few"
	ends 0 -d concurrent --only sanitizers --budget 1
	has "Claim NONE: no row supports design concurrent"
	has "Sanitizers Not run. AddressSanitizer: not built"
	for name in $(grep -v sanitizers names); do
		ends 0 -d concurrent --only $name --budget 1 --seed 3
		[ ! -s err ] || atf_fail "$name: $(cat err)"
		has "^SAFETY CASE: concurrent "
		has "Claim Design concurrent holds within the bounds below"
		has "Bounds Seed 3, a budget of 1 s, rows took [0-9]* s, "
		has "Replay rngsim assure -d concurrent --budget 1 --seed 3 \
--only $name"
		[ $name != schedules ] ||
			has "Schedules [0-9.]* thousand, [0-9.]* thousand of them"
		grep -c "Not selected" out >others
		[ "$(cat others)" = $(($(wc -l <names) - 1)) ] ||
		    atf_fail "$name: $(cat out)"
		if grep -q -e "FAILS" -e "Not run" out; then
			atf_fail "$(cat out)"
		fi
	done
	ends 0 -d fxrng --only faults,answers --budget 1
	has "Faults [1-9] of [1-9] declared points hit"
	for design in locked percpu fxrng pcpu; do
		ends 0 -d $design --only statistics --budget 1 --seed 3
		has "Claim Design $design holds .* not all rows were run"
	done
}

test_case assure__sanitizers "each sanitizer's build checks the design; what" \
    "it reports, and how else it ends, is told apart"
assure__sanitizers_body() {
	cp "$(program)" rngsim
	program() { echo ./rngsim; }
	# sanitizer NAME COMMAND: a build that does that.
	sanitizer() {
		mkdir -p $1
		printf '#! /bin/sh\necho "$@" >%s\n%s\n' "$PWD/$1.args" "$2" \
		    >$1/rngsim
		chmod +x $1/rngsim
	}
	only="-d concurrent --only sanitizers --budget 30 --seed 5"
	sanitizer asan 'exit 0'
	ends 0 $only
	has "Claim Design concurrent holds"
	has "AddressSanitizer: clean. ThreadSanitizer: not built"
	atf_check -o match:'^assure -d concurrent --only schedules,ledger .*5$' \
	    cat asan.args
	# What the page says can be typed, whatever folder has the program.
	mkdir 'a b'
	cp -R rngsim asan 'a b'
	program() { echo 'a b/rngsim'; }
	cp asan.args args
	ends 0 $only
	sed -n "/^ .*asan.rngsim/,\$p" out >typed
	rm asan.args
	sh typed || atf_fail "$(cat typed)"
	cmp args asan.args || atf_fail "$(cat typed)"
	program() { echo ./rngsim; }
	sanitizer tsan 'echo "SUMMARY: race at x.c:5"; exit 86'
	sanitizer ubsan 'exit 1'
	ends 1 $only
	has "Claim NONE: design concurrent does not hold"
	has "Sanitizers FAILS. AddressSanitizer: clean. ThreadSanitizer \
reports an error: race at x.c:5. UndefinedBehaviorSanitizer: the checks fail"
	sanitizer asan 'kill -ABRT $$'
	ends 1 $only
	has "AddressSanitizer: that build fails. It was ended by signal 6 "
}

limit=900
test_case assure__locks "each lock has its page, on which no row fails"
assure__locks_body() {
	for lock in $("$(program)" list locks | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
	do
		ends 0 -l $lock --budget 1 --seed 3
		[ ! -s err ] || atf_fail "$lock: $(cat err)"
		has "^SAFETY CASE: lock $lock "
		has "Claim Lock $lock holds within the bounds below"
		has "Claims .*: excludes"
		for row in Exclusion Order Fairness Trylock Misuse Starvation \
		    Oversubscription; do
			has " $row "
		done
	done
	ends 0 -l ticket --budget 1 --seed 3 --only order,fairness
	has "Order On a simulated machine 6 waiters were served in the order"
	has "Fairness With 8 threads .* passed a waiter; 14 may"
	has "Replay rngsim assure -l ticket --budget 1 --seed 3 --only \
order,fairness"
	ends 0 -l none --budget 1 --seed 3 --only exclusion
	has "Exclusion None. It claims no exclusion. .* another was inside"
}

test_case assure__output "-o has the page that stdout has"
assure__output_body() {
	echo before >page.txt
	ends 0 -d locked --only answers --budget 1 -o page.txt
	cmp out page.txt || atf_fail "$(diff out page.txt)"
	[ "$(echo page*)" = page.txt ] || atf_fail "left: $(echo page*)"
}

# The processes that a process has started.
children() {
	if [ -d "/proc/$1/task" ]; then
		cat "/proc/$1/task/"*/children 2>/dev/null
	else
		ps -A -o pid= -o ppid= | awk -v p="$1" '$2 == p { print $1 }'
	fi
}

# interrupts SIGNAL CHILD
interrupts() {
	while [ ! -s pid ]; do :; done
	pid=$(cat pid)
	until children "$pid" >child && [ -s child ]; do
		kill -0 "$pid" || return 1
	done
	kill -"$1" "$pid"
}

test_case assure__scratch "without room for its files it names the folder"
assure__scratch_body() {
	atf_check -s exit:1 -e match:'TMPDIR: /nonexistent/.*: No such file' \
	    env TMPDIR=/nonexistent "$(program)" assure -d locked --only model
}

test_case assure__interrupted "SIGINT, SIGTERM and SIGHUP: exit 1, no page," \
    "no file, no process left"
assure__interrupted_body() {
	echo before >page.txt
	for s in INT TERM HUP; do
		rm -f pid child
		interrupts $s &
		# Shells let background jobs ignore SIGINT.
		sh -c 'echo $$ >pid; exec "$@"' sh \
		    "$(program)" assure -d concurrent --only schedules \
		    --budget 3600 -o page.txt >out 2>err
		status=$?
		wait
		[ $status = 1 ] || atf_fail "SIG$s: exit $status: $(cat err)"
		grep -q "interrupted; no page" err || atf_fail "$(cat err)"
		[ ! -s out ] || atf_fail "SIG$s: $(cat out)"
		[ "$(echo page*)" = page.txt ] || atf_fail "left: $(echo page*)"
		[ "$(cat page.txt)" = before ] || atf_fail "$(cat page.txt)"
		if kill -0 "$(cat child)" 2>/dev/null; then
			atf_fail "SIG$s: $(cat child) is there"
		fi
	done
}

# A copy of the source and of what is built of it: make has little to do.
copy() {
	[ "$(cd "$(atf_get_srcdir)/.." && pwd -P)" = \
	    "$(cd "$(source_folder)" && pwd -P)/build" ] ||
	    atf_skip "objects that are not in build cannot be copied"
	mkdir -p copy/build
	(cd "$(source_folder)" && cp -pR Makefile VERSION NEWS LICENSE README.md .ci mk lib \
	    fortuna harvest bench tests man packaging "$OLDPWD/copy" && cp -pR build/obj build/rngsim \
	    "$OLDPWD/copy/build") || atf_fail "cp"
	# The compiler, and what else is in the flags.
	set -- $(cat copy/build/obj/flags)
	make_copy="make -s -C copy CC=$1"
}

limit=900 needs='python3 spin'
test_case assure__installed "an installed program finds known answers and" \
    "models"
assure__installed_body() {
	copy
	$make_copy install DESTDIR="$PWD/dest" PREFIX=/usr >log 2>&1 ||
	    atf_fail "make: $(cat log)"
	# What pages name is installed, or is of the source tree.
	for script in $(grep -oh '^\.Ql python3 [^ ]*\.py' \
	    copy/man/* | sed 's,.*[ /],,'); do
		[ -f dest/usr/share/rngsim/spin/$script ] ||
		    atf_fail "$script is not installed"
	done
	for page in $(grep -lE '^(\.Ql|\$) make' copy/man/*); do
		grep -qi 'in the source tree' $page ||
		    atf_fail "$page says make to users without sources"
	done
	for word in rngsim _rngsim rngsim.fish; do
		[ -n "$(find dest/usr/share -path '*complet*' -name $word \
		    -o -path '*/site-functions/*' -name $word)" ] ||
		    atf_fail "$word is not installed"
	done
	cp -R dest gone
	$make_copy uninstall DESTDIR="$PWD/gone" PREFIX=/usr >log 2>&1 ||
	    atf_fail "make: $(cat log)"
	[ -z "$(find gone -type f)" ] || atf_fail "$(find gone -type f)"
	rm -r copy gone
	program() { echo dest/usr/bin/rngsim; }
	for design in locked concurrent; do
		ends 0 -d $design --only answers --budget 1
		has "Answers All [1-9][0-9]* scripts of FreeBSD's $design mode"
	done
	ends 0 -d percpu --only answers --budget 1
	has "Answers All [1-9][0-9]* scripts give the bytes of its model"
	few_models dest/usr/share/rngsim/spin/runs.tbl
	mv few dest/usr/share/rngsim/spin/runs.tbl
	ends 0 -d concurrent --only model --budget 1
	has "Model Reads, up to [2-9] readers: all "
	rm -r dest/usr/share/rngsim
	ends 0 -d concurrent --only answers,model --budget 1
	has "Model Not run. No models beside the program"
	has "Answers Not run. No known answers beside the program"
}

# broken NAME SED-ARGUMENT...: FreeBSD's design with a change, as a file.
broken() {
	file=$1.c
	shift
	sed "$@" "$(source_folder)/fortuna/fortuna.c" >"$file"
}

broken_designs() {
	broken same -e ''

	# The key of a read outlives it.
	broken kept -e '/explicit_bzero(&key_copy/d'

	# Counters are stepped when the mutex is free.
	broken stepped -e 's/^	uint128_add64(&fortuna.*blockcount.*/\
	RANDOM_RESEED_UNLOCK();\
&\
	RANDOM_RESEED_LOCK();/'

	# The mutex of a read is not dropped.
	broken taken -e '/^random_fortuna_read_concurrent/,/^}/ {
		/RANDOM_RESEED_UNLOCK/d
	}'

	# Two reads of 16 bytes get the same; the keys are used as they should.
	broken paired -e 's/^	explicit_bzero(&key_copy.*/&\
	static uint8_t first[16];\
	static u_int reads;\
\
	if (bytecount == 16 \&\& reads++ % 2 == 0)\
		__builtin_memcpy(first, buf, 16);\
	else if (bytecount == 16)\
		__builtin_memcpy(buf, first, 16);/'

	broken crashed -e 's/^	explicit_bzero(&key_copy.*/&\
	*(volatile int *)(uintptr_t)(bytecount \& 0) = 1;/'

	broken asserted -e 's/^	explicit_bzero(&key_copy.*/&\
	if (bytecount != 0) panic("a plain word");/'
}

test_case assure__broken_files "designs that are wrong, one new file each and" \
    "nothing else touched: what breaks is named with both operations"
assure__broken_files_body() {
	kernel_cache
	broken_designs
	small="--only schedules,ledger --budget 1 --seed 1"

	# As it is, it holds.
	ends 0 -d kernel:same.c $small
	has "Claim Design kernel:same holds"

	ends 1 -d kernel:kept.c $small
	has "Claim NONE: design kernel:kept does not hold"
	has "Schedules FAILS. kept: .* thread [0-9]* used key [0-9]* .*; \
then at [0-9]* ns thread [0-9]* returned from a read"
	has "Ledger FAILS. .* kept: .* used key .*; then at .* returned from"
	has "rngsim explore -d [^ ]*kept[^ ]* -l mtx -c aes --seed 1 --only [0-9]"

	# A seed finds the same, with any number of threads.
	row Schedules >first
	ends 1 -d kernel:kept.c $small -j 1
	row Schedules >second
	cmp -s first second || atf_fail "$(diff first second)"

	# The command that the page gives has it again.
	again=$(tr '\n\\' '  ' <out |
	    sed -nE 's/.*rngsim (explore -d [^ ]*kept.* --only [0-9]+).*/\1/p')
	"$(program)" $again >explored 2>err
	[ $? = 1 ] || atf_fail "$again: $(cat explored err)"
	grep -q "^FAILED kept:" explored || atf_fail "$(cat explored)"

	# On this machine it may also crash, or hang.
	ends 1 -d kernel:stepped.c $small
	has "Schedules FAILS. .*; then at "
	has "Ledger FAILS. "

	# No thread can run on, and the row ends at once.
	ends 1 -d kernel:taken.c --only schedules --budget 1 --seed 1
	has "Schedules FAILS. "

	ends 1 -d kernel:paired.c --only statistics --budget 5 --seed 1
	has "Statistics FAILS. aes, requests of 16 bytes: [0-9]* of [0-9]* \
blocks come twice"

	ends 1 -d kernel:crashed.c --only schedules,statistics --budget 1 --seed 1
	has "Schedules FAILS. .*page fault"
	has "Statistics FAILS. .*page fault"

	# The text is on the page, of a row's own process and others.
	ends 1 -d kernel:asserted.c --only arithmetic,ledger,statistics --budget 1
	for row in Arithmetic Ledger Statistics; do
		has "$row FAILS. [^!]*a plain word"
	done
}
