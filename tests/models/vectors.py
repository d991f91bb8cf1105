"""
Writes known-answer scripts for designs that do not promise Fortuna's bytes, and
what their models answer: python3 vectors.py FOLDER [DESIGN ...]

FOLDER gets DESIGN-CIPHER-NAME.script and .expected.  The same call writes the
same bytes: what is drawn depends on a script's name alone.

A script is made of words: 6E is six events, E14 one of source 14, 6P six that
fill pool 0; r32 and r0-80 are reads, t1000 is timer 1000, p2 place 2; other
words stand as they are, with "=" for a blank.
"""
import hashlib
import io
import os
import re
import sys

import kat

LINUX = ("percpu", "privctx", "vdso")
POOLS = ("cckprng", "pcpu")
# Sources of which FenestrasX's pools have bytes of their own; pure ones are
# bounded, and others are not.
FX_SOURCES = (0, 13, 14, 15, 16, 18, 24, 28, 1, 2, 7, 10, 12, 17)
FX_INTERVALS_MS = (1000, 4000, 13000, 40000, 121000, 364000, 1093000, 3280000)
FX_LONGEST_MS = 3600000


class Draw:
    """Numbers that depend on a name."""

    def __init__(self, name):
        self.name = name
        self.count = 0

    def bytes(self, n):
        self.count += 1
        text = "%s %d" % (self.name, self.count)
        return hashlib.sha256(text.encode()).digest()[:n]

    def below(self, n):
        return int.from_bytes(self.bytes(8), "little") % n

    def of(self, what):
        return what[self.below(len(what))]


def event(draw, pool=None, source=None, size=8):
    destination = draw.below(8) * 32 + pool if pool is not None else \
        draw.below(256)
    return "event %d %d %s%s" % (
        destination, draw.below(1 << 32), draw.bytes(size).hex(),
        "" if source is None else " %d" % source)


def lines(draw, words):
    for word in words.split():
        m = re.fullmatch(r"(\d*)([EP])(\d*)|([rtp])(\d+)(?:-(\d+))?", word)
        if m is None:
            yield word.replace("=", " ")
        elif m[2]:
            for _ in range(int(m[1] or 1)):
                yield event(draw, 0 if m[2] == "P" else None,
                            int(m[3]) if m[3] else None)
        else:
            verb = {"r": "read", "t": "timer", "p": "place"}[m[4]]
            for i in range(int(m[5]), int(m[6] or m[5]) + 1):
                yield "%s %d" % (verb, i)


def reseeds(draw):
    """Pools by their number; source 22, a clone of the machine, is pool 0's."""
    out = "init seeded r8 "
    for _ in range(40):
        out += "%dE 6E22 preread r%d " % (draw.below(4),
                                          draw.of((16, 32, 100, 300)))
    return out.replace("0E ", "")


def linux_schedule(draw):
    """The early intervals, and then once a minute."""
    out = "init 4E "
    for ms in (0, 999, 1000, 1001, 2000, 2999, 3000, 4000, 4999, 5000, 5001,
               6999, 7000, 9999, 10000, 14999, 15000, 22000, 33000, 49000,
               73000, 73001, 109000, 109999, 110000, 119999, 120000, 163999,
               164000, 179999, 180000, 223999, 224000, 239999, 240000, 283999,
               284000, 10000000, 10059999, 10060000, 20000000, 20000000):
        out += "t%d r8 %s" % (ms, draw.of(("", "E ", "2E ")))
    return out


def fx_seeded():
    return "init 5E seeded " + "".join("E%d " % s for s in FX_SOURCES) + "t0 "


def fx_schedule(draw, turns):
    """The intervals, and the turns of pools at the longest."""
    out = fx_seeded()
    for ms in FX_INTERVALS_MS:
        out += "t%d r4 E t%d r4 " % (ms - 1, ms)
    for i in range(1, turns + 1):
        for _ in range(draw.below(3)):
            out += "E%d " % draw.of(FX_SOURCES)
        out += "t%d " % (FX_INTERVALS_MS[-1] + i * FX_LONGEST_MS)
        if i <= 12 or i % 9 == 0:
            out += "r8 "
    return out


def fx_first_bytes(draw):
    """The first bytes of good sources go to pool 0 where there are others."""
    yield from lines(draw, fx_seeded() +
                     " ".join("t%d" % ms for ms in FX_INTERVALS_MS))
    for i in range(1, 30):
        for source in (0, 15, 24, 17, 7):
            for _ in range(draw.below(10)):
                yield event(draw, None, source, 1 + draw.below(8))
        yield from lines(draw, "t%d r16" % (FX_INTERVALS_MS[-1] +
                                            i * FX_LONGEST_MS))


def interleaved(draw):
    """Everything, in any order; designs with pools have no timer."""
    timer = not draw.name.startswith(POOLS)
    ms = 0
    yield from lines(draw, "places=3 init p0")
    for _ in range(200):
        kind = draw.below(12)
        if kind < 4:
            yield event(draw, None, draw.of((None, None) + tuple(range(18))),
                        1 + draw.below(8))
        elif kind < 8:
            yield "read %d" % draw.below(1 << draw.below(13))
        elif kind == 8:
            yield "place %d" % draw.below(3)
        elif kind == 9 and timer:
            ms += draw.below(8000)
            yield "timer %d" % ms
        else:
            yield draw.of(("preread", "seeded"))


