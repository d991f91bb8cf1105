# Fifty ways to hand a program what it cannot use, or to run it where it cannot
# work.  fifty() says which test shows each; those that no other file has are
# here.

# NUMBER PROGRAM:CASE, and what goes wrong.
fifty() {
	cat <<-'END'
	1 cli_usage_test:cli__unknown_names unknown option
	1 cli_usage_test:cli__abbreviations beginning of an option
	1 cli_fifty_test:option__nearly option nearly right
	2 cli_usage_test:cli__operands option without value
	3 cli_usage_test:cli__operands surplus operand
	4 cli_usage_test:cli__bad_numbers no readers
	5 cli_usage_test:cli__bad_numbers negative number
	6 cli_usage_test:cli__bad_numbers number beyond 64 bits
	7 cli_usage_test:cli__bad_numbers text behind a number
	8 cli_usage_test:cli__bad_numbers leading zero
	9 cli_usage_test:cli__bad_numbers empty number
	10 cli_usage_test:cli__bad_numbers no-break space, full-width digit
	11 cli_usage_test:cli__bad_numbers requests of no bytes
	12 cli_usage_test:cli__bad_numbers size that overflows
	12 cli_hostile_test:host__memory buffers larger than the machine
	13 cli_usage_test:cli__bad_numbers time that is not finite
	14 cli_usage_test:cli__contradictions options that exclude each other
	15 cli_usage_test:cli__duplicates option given twice
	16 cli_run_test:run__chosen_seed_is_printed no seed
	17 cli_hostile_test:stdout__full full standard output
	17 cli_hostile_test:stdout__closed closed standard output
	18 cli_fifty_test:file__missing file that is not there
	19 cli_fifty_test:file__not_regular folder, pipe or device as file
	20 cli_fifty_test:file__unreadable file that may not be read
	21 profile_test:profile__refuses unknown key
	22 profile_test:profile__refuses key that stands twice
	23 cli_fifty_test:file__bytes NUL, lone CR, BOM, no UTF-8; CRLF
	24 cli_fifty_test:file__huge line of 10 MB, a million sections
	25 cli_usage_test:cli__bad_lists more cells than anybody waits for
	26 fuzz_test:profile fuzzed file
	27 cli_run_test:run__oversubscribed more readers than CPUs
	28 cli_hostile_test:host__refuses_threads refused thread
	29 cli_fifty_test:cpu__not_allowed CPU that is not allowed
	30 cli_fifty_test:cpu__binding_refused refused binding
	31 cli_fifty_test:cpu__quota cgroup's quota
	32 cli_fifty_test:cpu__taken_away CPU taken away while measuring
	33 cpu_test:cpu_kind__told_apart cores of several kinds
	34 cli_sources_test:sources__absent instruction that is not there
	35 source_contract_test:source__word_retries instruction that fails
	36 machine_test:machine_clocks__move_forward clock that steps back
	37 cli_hostile_test:host__memory no memory
	38 cli_run_test:sweep__signal_keeps_what_is_measured end in mid-sweep
	39 cli_fifty_test:stack__small stack of 64 KiB
	40 cli_hostile_test:libcrypto__lacks_algorithms missing provider
	41 cli_hostile_test:libcrypto__lacks_algorithms FIPS without its module
	42 cli_fifty_test:libcrypto__fips what FIPS leaves out
	43 cli_hostile_test:libcrypto__lacks_algorithms configuration nowhere
	44 cli_fifty_test:libcrypto__other_version libcrypto of another version
	45 cli_run_test:run__never_seeded read before seeding
	45 cli_hostile_test:cat__seed read before seeding, not waiting
	46 cli_fifty_test:seed__file_cut recorded entropy cut off
	47 cli_hostile_test:output__unwritable output that cannot be
	47 cli_hostile_test:output__in_place_of_earlier output that exists
	48 cli_hostile_test:output__disk_full full disk, file size limit
	49 cli_hostile_test:stdout__reader_gone pipe without a reader
	49 cli_hostile_test:stdout__closed closed descriptors
	50 cli_run_test:sweep__signal_ends_it_in_order signals
	50 cli_hostile_test:locale__comma decimal comma
	END
}

# Short and patient, for what is to be measured.
brief="-t 0.01 -r 1 -S rngsim.warmup_ms=0 -S rngsim.seed_timeout_ms=60000"
simulated="run --engine virtual -r 1 -t 0.01"

