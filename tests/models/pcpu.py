"""
Fortuna with a generator for each CPU, rngsim-pcpu(7).

A leaf draws its first key from K; after each reseed it hashes its key with a
seed that K generated then.  Scripts' reseeds are not paced.
"""
import hashlib

KEY_BYTES = 32
POOLS = 32
MINPOOL = 64
SOURCE_VMGENID = 22
LEAF_BYTES = 1 << 20
SMALL = 256
AES_BYTES = 1 << 20
AES_BLOCK = 16


def sha(text):
    return hashlib.sha256(text).digest()


def mix(key, seed):
    return sha(sha(bytes(64) + key + seed))


class Leaf:
    def __init__(self):
        self.key, self.counter = None, 0
        self.generation, self.made = 0, 0


class Generator:
    def __init__(self, cipher, places):
        self.cipher = cipher
        self.pool, self.pool0_bytes = [b""] * POOLS, 0
        self.reseeds = self.counter = 0
        self.key = b""
        self.seed = None
        self.leaf = [Leaf() for _ in range(places)]

    def seeded(self):
        return self.reseeds > 0

    def ask(self):
        if not self.seeded():
            self.preread()
        return self.seeded()

    def timer(self, ms):
        pass

    def event(self, destination, counter, entropy, source):
        i = 0 if source == SOURCE_VMGENID else destination % POOLS
        text = counter.to_bytes(4, "little") + entropy
        self.pool[i] += text
        if i == 0:
            self.pool0_bytes += len(text)

    def root(self):
        """32 bytes of K; K is replaced."""
        out, self.counter = self.cipher.keystream(self.key, self.counter,
                                                  KEY_BYTES)
        self.key, self.counter = self.cipher.keystream(self.key, self.counter,
                                                       KEY_BYTES)
        return out

    def preread(self):
        if self.pool0_bytes < MINPOOL:
            return
        self.reseeds += 1
        seed = b""
        for i in range(POOLS):
            if self.reseeds % (1 << i):
                break
            seed += sha(sha(self.pool[i]))
            self.pool[i] = b""
        self.pool0_bytes = 0
        self.key = mix(self.key, seed)
        self.counter += 1
        self.seed = self.root()

    def follow(self, leaf):
        if leaf.generation == 0:
            leaf.key = self.root()
        else:
            leaf.key = mix(leaf.key, self.seed)
        leaf.generation, leaf.made = self.reseeds, 0

    def draw(self, leaf, n):
        """The leaf's next key, and n bytes in whole blocks of AES."""
        n = -(-n // AES_BLOCK) * AES_BLOCK
        out, leaf.counter = self.cipher.keystream(leaf.key, leaf.counter,
                                                  KEY_BYTES + n)
        leaf.key = out[:KEY_BYTES]
        return out[KEY_BYTES:]

    def read(self, place, n):
        leaf = self.leaf[place]
        if leaf.generation != self.reseeds or leaf.made >= LEAF_BYTES:
            self.follow(leaf)
        leaf.made += min(n, LEAF_BYTES)
        if n <= SMALL:
            return self.draw(leaf, n)[:n]
        key, counter, got = self.draw(leaf, KEY_BYTES), 0, b""
        while self.cipher.block_bytes == AES_BLOCK and n - len(got) > AES_BYTES:
            out, counter = self.cipher.keystream(key, counter, AES_BYTES)
            got += out
            key, counter = self.cipher.keystream(key, counter, KEY_BYTES)
        return got + self.cipher.keystream(key, counter, n - len(got))[0]
