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
        self.place = 0

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
        self.generator.place = self.place = 0

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


def main(paths):
    for path in paths:
        with open(path, encoding="ascii") as lines:
            Script(sys.stdout).run(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
