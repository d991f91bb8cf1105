"""
A Fortuna on each NUMA node, after rngsim-designs(7).

Fortuna is modelled after Ferguson, Schneier and Kohno with FreeBSD's changes:
the pools are kept as the bytes that they absorbed.
"""
import hashlib

POOLS = 32
MIN_POOL_BYTES = 64
KEY_BYTES = 32
BOOT_BYTES = 16
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


class Generator:
    def __init__(self, cipher, places):
        self.nodes = [Fortuna(cipher) for _ in range(places)]
        self.place = 0
        self.dealt = None           # events since nodes are on their own
        self.boot_bytes = 0

    def here(self, place):
        return self.nodes[0 if self.dealt is None else place]

    def event(self, destination, counter, entropy, source):
        if self.dealt is None:
            pool = 0 if source == SOURCE_VMGENID else destination % POOLS
            self.nodes[0].event(pool, counter, entropy)
            self.boot_bytes += len(entropy)
        elif source == SOURCE_VMGENID:
            for node in self.nodes:
                node.event(0, counter, entropy)
        else:
            round_, node = divmod(self.dealt, len(self.nodes))
            self.nodes[node].event(round_ % POOLS, counter, entropy)
            self.dealt += 1

    def preread(self):
        first = self.nodes[0]
        self.here(self.place).preread()
        if (len(self.nodes) > 1 and self.dealt is None and first.seeded() and
                self.boot_bytes >= BOOT_BYTES):
            for node in self.nodes[1:]:
                node.reseed_from(first.read(KEY_BYTES))
            self.dealt = 0

    def seeded(self):
        return self.nodes[0].seeded()

    def ask(self):
        if not self.seeded():
            self.preread()
        return self.seeded()

    def timer(self, ms):
        raise NotImplementedError("has none")

    def read(self, place, n):
        return self.here(place).read(n)
