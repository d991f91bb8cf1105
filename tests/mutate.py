# Draws small faults, builds each, and runs the tests that name what it changed.
#
# mutate.py BUILDDIR MUTANTS SEED FOLDER...
#
# A survivor is a mutant that no test found: read it, then either it changes
# nothing that can be observed, or a test is missing.  Nothing is written outside
# BUILDDIR/mutate, which has three built copies of the tree: one stays as it is.
# A case counts as having found a mutant only if it passes there.
import collections, concurrent.futures, glob, itertools, os, queue, random
import re, shutil, signal, subprocess, sys, threading, time

build, wanted, seed, folders = sys.argv[1], int(sys.argv[2]), sys.argv[3], \
    sys.argv[4:]
base = os.path.join(os.path.abspath(build), 'mutate')
clean = os.path.join(base, 'clean')
checking = threading.Lock()
# The compiler finds some mutants: it warns of nothing in the tree as it is.
MAKE = ['make', 'BUILDDIR=build', 'CFLAGS=-O2 -Werror=int-conversion '
        '-Werror=incompatible-pointer-types -Werror=maybe-uninitialized']
for name in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL'):
    os.environ.pop(name, None)
# Seconds of tests for one mutant, and of one case: a mutant may never end.  On a
# machine that others use, too, they are more.
BUDGET = LIMIT = 100
WORKERS = 2
BATCH = 5  # tests that are built at once
# What everything else is built on is drawn three times as often.
CORE = re.compile(r'(fortuna|harvest|lib/(machine|vm|lock|crypto|ledger)|'
                  r'bench/(cell|sweep|stats))/')
KERNEL = re.compile(r'fortuna/(?!device/)|fortuna/device/(glue|probe)|'
                    r'harvest/random_|lib/kern/sys/')
# Run when the tests that name the file have found nothing.
COMMON = ['design_contract_test', 'vm_golden_test', 'cli_run_test',
          'cli_virtual_test', 'table_test', 'fortuna_test', 'explore_test',
          'kat_test', 'cli_failpoint_test']
# By folder, what finds most and soonest.
FIRST = {
    'lib/lock': ['vm_golden_test', 'lockprof_test', 'lock_delay_test',
                 'vm_stuck_test', 'lock_contract_test'],
    'fortuna': ['kat_test', 'design_contract_test', 'fortuna_test'],
    'fortuna/dev/random': ['kat_test', 'design_contract_test'],
    'fortuna/device': ['explore_test', 'design_contract_test', 'harvestq_test',
                       'health_test'],
    'harvest': ['harvestq_test', 'health_test', 'source_contract_test']}
# The first word of a member's file, and what tests call the family.
FAMILY = {'random': 'harvestq', 'src': 'source_contract',
          'lock': 'lock_contract', 'cmd': 'usage'}

WORD = r'[A-Za-z_]\w*'
PLACE = r'\*?%s(?:->%s|\.%s|\[[^][]*\])*' % (WORD, WORD, WORD)
STATEMENT = re.compile(r'[;{})]\s*\n\t+(%s(?:\s*(?:[-+*/|&^%%]|<<|>>)?=[^=;]|'
                       r'\(|\+\+|--)[^;{}]*;)' % PLACE)
KEYWORD = re.compile(r'(if|for|while|switch|return|sizeof|KASSERT|MPASS|'
                     r'CTASSERT|__attribute__|(\w+_)?assert)\b')
UNLOCK = re.compile(r'\w*(unlock|release|_exit)\w*\(')
FLIP = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==',
        '&&': '||', '||': '&&', '+': '-', '-': '+', '*': '+', '++': '--',
        '+=': '-=', '-=': '+=', 'true': 'false', 'false': 'true'}


def blank(text):
    """Comments, strings and preprocessor lines become blanks, in place."""
    def gap(m):
        return re.sub(r'[^\n]', ' ', m[0])
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'
                  r"'(?:\\.|[^'\\\n])*'|^#(?:\\\n|[^\n])*|"
                  r'\b(?:KASSERT|MPASS|CTASSERT)\([^;]*;', gap, text,
                  flags=re.S | re.M)


def closing(text, at):
    depth = 0
    for i in range(at, len(text)):
        depth += {'(': 1, ')': -1}.get(text[i], 0)
        if depth == 0:
            return i
    return None


def arguments(text, at, end):
    """Where each argument of a call begins and ends."""
    depth, begin, parts = 0, at, []
    for i in range(at, end + 1):
        if i == end or (text[i] == ',' and depth == 0):
            parts.append((begin, i))
            begin = i + 1
        depth += {'(': 1, '[': 1, '{': 1, ')': -1, ']': -1,
                  '}': -1}.get(text[i], 0)
    return parts


