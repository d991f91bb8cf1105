# What goes wrong around the program: files, disks, pipes, limits, libcrypto,
# locales.  Exit 1 with the reason; what was there before stays.

# Short runs with a long time-out for seeding; and a run that is not expected to
# end.
brief="-t 0.01 -r 1 -S rngsim.warmup_ms=0 -S rngsim.seed_timeout_ms=60000"
never="-t 1000 -r 1"

# into_check STATUS PATTERN FILE COMMAND...: standard output goes to a file.
into_check() {
	want=$1 pattern=$2
	shift 2
	atf_check -s exit:"$want" -e match:"$pattern" sh -c \
	    'f=$1; shift; exec "$@" >"$f"' sh "$@"
}

# closed_check STATUS PATTERN COMMAND...: standard output is closed.
closed_check() {
	want=$1 pattern=$2
	shift 2
	atf_check -s exit:"$want" -e match:"$pattern" sh -c 'exec "$@" >&-' sh \
	    "$@"
}

# A whole result is in the file: nothing around it, and report takes it.
whole() {
	atf_check -o not-empty "$(program)" report "$1"
	[ "$(head -n 1 "$1")" = '{' ] && [ "$(tail -n 1 "$1")" = '}' ] ||
	    atf_fail "$1 has more than the result in it"
	atf_check -o match:'"complete": *true' cat "$1"
}

# Only these files are here.
only() {
	[ "$(echo *)" = "$*" ] || atf_fail "wanted $*, there are: $(echo *)"
}

test_case output__unwritable "-o where nothing can be written is found before" \
    "measuring"
output__unwritable_body() {
	mkdir folder
	echo text >file
	for o in missing/r.json folder folder/ . missing/ file/r.json \
	    "$(printf 'n%0300d' 0)"; do
		fails 1 "^rngsim: run: $o: [A-Z]" run $never -o "$o"
	done
	fails 1 'missing/r.json: [A-Z]' sweep $never -o missing/r.json
	only file folder
	[ "$(cat file)" = text ] || atf_fail "file was touched"
	ln -s loop loop
	fails 1 'loop' run $never -o loop
}

test_case output__unwritable_to_user "-o that permissions forbid is found" \
    "before measuring"
output__unwritable_to_user_body() {
	mkdir folder
	echo text >file
	chmod 500 folder
	chmod 400 file
	bound_by_permissions
	! $as sh -c 'echo >>file' 2>/dev/null ||
	    atf_skip "permissions do not bind this user"
	for o in folder/r.json file; do
		atf_check -s exit:1 -o empty -e match:"$o: Permission denied" \
		    $as "$(program)" run $never -o $o
	done
	[ "$(cat file)" = text ] || atf_fail "file was touched"
}

test_case output__in_place_of_earlier "a result takes an earlier one's place," \
    "mode and link kept"
output__in_place_of_earlier_body() {
	echo earlier >r.json
	chmod 640 r.json
	ln -s r.json link.json
	runs run $brief -o link.json
	whole r.json
	[ -L link.json ] || atf_fail "the link is gone"
	[ "$(ls -l r.json | cut -c1-10)" = -rw-r----- ] ||
	    atf_fail "$(ls -l r.json)"
	only link.json r.json
}

test_case output__disk_full "a file that cannot grow: exit 1, the earlier" \
    "result intact, nothing left beside it"
output__disk_full_body() {
	echo earlier >r.json
	# A result is far larger than any unit of ulimit -f.
	atf_check -s exit:1 -e match:'r\.json: File too large' sh -c \
	    'ulimit -f 1; exec "$@" >/dev/null' sh "$(program)" run $brief -n 3 \
	    -o r.json
	[ "$(cat r.json)" = earlier ] || atf_fail "the earlier result is gone"
	only r.json
	rm r.json
	atf_check -s exit:1 -e match:'r\.json: File too large' sh -c \
	    'ulimit -f 1; exec "$@" >/dev/null' sh "$(program)" run $brief -n 3 \
	    -o r.json
	[ "$(echo *)" = '*' ] || atf_fail "left: $(echo *)"
	[ -c /dev/full ] || return 0
	atf_check -s exit:1 -o ignore -e match:'/dev/full: No space' \
	    "$(program)" run $brief -o /dev/full
	[ -c /dev/full ] || atf_fail "/dev/full was replaced"
}

