"""AES-256 from FIPS 197, over 16 little-endian bytes of counter."""
import struct

BLOCK_BYTES = 16
WHOLE_BLOCKS = True
ROUNDS = 14


def _multiply(a, b):
    """In GF(2^8) modulo x^8 + x^4 + x^3 + x + 1."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x100:
            a ^= 0x11b
        b >>= 1
    return product


def _make_sbox():
    inverse = [0] * 256
    for a in range(1, 256):
        if inverse[a]:
            continue
        for b in range(1, 256):
            if _multiply(a, b) == 1:
                inverse[a], inverse[b] = b, a
                break
    box = []
    for v in inverse:
        s = 0x63
        for shift in range(5):
            s ^= (v << shift | v >> (8 - shift)) & 0xff
        box.append(s)
    return box


SBOX = _make_sbox()
# SubBytes and MixColumns of one byte, as a column; one table for each row.
_T = [[0] * 256 for _ in range(4)]
for _i, _s in enumerate(SBOX):
    _column = (_multiply(_s, 2), _s, _s, _multiply(_s, 3))
    for _row in range(4):
        _T[_row][_i] = int.from_bytes(
            bytes(_column[(_k - _row) % 4] for _k in range(4)), "big")


def _sub_word(w):
    return (SBOX[w >> 24] << 24 | SBOX[w >> 16 & 255] << 16 |
            SBOX[w >> 8 & 255] << 8 | SBOX[w & 255])


def expand(key):
    """KeyExpansion: four words for each round and four before the first."""
    w = list(struct.unpack(">8I", key))
    constant = 1
    for i in range(8, 4 * (ROUNDS + 1)):
        t = w[i - 1]
        if i % 8 == 0:
            t = _sub_word((t << 8 | t >> 24) & 0xffffffff) ^ constant << 24
            constant = _multiply(constant, 2)
        elif i % 8 == 4:
            t = _sub_word(t)
        w.append(w[i - 8] ^ t)
    return w


def encrypt(w, text):
    t0, t1, t2, t3 = _T
    a, b, c, d = struct.unpack(">4I", text)
    a, b, c, d = a ^ w[0], b ^ w[1], c ^ w[2], d ^ w[3]
    for k in range(4, 4 * ROUNDS, 4):
        a, b, c, d = (
            t0[a >> 24] ^ t1[b >> 16 & 255] ^ t2[c >> 8 & 255] ^
            t3[d & 255] ^ w[k],
            t0[b >> 24] ^ t1[c >> 16 & 255] ^ t2[d >> 8 & 255] ^
            t3[a & 255] ^ w[k + 1],
            t0[c >> 24] ^ t1[d >> 16 & 255] ^ t2[a >> 8 & 255] ^
            t3[b & 255] ^ w[k + 2],
            t0[d >> 24] ^ t1[a >> 16 & 255] ^ t2[b >> 8 & 255] ^
            t3[c & 255] ^ w[k + 3])
    s = SBOX
    out = []
    for k, (p, q, r, t) in enumerate(
            ((a, b, c, d), (b, c, d, a), (c, d, a, b), (d, a, b, c))):
        out.append((s[p >> 24] << 24 | s[q >> 16 & 255] << 16 |
                    s[r >> 8 & 255] << 8 | s[t & 255]) ^ w[4 * ROUNDS + k])
    return struct.pack(">4I", *out)


def blocks(key, counter, count):
    """What a key of 32 bytes makes of counters below 2^128 that follow."""
    schedule = expand(key)
    return b"".join(encrypt(schedule, ((counter + i) % (1 << 128))
                            .to_bytes(16, "little")) for i in range(count))


def self_test():
    """FIPS 197, C.3."""
    got = encrypt(expand(bytes(range(32))),
                  bytes.fromhex("00112233445566778899aabbccddeeff"))
    want = bytes.fromhex("8ea2b7ca516745bfeafc49904b496089")
    assert got == want, "AES-256: " + got.hex()
