# The M/M/1 queue of bench/figures/figures_virtual.c in SimPy.
#
#	mm1.py CUSTOMERS SEED
#
# Prints the customers, SimPy's events and the seconds.
import random
import sys
import time

import simpy

LOAD = 0.8


def server(env, store, draw, left):
    for _ in range(left):
        yield store.get()
        yield env.timeout(draw(1.0))


def main(customers, seed):
    draw = random.Random(seed).expovariate
    env = simpy.Environment()
    store = simpy.Store(env)

    def producer():
        for i in range(customers):
            yield env.timeout(draw(LOAD))
            store.put(i)

    env.process(producer())
    done = env.process(server(env, store, draw, customers))
    events = 0
    start = time.perf_counter()
    while not done.processed:
        env.step()
        events += 1
    print(customers, events, time.perf_counter() - start)


main(int(sys.argv[1]), int(sys.argv[2]))