test_case output__device "devices and pipes as -o are written to, not replaced"
output__device_body() {
	runs run $brief -o /dev/null
	[ -c /dev/null ] || atf_fail "/dev/null was replaced"
	mkfifo fifo
	cat fifo >out.json &
	runs run $brief -o fifo
	wait
	[ -p fifo ] || atf_fail "the pipe was replaced"
	whole out.json
	# The result before the table; both are whole.
	atf_check -o match:'^\{' -o match:'^\}' -o match:'^cell ' \
	    "$(program)" run $brief -o /dev/stdout
}

test_case stdout__full "/dev/full as standard output: exit 1, the file intact"
stdout__full_body() {
	[ -c /dev/full ] || atf_skip "no /dev/full"
	for f in table csv json ministat; do
		into_check 1 'stdout: No space left' /dev/full "$(program)" run \
		    $brief -o r.json --format $f
		whole r.json
		rm r.json
	done
	runs run $brief -o r.json
	for a in --help --version 'run --help' 'sweep --help' 'cat --help' \
	    list 'list tunables' 'list --help' 'report r.json' 'report --help' \
	    'report r.json --format json' 'kat --help' 'cat -n 100000' \
	    'list profiles xgene1'; do
		into_check 1 'stdout: No space left' /dev/full "$(program)" $a
	done
	# A message once, and the status of bad usage whatever stdout is.
	"$(program)" report r.json >/dev/full 2>err.txt
	[ "$(grep -c stdout err.txt)" -eq 1 ] || atf_fail "$(cat err.txt)"
	into_check 2 '"0"' /dev/full "$(program)" run -r 0
}

test_case stdout__closed "closed standard output: exit 1, the file intact and" \
    "its own"
stdout__closed_body() {
	closed_check 1 stdout "$(program)" run $brief -o r.json
	whole r.json
	for a in --help --version list 'report r.json' 'cat -n 10'; do
		closed_check 1 stdout "$(program)" $a
	done
	# Nor do messages land in the file when stderr is closed too.
	sh -c '"$@" >&- 2>&- <&-' sh "$(program)" run $brief -o s.json
	status=$?
	[ $status = 1 ] || atf_fail "exit $status"
	whole s.json
	# No input is needed.
	atf_check -o not-empty sh -c '"$@" <&-' sh "$(program)" run $brief
	atf_check -s exit:1 -e match:'stdin' sh -c '"$@" <&-' sh "$(program)" kat
}

# gone COMMAND...: into a pipe whose reader has ended before the command starts.
gone() {
	rm -f pipe
	mkfifo pipe
	sh -c ': <pipe' &
	exec 3>pipe
	wait
	rm pipe
	"$@" >&3
	status=$?
	exec 3>&-
	return $status
}

# gone_check STATUS COMMAND...
gone_check() {
	want=$1
	shift
	gone "$@" 2>err.txt
	[ $? = $want ] && [ ! -s err.txt ] ||
	    atf_fail "$*: exit status, or a message: $(cat err.txt)"
}

test_case stdout__reader_gone "a pipe whose reader ended: silence and exit 1"
stdout__reader_gone_body() {
	gone_check 1 "$(program)" run $brief -o r.json
	whole r.json
	gone_check 1 "$(program)" list
	gone_check 1 "$(program)" report r.json
	gone_check 1 "$(program)" --help
	printf 'cipher aes\nmode locked\ninit\nstate\n' >s.kat
	gone_check 1 "$(program)" kat s.kat
	# For cat that is how it ends.
	gone_check 0 "$(program)" cat
	gone_check 0 "$(program)" cat -n 100000
}

test_case cat__length "cat writes as many bytes as asked, endless into head"
cat__length_body() {
	for n in 1 15 16 17 65535 65536 65537 1k 1m 3000001; do
		case $n in
		*k) want=$((${n%k} * 1024));;
		*m) want=$((${n%m} * 1048576));;
		*) want=$n;;
		esac
		saves out.bin cat -n $n
		[ "$(wc -c <out.bin)" -eq $want ] ||
		    atf_fail "-n $n: $(wc -c <out.bin) bytes"
	done
	for a in '' '-n 0' '-s 1' '-s 1m -d locked' '-c aes --crypto kernel'; do
		{ "$(program)" cat $a 2>err.txt; echo $? >status.txt; } |
		    head -c 16 >out.bin
		[ "$(wc -c <out.bin)" -eq 16 ] || atf_fail "cat $a: too short"
		[ "$(cat status.txt)" = 0 ] ||
		    atf_fail "cat $a: exit $(cat status.txt)"
		[ ! -s err.txt ] || atf_fail "cat $a: $(cat err.txt)"
	done
}