# as_user FILE...: a command that runs another as a user that may not read them.
as_user() {
	bound_by_permissions
	! $as cat "$@" >/dev/null 2>&1 ||
	    atf_skip "permissions do not bind this user"
}

# read_all FILE PATTERN: every command that reads a file refuses this one.
read_all() {
	for c in report kat 'compare --by lock' 'workload import'; do
		atf_check -s exit:1 -o empty -e match:"$2" \
		    timeout 60 $as "$(program)" $c "$1" </dev/null
	done
	for c in "run -r 1 --workload @$1" "$simulated --profile ./$1" \
	    "validate --from $1"; do
		timeout 60 $as "$(program)" $c >out 2>err </dev/null
		status=$?
		[ $status = 1 ] || [ $status = 2 ] ||
		    atf_fail "$c: exit $status: $(cat err)"
		[ ! -s out ] || atf_fail "$c: wrote to stdout"
		grep -Eq -e "$2" err || atf_fail "$c: $(cat err)"
	done
}

test_case fifty__are_there "each of the fifty has a test case, and that exists"
fifty__are_there_body() {
	fifty | cut -d' ' -f1 | uniq >numbers
	awk 'BEGIN { while (n++ < 50) print n }' >all
	atf_check diff all numbers
	for t in $(fifty | cut -d' ' -f2 | cut -d: -f1 | sort -u); do
		"$(atf_get_srcdir)/$t" -l 2>/dev/null |
		    sed -n "s/^ident: /$t:/p" >>there
	done
	fifty | cut -d' ' -f2 | while read -r c; do
		grep -qx -e "$c" there || echo "$c"
	done >missing
	atf_check cat missing
}

test_case option__nearly "1: an unknown option is named, with the one that is" \
    "nearest"
option__nearly_body() {
	for c in 'run --reders=1:readers' 'run --trheads 1:' 'run --tiem 1:time' \
	    'sweep --repaets 1:repeats' 'report x --lockprof:lock-prof' \
	    'list --hepl:help' 'compare --accross:across' 'run --xyz:' \
	    'run --:' 'run --r:' 'run --timeandagain:'; do
		name=${c##*:} word=$(echo "${c%:*}" | grep -o -e '--[a-z]*')
		"$(program)" ${c%:*} 2>err
		[ $? = 2 ] || [ "$word" = -- ] || atf_fail "$c: $(cat err)"
		if [ -n "$name" ]; then
			grep -q -e "$word; nearest is --$name; " err ||
			    atf_fail "$c: $(cat err)"
		else
			! grep -q 'nearest' err || atf_fail "$c: $(cat err)"
		fi
	done
}

test_case file__missing "18: a file that is not there: its name, the reason"
file__missing_body() {
	as=
	read_all missing.conf 'missing\.conf: No such file or directory$'
}

test_case file__not_regular "19: a folder, a device without end, a pipe" \
    "without a writer: refused, in bounded time and memory"
file__not_regular_body() {
	as=
	mkdir folder.conf
	read_all folder.conf 'folder\.conf: (Is a directory|expected a regular)'
	[ -c /dev/zero ] || atf_skip "no /dev/zero"
	ln -s /dev/zero zero.conf
	read_all zero.conf 'zero\.conf(:1)?: '
	mkfifo fifo.conf
	for c in "$simulated --profile ./fifo.conf" \
	    "run --workload @fifo.conf"; do
		atf_check -s not-exit:0 -o empty \
		    -e match:'fifo\.conf: expected a regular file' \
		    timeout 60 "$(program)" $c
	done
}

test_case file__unreadable "20: a file that may not be read: its name, the" \
    "reason"
file__unreadable_body() {
	echo text >secret.conf
	chmod 0 secret.conf
	as_user secret.conf
	read_all secret.conf 'secret\.conf: Permission denied$'
}

test_case file__bytes "23: NUL, BOM and what is no UTF-8 are found where they" \
    "stand; CRLF is a newline"
file__bytes_body() {
	as=
	src=$(source_folder)
	cp "$src/lib/profile/graviton3.conf" ok.conf
	printf '\000\n' >nul.conf
	read_all nul.conf 'nul\.conf(:1|: line 1|: has a byte 0)'
	printf 'x\n\000\n' | cat ok.conf - >late.conf
	fails 2 'late\.conf: has a byte 0' $simulated --profile ./late.conf
	printf '\357\273\277' >bom.conf
	cat ok.conf >>bom.conf
	read_all bom.conf 'bom\.conf(:1|: line 1)'
	awk '{ sub("descr = \"", "descr = \"\377"); print }' ok.conf >byte.conf
	fails 2 'byte\.conf:[0-9]*: descr: .*0xff' $simulated \
	    --profile ./byte.conf
	{ printf 'rngsim-result/1\377'; } >utf8.json
	fails 1 'utf8\.json: line 1' report utf8.json
	sed "s/\$/$(printf '\r')/" ok.conf >crlf.conf
	atf_check -o not-empty "$(program)" $simulated --profile ./crlf.conf
	printf 'cipher aes\r\nmode locked\r\ninit\r\nstate\r\n' >crlf.kat
	shows '^state' kat crlf.kat
	tr '\n' '\r' <crlf.kat >cr.kat
	fails 1 'cr\.kat:1: ' kat cr.kat
	sed "s/\$/$(printf '\r')/" "$src/bench/workload/shell.workload" >crlf.w
	atf_check -o not-empty "$(program)" $simulated --profile ./crlf.conf \
	    --workload @crlf.w
}

test_case file__huge "24: a line of 10 MB and a million sections: refused, in" \
    "bounded memory"
file__huge_body() {
	as=
	awk 'BEGIN { for (n = 0; n < 100000; n++)
	    printf "x%099d", n; print "" }' >line.conf
	[ "$(wc -c <line.conf)" -gt 10000000 ] || atf_fail "too short a line"
	awk 'BEGIN { for (n = 0; n < 1000000; n++)
	    printf "s%d: { };\n", n }' >sections.conf
	# What sanitizers need is beyond any limit.
	[ -n "$RNGSIM_SANITIZER" ] || as='prlimit --data=200000000'
	$as true 2>/dev/null || as=
	read_all line.conf 'line\.conf(:1|: line 1|: too long)'
	read_all sections.conf 'sections\.conf(:1|: line 1|: too long)'
}

