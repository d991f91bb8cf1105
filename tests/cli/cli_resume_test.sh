# Runs that do not come to their end, and --resume.  What SIGKILL does at each
# system call is in resume_test.c.

virtual="--engine virtual --profile epyc-9654-2s --cpus 2 -c chacha20 -t 0.01"
grid="-r 1,2 -n 20 --seed 3"
sweep="sweep $virtual $grid -o r.json"

# A result without what may differ: its times.
timeless() {
	sed '/^  "started":/d; /^  "resumed":/,/^  \]/d' "$1"
}

# The undisturbed run's result in want.txt, and nothing else.
undisturbed() {
	"$(program)" "$@" >/dev/null 2>&1 || atf_fail "$*"
	timeless r.json >want.txt
	rm r.json
}

# until_lines COUNT PID: waits until the journal has so many lines, or the
# process has ended.
until_lines() {
	while kill -0 "$2" 2>/dev/null &&
	    [ "$(cat r.json.journal 2>/dev/null | wc -l)" -lt "$1" ]; do :; done
}

# Begins a run that does not end, process $pid.
begin_long() {
	"$(program)" sweep -t 1000 -r 1 -o r.json >/dev/null 2>&1 &
	pid=$!
	while [ ! -s r.json.journal ]; do
		kill -0 $pid 2>/dev/null || atf_fail "it did not begin"
	done
}

# killed COUNT ARGUMENT...: what a run leaves that was killed when it had
# finished so many repeats.
killed() {
	count=$1
	shift
	rm -f r.json.journal*
	# One that has come to its end by then is begun again.
	while [ ! -f r.json.journal ]; do
		"$(program)" "$@" >/dev/null 2>&1 &
		pid=$!
		until_lines $((count + 1)) $pid
		kill -KILL $pid 2>/dev/null
		wait $pid 2>/dev/null
	done
	head -n $((count + 1)) r.json.journal >cut
	mv cut r.json.journal
	[ "$(wc -l <r.json.journal)" -eq $((count + 1)) ] ||
	    atf_fail "no journal of $count repeats"
	rm -f r.json r.json.journal.tmp
}

# signalled SIGNAL LINES ARGUMENT...: a run that gets a signal when its journal
# has so many lines; sets status.
signalled() {
	s=$1 lines=$2 status=0
	shift 2
	# One that has come to its end by then is begun again.
	while [ $status = 0 ]; do
		rm -f r.json* pid
		{
			while [ ! -s pid ]; do :; done
			until_lines $lines "$(cat pid)"
			kill -$s "$(cat pid)" 2>/dev/null
		} &
		# Shells let background jobs ignore SIGINT.
		sh -c 'echo $$ >pid.tmp; mv pid.tmp pid; exec "$@"' \
		    sh "$(program)" "$@" >out 2>err
		status=$?
		wait
	done
}

# only FILES MESSAGE: nothing else is left.
only() { [ "$(echo r.json*)" = "$1" ] || atf_fail "${2-} left: $(echo r.json*)"; }

# goes_on ARGUMENT...: --resume ends with what the undisturbed run ended with.
goes_on() {
	"$(program)" "$@" >out 2>err || atf_fail "$*: $(cat err)"
	timeless r.json | cmp - want.txt || atf_fail "$*: another result"
	only r.json
}

# refuses STATUS WORDS ARGUMENT...: complains, and what is there stays.
refuses() {
	cp r.json.journal before
	complains "$@"
	case $message in
	*'goes on with'*' is missing'*) atf_fail "$*: $message";;
	esac
	cmp -s r.json.journal before || atf_fail "$*: the journal was touched"
	only r.json.journal
}

needs=python3
test_case resume__goes_on "what was measured is printed and noted, and is" \
    "not measured again; an earlier result stays until the end"
resume__goes_on_body() {
	undisturbed $sweep
	killed 7 $sweep
	goes_on sweep --resume r.json
	grep -qx 'rngsim: sweep: r.json: 7 of 80 repeats were there' err ||
	    atf_fail "$(cat err)"
	grep -q '^chacha20, kernel-style' out || atf_fail "no table: $(cat out)"
	json_flat r.json r.flat
	[ "$(get r.flat resumed.0.order)" = 7 ] || atf_fail "no resumption"
	# A second time, from there on, and then with nothing missing.
	killed 7 $sweep
	killed_line='{"resumed":{"at":"2026-11-21T20:00:00Z","order":3}}'
	sed -i "4a\\
$killed_line" r.json.journal
	goes_on sweep --resume r.json
	json_flat r.json r.flat
	[ "$(get r.flat resumed.0.order)" = 3 ] &&
	    [ "$(get r.flat resumed.1.order)" = 7 ] ||
	    atf_fail "resumptions: $(grep resumed r.flat)"
	# A report writes what it read.
	"$(program)" report r.json --format json | cmp - r.json ||
	    atf_fail "report lost something"
	atf_check -o file:out -e match:'r.json is complete: nothing was' \
	    "$(program)" sweep --resume r.json
	killed 2 $sweep --part 1/2
	atf_check -o ignore -e match:': 2 of 40 rep' "$(program)" $sweep --part 1/2
}

