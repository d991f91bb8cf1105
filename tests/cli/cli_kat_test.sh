# Known-answer scripts: every vector, and every way in which a script is none.

vectors() { echo "$(source_folder)/tests/vectors"; }

# A script's first three lines, and eight events of eight bytes: enough for a
# reseed.
begin() {
	printf 'cipher %s\nmode %s\ninit\n' "$1" "$2"
	for i in 1 2 3 4 5 6 7 8; do
		echo "event 0 $i 0a0b0c0d0e0f0${i}ff"
	done
	echo preread
}

test_case kat__every_vector "each vector from its file reproduces exactly"
kat__every_vector_body() {
	n=0
	for s in "$(vectors)"/*.script; do
		atf_check -o file:"${s%.script}.expected" "$(program)" kat "$s"
		n=$((n + 1))
	done
	[ $n -ge 50 ] || atf_fail "only $n vectors in $(vectors)"
}

test_case kat__standard_input "scripts from standard input, through a file, a" \
    "pipe and -"
kat__standard_input_body() {
	for s in "$(vectors)"/*-01-*.script; do
		e=${s%.script}.expected
		atf_check -o file:"$e" "$(program)" kat <"$s"
		atf_check -o file:"$e" "$(program)" kat - <"$s"
		cat "$s" | "$(program)" kat >out.txt || atf_fail "$s: exit $?"
		atf_check cmp "$e" out.txt
	done
}

test_case kat__several_files "several files answer in their order and do not" \
    "know of each other"
kat__several_files_body() {
	set -- "$(vectors)"/*-0[145]-*.script
	[ $# -ge 12 ] || atf_fail "$# files"
	for s; do cat "${s%.script}.expected"; done >want.txt
	atf_check -o file:want.txt "$(program)" kat "$@"
	# What one file set up, the next one does not have.
	begin aes locked >a.kat
	echo state >b.kat
	fails 1 '^b\.kat:1: .*expected "init"' kat a.kat b.kat
	# Standard input among them, the file after an unsound one not run.
	begin aes locked | sed '$s/.*/state/' >c.kat
	saves one.txt kat c.kat
	cat one.txt one.txt one.txt >want.txt
	atf_check -o file:want.txt "$(program)" kat c.kat - c.kat <c.kat
	echo frob >bad.kat
	atf_check -s exit:1 -o file:one.txt -e match:'^bad\.kat:1: ' \
	    "$(program)" kat c.kat bad.kat c.kat
}

# malformed LINES EXPECTED LINE: after LINES lines, LINE (as of printf) is one
# that the message names, with what was expected.
malformed() {
	[ -f good.kat ] || begin aes concurrent >good.kat
	echo "$3" >>tried.txt
	{ head -n "$1" good.kat; printf "$3\n"; echo state; } >m.kat
	message=$("$(program)" kat m.kat 2>&1 >out)
	status=$?
	case "$status $message" in
	*"
"*) ;;
	"1 m.kat:$(($1 + 1)): "*expected*"$2"*) [ -s out ] || return 0;;
	esac
	printf '%s: exit %d\n    %s\n' "$3" $status "$message" >>wrong.txt
}

test_case kat__malformed "an unsound line: exit 1, file, line, what was" \
    "expected"
