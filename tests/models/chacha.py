"""ChaCha20 from its definition: words 12 to 15 are one 128-bit counter."""
import struct

BLOCK_BYTES = 64
WHOLE_BLOCKS = False
MASK = 0xffffffff
SIGMA = struct.unpack("<4I", b"expand 32-byte k")


LANE_BITS = 64


def _rotate(x, n, mask):
    return (x << n | x >> (32 - n)) & mask


def blocks(key, counter, count):
    """What a key of 32 bytes makes of counters below 2^128 that follow."""
    # A number has a word of every block, each in a lane of its own, so that
    # bits that a sum or a shift moves out are masked.
    ones = sum(1 << LANE_BITS * i for i in range(count))
    mask = MASK * ones
    start = [w * ones for w in SIGMA + struct.unpack("<8I", key)]
    counters = [(counter + i) % (1 << 128) for i in range(count)]
    for shift in range(0, 128, 32):
        start.append(int.from_bytes(b"".join(
            (c >> shift & MASK).to_bytes(8, "little") for c in counters),
            "little"))
    x = list(start)

    def quarter(a, b, c, d):
        for p, q, r, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8),
                           (c, d, b, 7)):
            x[p] = x[p] + x[q] & mask
            x[r] = _rotate(x[r] ^ x[p], n, mask)

    for _ in range(10):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    lanes = [((a + b) & mask).to_bytes(8 * count, "little")
             for a, b in zip(x, start)]
    return b"".join(lane[8 * i:8 * i + 4] for i in range(count)
                    for lane in lanes)


def self_test():
    """RFC 8439, 2.3.2, whose nonce is the upper 96 bits of this counter."""
    key = bytes(range(32))
    nonce = bytes.fromhex("000000090000004a00000000")
    counter = 1 | int.from_bytes(nonce, "little") << 32
    got = blocks(key, counter, 1)
    want = bytes.fromhex(
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e")
    assert got == want, "ChaCha20: " + got.hex()