test_case resume__run "run -n resumes as well, also with its own name and" \
    "format"
resume__run_body() {
	run="run $virtual -n 60 --seed 3 -o r.json"
	undisturbed $run
	killed 20 $run
	refuses 2 'was begun by "rngsim run"' sweep --resume r.json
	goes_on run --resume r.json --format json
	cmp out r.json || atf_fail "not the format asked for"
	killed 20 $run
	echo earlier >r.json
	ln -s r.json link
	goes_on run --resume ./link
}

test_case resume__ledger_and_health "what a ledger and health tests counted" \
    "is kept with each repeat, and adds up to the same"
resume__ledger_and_health_body() {
	watched="sweep $virtual -r 1,2 -n 5 --seed 3 -o r.json --ledger
	    -S kern.random.nist_healthtest_enabled=1
	    -S rngsim.source.interrupt.rate_hz=50000"
	undisturbed $watched
	[ "$(grep -c '"ledger": {' want.txt)" = 4 ] || atf_fail "no ledgers"
	grep -q '"source": "INTERRUPT"' want.txt || atf_fail "nothing tested"
	for n in 1 6 13; do
		killed $n $watched
		goes_on sweep --resume r.json
		rm r.json
	done
	killed 3 $sweep
}

test_case resume__incomplete_line "only a last line without its end is" \
    "dropped; other damage is reported with its line; no file is changed"