kat__malformed_body() {
	malformed 12 'cipher' frob
	malformed 12 'set-counter' PREREAD
	malformed 12 'cipher' preread\\001
	malformed 12 'preread' '.'
	malformed 0 'cipher' mode\\:locked
	# Operands.
	malformed 0 'cipher aes|chacha' cipher
	malformed 0 'cipher aes|chacha' 'cipher aes chacha'
	malformed 0 'aes or chacha' 'cipher des'
	malformed 0 'aes or chacha' 'cipher AES'
	malformed 1 'mode DESIGN' mode
	malformed 1 'one of locked, concurrent' 'mode none'
	malformed 1 'one of locked, concurrent' 'mode Locked'
	for v in 0 65 -1 x; do
		malformed 1 1..64 "places $v"
	done
	for v in 4 -1 x; do
		malformed 12 0..3 "place $v"
	done
	malformed 1 '"init"' 'place 0'
	malformed 12 'with timers' 'timer 1'
	for v in -1 x 9223372036855; do
		malformed 12 0..9223372036854 "timer $v"
	done
	malformed 2 '"init"' 'init 1'
	malformed 12 '"preread"' 'preread 1'
	malformed 12 '"state"' 'state now'
	malformed 12 'read BYTES' read
	malformed 12 'read BYTES' 'read 1 2'
	malformed 12 'read BYTES' 'read 1 # one'
	malformed 12 'event DESTINATION COUNTER HEX' event
	malformed 12 'event DESTINATION COUNTER HEX' 'event 0 1'
	malformed 12 'event DESTINATION COUNTER HEX' 'event 0 1 00 0 0'
	for v in 00 -1 29 x 4294967296; do
		malformed 12 0..28 "event 0 1 00 $v"
	done
	malformed 12 '"seeded"' 'seeded 1'
	malformed 12 'event DESTINATION COUNTER HEX' 'event 0 1 2 3 4 5 6 7'
	malformed 12 'set-counter HEX' set-counter
	malformed 12 'set-reseeds NUMBER' set-reseeds
	malformed 12 '1..4294967295' 'set-reseeds 0'
	malformed 12 '1..65536' 'turns 65537'
	malformed 12 'set-counter HEX' 'set-counter 00 00'
	# Destinations and counters.
	for v in 256 -1 1x 4294967296 18446744073709551616 010; do
		malformed 12 0..255 "event $v 1 00"
	done
	for v in 4294967296 -1 x 18446744073709551617; do
		malformed 12 0..4294967295 "event 0 $v 00"
	done
	# Bytes: an odd digit, nine of them, none.
	for v in 0 000 0g zz 0x00 001122334455667788 00112233445566778 00-11; do
		malformed 12 '1..8 bytes' "event 0 1 $v"
	done
	malformed 12 'event DESTINATION COUNTER HEX' 'event 0 1 '
	for v in 00 0 zz 000000000000000000000000000000 \
	    0000000000000000000000000000000 0000000000000000000000000000000g \
	    0000000000000000000000000000000000; do
		malformed 12 '16 bytes' "set-counter $v"
	done
	for v in -1 1e3 1k x 010 1.5 1073741825 18446744073709551616 nan; do
		malformed 12 0..1073741824 "read $v"
	done
	# Order.
	for v in 'event 0 1 00' preread 'read 1' state \
	    'set-counter 00000000000000000000000000000000'; do
		malformed 0 '"init" before' "$v"
		malformed 2 '"init" before' "$v"
	done
	malformed 0 'before it' init
	malformed 1 'before it' init
	# A new mode forgets the generator.
	{ cat good.kat; printf 'mode locked\nstate\n'; } >mode.kat
	fails 1 '^mode.kat:14: .*"init" before' kat mode.kat
	# What is no text, what is too long to be a command.
	malformed 12 text 'preread\000'
	malformed 12 text 'pre\000read'
	malformed 12 text '\000'
	malformed 12 'at most' "read $(printf '%0300d' 1)"
	malformed 12 'at most' "preread$(printf '%300s' '')x"
	malformed 12 'cipher' '\357\273\277preread'
	[ "$(wc -l <tried.txt)" -ge 60 ] || atf_fail "rows were not tried"
	[ ! -s wrong.txt ] || { cat wrong.txt >&2; atf_fail "see stderr"; }
}

test_case kat__answers_before_a_fault "an unsound line comes after the" \
    "answers before it, which stay, and before any after it"
