"""Runs the models of runs.tbl, two at a time, and says what they found.

	model.py BUILD KIND|NAME...

Prints a table; writes the same for programs to BUILD/model.txt, a line each:

	run NAME MODEL READERS STATES DEPTH MEMORY_MB CPU_S SEARCH FOUND WANTED
	mutant NAME MODEL STATES FOUND WANTED
	mutants KILLED OF FAULTS EQUIVALENT

SEARCH is complete, bitstate, or error: it ended there.  A mutant that is no
fault wants "holds".  Works in BUILD/model, where the trail of an error stays.

A fault breaks more rules than one.  All but the one that runs.tbl names are
waived.

Exit: 0, all is as runs.tbl says; 1, it is not; 2, usage.
"""
import os
import re
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ("run", "big", "full", "bits", "mutant")
# As many at once: what makes the suite's and a small machine's memory do.
JOBS = 2


class Run:
    def __init__(self, kind, name, model, wanted, *flags):
        self.kind, self.name, self.model = kind, name, model
        self.wanted, self.flags = wanted, list(flags)
        self.edits, self.why = [], ""
        self.states = self.depth = 0
        self.memory = self.cpu = 0.0
        self.search, self.found = "error", "broken"

    def readers(self):
        for flag in self.flags:
            if re.match("-D(READERS|PRODUCERS)=", flag):
                return flag.split("=")[1]
        return "1" if self.model == "harvest" else "2"


def read_table(path):
    runs = []
    for line in open(path).read().replace("\n\t\t", " ").split("\n"):
        if not line or line.startswith("#"):
            continue
        if not line.startswith("\t"):
            runs.append(Run(*line.split()))
        elif line.startswith("\twhy "):
            runs[-1].why = line[5:]
        else:
            where, edit = line[1:].split(": ", 1)
            old, new = edit.split(" => ")
            runs[-1].edits.append((*where.split(), old, new))
    return runs


def edited(text, place, old, new):
    """The text with a fault; blanks and lines do not matter."""
    scope = re.search(r"^(inline|proctype) %s\(.*?^}" % place, text,
                      re.M | re.S)
    old = r"\s+".join(map(re.escape, old.split()))
    if scope is None or len(re.findall(old, scope[0])) != 1:
        raise ValueError("%s: %s is not there once" % (place, old))
    changed = re.sub(old, lambda m: new, scope[0])
    return text[:scope.start()] + changed + text[scope.end():]


def prepare(run, folder):
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    for name in os.listdir(HERE):
        if not name.endswith(".pml"):
            continue
        text = open(os.path.join(HERE, name)).read()
        for file, place, old, new in run.edits:
            if file != name:
                continue
            # Locks of two kinds have inlines of one name.
            if name == "mutex.pml":
                cut = text.index("#else")
                parts = [text[:cut], text[cut:]]
                i = "-DLOCK_TICKET" not in run.flags
                parts[i] = edited(parts[i], place, old, new)
                text = "".join(parts)
            else:
                text = edited(text, place, old, new)
        open(os.path.join(folder, name), "w").write(text)


def waive_others(folder, wanted):
    path = os.path.join(folder, "words.pml")
    text = open(path).read()
    for words in re.findall(r"^hidden byte ([^;]*);", text, re.M):
        waived = [w if w == wanted else w + " = 1"
                  for w in re.split(r",\s+", words)]
        text = text.replace(words, ", ".join(waived))
    open(path, "w").write(text)


def check(run, build):
    folder = os.path.join(build, "model", run.name)
    prepare(run, folder)
    if run.kind == "mutant" and run.wanted != "holds":
        waive_others(folder, run.wanted)
    search(run, folder)
    for name in os.listdir(folder):
        if name.startswith("pan"):
            os.remove(os.path.join(folder, name))


