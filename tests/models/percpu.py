"""
Linux 5.18 and later: a base key, a key for each CPU, both erased with each
use, and a BLAKE2s pool.  With ChaCha20 what the kernel computes; what AES and
the events do here is in fortuna/dev/random/crng.h.
"""
import hashlib

KEY_BYTES = 32
READY_BITS = 256
INTERVAL_S = 60
START_INTERVAL_S = 1
GENERATIONS = 1 << 64
NO_GENERATION = GENERATIONS - 1


def blake2s(key, text):
    return hashlib.blake2s(text, key=key).digest()


class Pool:
    def __init__(self):
        self.key = b""
        self.text = b""

    def extract(self):
        """A 32-byte key; the pool begins anew, keyed by the old one."""
        seed = blake2s(self.key, self.text)
        rdseed = bytes(32)

        def expand(counter):
            return blake2s(seed, rdseed + counter.to_bytes(8, "little"))

        self.key, self.text = expand(0), b""
        return expand(1)


class Generator:
    def __init__(self, cipher, places):
        self.cipher = cipher
        self.pool = Pool()
        self.bits = 0
        self.key, self.generation = None, 0
        self.cpu_key = [None] * places
        self.cpu_generation = [NO_GENERATION] * places
        self.due_ms = self.delay_ms = None

    def seeded(self):
        return self.bits >= READY_BITS

    ask = seeded

    def reseed(self, ms=0):
        """At that time; a script's clock moves in timer() alone."""
        self.key = self.pool.extract()
        self.generation = (self.generation + 1) % GENERATIONS
        if self.generation == NO_GENERATION:
            self.generation = 0
        uptime_s = ms // 1000
        interval_s = INTERVAL_S
        if uptime_s < 2 * INTERVAL_S:
            interval_s = max(START_INTERVAL_S, uptime_s // 2)
        self.delay_ms = 1000 * interval_s

    def event(self, destination, counter, entropy, source):
        self.pool.text += counter.to_bytes(4, "little") + entropy
        ready = self.seeded()
        self.bits += 8 * len(entropy)
        if self.seeded() and not ready:
            self.reseed()

    def preread(self):
        pass

    def timer(self, ms):
        if not self.seeded():
            return
        # What was asked for since the last call counts from this one.
        if self.delay_ms is not None:
            self.due_ms, self.delay_ms = ms + self.delay_ms, None
        if ms >= self.due_ms:
            self.reseed(ms)
            self.due_ms, self.delay_ms = ms + self.delay_ms, None

    def erase(self, key):
        """A key to replace this one, 32 bytes, and the counter after them."""
        block, counter = self.cipher.keystream(key, 0, 2 * KEY_BYTES)
        return block[:KEY_BYTES], block[KEY_BYTES:], counter

    def read(self, place, n):
        if self.cpu_generation[place] != self.generation:
            self.key, self.cpu_key[place], _ = self.erase(self.key)
            self.cpu_generation[place] = self.generation
        self.cpu_key[place], out, counter = self.erase(self.cpu_key[place])
        if n > KEY_BYTES:
            out, _ = self.cipher.keystream(out, counter, n)
        return out[:n]