def sites(path):
    """(operator, begin, end, new text) of each change to a file's functions."""
    raw = open(path).read()
    text = blank(raw)
    for body in re.finditer(r'^\{\n.*?^\}', text, re.S | re.M):
        lo, hi = body.span()
        for m in STATEMENT.finditer(text, lo, hi):
            if KEYWORD.match(m[1]):
                continue
            # A lock that is kept is as important as it is rare.
            for _ in range(4 if UNLOCK.match(m[1]) else 1):
                yield 'dropped statement', m.start(1), m.end(1), \
                    ';' + '\n' * m[1].count('\n')
        for m in re.finditer(r'\b(if|while) \(', text[lo:hi]):
            at = lo + m.end() - 1
            end = closing(text, at)
            yield 'negated condition', at, end + 1, \
                '(!' + raw[at:end + 1] + ')'
        for m in re.finditer(r' (<=|>=|==|!=|&&|\|\||<|>|\+=|-=|\+|-|\*)'
                             r'(?=[ \n])|\b(true|false)\b|(\+\+)',
                             text[lo:hi]):
            k = m.lastindex
            op = {1: 'changed operator', 2: 'changed constant',
                  3: 'changed operator'}[k]
            if m[k] in ('<', '<=', '>', '>=', '==', '!='):
                op = 'changed comparison'
            yield op, lo + m.start(k), lo + m.end(k), FLIP[m[k]]
        for m in re.finditer(r'(?<![\w.])(?:0|[1-9]\d*)(?![\w.])', text[lo:hi]):
            yield 'changed constant', lo + m.start(), lo + m.end(), \
                '0' if m[0] == '1' else str(int(m[0]) + 1)
        for m in re.finditer(r'\b(%s)\(' % WORD, text[lo:hi]):
            at = lo + m.end()
            end = closing(text, at - 1)
            if KEYWORD.match(m[1]) or end is None:
                continue
            parts = arguments(text, at, end)
            for (a, b), (c, d) in zip(parts, parts[1:]):
                x, y = raw[a:b].strip(), raw[c:d].strip()
                if x != y and '"' not in x + y and 'sizeof' not in x + y:
                    yield 'swapped argument', a, d, \
                        raw[a:b].replace(x, y) + ',' + \
                        raw[c:d].replace(y, x)


def draw():
    chosen = random.Random(seed)
    kinds = collections.defaultdict(list)
    for folder in folders:
        for path in sorted(glob.glob(folder + '/**/*.[ch]', recursive=True)):
            for op, *site in sites(path):
                kinds[op].append((path, op, *site))
    drawn = []
    while len(drawn) < wanted:
        among = kinds[chosen.choice(sorted(kinds))]
        mutant = chosen.choices(among, [3 if CORE.match(s[0]) else 1
                                        for s in among])[0]
        if mutant not in drawn:
            drawn.append(mutant)
    return drawn


def function_at(text, at):
    found = re.findall(r'^(%s)\(' % WORD, text[:at], re.M)
    return found[-1] if found else ''


def said(text, at):
    """Runs of three words from messages of the function at a place."""
    begin, end = text.rfind('\n{\n', 0, at), text.find('\n}\n', at)
    return {' '.join(words[i:i + 3])
            for s in re.findall(r'"((?:\\.|[^"\\\n])*)"', text[begin:end])
            for part in re.split(r'%[-+.*\d]*\w+|\\.|[][?*+()|.^$]', s)
            for words in [part.split()] for i in range(len(words) - 2)}


