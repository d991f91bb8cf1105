"""
Linux 6.11's getrandom() in a program: a key and a batch for each thread, over
the kernel's generator of percpu.py.
"""
import percpu

KEY_BYTES = 32
UNIT = 64
BATCH = 96


class State:
    def __init__(self):
        self.key, self.generation, self.batch = None, 0, b""


class Generator(percpu.Generator):
    def __init__(self, cipher, places):
        super().__init__(cipher, places)
        self.state = [State() for _ in range(places)]

    def read(self, place, n):
        state = self.state[place]
        if state.generation != self.generation:
            state.generation = self.generation
            state.key, state.batch = super().read(place, KEY_BYTES), b""
        got, state.batch = state.batch[:n], state.batch[n:]
        if len(got) == n:
            return got
        units = (n - len(got)) // UNIT * UNIT
        out, counter = self.cipher.keystream(state.key, 0, units)
        got += out
        out, _ = self.cipher.keystream(state.key, counter, BATCH + KEY_BYTES)
        state.batch, state.key = out[:BATCH], out[BATCH:]
        n -= len(got)
        got, state.batch = got + state.batch[:n], state.batch[n:]
        return got
