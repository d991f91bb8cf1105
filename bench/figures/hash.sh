# "rngsim hash" beside "openssl speed", the same digest and size in turn: a part
# of "make bench".
#
# usage: sh bench/figures/hash.sh BUILDDIR [ROUNDS [SECONDS]]
set -e

build=$1
rounds=${2:-7}
seconds=${3:-1}
dir=$build/hash
mkdir -p "$dir"

command -v openssl >/dev/null || {
	echo "rngsim: no openssl(1) to compare with" >&2
	exit 0
}

# Bytes/s of libcrypto's own benchmark, by the clock as rngsim's.
openssl_speed()
{
	openssl speed -elapsed -mr -bytes "$2" -seconds "$seconds" -evp "$1" \
	    2>/dev/null | sed -n 's/^+F:[0-9]*:[^:]*:\([0-9.]*\).*/\1/p'
}

rngsim_hash()
{
	"$build/rngsim" hash -d "$1" -s "$2" -n 1 -t "$seconds" \
	    --format csv | awk -F, '$4 == "message" { print $9 * 1e6 }'
}

cat <<END

hash: "rngsim hash" over "openssl speed", MB/s of the same digest and size, in
  turn (aim: 0.90 to 1.10); best over best of $rounds rounds of $seconds s, and
  median and middle half of the rounds' ratios.  What else runs makes
  openssl's mean over a second smaller, and the median of batches hardly: of a
  busy machine "rngsim-figures hash" says more
    $(openssl version)

END
for names in md5:md5 sha1:sha1 sha256:sha256 sha512:sha512 sha3-256:sha3-256 \
    blake2b-512:blake2b512 ripemd160:ripemd160; do
	for size in 16 256 8192; do
		round=0
		while [ $round -lt "$rounds" ]; do
			a=$(rngsim_hash "${names%:*}" $size)
			b=$(openssl_speed "${names#*:}" $size)
			echo "$a $b"
			round=$((round + 1))
		done | awk -v name="${names%:*}" -v size=$size '
			{ a[NR] = $1; b[NR] = $2; r[NR] = $1 / $2 }
			function best(v, n,	i, m) {
				for (i = 1; i <= n; i++)
					if (v[i] > m)
						m = v[i]
				return m
			}
			function sort(v, n,	i, k, t) {
				for (i = 2; i <= n; i++)
					for (k = i; k > 1 && v[k - 1] > v[k]; k--) {
						t = v[k]; v[k] = v[k - 1]; v[k - 1] = t
					}
			}
			function quantile(v, n, q,	at, i) {
				at = 1 + q * (n - 1)
				i = int(at)
				if (i == n)
					return v[n]
				return v[i] + (at - i) * (v[i + 1] - v[i])
			}
			END {
				sort(r, NR)
				printf "    %-12s %5d bytes: %.3f of %.1f MB/s;" \
				    " %.3f (%.3f..%.3f)\n", name, size,
				    best(a, NR) / best(b, NR), best(b, NR) / 1e6,
				    quantile(r, NR, 0.5), quantile(r, NR, 0.25),
				    quantile(r, NR, 0.75)
			}'
	done
done
