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
test_case models__long_life "4500 reseeds and reads, and reseeds of all pools," \
    "give what a model of Fortuna gives"
models__long_life_body() {
	cat >check.py <<'EOF'
import sys
sys.path.insert(0, sys.argv[1])
import fortuna
import kat


class Generator(fortuna.Fortuna):
    def __init__(self, locked, cipher):
        super().__init__(cipher)
        self.locked = locked

    def event(self, destination, counter, entropy, source):
        super().event(destination % fortuna.POOLS, counter, entropy)

    def read(self, place, n):
        odd = n % self.cipher.block_bytes if self.cipher.whole_blocks else 0
        if not self.locked or odd in (0, n):
            return super().read(n)
        return super().read(n - odd) + super().read(odd)

    def state(self):
        return "state counter=%s reseeds=%d pool0len=%d key=%s" % (
            self.counter.to_bytes(16, "little").hex(), self.reseeds,
            len(self.pools[0]), self.key.hex())


class Script(kat.Script):
    def do_mode(self, name):
        self.locked = name == "locked"

    def do_init(self):
        self.generator = Generator(self.locked, self.cipher)


with open(sys.argv[2], encoding="ascii") as lines:
    Script(sys.stdout).run(lines)
EOF
	# The other three agree, too, in seconds each.
	script="$(source_folder)/tests/vectors/aes-locked-13-long-life"
	atf_check -o file:"$script.expected" python3 -B check.py "$(models)" \
	    "$script.script"
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
