"""Patches of random(4), and whether rngsim says of each what is true.

	patches.py BUILDDIR list|apply [NAME...]
	patches.py BUILDDIR run|quick [JOBS [NAME...]]

A patch is a mail of a *.mbox beside this file:

	Subject: NAME: what it does
	On: NAME	the patch that it comes after
	Verdict: holds, or broken
	Says: a regular expression that the finding must match; several: each
	At: a function that a place in the finding must be in
	Allows: properties that the patch gives up, as for --allow
	Sets: a sysctl for schedules, as for -S

Text and a diff follow.  "run" looks at all that a safety page has for a patch;
"quick" only at schedules, for patches that these suffice for.  It prints a
table and exits 1 if a cell is wrong.  RNGSIM may name another program, and NAME
may be FAMILY/, for all of FAMILY.mbox.
"""
import concurrent.futures
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

FILES = ("fortuna/fortuna.c", "fortuna/hash.c", "fortuna/randomdev.c",
         "fortuna/random_infra.c", "harvest/random_harvestq.c")
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Patch:
    def __init__(self, family, mail):
        head, _, self.body = mail.partition("\n\n")
        fields = [re.split(r":\s*", line, maxsplit=1)
                  for line in head.splitlines()]
        self.family = family
        self.name, self.subject = re.split(r":\s*", fields[0][1], maxsplit=1)
        self.says = [text for key, text in fields if key == "Says"]
        rest = dict(fields[1:])
        self.on, self.verdict = rest.get("On"), rest["Verdict"]
        self.at = rest.get("At")
        self.options = ["--allow", rest["Allows"]] if "Allows" in rest else []
        self.sets = ["-S", rest["Sets"]] if "Sets" in rest else []


def read_patches():
    patches = {}
    for path in sorted(glob.glob(HERE + "/*.mbox")):
        family = os.path.basename(path)[:-len(".mbox")]
        with open(path) as file:
            mails = re.split(r"^(?=Subject: )", file.read(), flags=re.M)
        for mail in mails[1:]:
            patch = Patch(family, mail)
            patches[patch.name] = patch
    return patches


class Trial:
    """A patch, applied, and what rngsim says of it."""

    def __init__(self, patches, patch, build, action):
        self.patch, self.quick = patch, action == "quick"
        self.program = os.environ.get("RNGSIM", build + "/rngsim")
        self.folder = os.path.join(build, "patches", action, patch.name)
        self.env = dict(os.environ, LC_ALL="C", XDG_CACHE_HOME=os.path.join(
            build, "kernel-cache"), GIT_CEILING_DIRECTORIES=build)
        self.chain = [patch]
        while self.chain[0].on:
            self.chain.insert(0, patches[self.chain[0].on])

    def apply(self):
        touched = set()
        shutil.rmtree(self.folder, ignore_errors=True)
        for path in FILES:
            os.makedirs(os.path.dirname(os.path.join(self.folder, path)),
                        exist_ok=True)
            shutil.copy(os.path.join(ROOT, path),
                        os.path.join(self.folder, path))
        for link in self.chain:
            subprocess.run(["git", "apply", "--whitespace=nowarn", "-"],
                           input=link.body, text=True, check=True,
                           cwd=self.folder, env=self.env)
            touched |= set(re.findall(r"^\+\+\+ b/(\S+)", link.body, re.M))
        # Several files are a folder of them.
        self.source = os.path.join(self.folder, touched.pop())
        self.files = [self.source]
        if touched:
            self.files += [os.path.join(self.folder, path)
                           for path in touched]
            self.source = os.path.join(self.folder, "random")
            os.makedirs(self.source)
            for path in self.files:
                shutil.copy(path, self.source)

    def command(self, *arguments):
        run = subprocess.run(
            [self.program, *arguments, *self.patch.options, "--seed", "1",
             "-j", "1", "-d", "kernel:" + self.source], text=True,
            env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd=self.folder, timeout=300)
        text = re.sub(r"\s+", " ", run.stdout)
        if run.returncode == 0:
            return None
        # A stack that is too small is seen by the compiler.
        if re.search(r"FAILED |FAILS|the frame size", text):
            return text
        return "error: exit %d: %s" % (run.returncode, text)

    def finding(self):
        """What it says is wrong, or None."""
        rows = "ledger,arithmetic,answers" + (
            ",faults" if self.patch.verdict == "broken" else "")
        explore = ["explore", *self.patch.sets, "-c", "chacha20,aes",
                   "--schedules"]
        steps = [[*explore, "20000"], [*explore, "5000" if self.quick else
                                       "50000", "--memory", "weak"]]
        if not self.quick:
            steps += [["assure", "--budget", "10", "--only", rows]]
        for step in steps:
            text = self.command(*step)
            if text:
                return text
        return None

    def functions(self, text):
        """The functions that places in the text are in."""
        found = set()
        for name, line in re.findall(r"(\w+\.c):(\d+)", text):
            for path in self.files:
                if os.path.basename(path) != name:
                    continue
                with open(path) as file:
                    above = file.read().split("\n")[:int(line)]
                heads = [match[1] for match in
                         (re.match(r"(\w+)\(", row) for row in above) if match]
                found.add(heads[-1] if heads else "")
        return found

    def judge(self):
        patch, start = self.patch, time.monotonic()
        try:
            self.apply()
            text = self.finding()
        except (subprocess.TimeoutExpired,
                subprocess.CalledProcessError) as error:
            text = "error: " + str(error)
        seconds = time.monotonic() - start
        got = "holds" if text is None else "broken"
        if text and text.startswith("error: "):
            got = "error"
        words = ""
        if text:
            match = re.search(r"FAILED .*?(?= design kernel)|\w+ FAILS\..*|"
                              r"error: .*", text)
            words = match[0] if match else text
        lacks = []
        if got == "broken" and patch.verdict == "broken":
            lacks = ["says " + want for want in patch.says
                     if not re.search(want, text)]
            if patch.at and patch.at not in self.functions(text):
                lacks.append("at " + patch.at)
        wrong = got != patch.verdict or bool(lacks)
        return patch, got, seconds, words, lacks, wrong


def main(build, action, *arguments):
    build = os.path.abspath(build)
    patches = read_patches()
    jobs, names = 1, arguments
    if action in ("run", "quick") and arguments:
        jobs, names = int(arguments[0]), arguments[1:]
    chosen = [patch for patch in patches.values() if not names or
              patch.name in names or patch.family + "/" in names]
    if action == "list":
        for patch in chosen:
            print("%-8s %-21s %-8s %s%s" % (
                patch.family, patch.name, patch.verdict, patch.subject,
                "".join("\n%s says %s" % (" " * 38, text)
                        for text in patch.says)))
        return 0
    trials = [Trial(patches, patch, build, action) for patch in chosen]
    if action == "apply":
        for trial in trials:
            trial.apply()
        return 0
    right, times = 0, []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed(
                [pool.submit(trial.judge) for trial in trials]):
            patch, got, seconds, words, lacks, wrong = done.result()
            print("%-21s %-8s %-8s %5.1f  %s%s" % (
                patch.name, patch.verdict, got, seconds,
                "WRONG " if wrong else "",
                " ".join(lacks + [words[:160]])), flush=True)
            right += not wrong
            if got == "broken":
                times.append(seconds)
    print("%d patches, %d right; median of findings %.1f s" % (
        len(chosen), right, statistics.median(times or [0])))
    return 0 if right == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
