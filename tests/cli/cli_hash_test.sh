# rngsim hash: what it times, what it leaves out, what it refuses, how it ends.

command=hash

# As short as it gets.
brief="-n 2 -t 0.0001"

# hash ARGUMENT...: it succeeds; output in out and err.
hash() {
	"$(program)" hash $brief "$@" >out 2>err ||
	    atf_fail "hash $*: exit $?: $(cat err)"
}

# Leaves libcrypto no digest: what it has is not approved.
approved_only() {
	cat >openssl.cnf <<-END
	openssl_conf = openssl_init
	[openssl_init]
	alg_section = algorithms
	[algorithms]
	default_properties = fips=yes
	END
	OPENSSL_CONF=$PWD/openssl.cnf
	export OPENSSL_CONF
}

test_case hash__all "every digest that is listed is timed or said to be" \
    "skipped, in 80 columns"
hash__all_body() {
	hash
	"$(program)" list hashes >list || atf_fail "list hashes"
	sed -n 's/^  \([a-z][^ ]*\) .*/\1/p' list >names
	[ "$(wc -l <names)" -ge 30 ] || atf_fail "too few: $(cat list)"
	for name in $(cat names); do
		grep -q "^$name " out || grep -q "skipped.*[ ,:]$name" err ||
		    atf_fail "nothing of $name: $(cat out err)"
	done
	for name in sha256 adler32 crc32; do
		grep -q "^$name  *[0-9]" out || atf_fail "no $name"
	done
	awk 'length > 80' out >wide
	[ ! -s wide ] || atf_fail "wider than 80: $(cat wide)"
	hash -d sha256,crc32 -s 5,30,90,1000,5000,16,64,16m
	awk 'length > 80' out >wide
	[ ! -s wide ] || atf_fail "wider than 80: $(cat wide)"
	for bytes in '5 B' '30 B' '90 B' '1000 B' '5000 B' '16 B' '64 B' \
	    '16 MiB'; do
		grep -q " $bytes " out || atf_fail "no $bytes: $(cat out)"
	done
	[ "$(grep -c '^sha256 ' out)" = 2 ] || atf_fail "$(cat out)"
	grep -q '^sha256 .* ?$' out && atf_fail "two repeats: $(cat out)"
	atf_check -o match:'^sha256 .* [?]$' -o match:'^[?] too few repeats' \
	    "$(program)" hash -n 1 -t 0.0001 -d sha256 -s 16
}

test_case hash__formats "CSV and JSON have every digest, size and cost, and" \
    "-o what stdout has"
hash__formats_body() {
	hash -d adler32,sha256 --format csv
	[ "$(wc -l <out)" = 27 ] || atf_fail "not 1 + 2 * 13 lines: $(cat out)"
	awk -F, 'NF != 12 || (NR > 1 && !($6 > 0 && $7 > 0 && $8 >= $7 &&
	    $10 == 2 && $12 == 1))' out >bad
	[ ! -s bad ] || atf_fail "$(cat bad)"
	for bytes in 5 30 90 1000 5000 16 64 256 1024 8192 16384; do
		grep -q "^adler32,zlib,4,message,$bytes,.*,.*,.*,[0-9]" out ||
		    atf_fail "no $bytes"
	done
	grep -q '^sha256,libcrypto,32,event,,' out || atf_fail "$(cat out)"
	grep -q '^sha256,libcrypto,32,finish,,' out || atf_fail "$(cat out)"
	hash -d sha256 -s 64 --format json -o file.json
	atf_check -o empty diff out file.json
	for words in '"schema": "rngsim-hash/1"' '"started": "20' \
	    '"invariants": ' '"complete": true' '"crypto": "native"' '"repeats": 2' \
	    '"name": "sha256"' '"library": "libcrypto"' '"output_bytes": 32' \
	    '"event": {' '"finish": {' '"messages": [' '"bytes": 64' \
	    '"mb_per_s": ' '"ns_p25": ' '"ns_p75": ' '"skipped": []'; do
		grep -qF "$words" out || atf_fail "no $words: $(cat out)"
	done
	[ "$(grep -c '"mb_per_s"' out)" = 1 ] || atf_fail "$(cat out)"
	page="$(source_folder)"
	sed -n '/^\.Sh DIGESTS/,/^\.Sh EXAMPLES/p' \
	    "$page/man/rngsim-result.5" >page.txt
	grep -o '"[a-z_0-9]*":' out | tr -d '":' | sort -u >words
	hash -d sha256 -s 64 --format csv
	head -n 1 out | tr , '\n' >>words
	[ "$(wc -l <words)" -ge 30 ] || atf_fail "too few keys"
	while read -r word; do
		grep -Eq "(^|[^A-Za-z0-9_])$word([^A-Za-z0-9_]|\$)" page.txt ||
		    atf_fail "rngsim-result.5 lacks $word"
	done <words
	hash -d sha256 -s 64 --crypto kernel --format json
	grep -q '"crypto": "kernel"' out || atf_fail "$(cat out)"
}