def search(run, folder):
    live = run.model == "lock"
    compile = [os.environ.get("CC", "cc"), "-w", "-o", "pan", "pan.c"]
    command = ["./pan"]
    if run.kind == "mutant" and run.wanted not in ("holds", "end"):
        command += ["-E"]
    # In small models, and where an error ends it, the compiler takes longer.
    small = run.kind in ("run", "mutant")
    compile.append("-O0" if small else "-O2")
    if run.kind == "bits":
        compile += ["-DBITSTATE", "-DSAFETY"]
        command += ["-w35", "-m1000000"]
    elif live:
        compile += ["-DNFAIR=3", "-DMEMLIM=400"]
        command += ["-a", "-f", "-m100000", "-w18"]
    else:
        if run.kind == "mutant" and run.wanted != "holds":
            # An error is one, also if hashes instead of states are compared.
            compile += ["-DHC4"]
        elif not small:
            compile += ["-DCOLLAPSE"]
        compile += ["-DSAFETY",
                    "-DMEMLIM=%d" % (8000 if run.kind == "full" else 400)]
        command += ["-m100000", "-w20"]

    def call(argv):
        return subprocess.run(argv, cwd=folder, text=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    for argv in (["spin", *run.flags, "-a", run.model + ".pml"], compile):
        done = call(argv)
        if done.returncode != 0 or "Error" in done.stdout:
            raise ValueError("%s: %s" % (argv[0], done.stdout.strip()))
    child = subprocess.Popen(command, cwd=folder, text=True,
                             stdin=subprocess.DEVNULL,
                             stdout=open(os.path.join(folder, "out"), "w"),
                             stderr=subprocess.STDOUT)
    status, usage = os.wait4(child.pid, 0)[1:]
    child.returncode = status
    run.cpu = usage.ru_utime + usage.ru_stime
    judge(run, open(os.path.join(folder, "out")).read())


def judge(run, out):
    """What the search printed, as a verdict."""
    def number(pattern, kind=int):
        match = re.search(pattern, out, re.M)
        if match is None:
            raise ValueError(out.strip()[-300:])
        return kind(match[1])
    error = re.search(r"^pan:\d+: (.*) \(at depth", out, re.M)
    # 1.24e+08 where there are many.
    run.states = int(number(r"^ *([\d.e+]+) states, stored", float))
    run.depth = number(r"depth reached (\d+)")
    run.memory = number(r"([\d.]+)\ttotal actual memory", float)
    errors = number(r"errors: (\d+)")
    run.search = "error"
    if errors > 0:
        if error is None:
            raise ValueError(out.strip()[-300:])
        word = re.search(r"\|\|(\w+)\)$", error[1])
        run.found = (word[1] if word else
                     "end" if "invalid end state" in error[1] else
                     "cycle" if "cycle" in error[1] else error[1])
    elif "Search not completed" in out or "max search depth" in out:
        run.found = "unfinished"
    else:
        run.search = "bitstate" if run.kind == "bits" else "complete"
        run.found = "holds"


def work(queue, lock, build):
    while True:
        with lock:
            if not queue:
                return
            run = queue.pop(0)
        try:
            check(run, build)
        except (OSError, ValueError) as error:
            run.found = "broken"
            run.why = str(error)


def report(runs, build):
    lines, bad = [], [r for r in runs if r.found != r.wanted]
    mutants = [r for r in runs if r.kind == "mutant"]
    faults = [r for r in mutants if r.wanted != "holds"]
    killed = [r for r in faults if r.found not in ("holds", "broken")]
    print("%-24s%-9s%3s%10s%6s%6s%7s  %s" % ("model", "file", "n", "states",
          "depth", "MB", "CPU s", "verdict"))
    for r in runs:
        want = "" if r.found == r.wanted else ", not %s" % r.wanted
        if r.kind == "mutant":
            lines.append("mutant %s %s %d %s %s" % (r.name, r.model, r.states,
                         r.found, r.wanted))
            continue
        print("%-24s%-9s%3s%10d%6d%6.0f%7.1f  %s" % (r.name, r.model,
              r.readers(), r.states, r.depth, r.memory, r.cpu,
              r.found + want + " (bitstate)" * (r.search == "bitstate")))
        lines.append("run %s %s %s %d %d %.0f %.2f %s %s %s" % (r.name,
                     r.model, r.readers(), r.states, r.depth, r.memory, r.cpu,
                     r.search, r.found, r.wanted))
    if mutants:
        print("\n%-24s%-9s%13s  %s" % ("mutant", "file", "states",
              "caught by"))
        for r in mutants:
            want = "" if r.found == r.wanted else ", not %s" % r.wanted
            print("%-24s%-9s%13d  %s" % (r.name, r.model, r.states,
                  ("no fault" if r.found == r.wanted == "holds" else r.found)
                  + want))
        equivalent = [r for r in mutants if r.wanted == "holds"]
        lines.append("mutants %d %d %d" % (len(killed), len(faults),
                     len(equivalent)))
        print("\n%d of %d faults caught" % (len(killed), len(faults)))
        for r in equivalent:
            if r.found == "holds":
                print("%s is no fault:\n    %s" % (r.name, r.why))
    for r in bad:
        print("rngsim: model %s: %s, not %s%s" % (r.name, r.found, r.wanted,
              ": " + r.why if r.found == "broken" else ""), file=sys.stderr)
    new = os.path.join(build, "model.txt.new")
    with open(new, "w") as file:
        file.write("".join(line + "\n" for line in lines))
    os.rename(new, os.path.join(build, "model.txt"))
    return 1 if bad else 0


def main(argv):
    if len(argv) < 3:
        print("usage: model.py BUILD KIND|NAME...", file=sys.stderr)
        return 2
    table = read_table(os.environ.get("MODEL_TABLE",
                                      os.path.join(HERE, "runs.tbl")))
    for word in argv[2:]:
        if word not in KINDS and word not in [r.name for r in table]:
            print("model.py: %s: accepted: %s, or a name in runs.tbl" %
                  (word, ", ".join(KINDS)), file=sys.stderr)
            return 2
    runs = [r for r in table if r.kind in argv[2:] or r.name in argv[2:]]
    # The longest first, so that it is not what all others have ended before.
    queue = sorted(runs, key=lambda r: KINDS.index(r.kind) in (0, 4))
    lock = threading.Lock()
    threads = [threading.Thread(target=work, args=(queue, lock, argv[1]))
               for _ in range(JOBS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return report(runs, argv[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv))