test_case cat__seed "cat repeats with a seed, and only with one"
cat__seed_body() {
	for a in '' '-d locked' '-c aes' '-d locked -c aes'; do
		for s in 1 1 2 18446744073709551615; do
			saves $s.bin cat -n 100000 --seed $s $a
			[ ! -f "was$s" ] || atf_check cmp was$s $s.bin
			cp $s.bin was$s
		done
		atf_check -s exit:1 -o ignore cmp 1.bin 2.bin
		atf_check -s exit:1 -o ignore cmp 2.bin 18446744073709551615.bin
		rm was*
		# No block comes twice.
		atf_check -o empty sh -c 'od -An -v -tx1 1.bin | sort | uniq -d'
		mv 1.bin "stream$a"
	done
	# Designs share what comes before the first change of key, ciphers nothing.
	atf_check -s exit:1 -o ignore cmp 'stream' 'stream-d locked'
	atf_check -s exit:1 -o match:'differ: (byte|char) 1,' \
	    cmp 'stream' 'stream-c aes'
	saves a.bin cat -n 1000
	saves b.bin cat -n 1000
	atf_check -s exit:1 -o ignore cmp a.bin b.bin
	fails 1 'not seeded' cat -n 10 -S rngsim.harvest.boot_entropy_bytes=0
	fails 1 'not seeded' cat -n 10 -S kern.random.block_seeded_status=1
}

needs=prlimit
test_case host__refuses_threads "a refused thread: exit 1, which one, where" \
    "the limits are"
host__refuses_threads_body() {
	as=
	if [ "$(id -u)" = 0 ]; then
		command -v setpriv >/dev/null ||
		    atf_skip "limits do not bind root, and there is no setpriv"
		as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	fi
	$as prlimit --nproc=1 "$(program)" --version >/dev/null 2>&1 ||
	    atf_skip "cannot run the program as another user"
	! $as prlimit --nproc=1 sh -c '(exit 0); exit 0' >/dev/null 2>&1 ||
	    atf_skip "this host does not mind the limit"
	for n in 1 2 3 5; do
		atf_check -s exit:1 -o empty -e match:'refused.*thread' \
		    -e match:'ulimit -u' $as prlimit --nproc=$n "$(program)" \
		    run -t 1000 -r 8
	done
}

test_case host__memory "buffers larger than the machine: exit 1, what they" \
    "need, what there is"
host__memory_body() {
	max=$(sed -n 's/.*CELL_READERS_MAX[ 	]*= \([0-9]*\).*/\1/p' \
	    "$(source_folder)/bench/cell/cell.h")
	[ "$max" -ge 1024 ] || atf_fail "at most $max readers"
	for c in "run -r $max -s 1g" "sweep -r 1,$max -s 1,1g"; do
		atf_check -s exit:1 -o empty \
		    -e match:'need .*GB.*this machine has' -e match:'-r' \
		    -e match:'-s' "$(program)" $c -t 1000 -o r.json
	done
	[ "$(echo *)" = '*' ] || atf_fail "left: $(echo *)"
	# What the machine has and this process may not use.
	limit=1000000
	(ulimit -v $limit && exec "$(program)" run $brief -s 1k) >out 2>&1 ||
	    atf_skip "does not run in $limit kB of address space"
	atf_check -s exit:1 -o empty -e match:'need 4.29 GB.*has 1.02' sh -c \
	    "ulimit -v $limit; exec \"\$@\"" sh "$(program)" run -t 1000 -r 16 \
	    -s 256m
}

needs=prlimit
test_case host__address_space "little address space, or a small stack: exit 0," \
    "or exit 1 and why"
