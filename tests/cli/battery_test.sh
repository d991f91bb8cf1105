# "make stat": its tool and its script; and its exact part on every design: no
# block of what several readers get comes twice.

tool() { "$(atf_get_srcdir)/../rngsim-battery" "$@"; }

# says TEXT ARGUMENT...: the tool prints it.
says() {
	want=$1
	shift
	got=$(tool "$@")
	[ "$got" = "$want" ] || atf_fail "$*: \"$got\", not \"$want\""
}

test_case battery__no_block_twice "blocks of 16 bytes of four readers differ," \
    "for every design and cipher; the null design's do not"
battery__no_block_twice_body() {
	list() { "$(program)" list $1 | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p'; }
	n=0
	for design in $(list designs); do for cipher in $(list ciphers); do
		for size in 64 4160; do
			a="-d $design -c $cipher -s $size"
			"$(program)" cat $a -r 4 --interleave 64 -n 1m >out ||
			    atf_fail "$a: exit $?"
			tool duplicates 4 64 <out >found
			case $design:$? in
			none:1) want='[1-9][0-9]*';;
			none:*) atf_fail "the null design's blocks all differ";;
			*:0) want=0
			    n=$((n + 1));;
			*) atf_fail "$a: $(cat found)";;
			esac
			grep -q "^65536 blocks, $want duplicates" found ||
			    atf_fail "$a: $(cat found)"
		done
	done; done
	[ $n -ge 8 ] || atf_fail "only $n streams"
}

test_case battery__finds_duplicates "duplicates are counted to the block and" \
    "found where they are"
battery__finds_duplicates_body() {
	for c in copied:16384 rare:16 page:65280 randu:0; do
		tool broken ${c%:*} 1m >broken || atf_fail "$c"
		tool duplicates 4 64 <broken >found
		[ $? = "$([ ${c#*:} = 0 ] && echo 0 || echo 1)" ] ||
		    atf_fail "$c: exit status"
		grep -q "^65536 blocks, ${c#*:} duplicates" found ||
		    atf_fail "$c: $(cat found)"
	done
	tool broken rare 1m >broken
	says "65536 blocks, 16 duplicates; first: reader 0 byte 63936, \
reader 1 byte 63936" duplicates 4 64 <broken
	# Twice in one stream, thrice, and bytes that do not fill a block.
	printf '%016d' 1 2 3 1 4 1 >some
	printf short >>some
	says "6 blocks, 2 duplicates; first: reader 0 byte 0, reader 1 byte 16" \
	    duplicates 2 16 <some
	# Blocks that share their first half, or their second.
	printf 'aaaaaaaabbbbbbbbaaaaaaaaccccccccddddddddbbbbbbbb' >some
	says "3 blocks, 0 duplicates" duplicates 1 64 <some
	says "0 blocks, 0 duplicates" duplicates 1 64 </dev/null
}

test_case battery__probabilities "binomial, chi-square, families and" \
    "uniformity, by known values"
battery__probabilities_body() {
	# A table that was made independently has p = 1e-4 between each pair.
	while read -r blocks low in high out; do
		for k in $low $in $high $out; do
			p=$(tool binomial $blocks $k)
			want=$(case $k in $in|$high) echo 1;; *) echo 0;; esac)
			[ "$(echo "$p" | awk '{ print ($1 >= 1e-4) }')" = $want ] ||
			    atf_fail "$k of $blocks: p $p"
		done
	done <<-END
	26000 5 6 41 42
	52000 18 19 70 71
	400000 256 257 397 398
	END
	says 1 binomial 26000 21
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

test_case battery__xor "two readers' streams are taken from the whole and XORed"
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

# small STATUS PATTERN [CAT]: the whole script on one design with a small plan;
# the command CAT writes the stream in place of the program.
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
	src=$(source_folder)
	PLAN=./plan.sh sh "$src/tests/streams/stat.sh" build >out 2>err
	status=$?
	[ $status = "$1" ] || atf_fail "exit $status: $(cat out err)"
	grep -Eq "$2" out || atf_fail "no \"$2\": $(cat out err)"
}

test_case battery__whole "good streams pass; repeated ones, and those that" \
    "fail on the way, do not"
battery__whole_body() {
	for t in rngtest ent dieharder openssl; do
		command -v $t >/dev/null || atf_skip "$t is not installed"
	done
	cat >plan.sh <<-'END'
	stream_bytes=1048576
	long_bytes=266240
	family_alpha=1e-6
	uniform_alpha=0
	dieharder_tests=
	controls='broken/page|duplicates
	libcrypto/aes|nothing'
	END
	small 0 '^no deviation found'
	small 1 '^DEVIATION: concurrent/aes .*duplicates' \
	    'exec "$(dirname "$0")/rngsim-battery" broken copied 1m'
	# Cut short it has no duplicate, and its kept part is as it should be.
	small 1 '^DEVIATION: concurrent/aes .stream: no more' \
	    "\"$(program)\" \"\$@\" | case \$* in *4160*) head -c 50000
	    echo no more >&2; exit 1;; *) cat; esac"
	small 1 '' 'echo gone >&2; exit 1'
	grep -q '^stat: concurrent/aes did not finish' err ||
	    atf_fail "$(cat err)"
	# A control that its part does not find makes the run invalid.
	sed -i 's/^libcrypto.*/broken\/randu|duplicates'"'/" plan.sh
	small 1 '^CONTROLS failed.*broken/randu .duplicates'
}

test_case battery__bad_usage "bad usage: exit 2 and what would be right"
battery__bad_usage_body() {
	for a in "" frobnicate duplicates "duplicates 0 64" "duplicates 4 x" \
	    "binomial 10 11" "broken none 1" "xor 4 64 0 4" "sidak 0.01 0" \
	    "chisq 1 -1" "uniform 1"; do
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
