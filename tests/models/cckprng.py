"""
Apple's kernel generator, cckprng: Fortuna's pools, and for each CPU a key that
each reseed draws from K.  Pools, reseeds and K are fortuna.py's.
"""
import fortuna

KEY_BYTES = 32
MOST = 256


class Generator:
    def __init__(self, cipher, places):
        self.cipher = cipher
        self.fortuna = fortuna.Fortuna(cipher)
        self.key, self.counter = [b""] * places, [0] * places
        self.seeded = self.fortuna.seeded

    def event(self, destination, counter, entropy, source):
        pool = 0 if source == fortuna.SOURCE_VMGENID else (
            destination % fortuna.POOLS)
        self.fortuna.event(pool, counter, entropy)

    def timer(self, ms):
        pass

    def preread(self):
        before = self.fortuna.reseeds
        self.fortuna.preread()
        if self.fortuna.reseeds != before:
            self.key = [self.fortuna.read(KEY_BYTES) for _ in self.key]
            self.counter = [0] * len(self.key)

    def ask(self):
        if not self.seeded():
            self.preread()
        return self.seeded()

    def call(self, place, n):
        block = self.cipher.block_bytes
        whole = -(-n // block) * block
        out, self.counter[place] = self.cipher.keystream(
            self.key[place], self.counter[place], whole + KEY_BYTES)
        self.key[place] = out[whole:]
        return out[:n]

    def read(self, place, n):
        out = b""
        while len(out) < n:
            out += self.call(place, min(MOST, n - len(out)))
        return out
