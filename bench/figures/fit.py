# Fits the constants of the model, and prints how well it predicts a machine
# that it was not fitted to.
#
#	fit.py RNGSIM FOLDER SCRATCH [POINTS]
#
# The keys of BOX are fitted together on all sets of bench/predict/reproduce.tbl
# but one of a single figure: the least mean square of the errors' logarithms,
# each machine alike.  POINTS settings are tried from the box, and as many from
# one of half the size around the best.  A machine that is left out is predicted
# with the best one for the others.  FOLDER is the root of the source tree.
import collections
import csv
import math
import os
import re
import subprocess
import sys
import numpy
import scipy.stats

THREADS = '2,3,4,6,8,16,24,32,36,44,64,72,88,142'
HOLD = 'KERNEL_HOLD_NS'		# of bench/predict/published.c
BOX = {'line.service': (0.25, 0.5), 'line.keep': (0, 0.05),
       'line.local': (0.15, 0.65), 'line.ahead': (0.4, 0.75), HOLD: (60, 120)}
NOT_FITTED = 'uuid-graviton2', 'futex-e5'
program, root, scratch = sys.argv[1:4]
os.makedirs(scratch, exist_ok=True)
points = int([*sys.argv, 40][4])
KEY = {words[0]: 'model.sleep' if words[1] == 'sleeps' else 'model.fifo'
       if words[2] == 'fifo' else 'model.other' for words in (
           line.split() for line in subprocess.run(
               [program, 'list', 'locks'], check=True, capture_output=True,
               text=True).stdout.splitlines()) if len(words) > 3}
with open(f'{root}/bench/predict/reproduce.tbl') as f:
    # Not those of ratios, whose maps have A/B.
    SETS = re.findall(r'PUBLISHED\("([^"]*)",\s*"[^"]*",\s*"([^"]*)",'
                      r'\s*(?:\w+|"[^"/]*"),', f.read())
machines = list(dict.fromkeys(machine for _, machine in SETS))


def predict(name, machine, x):
    """Rows of a set: kind of lock, log of predicted over published."""
    with open(f'{root}/lib/profile/{machine}.conf') as f:
        text = f.read()
    more = []
    for key, value in zip(BOX, x):
        if key != HOLD:
            text = re.sub(f'^{re.escape(key)} =.*\n', '', text, flags=re.M)
            text += f'{key} = {value:.6g} fitted "tried"\n'
        elif re.match('locktorture|open1|lock2', name):
            more = ['--hold', f'{value:.6g}']
    path = f'{scratch}/{os.getpid()}.conf'
    with open(path, 'w') as f:
        f.write(text)
    out = subprocess.run(
        [program, 'reproduce', name, '--profile', path, '--threads', THREADS,
         '--format', 'csv', *more], check=True, capture_output=True,
        text=True).stdout
    return [(row['simulated'], math.log1p(float(row['off'])))
            for row in csv.DictReader(out.splitlines())]


def explore(low, high):
    """Settings with all predictions."""
    u = scipy.stats.qmc.LatinHypercube(len(low), seed=1).random(points)
    return [(x, {name: predict(name, machine, x) for name, machine in SETS})
            for x in low + u * (high - low)]


def best(tried, without):
    """The setting and predictions of the least mean square."""
    return min(tried, key=lambda one: sum(numpy.mean([numpy.mean([
        error ** 2 for _, error in one[1][name]]) for name, of in SETS
        if of == machine and name not in NOT_FITTED])
        for machine in machines if machine != without))


def show(title, *of):
    print(f'{title:18}{len(of[0]):6}', *(
        f'{100 * numpy.quantile(numpy.abs(numpy.expm1(errors)), q):8.1f}'
        for errors in ([row[1] for row in rows] for rows in of)
        for q in (0.5, 0.9)))


def main():
    low, high = numpy.array(list(BOX.values()), dtype=float).T
    tried = explore(low, high)
    centre, half = best(tried, None)[0], (high - low) / 4
    tried += explore(numpy.maximum(centre - half, low),
                     numpy.minimum(centre + half, high))
    x, fitted = best(tried, None)
    print('fitted:', ', '.join(f'{k} {v:.3g}' for k, v in zip(BOX, x)))
    print('set               points  median     90 % left out     90 %')
    kinds = collections.defaultdict(list)
    for machine in machines:
        out, left_out = best(tried, machine)
        print('  without', machine, *(f'{value:.3g}' for value in out))
        for name, of in SETS:
            if of == machine:
                rows = left_out[name]
                show(name, fitted[name], rows)
                for kind, error in rows if name not in NOT_FITTED else ():
                    for key in kind, KEY[kind]:
                        kinds[key].append((abs(error), 1 / len(rows)))
    print('80 % of the errors of each kind left out, each set alike:')
    for kind, errors in sorted(kinds.items()):
        errors.sort()
        weights = numpy.cumsum([weight for _, weight in errors])
        at = numpy.searchsorted(weights, 0.8 * weights[-1])
        print(f'  {kind:12}{math.expm1(errors[at][0]):6.2f}')


main()
