"""ChaCha20 from its definition: words 12 to 15 are one 128-bit counter."""
import struct

BLOCK_BYTES = 64
WHOLE_BLOCKS = False
MASK = 0xffffffff
SIGMA = struct.unpack("<4I", b"expand 32-byte k")


def _quarter(x, a, b, c, d):
    xa, xb, xc, xd = x[a], x[b], x[c], x[d]
    xa = (xa + xb) & MASK
    xd ^= xa
    xd = (xd << 16 | xd >> 16) & MASK
    xc = (xc + xd) & MASK
    xb ^= xc
    xb = (xb << 12 | xb >> 20) & MASK
    xa = (xa + xb) & MASK
    xd ^= xa
    xd = (xd << 8 | xd >> 24) & MASK
    xc = (xc + xd) & MASK
    xb ^= xc
    xb = (xb << 7 | xb >> 25) & MASK
    x[a], x[b], x[c], x[d] = xa, xb, xc, xd


def block(key, counter):
    """The 64 bytes that a key of 32 makes of a counter below 2^128."""
    start = (SIGMA + struct.unpack("<8I", key) +
             struct.unpack("<4I", counter.to_bytes(16, "little")))
    x = list(start)
    for _ in range(10):
        _quarter(x, 0, 4, 8, 12)
        _quarter(x, 1, 5, 9, 13)
        _quarter(x, 2, 6, 10, 14)
        _quarter(x, 3, 7, 11, 15)
        _quarter(x, 0, 5, 10, 15)
        _quarter(x, 1, 6, 11, 12)
        _quarter(x, 2, 7, 8, 13)
        _quarter(x, 3, 4, 9, 14)
    return struct.pack("<16I", *((a + b) & MASK for a, b in zip(x, start)))


def self_test():
    """RFC 8439, 2.3.2, whose nonce is the upper 96 bits of this counter."""
    key = bytes(range(32))
    nonce = bytes.fromhex("000000090000004a00000000")
    counter = 1 | int.from_bytes(nonce, "little") << 32
    got = block(key, counter)
    want = bytes.fromhex(
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e")
    assert got == want, "ChaCha20: " + got.hex()