test_case hash__order "rows are in the order of -d"
hash__order_body() {
	hash -d sha256,adler32,md5,crc32
	sed -n 's/^\([a-z0-9]*\)  *[0-9][0-9]* .*/\1/p' out >names
	[ "$(tr '\n' ' ' <names)" = "sha256 adler32 md5 crc32 " ] ||
	    atf_fail "$(cat out)"
}

test_case hash__forbidden "what libcrypto may not compute is said and left" \
    "out; alone, it is a failure"
hash__forbidden_body() {
	approved_only
	hash -d sha256,crc32,md4
	grep -q "skipped: md4: libcrypto's default_properties forbid it" \
	    err || atf_fail "$(cat err)"
	[ "$(wc -l <err)" = 2 ] || atf_fail "$(cat err)"
	grep -q '^crc32 ' out || atf_fail "$(cat out)"
	grep -q '^sha256 ' out && atf_fail "$(cat out)"
	hash -d sha256,crc32 --format json
	grep -q "\"why\": \"libcrypto's default_properties forbid it\"" out ||
	    atf_fail "$(cat out)"
	hash
	for name in null sha256 blake2s-256 whirlpool; do
		grep -q "[ ,]$name" err || atf_fail "nothing of $name"
		grep -q "^$name " out && atf_fail "$name is timed"
	done
	grep -q '^adler32 ' out || atf_fail "$(cat out)"
	refused 1 'skipped|sha256|no digest is left' -d sha256
	"$(program)" list hashes >out || atf_fail "list hashes"
	grep -q '^  sha256 .*forbid' out || atf_fail "$(cat out)"
}

test_case hash__missing_modules "without libcrypto's legacy module, and in" \
    "libgcrypt's FIPS mode, the rest goes on"
hash__missing_modules_body() {
	OPENSSL_MODULES=$PWD "$(program)" hash $brief -d md4,md5,whirlpool \
	    >out 2>err || atf_fail "exit $?: $(cat err)"
	grep -q "whirlpool: .*legacy provider is not installed" err ||
	    atf_fail "$(cat err)"
	grep -q '^md5 ' out || atf_fail "$(cat out)"
	LIBGCRYPT_FORCE_FIPS_MODE=1 "$(program)" hash $brief \
	    -d gcrypt:tiger,md5 >out 2>err || atf_fail "exit $?: $(cat err)"
	grep -q "skipped: gcrypt:tiger: ." err || atf_fail "$(cat err)"
	grep -q '^md5 ' out || atf_fail "$(cat out)"
}

test_case hash__refuses "bad arguments are named with what would be right"
hash__refuses_body() {
	refused 2 '-d|"sha257"|list hashes' -d sha257
	refused 2 '-d|"tiger"|gcrypt:tiger' -d sha256,tiger
	refused 2 '-d|empty item in "sha256,"' -d sha256,
	refused 2 '-d|""' -d ''
	refused 2 '"sha256" is named twice' -d sha256,sha256
	refused 2 '-s|"0"|1..16m' -s 0
	refused 2 '-s|"17m"|1..16m' -s 17m
	refused 2 '-s|"-1"|1..16m' -s -1
	refused 2 '"1k" is named twice' -s 1024,1k
	refused 2 'unknown option --sort|rngsim hash --help' --sort event
	refused 2 '-n|"0"|1..1000' -n 0
	refused 2 '-t|"0"|0.0001..3600' -t 0
	refused 2 '--crypto|"fast"|kernel or native' --crypto fast
	refused 2 '--format|"xml"|table, csv or json' --format xml
	refused 2 '-o|file name' -o ''
	refused 2 'surplus operand "sha256"' sha256
	refused 1 'nowhere/file' -d sha256 -o nowhere/file
	refused 2 'unknown option' --sizes 1
}