def tests_of(path, text, at):
    """Test programs that name the file or its functions, best first."""
    folder, stem = os.path.split(path[:-2])
    functions = set(re.findall(r'^(?!static)[^\n(]*\n(%s)\(' % WORD,
                               blank(text), re.M))
    here = function_at(text, at)
    words = [w for w in stem.split('_') + [os.path.basename(folder)]
             if w not in ('cmd', 'bench', 'lib')]
    words += [w for w in [FAMILY.get(stem.split('_')[0])] if w]
    score = {}
    for test in glob.glob('tests/unit/*_test.c') + glob.glob(
            'tests/cli/*_test.sh'):
        name = os.path.basename(test).rsplit('.', 1)[0]
        if name == 'starved_test':
            continue
        source = open(test).read()
        used = functions & set(re.findall(WORD, source))
        score[name] = 40 * (here in used) + 10 * len(used) + \
            100 * any(w in source for w in said(text, at)) + \
            20 * ('"%s.h"' % path[:-2] in source) + \
            5 * ('"%s/' % folder in source) + \
            20 * any(w in name[:-5] for w in words) + \
            min(15, sum(source.count(w) for w in words))
    order = sorted((t for t in score if score[t] >= 5),
                   key=lambda t: (-score[t], t))
    # The program may be the only user of a function.
    shell = [t for t in order if os.path.exists('tests/cli/%s.sh' % t)][:4]
    unit = [t for t in order if t not in shell and
            os.path.exists('tests/unit/%s.c' % t)][:4]
    # What a fail point does is found where it is set.
    point = re.search(r'KFAIL_POINT_CODE\([^{]*\{[^}]*$', text[:at])
    best = list(dict.fromkeys(
        ['cli_failpoint_test'] * bool(point) +
        [t for t in order if score[t] >= 100][:2] + FIRST.get(folder, []) +
        [t for pair in itertools.zip_longest(unit, shell) for t in pair if t] +
        COMMON))
    return [v for t in best for v in
            ([t[:-5] + '_virtual_test', t] if t in
             ('lock_contract_test', 'lock_mutant_test') else [t])]


def run(argv, cwd, limit, **more):
    """The exit status, None after limit seconds; ends all its processes."""
    child = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL,
                             start_new_session=True, **more)
    try:
        return child.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        # Rows of assure are process groups of their own in its session.
        listed = shutil.which('ps') and subprocess.run(
            ['ps', '-A', '-o', 'pid=,sid='], text=True,
            capture_output=True).stdout or '%d %d' % (child.pid, child.pid)
        for pid, session in re.findall(r'(\d+) +(\d+)', listed):
            if session == str(child.pid):
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    pass
        child.wait()


def status_of(copy, test, case, limit):
    """Of a test case; None if it takes too long."""
    work = os.path.join(copy, 'build', 'work')
    subprocess.run(['chmod', '-R', 'u+rwx', work], stderr=subprocess.DEVNULL)
    shutil.rmtree(work, ignore_errors=True)
    os.mkdir(work)
    tests = os.path.join(copy, 'build', 'tests')
    silent = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
    limits = dict(os.environ, HOME=work, TMPDIR=work, LC_ALL='C')
    argv = [os.path.join(tests, test), '-s', tests, '-v', 'source=' + copy,
            '-r', os.path.join(copy, 'build', 'verdict'), case]
    return run(argv, work, limit, env=limits, **silent)


def finds(copy, test, case, limit):
    """Whether the case fails in the copy, and not in the tree as it is."""
    status = status_of(copy, test, case, limit)
    if status == 0:
        return False
    with checking:
        began = time.monotonic()
        if status_of(clean, test, case, LIMIT) != 0:
            return False
    # A slow case may have been too slow by itself.
    return status is not None or time.monotonic() - began < limit / 5


def cases_of(copy, test):
    tests = os.path.join(copy, 'build', 'tests')
    listed = subprocess.run([os.path.join(tests, test), '-s', tests, '-l'],
                            capture_output=True, text=True, timeout=LIMIT)
    return re.findall(r'^ident: (\S+)', listed.stdout, re.M)


def objects_of(copy, path):
    if KERNEL.match(path):
        return sorted(glob.glob(os.path.join(copy, 'build/obj/kernel/*')),
                      key=lambda o: o.endswith('/log'))
    if path.endswith('.h'):
        return [d[:-1] + 'o' for d in glob.glob(os.path.join(
            copy, 'build/obj/*/*/**/*.d'), recursive=True)
            if ' %s ' % path in open(d).read().replace('\n', ' ')]
    return glob.glob(os.path.join(copy, 'build/obj/*', path[:-2] + '.o'))


def make(copy, targets, log):
    return run([*MAKE, *targets], copy, 600, stdout=log,
               stderr=subprocess.STDOUT) == 0


def judge(copy, mutant):
    """What became of a mutant that is in the copy's source: verdict, words."""
    path, _, at, *_ = mutant
    keep = {o: open(o, 'rb').read() for o in objects_of(copy, path)}
    whole = open(os.path.join(copy, path)).read()
    try:
        with open(os.path.join(copy, path), 'w') as f:
            f.write(whole[:at] + mutant[4] + whole[mutant[3]:])
        with open(os.path.join(copy, 'build/make.log'), 'w') as log:
            objects = [os.path.relpath(o, copy) for o in keep]
            if KERNEL.match(path):
                objects = ['build/obj/kernel/log']
            if not make(copy, objects, log):
                return 'did not build', ''
            if all(open(o, 'rb').read() == old for o, old in keep.items()):
                return 'same code', ''
            return hunt(copy, tests_of(path, whole, at), log,
                        said(whole, at))
    finally:
        with open(os.path.join(copy, path), 'w') as f:
            f.write(whole)
        for o, old in keep.items():
            with open(o, 'wb') as f:
                f.write(old)


