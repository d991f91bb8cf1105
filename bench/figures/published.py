# How well three values of the profiles predict what they were not fitted to.
#
#	published.py RNGSIM PROFILES SCRATCH
#
# Predicts lockhammer's three x86 machines with each setting of a grid, and fits
# by choosing the one whose error is least: the mean, over machines and locks,
# of the median absolute errors.  Then fits again without one machine, lock or
# range of threads, and prints the error of what was left out.
import csv
import itertools
import os
import re
import statistics
import subprocess
import sys

MACHINES = {'lockhammer-x86-1': 'epyc-7551p',
            'lockhammer-x86-2': 'xeon-skylake-24c',
            'lockhammer-x86-3': 'xeon-e5-2699v4-2s'}
GRID = {'line.service': (0.4, 0.5), 'line.local': (0.1, 0.2, 0.4),
        'line.ahead': (0.5, 0.6, 0.7)}
THREADS = '2,4,8,16,24,32,44,64,88'
RANGES = ((2, 8), (12, 24), (32, 88))


def predict(program, profiles, scratch, name, setting):
    with open(f'{profiles}/{MACHINES[name]}.conf') as f:
        text = f.read()
    for key, value in setting.items():
        text = re.sub(f'^{re.escape(key)} =.*\n', '', text, flags=re.M)
        text += f'{key} = {value} guessed "one of a grid"\n'
    path = f'{scratch}/cross.conf'
    with open(path, 'w') as f:
        f.write(text)
    out = subprocess.run(
        [program, 'reproduce', name, '--profile', path, '--threads', THREADS,
         '--format', 'csv'], check=True, capture_output=True, text=True).stdout
    return {(name, row['lock'], int(row['threads']), row['group']):
            abs(float(row['off'])) for row in csv.DictReader(out.splitlines())}


def median(errors, keys):
    return statistics.median(errors[key] for key in keys)


def score(errors, keys):
    cells = {}
    for key in keys:
        cells.setdefault(key[:2], []).append(key)
    return statistics.mean(median(errors, cell) for cell in cells.values())


def main(program, profiles, scratch):
    settings = [dict(zip(GRID, values))
                for values in itertools.product(*GRID.values())]
    tried = []
    for setting in settings:
        errors = {}
        for name in MACHINES:
            errors.update(predict(program, profiles, scratch, name, setting))
        tried.append((errors, setting))

    def fit(keys):
        return min(tried, key=lambda t: score(t[0], keys))

    keys = list(tried[0][0])
    errors, setting = fit(keys)
    print('fitted to all:', ', '.join(f'{k} {v}' for k, v in setting.items()))
    print('left out          points  fitted  left out')
    folds = [(name, lambda key, name=name: key[0] == name)
             for name in MACHINES]
    folds += [(lock, lambda key, lock=lock: key[1] == lock)
              for lock in sorted({key[1] for key in keys})]
    folds += [(f'{low} to {high} threads',
               lambda key, low=low, high=high: low <= key[2] <= high)
              for low, high in RANGES]
    for name, out in folds:
        test = [key for key in keys if out(key)]
        without = fit([key for key in keys if not out(key)])[0]
        print(f'{name:18}{len(test):6}{100 * median(errors, test):8.1f}'
              f'{100 * median(without, test):10.1f}')


os.makedirs(sys.argv[3], exist_ok=True)
main(*sys.argv[1:])