test_case hash__interrupted "a signal ends it with the complete repeats," \
    "marked, and status 1; before any the document has no digests"
hash__interrupted_body() {
	[ -r /proc/self/stat ] || atf_skip "no /proc"
	ticks=5
	interrupted 1 file.json -d crc32 -s 16 -n 1000 -t 0.02 \
	    --format json -o file.json
	ticks=0
	grep -q 'interrupted: [0-9]* of 1000 repeats' err ||
	    atf_fail "$(cat err)"
	grep -q '"complete": false' out || atf_fail "$(cat out err)"
	grep -q '"repeats": 1000' out || atf_fail "$(cat out)"
	atf_check -o empty diff out file.json
	rm file.json
	interrupted 1 file.json -d crc32 -s 16 -n 2 -t 10 -o file.json
	grep -q 'interrupted: 0 of 2 repeats' err || atf_fail "$(cat err)"
	[ ! -s out ] || atf_fail "$(cat out)"
	grep -q '"complete": false' file.json && grep -q '"repeats_done": 0' \
	    file.json && grep -q '"digests": \[\]' file.json ||
	    atf_fail "$(cat file.json)"
	[ "$(ls | grep -c file.json)" = 1 ] || atf_fail "left-overs: $(ls)"
}

test_case hash__of_pools "rngsim.pool_hash is recorded and heeded, and" \
    "refused where it cannot be"
hash__of_pools_body() {
	for name in gcrypt:tiger crc32 null sha512; do
		"$(program)" run -r 1 -t 0.05 -S rngsim.pool_hash=$name \
		    -o $name.json >out 2>err || atf_fail "$name: $(cat err)"
		grep -q "\"rngsim.pool_hash=$name\"" $name.json ||
		    atf_fail "$name is not in the result"
	done
	# Its output is another, but that of the default.
	"$(program)" cat --seed 1 -n 64 >plain || atf_fail "cat"
	"$(program)" cat --seed 1 -n 64 -S rngsim.pool_hash=sha256 >same ||
	    atf_fail "cat"
	"$(program)" cat --seed 1 -n 64 -S rngsim.pool_hash=sha512 >other ||
	    atf_fail "cat"
	"$(program)" cat --seed 1 -n 64 -S rngsim.pool_hash=gcrypt:sha256 \
	    >library || atf_fail "cat"
	atf_check cmp plain same
	atf_check cmp plain library
	cmp -s plain other && atf_fail "sha512 gives what sha256 gives"
	set -- -r 1 -t 0.05
	complains 2 'rngsim.pool_hash|"sha257"|list hashes' run "$@" \
	    -S rngsim.pool_hash=sha257
	complains 2 'rngsim.pool_hash|""|list hashes' run "$@" \
	    -S rngsim.pool_hash=
	complains 2 'rngsim.pool_hash=md5|simulated|sha256' run "$@" \
	    --engine virtual --profile epyc-9654-2s -S rngsim.pool_hash=md5
	complains 2 'no effect|locked, concurrent' run "$@" -d none \
	    -S rngsim.pool_hash=md5
	OPENSSL_MODULES=$PWD complains 1 'rngsim.pool_hash=md4|not installed' \
	    run "$@" -S rngsim.pool_hash=md4
	OPENSSL_MODULES=$PWD complains 1 'rngsim.pool_hash=md4|not installed' \
	    cat -n 1 -S rngsim.pool_hash=md4
	"$(program)" run "$@" --engine virtual --profile epyc-9654-2s \
	    -S rngsim.pool_hash=sha256 >out 2>err || atf_fail "$(cat err)"
}
