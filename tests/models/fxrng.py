"""
FreeBSD's FenestrasX: a buffered generator for each CPU below a root, eight
BLAKE2b pools.  With ChaCha20 what the kernel computes; what AES does here is in
fortuna/fxrng/fx.h, the rules of pools in fortuna/fxrng/fx_pools.c.
"""
import hashlib

KEY_BYTES = 32
BUFFER_BYTES = 128
POOLS = 8
BASE = 3
MAX_INTERVAL_S = 3600
FIRST_BYTES = 32
SOURCES = 29
# CACHED and the hardware sources, without the self-test of one of them.
RNDTEST = 17
HIGH = {0} | set(range(13, SOURCES)) - {RNDTEST}


class Brng:
    """A buffered generator: key, counter, generation, buffer."""

    def __init__(self, cipher):
        self.cipher = cipher
        self.key = None
        self.counter = 0
        self.generation = 0
        self.buffer = b""

    def draw(self, n):
        out, self.counter = self.cipher.keystream(self.key, self.counter, n)
        return out

    def generate(self, n):
        """n bytes under a key that is gone afterwards; drawn before them."""
        key = self.draw(KEY_BYTES)
        out = self.draw(n)
        self.key = key
        return out

    def get(self, n):
        if n >= BUFFER_BYTES and n > len(self.buffer):
            return self.generate(n)
        out, self.buffer = self.buffer[:n], self.buffer[n:]
        if len(out) < n:
            rest = n - len(out)
            self.buffer = self.generate(BUFFER_BYTES)
            out, self.buffer = out + self.buffer[:rest], self.buffer[rest:]
        return out


class Generator:
    def __init__(self, cipher, places):
        self.root = Brng(cipher)
        self.cpu = [Brng(cipher) for _ in range(places)]
        self.pools = [b""] * POOLS
        self.active = 1
        self.seen = set()
        self.first = {}
        self.due_ms = None
        self.interval_s = 1
        self.reseeds = 1

    def seeded(self):
        return self.root.generation > 0

    def reseed(self, text):
        root = self.root
        before = root.draw(KEY_BYTES) if root.generation > 0 else b""
        root.key = hashlib.blake2b(before + text).digest()[:KEY_BYTES]
        root.generation += 1

    def drain(self, n):
        text = b"".join(hashlib.blake2b(p).digest() for p in self.pools[:n])
        self.pools[:n] = [b""] * n
        self.reseed(text)

    def preread(self):
        pass

    def ask(self):
        if not self.seeded():
            self.drain(1)
        return True

    def event(self, destination, counter, entropy, source):
        counter = counter.to_bytes(4, "little")
        if source not in self.seen:
            self.seen.add(source)
            if self.seeded():
                self.reseed(counter + entropy)
            else:
                self.pools[0] += counter + entropy
            return
        first = self.first.get(source, 0)
        if source in HIGH and self.active > 1 and first < FIRST_BYTES:
            n = min(FIRST_BYTES - first, len(entropy))
            self.first[source] = first + n
            self.pools[0] += entropy[len(entropy) - n:]
            entropy = entropy[:len(entropy) - n]
            if not entropy:
                self.pools[0] += counter
                return
        self.pools[destination % self.active] += entropy + counter

    def timer(self, ms):
        if not self.seeded():
            return
        if self.due_ms is None:
            self.due_ms = ms + 1000 * self.interval_s
            return
        if ms < self.due_ms:
            return
        if self.interval_s < MAX_INTERVAL_S:
            self.interval_s = min(BASE * self.interval_s, MAX_INTERVAL_S)
            self.drain(1)
        else:
            k, i = self.reseeds, 1
            self.reseeds += 1
            while i < min(self.active + 1, POOLS) and k % BASE == 0:
                k //= BASE
                i += 1
            if i == self.active + 1:
                self.drain(self.active)
                self.active += 1
            else:
                self.drain(i)
        self.first = {}
        self.due_ms = ms + 1000 * self.interval_s

    def read(self, place, n):
        cpu = self.cpu[place]
        if cpu.generation != self.root.generation:
            cpu.generation = self.root.generation
            cpu.key = self.root.get(KEY_BYTES)
            cpu.buffer = b""
        return cpu.get(n)