kat__answers_before_a_fault_body() {
	{ begin aes locked; echo 'read 16'; } >good.kat
	saves want.txt kat good.kat
	{ cat good.kat; echo 'read x'; echo 'read 16'; } >bad.kat
	atf_check -s exit:1 -o file:want.txt -e match:'^bad\.kat:14: ' \
	    "$(program)" kat bad.kat
	# Standard input has a name too.
	atf_check -s exit:1 -o file:want.txt -e match:'^stdin:14: .*expected' \
	    "$(program)" kat <bad.kat
}

test_case kat__unreadable "a file that cannot be read: exit 1, its name, the" \
    "reason"
kat__unreadable_body() {
	mkdir folder
	fails 1 'missing\.kat: No such file' kat missing.kat
	fails 1 'folder: Is a directory' kat folder
	fails 1 'directory' kat ''
}

# Different text, one meaning.
test_case kat__spellings "CRLF, tabs, comments of any length, no newline at" \
    "the end"
kat__spellings_body() {
	{ begin chacha concurrent; echo 'read 100'; echo state; } >plain.kat
	saves want.txt kat plain.kat
	[ "$(wc -l <want.txt)" -eq 2 ] || atf_fail "$(cat want.txt)"
	sed "s/\$/$(printf '\r')/" plain.kat >crlf.kat
	printf %s "$(cat plain.kat)" >open.kat
	printf '%s\r' "$(cat crlf.kat)" | tr -d '\n' >cr.kat
	sed "s/ /$(printf ' \t ')/g; s/^/  /; s/\$/ /" plain.kat >spaces.kat
	sed 's/^event .*/&\
\
   \
	# in between/' plain.kat >empty.kat
	awk '$1 == "preread" {
		printf "#%70000s\n  # %250s\n#%253s\n#%254s\n#%255s\n",
		    "x", "x", "x", "x", "x"
	} { print }' plain.kat >long.kat
	awk '$1 == "event" { $4 = toupper($4) } { print }' plain.kat >upper.kat
	# A comment may have any bytes of text, and be all there is at the end.
	{ cat plain.kat; printf '# \377 \001'; } >bytes.kat
	for f in crlf open spaces empty long upper bytes; do
		atf_check -o file:want.txt "$(program)" kat $f.kat
	done
	# Lines end at a newline, not at a lone carriage return.
	fails 1 '^cr\.kat:1: ' kat cr.kat
}

test_case kat__empty "a script without commands is an error, one that prints" \
    "nothing is none"
kat__empty_body() {
	: >empty.kat
	printf '\n\n# nothing\n  \n' >comment.kat
	begin aes locked >silent.kat
	for f in empty comment; do
		fails 1 "^$f.kat: no command" kat $f.kat
		atf_check -s exit:1 -e match:'^stdin: no command' \
		    "$(program)" kat <$f.kat
	done
	fails 1 '^/dev/null: no command' kat /dev/null
	atf_check -o empty "$(program)" kat silent.kat
	atf_check -o empty "$(program)" kat <silent.kat
}

test_case kat__verdict "answers are compared with NAME.expected beside" \
    "NAME.script, and printed in any case"
kat__verdict_body() {
	{ begin aes locked; echo read 5; echo read 6; } >a.script
	saves want.txt kat a.script
	cp want.txt a.expected
	atf_check -o file:want.txt "$(program)" kat a.script
	sed '2s/./x/' want.txt >a.expected
	atf_check -s exit:1 -o file:want.txt \
	    -e match:'a.script: the answers are not those of its .expected' \
	    "$(program)" kat a.script
	for n in 1 3; do
		cat want.txt want.txt | head -$n >a.expected
		atf_check -s exit:1 -o file:want.txt -e match:'not those' \
		    "$(program)" kat a.script
	done
	# Other designs give other answers.
	cp want.txt a.expected
	atf_check -s exit:1 -o not-empty -e match:'not those' \
	    "$(program)" kat -d percpu a.script
	# What cannot be read is not missing.
	rm a.expected && ln -s a.expected a.expected
	atf_check -s exit:1 -e match:'a.expected: Too many levels' \
	    "$(program)" kat a.script
	rm a.expected && mkdir a.expected
	atf_check -s exit:1 -o file:want.txt -e match:'Is a directory' \
	    "$(program)" kat a.script
}

