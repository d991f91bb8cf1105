/*
 * Linux's queued spin lock.
 *
 * Source: described after kernel/locking/qspinlock.c, W. Long, P. Zijlstra,
 * Linux 4.2 and later.
 * Idea: one word holds a locked byte, a pending bit and the tail of an MCS
 * queue.  The first waiter takes the pending bit and spins on the word, so that
 * two threads seldom need a node.  Later ones queue on nodes of their own.  The
 * head of the queue waits until neither an owner nor a pending waiter is left,
 * takes the lock, and lets the next become head.
 * Fairness: FIFO from the pending bit or a place in the queue on.  One waiter
 * without a CPU stops all behind it.
 * Bytes: 4, and a line for each thread.  Uncontended: one atomic and one store.
 *
 * Departs: Linux's nodes are of CPUs and serve all locks; these are of threads.
 * A bit is set by compare-and-set, not by fetch-and-or.
 */
#include "lib/lock/qspin.h"

QSPIN_KIND(qspin, "qspin", "Linux: one waiter on the word, others queue",
    LC_FIFO, 0);
