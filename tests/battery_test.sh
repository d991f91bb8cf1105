# What "make stat" is made of; and its exact part on every design: no block of
# what several readers get comes twice.

program() { echo "$(atf_get_srcdir)/../rngsim"; }

tool() { "$(atf_get_srcdir)/../rngsim-battery" "$@"; }

# says TEXT ARGUMENT...: the tool prints it.
says() {
	want=$1
	shift
	got=$(tool "$@")
	[ "$got" = "$want" ] || atf_fail "$*: \"$got\", not \"$want\""
}

atf_test_case battery__no_block_twice
battery__no_block_twice_head() {
	atf_set descr "blocks of 16 bytes of four readers differ, for every" \
	    "design and cipher; the null design's do not"
}
battery__no_block_twice_body() {
	list() { "$(program)" list $1 | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p'; }
	n=0
	for design in $(list designs); do for cipher in $(list ciphers); do
		for size in 64 4160; do
			a="-d $design -c $cipher -s $size"
			"$(program)" cat $a -r 4 --interleave 64 -n 1m >out ||
			    atf_fail "$a: exit $?"
			tool duplicates 4 64 <out >found
			status=$?
			case $design:$status in
			none:1) grep -q '^65536 blocks, [1-9][0-9]* dup' found ||
			    atf_fail "$a: $(cat found)";;
			none:*) atf_fail "the null design's blocks all differ";;
			*:0) grep -qx '65536 blocks, 0 duplicates' found ||
			    atf_fail "$a: $(cat found)"
			    n=$((n + 1));;
			*) atf_fail "$a: $(cat found)";;
			esac
		done
	done; done
	[ $n -ge 8 ] || atf_fail "only $n streams"
}

atf_test_case battery__finds_duplicates
battery__finds_duplicates_head() {
	atf_set descr "duplicates are counted to the block and found where they are"
}
battery__finds_duplicates_body() {
	while read -r name count; do
		tool broken "$name" 1m >broken || atf_fail "$name"
		tool duplicates 4 64 <broken >found
		[ $? = "$([ "$count" = 0 ] && echo 0 || echo 1)" ] ||
		    atf_fail "$name: exit status"
		grep -q "^65536 blocks, $count duplicates" found ||
		    atf_fail "$name: $(cat found)"
	done <<END
copied 16384
rare 16
page 65280
randu 0
END
	tool broken rare 1m >broken
	says "65536 blocks, 16 duplicates; first: reader 0 byte 63936, \
reader 1 byte 63936" duplicates 4 64 <broken
	# Twice in one stream, thrice, and bytes that do not fill a block.
	printf '%016d' 1 2 3 1 4 1 >some
	printf short >>some
	says "6 blocks, 2 duplicates; first: reader 0 byte 0, reader 1 byte 16" \
	    duplicates 2 16 <some
	printf '%016d' 1 10 100 >some
	says "3 blocks, 0 duplicates" duplicates 1 64 <some
	# Blocks that share their first half, or their second.
	printf 'aaaaaaaabbbbbbbbaaaaaaaaccccccccddddddddbbbbbbbb' >some
	says "3 blocks, 0 duplicates" duplicates 1 64 <some
	says "0 blocks, 0 duplicates" duplicates 1 64 </dev/null
}

atf_test_case battery__band
battery__band_head() {
	atf_set descr "how many failing blocks are no accident, by a table that" \
	    "was made independently"
}
battery__band_body() {
	says '0 6' band 1000 1e-4
	says '0 12' band 4000 1e-4
	says '6 41' band 26000 1e-4
	says '19 70' band 52000 1e-4
	says '257 397' band 400000 1e-4
	# What is in the band has at least that probability, what is not less.
	for k in 5 6 41 42; do
		p=$(tool binomial 26000 $k)
		case $k in 6|41) in=1;; *) in=0;; esac
		[ "$(awk -v p="$p" 'BEGIN { print (p + 0 >= 1e-4) }')" = $in ] ||
		    atf_fail "$k failures: p $p"
	done
	says 1 binomial 26000 21
}

atf_test_case battery__probabilities
battery__probabilities_head() {
	atf_set descr "chi-square, families and uniformity, by known values"
}
battery__probabilities_body() {
	says 0.1 chisq 1 3.841458820694124
	says 0.02 chisq 255 310.45738821990585
	says 1.46934e-05 sidak 0.01 684
	says 0.05 sidak 0.05 1
	awk 'BEGIN { for (i = 0; i < 100; i++) print i / 100 }' >even
	says 1 uniform <even
	# Ten in one bin, five in each of two others: chi-square 55.
	for p in 0.95 0.95 0.05 0.55; do
		for i in 1 2 3 4 5; do echo $p; done
	done >uneven
	says 1.21795e-08 uniform <uneven
}

atf_test_case battery__xor
battery__xor_head() {
	atf_set descr "two readers' streams are taken from the whole and XORed"
}
battery__xor_body() {
	printf 'AAaaBBbbCCccAAaaBBbbCCccrest' >whole
	tool xor 3 4 0 1 <whole | od -An -tx1 >out
	echo ' 03 03 03 03 03 03 03 03' | cmp - out ||
	    atf_fail "0 and 1: $(cat out)"
	tool xor 6 2 1 2 <whole | od -An -tx1 >out
	echo ' 23 23 23 23' | cmp - out || atf_fail "1 and 2: $(cat out)"
	tool broken copied 64k | tool xor 4 64 0 1 | tr -d '\0' >out
	[ ! -s out ] || atf_fail "a copy is not its original"
	tool broken copied 64k | tool xor 4 64 0 2 | tr -d '\0' >out
	[ "$(wc -c <out)" -gt 15000 ] || atf_fail "others are"
}

