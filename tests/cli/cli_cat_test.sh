# cat: what comes out is what the readers read, in turn, to the byte; and how it
# ends.

# Blocks of 64 bytes as lines of hexadecimal digits.
blocks() { od -An -v -tx1 -w64 | tr -d ' '; }

# ends STATUS PATTERN COMMAND: stderr is one line that matches, or is empty.
ends() {
	want=$1 pattern=$2
	shift 2
	sh -c "$*" 2>err
	status=$?
	[ $status = "$want" ] ||
	    atf_fail "$*: exit $status, not $want: $(cat err)"
	if [ -z "$pattern" ]; then
		[ ! -s err ] || atf_fail "$*: $(cat err)"
		return
	fi
	[ "$(wc -l <err)" = 1 ] || atf_fail "$*: not one line: $(cat err)"
	grep -Eq "$pattern" err || atf_fail "$*: no \"$pattern\" in $(cat err)"
}

test_case cat__writes_n_bytes "exactly as many bytes as asked for, however" \
    "they are cut"
cat__writes_n_bytes_body() {
	for a in "-n 1" "-n 16 -s 1g" "-n 1000 -s 7" "-n 65537" "-n 1m -r 4" \
	    "-n 1 -r 9" "-n 100 -r 3 --interleave 1" \
	    "-n 100001 -r 3 -s 1000 --interleave 333" \
	    "-n 5000 -r 2 -s 17 --interleave 4k"; do
		set -- $a
		case $2 in 1m) want=1048576;; *) want=$2;; esac
		"$(program)" cat $a >out || atf_fail "$a: exit $?"
		n=$(wc -c <out)
		[ "$n" -eq "$want" ] || atf_fail "$a: $n bytes"
	done
}

test_case cat__repeats_with_a_seed "one reader's bytes depend on seed," \
    "design, cipher and request size alone"
cat__repeats_with_a_seed_body() {
	of="cat -n 200k"
	"$(program)" $of --seed 5 -s 300 >want || atf_fail "$of"
	for a in "" "--interleave 7" "--place none" "-l mcs" \
	    "--crypto kernel"; do
		"$(program)" $of --seed 5 -s 300 $a >out || atf_fail "$a"
		cmp want out || atf_fail "$of $a: other bytes"
	done
	for a in "--seed 6 -s 300" "--seed 5 -s 301" \
	    "--seed 5 -s 300 -c aes"; do
		"$(program)" $of $a >out || atf_fail "$a"
		! cmp -s want out || atf_fail "$of $a: the same bytes"
	done
}

# Fortuna's requests of one size are the same for every reader, as long
# as nothing reseeds.  So what several readers get is what one gets, request by
# request, each once, and every reader's in ascending order.
#
# taken READERS BLOCKS <numbers of requests in the order of the whole
taken() {
	awk -v readers="$1" -v blocks="$2" '
		{ r = (NR - 1) % readers
		  if ($1 <= last[r] || seen[$1]++) { bad = 1; exit }
		  last[r] = $1 }
		END { exit bad || NR != blocks }'
}

# number FILE: each line's number in all.txt, or 0
number() {
	awk 'FNR == NR { at[$1] = FNR; next } { print at[$1] + 0 }' all.txt "$1"
}

test_case cat__interleaves "several readers' requests are there once, and in" \
    "turn"
cat__interleaves_body() {
	for design in locked concurrent; do for cipher in aes chacha20; do
		of="cat --seed 9 -d $design -c $cipher"
		# Readers make more than is written.
		"$(program)" $of -s 64 -n 2m | blocks >all.txt
		[ "$(sort -u all.txt | wc -l)" = 32768 ] || atf_fail "$of: one"
		# A request is a grain.
		for readers in 2 4 7; do
			"$(program)" $of -s 64 -n 256k -r $readers | blocks \
			    >some.txt
			number some.txt | taken $readers 4096 ||
			    atf_fail "$of -r $readers"
		done
		# Four grains to a request: lines of the transposed whole.
		"$(program)" $of -s 64 -n 256k -r 4 --interleave 16 |
		    od -An -v -tx1 -w16 | tr -d ' ' |
		    awk '{ r = (NR - 1) % 4; text[r] = text[r] $1
			if (NR % 16 == 0)
				for (r = 0; r < 4; r++) {
					print text[r]; text[r] = ""
				} }' >some.txt
		number some.txt | taken 4 4096 || atf_fail "$of grain 16"
		# Three requests to a grain.
		"$(program)" $of -s 64 -n 192k -r 2 --interleave 192 | blocks |
		    awk '{ r = int((NR - 1) / 3) % 2
			text[r, ++n[r]] = $1 }
			END { for (i = 1; i <= n[0]; i++)
				print text[0, i] "\n" text[1, i] }' >some.txt
		number some.txt | taken 2 3072 || atf_fail "$of grain 192"
	done; done
}

