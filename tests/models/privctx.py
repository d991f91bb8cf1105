"""
OpenBSD's generator in the kernel: one context with a buffer of 1024 bytes, and
a context of its own for a read of more than 2048.  Entropy, reseeds and the key
that they give the context are percpu.py's.
"""
import percpu

KEY_BYTES = 32
SEED = 40
BUFFER = 1024
LARGE = 2048
STIR = 1600000


def counter(nonce):
    return int.from_bytes(nonce, "little") << 64


class Generator(percpu.Generator):
    def __init__(self, cipher, places):
        super().__init__(cipher, 1)
        self.buffer, self.nonce = b"", bytes(SEED - KEY_BYTES)
        self.left, self.stir = 0, False

    def follow(self):
        self.key, self.cpu_key[0], _ = self.erase(self.key)
        self.cpu_generation[0] = self.generation
        self.buffer, self.nonce = b"", bytes(SEED - KEY_BYTES)
        self.left = STIR

    def take(self, n):
        out = b""
        while len(out) < n:
            if not self.buffer:
                made, _ = self.cipher.keystream(self.cpu_key[0],
                                                counter(self.nonce), BUFFER)
                self.cpu_key[0] = made[:KEY_BYTES]
                self.nonce = made[KEY_BYTES:SEED]
                self.buffer = made[SEED:]
            m = n - len(out)
            out, self.buffer = out + self.buffer[:m], self.buffer[m:]
        return out

    def read(self, place, n):
        if self.stir:
            self.stir = False
            self.reseed()
        if self.cpu_generation[0] != self.generation:
            self.follow()
        taken = n if n <= LARGE else SEED
        if self.left > taken:
            self.left -= taken
        else:
            self.stir = True
        out = self.take(taken)
        if n <= LARGE:
            return out
        return self.cipher.keystream(out[:KEY_BYTES],
                                     counter(out[KEY_BYTES:]), n)[0]
