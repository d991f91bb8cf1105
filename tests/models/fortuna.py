"""
Pools, reseeds and K of Fortuna, for models of designs that have them.

It is modelled after Ferguson, Schneier and Kohno with FreeBSD's changes:
the pools are kept as the bytes that they absorbed.
"""
import hashlib

POOLS = 32
MIN_POOL_BYTES = 64
KEY_BYTES = 32
SOURCE_VMGENID = 22
MAX_KEY_BLOCKS = 1 << 16
COUNTERS = 1 << 128


def double_hash(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


class Fortuna:
    """FreeBSD's, in the concurrent mode."""

    def __init__(self, cipher):
        self.cipher = cipher
        self.pools = [b""] * POOLS
        self.reseeds = 0
        self.key = b""
        self.counter = 0

    def seeded(self):
        return self.counter != 0

    def event(self, pool, counter, entropy):
        self.pools[pool] += counter.to_bytes(4, "little") + entropy

    def reseed_from(self, seed):
        self.key = double_hash(bytes(64) + self.key + seed)
        self.counter = (self.counter + 1) % COUNTERS

    def preread(self):
        if len(self.pools[0]) < MIN_POOL_BYTES:
            return
        self.reseeds += 1
        seed = b""
        for i in range(POOLS):
            if self.reseeds % (1 << i) != 0:
                break
            seed += double_hash(self.pools[i])
            self.pools[i] = b""
        self.reseed_from(seed)

    def read(self, n):
        """The output is of the old key, from the old counter on."""
        cipher, key, start = self.cipher, self.key, self.counter
        blocks = cipher.blocks(n)
        if cipher.whole_blocks:
            assert blocks < MAX_KEY_BLOCKS, "re-keying is not modelled"
        out, _ = cipher.keystream(key, start, n)
        self.key, self.counter = cipher.keystream(
            key, (start + blocks) % COUNTERS, KEY_BYTES)
        return out