test_case cat__pipe_closes "a reader that has had enough ends cat quietly," \
    "status 0"
cat__pipe_closes_body() {
	for a in "" "-n 1g" "-r 4" "-r 3 -s 7 --interleave 5" "-s 1m -r 2"; do
		{ "$(program)" cat $a 2>err; echo $? >status; } |
		    head -c 16 >out
		[ "$(wc -c <out)" = 16 ] || atf_fail "$a: no 16 bytes"
		[ ! -s err ] || atf_fail "$a: $(cat err)"
		[ "$(cat status)" = 0 ] || atf_fail "$a: exit $(cat status)"
	done
}

test_case cat__output_fails "closed and full outputs: one message, status 1"
cat__output_fails_body() {
	p=$(program)
	for a in "" "-n 10" "-n 10 -r 4" "-r 4 -s 7"; do
		ends 1 '^rngsim: cat: stdout: ' "$p cat $a >&-"
		[ ! -w /dev/full ] ||
		    ends 1 '^rngsim: cat: stdout: ' "$p cat $a >/dev/full"
	done
	# A disk that is full half-way, as a limit on file sizes makes it.  The
	# limit is above the size of a design's object, a file in memory.
	for a in "" "-r 4" "-r 3 -s 1000 --interleave 77"; do
		ends 1 '^rngsim: cat: stdout: ' \
		    "ulimit -f 4096; $p cat $a -n 10m >part"
		[ -s part ] || atf_fail "$a: nothing was written"
		[ "$(wc -c <part)" -lt 10485760 ] || atf_fail "$a: no limit"
	done
}

test_case cat__signals "signals end it quietly, writing or waiting to write"
cat__signals_body() {
	mkfifo pipe
	for sig in TERM HUP; do for reading in no yes; do
		"$(program)" cat -r 3 >pipe 2>err &
		pid=$!
		exec 3<pipe
		# Far into its output, so that it has caught its signals.
		head -c 1000000 <&3 >/dev/null
		drain=
		[ $reading = no ] || { cat <&3 >/dev/null & drain=$!; }
		kill -$sig $pid
		wait $pid
		status=$?
		exec 3<&-
		[ -z "$drain" ] || wait $drain
		[ $status = 1 ] || atf_fail "$sig, $reading: exit $status"
		[ ! -s err ] || atf_fail "$(cat err)"
	done; done
}

test_case cat__unseeded "without entropy it says so, once"
cat__unseeded_body() {
	for a in "" "-r 4"; do
		complains 1 'cat: not seeded|boot_entropy_bytes' cat $a \
		    -S rngsim.harvest.boot_entropy_bytes=0
	done
}

test_case cat__bad_usage "what cat does not take, status 2"
cat__bad_usage_body() {
	for v in 0 -1 x 2g '' 1.5 010; do
		complains 2 "--interleave: \"$v\"|expected bytes, 1..1g" \
		    cat --interleave "$v"
	done
	for v in 0 -1 x 1025 1-2; do
		complains 2 "-r: \"$v\"|expected a number of readers, 1..1024" \
		    cat -r "$v"
	done
	complains 2 '-r: "1,2"|expected one value' cat -r 1,2
	complains 2 '-n: "-5"|expected bytes|0 for no end' cat -n -5
	complains 2 '--place: "99999"' cat --place 99999
	first=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' \
	    /proc/self/status 2>/dev/null)
	complains 2 '--place: |no harvest thread|CPUs for readers only' \
	    cat --place "${first:-0}/${first:-0}"
	complains 1 "buffers need|-r|-s" cat -r 1024 -s 1g
}