test_case kat__read_sizes "head and tail are what there is, of zero bytes the" \
    "digest of nothing"
kat__read_sizes_body() {
	# Each from the same state: the first bytes agree whatever the size.
	for n in 0 1 15 16 17 31 32 33 1048576 1048577; do
		{ begin aes concurrent; echo "read $n"; } | "$(program)" kat ||
		    atf_fail "read $n"
	done >out.txt
	atf_check -o match:'^read 0 sha256=e3b0c44298fc1c149afbf4c8996fb924' \
	    -o match:'b855 head= tail=$' head -n 1 out.txt
	awk '{
		h = substr($4, 6); t = substr($5, 6)
		if (length(h) != 2 * ($2 < 32 ? $2 : 32) ||
		    length(t) != 2 * ($2 < 16 ? $2 : 16) ||
		    length($3) != 7 + 64)
			exit 1
		if (index(h, last) != 1)
			exit 1
		last = h
	} END { exit NR != 10 }' out.txt || atf_fail "$(cat out.txt)"
	# Before any reseed there is nothing to read.
	printf 'cipher aes\nmode locked\ninit\nread 5\nread 0\n' >unseeded.kat
	atf_check -o inline:'read 5 unseeded\nread 0 unseeded\n' \
	    "$(program)" kat unseeded.kat
}

test_case kat__huge_read "the longest read, and without the memory for it"
kat__huge_read_body() {
	{ begin aes concurrent; echo 'read 1073741824'; } >huge.kat
	{ begin aes concurrent; echo 'read 32'; } >small.kat
	saves small.txt kat small.kat
	saves huge.txt kat huge.kat
	atf_check -o match:'^read 1073741824 sha256=[0-9a-f]{64} ' cat huge.txt
	h=$(sed 's/.*head=\([0-9a-f]*\).*/\1/' huge.txt)
	[ ${#h} -eq 64 ] || atf_fail "$(cat huge.txt)"
	grep -q "head=$h " small.txt || atf_fail "$(cat huge.txt small.txt)"
	limit=1000000
	(ulimit -v $limit && exec "$(program)" --version) >/dev/null 2>&1 ||
	    atf_skip "does not start in $limit kB of address space"
	atf_check -s exit:1 -e inline:'rngsim: no memory\n' sh -c \
	    "ulimit -v $limit; exec \"\$@\"" sh "$(program)" kat huge.kat
}

test_case kat__long_script "200,000 lines, and the last line's number when it" \
    "is bad"
kat__long_script_body() {
	{
		begin aes locked
		awk 'BEGIN { while (n++ < 199988) print "state" }'
	} >long.kat
	"$(program)" kat long.kat >out.txt || atf_fail "exit $?"
	[ "$(wc -l <out.txt)" -eq 199988 ] || atf_fail "$(wc -l <out.txt) lines"
	[ "$(sort -u out.txt | wc -l)" -eq 1 ] || atf_fail "states differ"
	echo frob >>long.kat
	atf_check -s exit:1 -o ignore -e match:'^long\.kat:200001: ' \
	    "$(program)" kat long.kat
}

test_case kat__output_is_checked "answers that could not be written are no" \
    "success"
kat__output_is_checked_body() {
	{ begin aes locked; echo state; } >s.kat
	atf_check -s exit:1 -e match:'stdout' sh -c '"$@" >&-' sh \
	    "$(program)" kat s.kat
	[ -c /dev/full ] || atf_skip "no /dev/full"
	atf_check -s exit:1 -e match:'stdout: No space' sh -c '"$@" >/dev/full' \
	    sh "$(program)" kat s.kat
}