atf_test_case battery__count
battery__count_head() {
	atf_set descr "what passes is counted, and stops when nobody reads"
}
battery__count_body() {
	tool broken randu 300k | tool count n >out || atf_fail "exit $?"
	[ "$(cat n)" = 307200 ] || atf_fail "$(cat n) bytes"
	tool broken randu 300k | cmp - out || atf_fail "other bytes"
	{ tool broken randu | tool count n; } 2>err | head -c 1000 >out
	[ "$(cat n)" -ge 1000 ] || atf_fail "$(cat n) bytes"
	[ ! -s err ] || atf_fail "$(cat err)"
}

atf_test_case battery__plan
battery__plan_head() {
	atf_set descr "the plan's sizes agree with each other, and each part has" \
	    "a control that it must notice"
}
battery__plan_body() {
	src=$(atf_config_get source "$(atf_get_srcdir)/../..")
	. "$src/bench/battery/plan.sh"
	for n in $((request_bytes % 16)) $((long_request_bytes % 16)) \
	    $((grain % 16)) $((stream_bytes % (readers * grain))); do
		[ "$n" = 0 ] || atf_fail "blocks would be cut"
	done
	[ "$(echo "$dieharder_tests" | awk -F'\t' '$0 != "" && NF != 4')" = "" ] ||
	    atf_fail "dieharder_tests"
	for part in duplicates rngtest ent xor dieharder; do
		echo "$controls" | grep -Eq "^broken-.*[	 ]$part( |\$)" ||
		    atf_fail "$part has no control"
	done
	echo "$controls" | while read -r name parts; do
		case $name in
		broken-*) tool broken "${name#broken-}" 64 >/dev/null ||
		    atf_fail "$name";;
		esac
	done
}

# small STATUS PATTERN [CAT]: all of "make stat" on one design with a small plan,
# the words of CAT in place of what the program writes.
small() {
	mkdir -p build
	cat >build/rngsim <<-END
	#!/bin/sh
	case \$1 in
	list) [ \$2 = designs ] && echo '  concurrent   x' || echo '  aes   x';;
	cat) ${3:-exec "$(program)" "\$@"};;
	esac
	END
	chmod +x build/rngsim
	ln -sf "$(atf_get_srcdir)/../rngsim-battery" build/rngsim-battery
	sh ./battery.sh build >out 2>err
	status=$?
	[ $status = "$1" ] || atf_fail "exit $status: $(cat out err)"
	grep -Eq "$2" out || atf_fail "no \"$2\": $(cat out err)"
}

atf_test_case battery__whole
battery__whole_head() {
	atf_set descr "good streams pass; repeated ones, and those that fail on" \
	    "the way, do not"
}
battery__whole_body() {
	for t in rngtest ent dieharder openssl; do
		command -v $t >/dev/null || atf_skip "$t is not installed"
	done
	src=$(atf_config_get source "$(atf_get_srcdir)/../..")
	cp "$src/bench/battery/battery.sh" .
	cat "$src/bench/battery/plan.sh" - >plan.sh <<-'END'
	stream_bytes=1048576
	long_bytes=266240
	family_alpha=1e-6
	uniform_alpha=0
	dieharder_tests=
	controls='
	broken-page	duplicates
	libcrypto	nothing
	'
	END
	small 0 '^no deviation found'
	small 1 '^DEVIATION: concurrent-aes .*duplicates' \
	    'exec "$(dirname "$0")/rngsim-battery" broken copied 1m'
	# Cut short it has no duplicate, and its kept part is as it should be.
	small 1 '^DEVIATION: concurrent-aes .stream: no more' \
	    "\"$(program)\" \"\$@\" | case \$* in *4160*) head -c 50000
	    echo no more >&2; exit 1;; *) cat; esac"
	small 1 '' 'echo gone >&2; exit 1'
	grep -q '^stat: concurrent-aes did not finish' err ||
	    atf_fail "$(cat err)"
}

atf_test_case battery__bad_usage
battery__bad_usage_head() {
	atf_set descr "bad usage: exit 2 and what would be right"
}
battery__bad_usage_body() {
	for a in "" frobnicate duplicates "duplicates 0 64" "duplicates 4 x" \
	    "band 0 1e-4" "band 10 2" "band 10 x" "binomial 10 11" \
	    "broken none" "xor 4 64 0 4" "sidak 0.01 0" "chisq 1 -1" \
	    "uniform 1"; do
		tool $a </dev/null >out 2>err
		status=$?
		[ $status = 2 ] || atf_fail "$a: exit $status"
		grep -Eq 'expected|^Usage' err || atf_fail "$a: $(cat err)"
		[ ! -s out ] || atf_fail "$a: wrote to stdout"
	done
	for p in 1.5 x ''; do
		echo "$p" | tool uniform >out 2>&1
		[ $? = 2 ] || atf_fail "uniform of \"$p\": $(cat out)"
	done
}

atf_init_test_cases() {
	atf_add_test_case battery__no_block_twice
	atf_add_test_case battery__finds_duplicates
	atf_add_test_case battery__band
	atf_add_test_case battery__probabilities
	atf_add_test_case battery__xor
	atf_add_test_case battery__count
	atf_add_test_case battery__plan
	atf_add_test_case battery__whole
	atf_add_test_case battery__bad_usage
}