host__address_space_body() {
	[ -z "$RNGSIM_SANITIZER" ] || atf_skip "a sanitizer needs far more"
	for mb in 48 50 54 55 56 63 65 69; do
		for c in 'run -r 2 -t 0.02' \
		    'run --engine virtual --profile graviton3 -r 8 -t 0.01'; do
			(prlimit --as=${mb}000000 "$(program)" $c >out 2>err)
			status=$?
			case $status in
			0) [ -s out ] || atf_fail "$c, $mb MB: nothing";;
			1) grep -q '^rngsim: ' err ||
			    atf_fail "$c, $mb MB: $(cat err)";;
			127) ;;	# too little to load the libraries
			*) atf_fail "$c, $mb MB: exit $status: $(cat err)";;
			esac
		done
	done
	atf_check -s exit:1 -e match:'49152 bytes: expected at least 2[0-9]*;' \
	    prlimit --stack=49152 "$(program)" list
}

test_case libcrypto__lacks_algorithms "a libcrypto without the algorithms:" \
    "exit 1, which, where to look"
libcrypto__lacks_algorithms_body() {
	cat >base.cnf <<-'END'
	openssl_conf = init
	[init]
	providers = all
	[all]
	base = on
	[on]
	activate = 1
	END
	fips_configuration fips.cnf
	printf 'cipher aes\nmode locked\ninit\nstate\n' >s.kat
	for f in base fips; do
		for c in "run $never" "sweep $never" 'cat -n 10' 'kat s.kat'; do
			atf_check -s exit:1 -o empty \
			    -e match:'OpenSSL 3.*(SHA256|AES|ChaCha)' \
			    env OPENSSL_CONF="$PWD/$f.cnf" "$(program)" $c
		done
	done
	# What does not need them works; a configuration that is nowhere is none.
	atf_check -o match:'chacha20' env OPENSSL_CONF="$PWD/base.cnf" \
	    "$(program)" list
	atf_check -o not-empty env OPENSSL_CONF=/nowhere "$(program)" run $brief
}

test_case report__unsound_file "missing, truncated, foreign files: exit 1," \
    "name and reason"
report__unsound_file_body() {
	runs run $brief -o good.json
	atf_check -o not-empty "$(program)" report good.json
	mkdir folder
	: >empty
	head -c 100000 /dev/urandom >garbage
	size=$(wc -c <good.json)
	for n in 1 500 $((size - 3)); do
		head -c $n good.json >truncated$n
	done
	sed 's,rngsim-result/1,rngsim-result/2,' good.json >schema2
	sed 's,"schema":.*,"schema": 1\,,' good.json >schema1
	sed 's,"seed":.*,"seed": "x"\,,' good.json >seed
	sed 's,"readers":.*,"readers": -1\,,' good.json >negative
	sed 's,"readers":.*,"readers": 4294967297\,,' good.json >wraps
	sed 's,"readers":.*,"readers": 7\,,' good.json >readers
	sed 's,"total_mb_per_s":.*,"total_mb_per_s": 1e999\,,' good.json >inf
	sed 's,"design":.*,"design": "\\u001b[31m"\,,' good.json >escape
	sed 's,"design":.*,"design": []\,,' good.json >array
	sed 's,"p99":.*,,' good.json >key
	sed 's,"complete":.*,"complete": true\, "complete": false\,,' good.json \
	    >twice
	{ cat good.json; echo '{}'; } >two
	echo '[]' >list
	echo '{}' >object
	echo null >null
	awk 'BEGIN { while (n++ < 100000) printf "[" }' >deep
	for f in missing folder empty garbage truncated* schema2 schema1 seed \
	    negative wraps readers inf escape array key twice two list object \
	    null deep; do
		atf_check -s exit:1 -o empty -e match:"^rngsim: report: $f: ." \
		    -e not-match:'[[:cntrl:]]' "$(program)" report $f
	done
	for f in empty garbage truncated500 two; do
		fails 1 '^rngsim: report: -: .' report - <$f
	done
	fails 1 'rngsim-result/2.*rngsim-result/1' report schema2
	fails 1 '/dev/null: it is empty: expected' report /dev/null
	# Endless, but not for us.
	fails 1 '/dev/zero: ' report /dev/zero
}

test_case files__inputs_stay "an output that is an input's file, whatever" \
    "its name: exit 2, both names"
