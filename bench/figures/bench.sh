# Figures of rngsim-figures(7) that compare rngsim with other programs, and the
# error of its fit: "make bench".
#
# usage: sh bench/figures/bench.sh BUILDDIR [PART...]
#
# What a part compares it measures in turn.  It prints medians and, in brackets,
# the range of the middle half.  An aim that is not reached changes nothing.
set -e

build=$1
shift
rngsim=$build/rngsim
dir=$build/figures
mkdir -p "$dir"

heading() { printf '\n%s: %s\n' "$part" "$*"; }

# value KEY COMMAND...: the first number with that key in its JSON document.
value() {
	key=$1
	shift
	"$@" --format json 2>>"$dir/errors" |
	    sed -n 's/.*"'"$key"'": *\([0-9.e+-]*\).*/\1/p' | head -n 1
}

mb() { value total_mb_per_s "$rngsim" run "$@"; }
read_ns() { value reads_per_s "$rngsim" run "$@" | awk '{ print 1e9 / $1 }'; }

# pipe COMMAND...: MB/s that it writes into a pipe.
pipe() {
	{ "$@" 2>/dev/null || :; } | dd bs=128k count=8000 iflag=fullblock \
	    2>&1 >/dev/null | awk '/copied/ { print $1 / 1e6 / $(NF - 3) }'
}

# openssl_speed BYTES ALGORITHM: bytes a second of libcrypto alone.
openssl_speed() {
	size=$1
	shift
	openssl speed -elapsed -mr -bytes "$size" -seconds 1 "$@" 2>/dev/null |
	    sed -n 's/^+F:[0-9]*:[^:]*:\([0-9.]*\).*/\1/p'
}
openssl_mb() { openssl_speed "$2" -evp "$1" | awk '{ print $1 / 1e6 }'; }
openssl_ns() { openssl_speed "$2" "$1" | awk '{ print '"$2"' * 1e9 / $1 }'; }

hash_mb() {
	"$rngsim" hash -d "$1" -s "$2" -n 1 -t 1 --format csv |
	    awk -F, '$4 == "message" { print $9 }'
}

# beside ROUNDS UNIT <lines "LABEL|COMMAND": runs each command, which prints a
# number, once a round, and prints the numbers and their ratios to the first
# line's of the same round.
beside() {
	cat >"$dir/lines"
	: >"$dir/values"
	for round in $(seq 0 $(($1 - 1))); do
		# Each line is first in every second round.
		sed -n "$([ $((round % 2)) = 0 ] && echo p || echo '1!G;h;$p')" \
		    "$dir/lines" | while IFS='|' read -r label command; do
			echo "$label|$(eval "$command" </dev/null)"
		done >>"$dir/values"
	done
	python3 - "$2" "$dir/values" <<-'END'
	import statistics, sys
	values = {}
	for line in open(sys.argv[2]):
	    label, value = line.rsplit('|', 1)
	    values.setdefault(label, []).append(float(value.strip() or 'nan'))
	def spread(numbers, how):
	    low, middle, high = (format(x, how) for x in
	        statistics.quantiles(numbers, n=4, method='inclusive'))
	    return f'{middle} ({low}..{high})'
	for label, numbers in values.items():
	    ratios = map(float.__truediv__, numbers, [*values.values()][0])
	    print(f'  {label:40} {spread(numbers, ".5g")} {sys.argv[1]}, ratio',
	        spread([*ratios], '.3f'))
	END
}

bench_hash() {
	heading '"rngsim hash" over "openssl speed" (aim: 0.90 to 1.10)'
	for name in md5 sha1 sha256 sha512 sha3-256 blake2b512 ripemd160; do
		for size in 16 256 8192; do
			ours=$(echo $name | sed 's/blake2b/&-/')
			printf '%s|%s\n' "openssl speed, $name, $size" \
			    "openssl_mb $name $size" \
			    "rngsim hash, $name, $size" "hash_mb $ours $size" |
			    beside 7 MB/s
		done
	done
}

bench_cat() {
	heading 'rngsim cat into a pipe (aim: at least 0.8 of openssl enc)'
	{
		echo 'openssl enc|pipe openssl enc -aes-256-ctr -in /dev/zero' \
		    '-iv 0 -K 0102030405060708'
		for a in '-c aes' '-c chacha20' '-c aes -r 4' \
		    '-c chacha20 -r 4' '-d locked -c aes -r 4'; do
			echo "cat $a|pipe $rngsim cat $a"
		done
	} | beside 15 MB/s
}

bench_limit() {
	heading "concurrent over libcrypto's own keystream, 1 reader (aim: 0.95
  at 64 KiB and 1 MiB, 0.85 at 4 KiB)"
	for pair in aes-256-ctr:aes chacha20:chacha20; do
		for size in 4096 65536 1048576; do
			printf '%s|%s\n' "openssl speed, ${pair%:*}, $size" \
			    "openssl_mb ${pair%:*} $size" \
			    "concurrent, ${pair#*:}, $size" \
			    "mb --crypto native -c ${pair#*:} -r 1 -s $size" |
			    beside 21 MB/s
		done
	done
}

# urandom_ns BYTES: a read(2) by dd(1), a write to /dev/null included.
urandom_ns() {
	dd if=/dev/urandom of=/dev/null bs="$1" count=20000 2>&1 |
	    awk '/copied/ { print $(NF - 3) * 1e9 / 20000 }'
}

bench_rivals() {
	heading 'ns of a read by one thread (aim: ratios above 1, ours is faster)'
	own='--crypto native -S debug.lock.prof.enable=0 -r 1 -t 0.03'
	for cipher in aes chacha20; do
		for size in 16 32 64 256 1024 4096 65536; do {
			for d in concurrent pcpu; do
				echo "$size, $d, $cipher|read_ns $own -d $d" \
				    "-c $cipher -s $size"
			done
			echo "$size, RAND_bytes|openssl_ns rand $size"
			echo "$size, /dev/urandom|urandom_ns $size"
		} | beside 9 ns; done
	done
}

bench_fit() {
	heading 'the constants of the model, fitted again; errors in %'
	python3 bench/figures/fit.py "$rngsim" . "$dir"
}

bench_decide() {
	heading 'ratios of locks, and answers of decide (aim: 90 % right)'
	python3 bench/figures/decide.py "$rngsim" .
}

[ $# != 0 ] || set -- limit rivals hash cat fit decide
echo "$(uname -srm), $("$rngsim" --version), $(date +%Y-%m-%d)"
for part; do
	"bench_$part"
done