def cases_saying(test, words):
    """The cases of a test program whose text has one of the words."""
    source = open(glob.glob('tests/*/%s.[cs]*' % test)[0]).read()
    begins = [*re.finditer(r'^(?:test_case |TEST\()(\w+)', source, re.M)]
    ends = [m.start() for m in begins[1:]] + [len(source)]
    return [m[1] for m, end in zip(begins, ends)
            if any(w in source[m.start():end] for w in words)]


def hunt(copy, tests, log, words):
    budget = BUDGET * min(3, max(1, os.getloadavg()[0] / os.cpu_count()))
    end = time.monotonic() + budget
    tried = []
    for test in tests:
        if time.monotonic() > end:
            break
        # Each call of make costs as much as some links.
        if len(tried) % BATCH == 0 and not make(copy, ['build/rngsim'] + [
                'build/tests/' + t for t in
                tests[len(tried):len(tried) + BATCH]], log):
            return 'did not build', ''
        tried.append(test[:-5])
        # No program uses all of the time, but for cases that see messages.
        until = min(end, time.monotonic() + budget / 4)
        first = cases_saying(test, words)
        for case in sorted(cases_of(clean, test), key=lambda c: c not in first):
            left = (end if case in first else until) - time.monotonic()
            if left < 0:
                break
            if finds(copy, test, case, min(left, LIMIT)):
                return 'killed', test + ':' + case
    return 'SURVIVED', ' '.join(tried)


def text_of(mutant):
    path, op, lo, hi, new = mutant
    text = open(path).read()
    old = ' '.join(text[lo:hi].split())
    return '%s:%d %s(): %s: %s%s' % (
        path, text.count('\n', 0, lo) + 1, function_at(text, lo), op,
        old[:60], '' if op.startswith('dropped') else
        ' -> ' + ' '.join(new.split())[:60])


def copy_tree(to):
    shutil.rmtree(os.path.join(to, 'lib'), ignore_errors=True)
    os.makedirs(to, exist_ok=True)
    for name in os.listdir('.'):
        if name != '.git' and os.path.abspath(name) != os.path.dirname(base):
            run(['cp', '-Rp', name, to], '.', 600)


def one(free, mutant):
    copy = free.get()
    try:
        verdict, words = judge(copy, mutant)
    finally:
        free.put(copy)
    print('%-13s %s\n%14s%s' % (verdict, text_of(mutant), '', words),
          flush=True)
    return mutant[0], verdict


def build_copies():
    shutil.rmtree(base, ignore_errors=True)
    copy_tree(clean)
    with open(os.path.join(base, 'make.log'), 'w') as log:
        if run([*MAKE, '-j2', 'tests-built'], clean, 3600, stdout=log,
               stderr=subprocess.STDOUT) != 0:
            sys.exit('mutate: the tree does not build: %s' % log.name)
        for i in range(WORKERS):
            copy = os.path.join(base, str(i))
            run(['cp', '-Rp', clean, copy], '.', 600)
            # Kernel objects have the paths of their files.
            os.remove(os.path.join(copy, 'build/obj/kernel/log'))
            make(copy, ['build/rngsim'], log)


def summary(results):
    verdicts = ('killed', 'SURVIVED', 'did not build', 'same code')
    count = collections.Counter()
    for path, verdict in results:
        for folder in (os.path.dirname(path), '~total'):
            count[folder, verdict] += 1
    print('\n%-16s %6s %8s %9s %9s %6s' % (
        'folder', 'killed', 'survived', 'not built', 'same code', 'score'))
    for folder in sorted({f for f, _ in count}):
        n = [count[folder, v] for v in verdicts]
        print('%-16s %6d %8d %9d %9d %5.0f%%' % (
            folder.strip('~'), *n, 100 * n[0] / max(1, n[0] + n[1])))


def main():
    # A shell's background job ignores it; tests send it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    build_copies()
    os.chdir(clean)
    free = queue.Queue()
    for i in range(WORKERS):
        free.put(os.path.join(base, str(i)))
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        summary(list(pool.map(lambda m: one(free, m), draw())))


if __name__ == '__main__':
    main()