UNREADY = "init seeded r0 r32 " + "".join(
    "E seeded r16 t%d000 " % i for i in range(1, 8)) + \
    "E seeded preread r8 E7 seeded r40 r0 r40 init 4E r1 E r1 r64"
VISITS = "p0 r48 p1 r48 p2 r48 p3 r48 p0 r48 p6 r48 p5 r48 p1 r48 "
REVISITS = "".join("p%d r40 r24 " % p for p in (1, 1, 0, 4, 6))
LINUX_PLACES = "places=7 init 4E " + VISITS + "t1000 E t2000 r16 " + REVISITS + \
    "2E t2999 r5 t3000 r5 t4000 p2 r100 p5 r4097 p3 r32 p0 r32"
FX_PLACES = "places=7 init 5E seeded " + VISITS + "t0 E t1000 " + REVISITS + \
    "E20 p2 r0 r100 p5 r4097 p3 r32 p0 r128 t3999 r5 t4000 r5"
LEAVES = "places=7 init 6P preread p0 r48 p1 r48 p2 r48 p0 r48 p6 r48 " \
    "6P preread p0 r400 p0 r400 p2 r1 p3 r32 p0 r64 p4 r400 " \
    "6P preread p6 r32 p5 r1 p6 r32 p4 r1 p3 r400 p5 r1 " \
    "6P preread p3 r64 p1 r32 p0 r1 p5 r32 p2 r32 p2 r32 r0 " + \
    "".join("p%d r40 " % p for p in range(7))
FX_FIRST = "".join("E%d r40 " % s for s in (7, 14, 0, 1, 15, 17, 28, 12, 1, 15,
                                            17))
POWERS = "r255-257 r511-513 r1023-1025 r4063-4064 r4095-4097 r4128 " \
    "r8191-8193 r65535-65537"

# (designs, name, words or a function of Draw); a third word limits the cipher.
SCRIPTS = (
    (LINUX, "small-sizes", "init 4E r0-200"),
    (LINUX, "page-sizes", "init 4E " + POWERS),
    (("percpu", "vdso"), "mega-size", "init 4E r32 r1048653 r33 r0 r127",
     "chacha"),
    # What small reads took together makes the next read reseed.
    (("privctx",), "mega-stir", "init 4E " + "r2048 " * 790 + "E r2048 r100",
     "chacha"),
    (LINUX, "unready", UNREADY),
    (LINUX, "places", LINUX_PLACES),
    (LINUX, "schedule", linux_schedule),
    (POOLS, "small-sizes",
     "init 6P preread r0-80 r239-241 r255-258 r272-273"),
    (POOLS, "page-sizes", "init 6P preread r512 r4095-4097 r16 r8192 r8200 "
     "r64 r20000"),
    (POOLS, "reseeds", reseeds),
    (POOLS, "places", LEAVES),
    # More than one AES key makes; then the leaf reseeds itself.
    (("pcpu",), "mega-size", "init 6P preread r1048577 r32 r16 r33"),
    (("pcpu",), "leaf-mega", "places=2 init 6P preread " + "r262144 r5 " * 4 +
     "p1 r31 6P preread r20000 p0 r64"),
    (("fxrng",), "small-sizes", "init r5 preread r5 t5000 r5 seeded r0-200"),
    (("fxrng",), "page-sizes", "init 5E seeded r128 r127 r1 r128 r64 r64 r64 "
     "r32 r96 r32 r97 r100 r28 r1 r0 r126 r126 r129 " + POWERS + " r3"),
    (("fxrng",), "mega-size", "init 5E seeded r32 r1048653 r33 r0 r127",
     "chacha"),
    (("fxrng",), "sources", "init 2E7 2E14 2E r1 seeded r10 " + FX_FIRST +
     "t0 t1000 r8 init E15 seeded r8 E15 r8 E13 r8"),
    (("fxrng",), "places", FX_PLACES),
    (("fxrng",), "schedule", lambda draw: fx_schedule(draw, 100), "aes"),
    # All turns of all pools.
    (("fxrng",), "schedule", lambda draw: fx_schedule(draw, 720), "chacha"),
    (("fxrng",), "first-bytes", fx_first_bytes),
    (LINUX + POOLS + ("fxrng",), "interleaved", interleaved),
)


def write(folder, design, cipher, name, what):
    path = os.path.join(folder, "%s-%s-%s" % (design, cipher, name))
    draw = Draw(os.path.basename(path))
    if callable(what):
        what = what(draw)
    if isinstance(what, str):
        what = lines(draw, what)
    text = ["cipher " + cipher, "mode " + design] + list(what)
    with open(path + ".script", "w", encoding="ascii") as script:
        script.write("\n".join(text) + "\n")
    answers = io.StringIO()
    kat.Script(answers).run(text)
    with open(path + ".expected", "w", encoding="ascii") as expected:
        expected.write(answers.getvalue())


def main(folder, *designs):
    os.makedirs(folder, exist_ok=True)
    for of, name, what, *only in SCRIPTS:
        for design in of:
            for cipher in only or ("aes", "chacha"):
                if not designs or design in designs:
                    write(folder, design, cipher, name, what)


if __name__ == "__main__":
    main(*sys.argv[1:])
