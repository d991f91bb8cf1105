# The vectors of designs that are not Fortuna, from models that are not C.

models() { echo "$(source_folder)/tests/models"; }

needs=python3
test_case models__ciphers "the models' ciphers are those of RFC 8439 and FIPS" \
    "197, and count as FreeBSD's do"
models__ciphers_body() {
	cat >check.py <<'EOF'
import sys
sys.path.insert(0, sys.argv[1])
import kat

for name in ("aes", "chacha"):
    c = kat.Cipher(kat.CIPHERS[name])
    first, counter = c.keystream(bytes(32), 2 ** 128 - 1, c.block_bytes)
    assert counter == 0
    both, counter = c.keystream(bytes(32), 2 ** 128 - 1, c.block_bytes + 1)
    assert counter == 1 and len(both) == c.block_bytes + 1
    assert both[:-1] == first
    print(name, c.keystream(bytes(32), 1, 4)[0].hex())
EOF
	# Counter 1 under a key of zeros, as lib/crypto/crypto.c has them.
	printf 'aes 5275f3d8\nchacha 9f07e7be\n' >want.txt
	atf_check -o file:want.txt python3 -B check.py "$(models)"
}

test_case models__every_model "each model has answers with both ciphers"
models__every_model_body() {
	for m in "$(models)"/*.py; do
		grep -q '^class Generator' "$m" || continue
		m=${m##*/}
		for c in aes chacha; do
			ls "$(atf_get_srcdir)/vectors-designs/${m%.py}-$c"-*.script \
			    >out 2>&1 || atf_fail "$m: no answers with $c"
		done
	done
}

needs=python3
test_case models__false_alarms "rngsim(7) says how often health tests fail a" \
    "good source, as computed exactly"
models__false_alarms_body() {
	python3 -B "$(models)/health.py" alarms >alarms.txt ||
	    atf_fail "health.py"
	[ "$(wc -l <alarms.txt)" -ge 7 ] || atf_fail "too few lines"
	tr '\n' ' ' <"$(models)/../../man/rngsim.7" >page.txt
	while read -r line; do
		case $line in
		H=*) words=$(echo "$line" | grep -o '2^[-.0-9]*');;
		*) words=".It $(echo "$line" | sed 's/: / Ta /; s/, \([^,]*\)$/ Ta \1/')";;
		esac
		echo "$words" | while read -r word; do
			grep -Fq -- "$word" page.txt ||
			    { echo "$line: no $word" >>missing.txt; }
		done
	done <alarms.txt
	[ ! -s missing.txt ] || atf_fail "$(cat missing.txt)"
}