resume__incomplete_line_body() {
	undisturbed $sweep
	killed 5 $sweep
	cp r.json.journal five
	head -c -100 five >r.json.journal
	goes_on sweep --resume r.json
	grep -q ': 4 of 80 repeats' err || atf_fail "$(cat err)"
	rm r.json
	sed '4d' five >r.json.journal
	goes_on sweep --resume r.json
	rm r.json
	while IFS='|' read -r edit message; do
		sed "$edit" five >r.json.journal
		refuses 1 "r.json.journal: line $message" sweep --resume r.json
	done <<-'EDITS'
		3s/"cell":/"cell"/|3: damaged
		3s/"cell":/"call":/|3: a repeat that this run does not have
		1s/"seed":/"seed"/|1: damaged
		1s/"seed":/"sead":/|1: seed: missing
		1s/"argv":/"args":/|1: argv: missing
		1s/"invariants":[a-z]*/"invariants":17/|1: host.invariants
		1s,journal/4,journal/5,|1: schema "rngsim-journal/5"
		4p|5: a repeat that this run does not have
		4s/"buckets":.[0-9]*,/"buckets":[99999,/|4: latency.buckets: 99999 is out
		4s/.*/[]/|4: of no known kind
	EDITS
	sed '1s/^/000011fc e36b415f /' five >r.json.journal
	refuses 1 'r.json.journal: line 1: damaged, or written by an older rngsim' \
	    sweep --resume r.json
	head -c 100 five >r.json.journal
	refuses 1 'ended before anything was measured' sweep --resume r.json
	: >r.json.journal
	refuses 1 'ended before anything was measured' sweep --resume r.json
	# That is nothing to keep.
	"$(program)" $sweep >/dev/null 2>err || atf_fail "$(cat err)"
	[ ! -s err ] || atf_fail "$(cat err)"
	only r.json
}

test_case resume__other_host "another host, program, version or meaning of" \
    "the arguments is refused, and what differs is named"
resume__other_host_body() {
	killed 3 $sweep
	cp r.json.journal three
	for key in cpu_model kernel compiler flags libcrypto revision; do
		sed "1s/\"$key\":\"[^\"]*/\"$key\":\"other/" three \
		    >r.json.journal
		refuses 1 "another host, or by another program: $key is|\
was \"other\"" sweep --resume r.json
	done
	for key in cpus cpus_machine numa_nodes; do
		sed "1s/\"$key\":[0-9]*/\"$key\":99/" three >r.json.journal
		refuses 1 "program: $key is|was 99" sweep --resume r.json
	done
	# Clocks and costs are measured, and are those of the first part.
	rm r.json.journal
	undisturbed $sweep
	cp three r.json.journal
	goes_on sweep --resume r.json
	rm r.json

	"$(program)" list profiles epyc-9654-2s >mine.conf
	mine=$(echo "$sweep" | sed 's/epyc-9654-2s/.\/mine.conf/')
	killed 3 $mine
	sed -i 's/os.preempt = [0-9.]*/os.preempt = 1/' mine.conf
	refuses 1 'mean something else now: profile_sha256 is' sweep --resume r.json
	rm mine.conf
	refuses 1 'mine.conf' sweep --resume r.json

	cp "$(source_folder)/bench/workload/shell.workload" my.workload
	killed 3 $sweep --workload @my.workload
	echo '5 5' >>my.workload
	refuses 1 'mean something else now: --workload is' sweep --resume r.json
}

test_case resume__other_counter "on the real engine another cycle counter is" \
    "another host"
resume__other_counter_body() {
	killed 3 sweep -t 0.01 -r 1 -n 100 -c aes -d none -o r.json
	sed -i '1s/"cycles_per_us":[0-9.]*/"cycles_per_us":12.5/' r.json.journal
	refuses 1 'its cycle counter ran at 12.5 MHz' sweep --resume r.json
}

test_case resume__options_stay "a run has the options that it was begun with"
resume__options_stay_body() {
	begun="$sweep -S rngsim.warmup_ms=7 --verify"
	undisturbed $begun
	killed 3 $begun
	for other in '-r 1-3' '-n 20' '--engine real' '--seed 3' \
	    '-S rngsim.warmup_ms=7' '-o r.json' '--format csv -t 1'; do
		refuses 2 "--resume: r.json has the options|no other one" \
		    sweep --resume r.json $other
	done
	refuses 2 '-r|"x"' sweep --resume r.json -r x
	refuses 2 'unknown option --bogus' sweep --resume r.json --bogus
	refuses 2 '--resume is given twice' sweep --resume r.json --resume r.json
	refuses 2 '--resume: "": expected a file name' sweep --resume ''
	refuses 2 'surplus|"x"' sweep --resume r.json x
	goes_on sweep --resume r.json
	# So does a complete one.
	complains 2 'r.json has the options' sweep --resume=r.json -n 21
	# And help is help.
	shows '--resume FILE' sweep --resume r.json --help
}

test_case resume__nothing_there "files without a journal to resume"
resume__nothing_there_body() {
	complains 1 'nothing to resume|r.json.journal: No such file' \
	    sweep --resume r.json
	complains 1 'missing/r.json' sweep --resume missing/r.json
	mkdir folder
	complains 1 'folder: Is a directory' sweep --resume folder
	mkfifo pipe
	complains 1 'pipe: ' sweep --resume pipe
	complains 1 '/dev/null: ' sweep --resume /dev/null
	echo text >r.json
	complains 1 'nothing to resume' sweep --resume r.json
	[ "$(cat r.json)" = text ] || atf_fail "r.json was touched"
	mkdir r.json.journal
	complains 1 'r.json.journal: ' sweep --resume r.json
	complains 1 'r.json.journal: not a regular file' $sweep
	rmdir r.json.journal
	mkfifo r.json.journal
	complains 1 'r.json.journal: ' sweep --resume r.json
	complains 1 'r.json.journal: not a regular file' $sweep
	[ -p r.json.journal ] || atf_fail "the pipe is gone"
}

test_case resume__begun_anew "beginning anew keeps what was measured, and" \
    "says so"
resume__begun_anew_body() {
	undisturbed $sweep
	killed 3 $sweep
	cp r.json.journal three
	atf_check -o ignore -e match:'is kept as r.json.journal.old; --resume' \
	    "$(program)" $sweep
	cmp r.json.journal.old three || atf_fail "it is another"
	only 'r.json r.json.journal.old'
	mv r.json.journal.old r.json.journal
	goes_on sweep --resume r.json
}

test_case resume__one_at_a_time "a second run for a file fails and names the first"
resume__one_at_a_time_body() {
	begin_long
	cp r.json.journal before
	for how in "-t 1000 -r 1 -o r.json" "--resume r.json" \
	    "-t 1000 -r 2 -o ./r.json"; do
		fails 1 "process $pid is" sweep $how
	done
	cmp r.json.journal before || atf_fail "its journal was touched"
	[ -f r.json.journal.tmp ] || atf_fail "its result was removed"
	kill -KILL $pid
	wait $pid
	"$(program)" $sweep >/dev/null 2>err || atf_fail "then: $(cat err)"
	only r.json
}

test_case resume__interrupted "a signal leaves an incomplete result and its" \
    "journal, and prints how to resume"
resume__interrupted_body() {
	long="sweep $virtual -r 1,2 -n 30 --seed 3 -o r.json"
	undisturbed $long
	for s in INT TERM HUP; do
		signalled $s 3 $long
		[ $status = 1 ] || atf_fail "SIG$s: exit $status: $(cat err)"
		grep -q '"rngsim sweep --resume r.json" goes on' err ||
		    atf_fail "SIG$s: $(cat err)"
		grep -q '"complete": false' r.json || atf_fail "SIG$s: r.json"
		only 'r.json r.json.journal' "SIG$s:"
		goes_on sweep --resume r.json
	done
}

test_case resume__few_draws "a signal among the first drawn profiles leaves" \
    "no bands of so few"
resume__few_draws_body() {
	drawn="sweep ${virtual%-t *} -t 0.2 -r 1,2 -n 1 --uncertainty 200 -o r.json"
	for tries in 1 2 3 4 5; do
		signalled TERM 8 $drawn
		[ "$(wc -l <r.json.journal)" -ge 20 ] || break
	done
	[ "$(wc -l <r.json.journal)" -lt 20 ] || atf_skip "too slow to signal"
	[ $status = 1 ] || atf_fail "exit $status: $(cat err)"
	! grep total_samples r.json || atf_fail "bands"
}

test_case resume__second_signal "a second signal, whichever, kills at once;" \
    "the result is what it was"
resume__second_signal_body() {
	echo earlier >r.json
	begin_long
	# Both are there before it can do anything about the first.
	kill -STOP $pid
	until grep -qs '^State:.T' /proc/$pid/status ||
	    ps -o stat= -p $pid 2>/dev/null | grep -q T; do
		[ -r /proc/$pid/status ] || command -v ps >/dev/null || break
		sleep 0.1
	done
	kill -TERM $pid
	kill -HUP $pid
	kill -CONT $pid
	wait $pid
	status=$?
	[ $status = 143 ] || [ $status = 129 ] || atf_fail "exit $status"
	[ "$(cat r.json)" = earlier ] || atf_fail "r.json was touched"
}

test_case resume__full_disk "where no repeat can be written any more the run" \
    "ends; what there is stays whole and can be resumed"
resume__full_disk_body() {
	sweep="sweep $virtual -r 1,2 -n 40 --seed 3 -o r.json"
	undisturbed $sweep
	echo earlier >r.json
	# In units of 512 or 1024 bytes: designs are files too, of half of that.
	atf_check -s exit:1 -o ignore -e match:'r.json: File too large, writing its' \
	    sh -c 'ulimit -f 600; exec "$@"' sh "$(program)" $sweep
	[ "$(cat r.json)" = earlier ] || [ "$(tail -n 1 r.json)" = '}' ] ||
	    atf_fail "r.json is torn"
	n=$(wc -l <r.json.journal)
	[ "$n" -gt 1 ] && [ "$n" -lt 160 ] || atf_fail "$n lines"
	# Not even a first line: nothing is left.
	mv r.json.journal j
	rm r.json
	message=$( (ulimit -f 0; exec "$(program)" $sweep) 2>&1 >/dev/null)
	status=$?
	[ $status = 1 ] || atf_fail "exit $status: $message"
	case $message in
	*r.json*": File too large"*) ;;
	*) atf_fail "$message";;
	esac
	only 'r.json*'
	mv j r.json.journal
	goes_on sweep --resume r.json
}

