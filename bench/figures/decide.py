# Prints the errors of predicted ratios of two locks, for the profiles' model.*,
# and how many answers of "decide" are right on machines left out of them.
#
#	decide.py RNGSIM FOLDER
#
# It asks of each pair of locks that was published with as many threads whether
# one gives 10 % more than the other, with what the other machines say of errors.
# FOLDER is the root of the source tree.
import collections
import csv
import itertools
import math
import re
import statistics
import subprocess
import sys

BY = math.log(1.1)
KINDS = 'alike', 'queues', 'pair'
QUEUES = {'qspin', 'cna', 'hmcs'}	# of the kinds in the sets
program, root = sys.argv[1:]
normal = statistics.NormalDist()


def kind_of(a, b, predicted):
    return ('pair' if not {a, b} <= QUEUES else
            'alike' if abs(math.expm1(predicted)) < 0.01 else 'queues')


def ratios(name):
    """Kind and logarithms, published and predicted, of ratios of rates."""
    rows = csv.DictReader(subprocess.run(
        [program, 'reproduce', name, '--format', 'csv'], check=True,
        capture_output=True, text=True).stdout.splitlines())
    groups = collections.defaultdict(list)
    for row in rows:
        values = [math.log(float(value)) for key, value in row.items()
                  if re.match('published|predicted', key)]
        if '/' in row['simulated']:
            yield kind_of(*row['simulated'].split('/'), values[1]), *values
        else:
            groups[row['group'], row['threads']].append(
                (row['simulated'], *values))
    for group in groups.values():
        for a, b in itertools.combinations(group, 2):
            if a[0] != b[0]:
                yield kind_of(a[0], b[0], b[2] - a[2]), b[1] - a[1], b[2] - a[2]


def error(found, kind, without):
    """What 80 % of the errors of a kind are within, each set alike."""
    errors = sorted(
        (abs(predicted - published), 1 / sum(k == kind for k, *_ in rows))
        for (_, machine), rows in found.items() if machine != without
        for k, published, predicted in rows if k == kind)
    weights = list(itertools.accumulate(weight for _, weight in errors))
    return next(e for (e, _), w in zip(errors, weights)
                if w >= 0.8 * weights[-1])


def show(name, count):
    print(f'{name:17}', *(f'{count[key]:7}' for key in (
        1, (1, True), -1, (-1, True), 0)))


def main():
    with open(f'{root}/bench/predict/reproduce.tbl') as f:
        sets = re.findall(r'PUBLISHED\("([^"]*)",\s*"[^"]*",\s*"([^"]*)",',
                          f.read())
    found = {one: rows for one in sets if (rows := list(ratios(one[0])))}
    print('errors of ratios:', *(
        f'{kind} {math.expm1(error(found, kind, None)):.2f}' for kind in KINDS))
    print('10 % more?            yes   right      no   right  cannot say')
    total = collections.Counter()
    for (name, machine), rows in found.items():
        width = {kind: error(found, kind, machine) / normal.inv_cdf(0.9)
                 for kind in KINDS}
        count = collections.Counter()
        for kind, published, predicted in rows:
            for sign in 1, -1:
                chance = normal.cdf((sign * predicted - BY) / width[kind])
                answer = 1 if chance >= 0.9 else -1 if chance <= 0.1 else 0
                count[answer] += 1
                count[answer, (sign * published > BY) == (answer == 1)] += 1
        show(name, count)
        total += count
    show('all', total)


main()
