"""Holds a log of "rngsim run --ledger-log" against the models' rules.

	replay.py [-d locked|concurrent] [-n OPERATIONS] [-D NAME=VALUE] LOG

-d: its steps are those of that design's model, in its order, too.  -n: so many
and no more.  -D: MINPOOL, bytes; PACE, ns; LAG, generations.

Says how many operations were accepted, or the line and the rule it breaks.
Exit: 0, accepted; 1, not, or it is no log; 2, usage.
"""
import getopt
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = "# rngsim-ledger/1"
OPS = ("begin", "end", "set", "wipe", "use", "install", "event", "drain",
       "reseed")
KEYS, THREADS, POOLS = 32, 31, 32
INT_MAX = 2 ** 31 - 1


class Bad(Exception):
    pass


class Keys:
    """Numbers of a window for a log's keys; the one longest gone is reused."""
    def __init__(self):
        self.number, self.holders = {}, {}
        self.free = list(range(1, KEYS + 1))

    def first(self, key):
        if key in self.number:
            return False
        if not self.free:
            raise Bad("more than %d keys at a time" % KEYS)
        number = self.free.pop(0)
        for old in [k for k in self.number if self.number[k] == number]:
            self.number[old] = 0
        self.number[key] = number
        return True

    def count(self, key, change):
        held = self.holders[key] = self.holders.get(key, 0) + change
        if held == 0:
            self.free.append(self.number[key])
            del self.holders[key]


def records(file, limit):
    if file.readline().rstrip("\n") != HEAD:
        raise Bad("line 1: not \"%s\"" % HEAD)
    seq = 0
    for line, text in enumerate(file, 2):
        if limit is not None and seq == limit:
            return
        field = text.split()
        try:
            if len(field) != 9 or not text.endswith("\n"):
                raise ValueError
            number = [int(field[i], 0) for i in (0, 1, 2, 4, 5, 6, 7, 8)]
            op = OPS.index(field[3])
        except ValueError:
            raise Bad("line %d: no record: %s" % (line, text.strip()))
        seq += 1
        if number[0] != seq:
            raise Bad("line %d: number %d, not %d" % (line, number[0], seq))
        yield (line, OPS[op], *number[1:])


def encode(log):
    """The numbers that replay.pml reads."""
    keys, threads, base, drained = Keys(), {}, None, None
    for line, op, time, thread, key, lo, hi, generation, wiped in log:
        t = threads.setdefault(thread, len(threads))
        if t == THREADS:
            raise Bad("line %d: more than %d threads" % (line, THREADS))
        if op in ("event", "drain") and generation != 0 or \
                op == "reseed" and lo != 0:
            raise Bad("line %d: only logs of one core" % line)
        if op in ("use", "install"):
            base = lo if base is None else base
            near = 2 ** 30 - base
            lo, hi = lo + near, hi + near if op == "use" else 0
            if lo > hi > 0:
                raise Bad("line %d: an empty range" % line)
        gap = 0
        if op == "drain":
            # When it was decided, and not when it was recorded.
            hi, decided = hi & (1 << 64) - 1, hi >> 64
            if decided >= 1 << 63:
                decided -= 1 << 64
            drained, gap = decided, 0 if drained is None else decided - drained
            last = max(0, min(gap, INT_MAX))
        if op == "reseed":
            lo, hi = last if drained is not None else 0, 0
        if op == "begin" or op == "end":
            lo = hi = 0
        if op == "event" and lo >= POOLS:
            raise Bad("line %d: pool %d" % (line, lo))
        if op == "set":
            lo = int(keys.first(key))
        if op == "wipe":
            hi = wiped
        number = keys.number.get(key, 0)
        if number != 0 and op in ("set", "wipe") and \
                (op == "set" or key in keys.holders):
            keys.count(key, 1 if op == "set" else -1)
        if not 0 <= lo <= INT_MAX or not 0 <= hi <= INT_MAX:
            raise Bad("line %d: counters too far from the first" % line)
        yield line, OPS.index(op) + 1, t, number, lo, hi, generation


def main(argv):
    design, limit, defines = None, None, []
    try:
        options, rest = getopt.getopt(argv[1:], "d:n:D:")
        for name, value in options:
            if name == "-d":
                if value not in ("locked", "concurrent"):
                    raise getopt.GetoptError("-d %s; accepted: locked, "
                                             "concurrent" % value)
                design = value
            elif name == "-n":
                limit = int(value)
            else:
                if not re.fullmatch(r"(MINPOOL|PACE|LAG)=\d+", value):
                    raise getopt.GetoptError("-D %s; accepted: MINPOOL=, "
                                             "PACE=, LAG=" % value)
                defines.append("-D" + value)
        if len(rest) != 1:
            raise getopt.GetoptError("one LOG")
    except (getopt.GetoptError, ValueError) as error:
        print("replay.py: %s" % error, file=sys.stderr)
        return 2
    if design is not None:
        defines.append("-D" + design.upper())
    log, count = rest[0], 0
    with tempfile.TemporaryFile("w+") as numbers:
        try:
            with open(log) as file:
                for row in encode(records(file, limit)):
                    numbers.write(" ".join(map(str, row)) + "\n")
                    count += 1
                whole = limit is None or file.readline() == ""
        except (OSError, Bad) as error:
            print("%s: %s" % (log, error), file=sys.stderr)
            return 1
        end = (count + 1, 0 if whole else len(OPS) + 1, 0, 0, 0, 0, 0)
        numbers.write(" ".join(map(str, end)) + "\n")
        numbers.seek(0)
        # Where spin leaves the preprocessor's output.
        with tempfile.TemporaryDirectory() as folder:
            for name in ("replay.pml", "rules.pml", "words.pml"):
                shutil.copy(os.path.join(HERE, name), folder)
            done = subprocess.run(["spin", "-T", *defines, "replay.pml"],
                                  cwd=folder, stdin=numbers, text=True,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
    failed = re.search(r"text of failed assertion: .*\|\|(\w+)\)", done.stdout)
    line = re.search(r"^\s*line = (\d+)", done.stdout, re.M)
    if failed is not None and line is not None:
        print("%s: line %s: %s" % (log, line[1], failed[1]), file=sys.stderr)
        return 1
    if done.returncode != 0 or "Error" in done.stdout or \
            "timeout" in done.stdout or "warning" in done.stdout:
        print("%s: spin: %s" % (log, done.stdout.strip()[:500]),
              file=sys.stderr)
        return 1
    print("%s: %d operations accepted" % (log, count))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