# A run with one reader, at least so long, with its notes and gates as JSON.
long_run() {
	"$(program)" run -r 1 -t "$1" -S rngsim.warmup_ms=0 --format json
}

test_case cpu__not_allowed "29: a CPU that may not be used: which there are"
cpu__not_allowed_body() {
	fails 2 '"4095": CPU 4095 is not among the [0-9]* .*: [0-9]' run \
	    --place 4095
	command -v taskset >/dev/null || atf_skip "no taskset(1)"
	one=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	atf_check -s exit:2 -o empty -e match:"the 1 .* may use: $one\$" \
	    taskset -c "$one" "$(program)" run --place 4095
}

needs=strace
test_case cpu__binding_refused "30: a host that binds no thread: measured," \
    "and marked"
cpu__binding_refused_body() {
	strace -o /dev/null true 2>/dev/null || atf_skip "strace(1) does not work"
	# The leak check is a tracer as well, and there can be one.
	export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
	atf_check -o save:out -e ignore strace -f -o /dev/null \
	    -e trace=sched_setaffinity -e inject=sched_setaffinity:error=EPERM \
	    "$(program)" run $brief --format json
	grep -q '"gate": "binding a thread to its CPU was refused"' out ||
	    atf_fail "$(grep gate out)"
}

needs=unshare
test_case cpu__quota "31: a cgroup's quota, which the affinity mask does not" \
    "show, is recorded and noted"
cpu__quota_body() {
	grep -q '^0::' /proc/self/cgroup 2>/dev/null ||
	    atf_skip "no cgroup of version 2"
	unshare -m mount -t tmpfs none /sys/fs/cgroup 2>/dev/null ||
	    atf_skip "folders cannot be mounted over"
	cat >limited <<-'END'
	mount -t tmpfs none /sys/fs/cgroup || exit 99
	echo "$1" >/sys/fs/cgroup/cpu.max
	shift
	exec "$@"
	END
	limited='unshare -m sh ./limited'
	atf_check -o save:out $limited '50000 100000' "$(program)" run $brief \
	    --format json
	grep -q '"cpu_quota": 0\.5' out || atf_fail "$(grep quota out)"
	grep -q '"notes": ".*cgroup quota: 0\.5 CPUs' out ||
	    atf_fail "$(grep notes out)"
	for max in 'max 100000' '' x '0 0' '-1 100000'; do
		atf_check -o not-match:'cgroup quota' $limited "$max" \
		    "$(program)" run $brief --format json
	done
}

