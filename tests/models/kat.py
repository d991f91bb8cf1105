"""
Answers known-answer scripts, rngsim-kat(1), as "rngsim kat" does, from a model of
the design that a script's "mode" names: python3 kat.py FILE ...

A model is a module beside this one, NAME.py for design NAME, with a class

    Generator(cipher, places)       unseeded; cipher: chacha or aes, below
        .event(destination, counter, entropy, source)
                                    entropy: bytes; the others: numbers
        .preread()
        .timer(ms)                  ms since the generator was made
        .seeded()                   what ra_status says, changing nothing
        .ask()                      what ra_seeded says; it may seed
        .read(place, n)             n bytes from that CPU's or node's part

    and, set from outside, .place, where the thread is that calls it.

It is written from the design's description, not from its C code, and uses of
Python's library only hashlib.
"""
import hashlib
import importlib
import sys

import aes
import chacha

HEAD_BYTES = 32
TAIL_BYTES = 16
PLACES = 4
SOURCE_CACHED = 0
COUNTERS = 1 << 128
# Of a turn: events, of which some fill pool 0; bytes of its reads.
TURN_EVENTS = 8
TURN_FILLS = 6
TURN_READ_BYTES = 16
TURN_DRAWN_BYTES = 300
WORD = (1 << 64) - 1


def splitmix(state):
    """The next state of SplitMix64, and its output."""
    state = (state + 0x9e3779b97f4a7c15) & WORD
    out = ((state ^ state >> 30) * 0xbf58476d1ce4e5b9) & WORD
    out = ((out ^ out >> 27) * 0x94d049bb133111eb) & WORD
    return state, out ^ out >> 31


class Cipher:
    """A keystream: blocks of consecutive counters under one key."""

    def __init__(self, module):
        self.module = module
        self.block_bytes = module.BLOCK_BYTES
        self.whole_blocks = module.WHOLE_BLOCKS
        module.self_test()

    def blocks(self, n):
        """Counters that n bytes use; the rest of the last is lost."""
        return -(-n // self.block_bytes)

    def keystream(self, key, counter, n):
        """n bytes, and the counter after them."""
        count = self.blocks(n)
        out = self.module.blocks(key, counter, count)
        return out[:n], (counter + count) % COUNTERS


CIPHERS = {"aes": aes, "chacha": chacha, "chacha20": chacha}


class Script:
    """A running script."""

    def __init__(self, out):
        self.out = out
        self.cipher = self.mode = self.generator = None
        self.places = PLACES
        self.place = self.turns = 0

    def run(self, lines):
        for line in lines:
            words = line.split()
            if words and not words[0].startswith("#"):
                command = getattr(self, "do_" + words[0].replace("-", "_"))
                command(*words[1:])

    def do_cipher(self, name):
        self.cipher = Cipher(CIPHERS[name])
        self.generator = None

    def do_mode(self, name):
        self.mode = importlib.import_module(name)
        self.generator = None

    def do_places(self, n):
        self.places = int(n)
        self.generator = None

    def do_init(self):
        self.generator = self.mode.Generator(self.cipher, self.places)
        self.generator.place = self.place = self.turns = 0

    def do_event(self, destination, counter, entropy, source=SOURCE_CACHED):
        self.generator.event(int(destination), int(counter),
                             bytes.fromhex(entropy), int(source))

    def do_place(self, n):
        assert int(n) < self.places
        self.generator.place = self.place = int(n)

    def do_timer(self, ms):
        self.generator.timer(int(ms))

    def do_preread(self):
        self.generator.preread()

    def do_seeded(self):
        self.out.write("seeded %s\n" % ("yes" if self.generator.ask() else
                                        "no"))

    def do_read(self, n):
        n = int(n)
        if not self.generator.seeded():
            self.out.write("read %d unseeded\n" % n)
            return
        got = self.generator.read(self.place, n)
        assert len(got) == n
        self.out.write("read %d sha256=%s head=%s tail=%s\n" % (
            n, hashlib.sha256(got).hexdigest(), got[:HEAD_BYTES].hex(),
            got[-TAIL_BYTES:].hex()))

    def do_turns(self, n):
        """Events, a reseed and two reads, n times."""
        digest = hashlib.sha256()
        for _ in range(int(n)):
            state, self.turns = self.turns, self.turns + 1
            for i in range(TURN_EVENTS):
                state, draw = splitmix(state)
                self.generator.event(
                    0 if i < TURN_FILLS else draw >> 32 & 255,
                    draw & 0xffffffff, draw.to_bytes(8, "little"),
                    SOURCE_CACHED)
            self.generator.preread()
            _, draw = splitmix(state)
            for size in (TURN_READ_BYTES, draw % TURN_DRAWN_BYTES):
                digest.update(self.generator.read(self.place, size))
        self.out.write("turns %s sha256=%s\n" % (n, digest.hexdigest()))

    def do_set_reseeds(self, n):
        self.generator.reseeds = int(n)

    def do_state(self):
        self.out.write(self.generator.state() + "\n")


def main(paths):
    for path in paths:
        with open(path, encoding="ascii") as lines:
            Script(sys.stdout).run(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