files__inputs_stay_body() {
	source=$(source_folder)
	cp "$source/bench/workload/shell.workload" w.workload
	cp "$source/lib/profile/graviton3.conf" m.conf
	printf '1 0.1 getrandom("", 2, 0) = 2\n' >t.txt
	runs run $brief -o r.json
	cp r.json r.png
	for f in w.workload m.conf t.txt r.json r.png; do
		ln $f hard-$f
		ln -s $f soft-$f
		cp $f old-$f
	done
	virtual='--engine virtual --profile ./m.conf'
	for p in '' hard- soft- ./; do
		while read -r words c; do
			complains 2 "same file|$words" $c
		done <<-END
		-o|the|operand|t.txt workload import t.txt -o ${p}t.txt
		-o|--workload|w run --workload @w.workload -o ${p}w.workload
		-o|--workload|w run --workload @w.workload/speed=2 -o ${p}w.workload
		--trace|--profile|m.conf run $virtual --trace ${p}m.conf
		-o|--profile|m.conf sweep $virtual -o ${p}m.conf
		--plot|operand|r.png report r.png --plot ${p}r.png
		-o|record run -S rngsim.harvest.record=r.json -o ${p}r.json
		END
	done
	for f in w.workload m.conf t.txt r.json r.png; do
		cmp $f old-$f || atf_fail "$f was overwritten"
	done
	cp m.conf host.conf
	(RNGSIM_HOST_PROFILE=host.conf complains 2 'same file|--profile|host' \
	    run --engine virtual -o host.conf) || exit 1
	runs run $brief -o r.json
	runs run $brief -o /dev/null --workload @w.workload
	# A shipped profile is not the file of its name.
	for i in 1 2; do
		runs run --engine virtual --profile graviton3 -r 1 -t 0.01 \
		    -o graviton3
	done
}

needs='gnuplot prlimit'
test_case report__plot_cut "a picture that does not fit: exit 1, and the one" \
    "before it stays"
report__plot_cut_body() {
	[ -z "$RNGSIM_SANITIZER" ] || atf_skip "a sanitizer writes files too"
	runs run $brief -o r.json
	for f in png svg; do
		echo before >x.$f
		atf_check -s exit:1 -e match:"x.$f: File too large" \
		    prlimit --fsize=8192 "$(program)" report r.json --plot x.$f
		[ "$(cat x.$f)" = before ] || atf_fail "x.$f: $(head -c 99 x.$f)"
		runs report r.json --plot x.$f
		[ "$(wc -c <x.$f)" -gt 8192 ] || atf_fail "x.$f is small"
	done
	[ "$(echo *)" = 'r.json x.png x.svg' ] || atf_fail "left: $(echo *)"
}

test_case report__plot_unwritable "a plot that cannot be: exit 1 and the" \
    "reason; 2 for a name that says no format"
report__plot_unwritable_body() {
	runs run $brief -o r.json
	mkdir folder.png
	for o in missing/x.png folder.png; do
		fails 1 "$o: ." report r.json --plot $o
	done
	fails 2 '"x.gif".*.png, .svg or .pdf' report r.json --plot x.gif
	# Without gnuplot it says so.
	mkdir bin
	atf_check -s exit:1 -o empty -e match:'gnuplot' env PATH="$PWD/bin" \
	    "$(program)" report r.json --plot x.png
	only bin folder.png r.json
}

test_case locale__comma "numbers have points whatever the locale"
locale__comma_body() {
	[ "$(LC_ALL=de_DE.UTF-8 env printf %.1f 1 2>/dev/null)" = 1,0 ] || {
		command -v localedef >/dev/null &&
		    localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >/dev/null 2>&1
		export LOCPATH="$PWD"
	}
	[ "$(LC_ALL=de_DE.UTF-8 env printf %.1f 1 2>/dev/null)" = 1,0 ] ||
	    atf_skip "no locale with a decimal comma"
	export LC_ALL=de_DE.UTF-8
	for f in table csv json ministat; do
		saves out.$f run $brief -n 2 --format $f -o r.json
		! grep -Eq '[0-9],[0-9]+ (MB|us|ns|ms|%)' out.$f ||
		    atf_fail "$(cat out.$f)"
	done
	atf_check -o match:'"total_mb_per_s": [0-9]+(\.[0-9]+)?,$' cat out.json
	grep -Eq '[0-9]\.[0-9]' out.ministat || atf_fail "$(cat out.ministat)"
	awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' out.csv ||
	    atf_fail "$(cat out.csv)"
	# -t has a point as well, and results are read back.
	fails 2 '-t: "0,01"' run -t 0,01
	atf_check -o not-empty "$(program)" report r.json
}