needs=taskset
test_case cpu__taken_away "32: readers that the host moves off their CPUs:" \
    "the gate says so"
cpu__taken_away_body() {
	set -- $(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
	    awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
	[ $# -ge 2 ] || atf_skip "one CPU"
	"$(program)" run -r 1 --place "$1" -t 1 --format json >out &
	pid=$!
	# Not before it has read what it may use; and over and over, as threads
	# are bound a little after they begin.
	while [ "$(ls /proc/$pid/task | wc -l)" -lt 2 ]; do
		kill -0 $pid || atf_fail "it ended: $(cat out)"
	done
	while kill -0 $pid 2>/dev/null; do
		taskset -acp "$2" $pid >/dev/null 2>&1
	done
	wait $pid || atf_fail "exit $?"
	grep -q '"gate": "the host moved a thread off its CPU"' out ||
	    atf_fail "$(grep gate out)"
	long_run 0.01 >out || atf_fail "exit $?"
	! grep -q 'moved a thread' out || atf_fail "$(grep gate out)"
}

needs=prlimit
test_case stack__small "39: a stack that may be too small is refused, with the" \
    "reason; a little more is enough"
stack__small_body() {
	[ -z "$RNGSIM_SANITIZER" ] || atf_skip "a sanitizer needs more stack"
	for c in "run $brief" "cat -n 100000" "$simulated \
	    --profile graviton3" \
	    "sweep $brief -d locked,concurrent -c aes -n 1" 'list'; do
		for bytes in 65536 131072 262144; do
			atf_check -s exit:1 -e match:'^rngsim: stacks have' \
			    env -i PATH="$PATH" prlimit --stack=$bytes \
			    "$(program)" $c
		done
		atf_check -o not-empty -e ignore env -i PATH="$PATH" \
		    prlimit --stack=280000 "$(program)" $c
	done
	atf_check -s exit:1 -e match:'expected at least 2[89]' env -i \
	    PATH="$PATH" PAD="$(head -c 20000 /dev/zero | tr '\0' x)" \
	    prlimit --stack=280000 "$(program)" list
}

test_case libcrypto__fips "42: what a configuration that demands FIPS leaves" \
    "out is called that"
libcrypto__fips_body() {
	fips_configuration fips.cnf
	for c in "run $brief -c chacha20" "run $brief -c aes" 'cat -n 1'; do
		atf_check -s exit:1 -o empty -e match:'with fips=yes' \
		    -e match:'OPENSSL_CONF|OpenSSL' \
		    env OPENSSL_CONF="$PWD/fips.cnf" "$(program)" $c
	done
}

needs=cc
test_case libcrypto__other_version "44: a libcrypto of another major version" \
    "is refused, with both versions"
libcrypto__other_version_body() {
	[ -z "$RNGSIM_SANITIZER" ] || atf_skip "nothing comes before a sanitizer"
	cat >four.c <<-'END'
	unsigned long OpenSSL_version_num(void);
	const char *OpenSSL_version(int);
	unsigned long OpenSSL_version_num(void) { return (0x40000000ul); }
	const char *OpenSSL_version(int t) { (void)t; return ("OpenSSL 4.0.0"); }
	END
	atf_check cc -shared -fPIC -o four.so four.c
	for c in "run $brief" 'cat -n 1' 'kat /dev/null' \
	    "$simulated --profile graviton3"; do
		atf_check -s exit:1 -o empty \
		    -e match:'OpenSSL 4\.0\.0 .*OpenSSL 3\.' \
		    env LD_PRELOAD="$PWD/four.so" "$(program)" $c
	done
}

test_case seed__file_cut "46: recorded entropy that was cut off in an event" \
    "is refused, with its line"
seed__file_cut_body() {
	for event in 'event' 'event 0' 'event 0 1' 'event 0 1 0'; do
		printf 'cipher aes\nmode locked\ninit\n%s' "$event" >cut
		fails 1 'cut:4: .*expected' kat cut
	done
}