test_case resume__folder_vanishes "a folder that is removed meanwhile: exit" \
    "1, and standard output has the figures"
resume__folder_vanishes_body() {
	status=0
	while [ $status = 0 ]; do
		rm -rf folder
		mkdir folder
		"$(program)" sweep $virtual -r 1,2 -n 60 -o folder/r.json >out \
		    2>err &
		pid=$!
		cd folder
		until_lines 3 $pid
		cd ..
		rm -r folder
		wait $pid
		status=$?
	done
	[ $status = 1 ] || atf_fail "exit $status: $(cat err)"
	grep -q '^rngsim: sweep: folder/r.json: No such file' err ||
	    atf_fail "$(cat err)"
	grep -q '^chacha20, kernel-style' out || atf_fail "no table"
}

test_case resume__closed_stdout "closed or full standard output is exit 1," \
    "and the result is whole and alone in its file"
resume__closed_stdout_body() {
	undisturbed $sweep
	for how in '>&-' '>&- 2>&-' '<&- >&- 2>&-' '>/dev/full'; do
		killed 3 $sweep
		sh -c "exec \"\$@\" $how" sh "$(program)" sweep --resume r.json \
		    2>/dev/null
		status=$?
		[ $status = 1 ] || atf_fail "$how: exit $status"
		timeless r.json | cmp - want.txt || atf_fail "$how"
		only r.json "$how:"
	done
}
