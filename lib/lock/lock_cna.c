/*
 * The compact NUMA-aware lock, CNA, as the slow path of Linux's spin lock.
 *
 * Paper: D. Dice, A. Kogan, "Compact NUMA-aware locks", EuroSys 2019.
 * Source: described after A. Kogan's patches of kernel/locking/qspinlock_cna.h,
 * versions 2 to 15, 2019 to 2021.
 * Idea: a queued spin lock (lib/lock/lock_qspin.c) whose head, while it still
 * waits, looks for the first waiter of its own NUMA node.  Those before it it
 * moves to a secondary queue, which is passed on with the place at the head.
 * When its node has no other waiter, or after a number of hand-overs, the
 * secondary queue goes before the main one.
 * Fairness: FIFO within a node; a waiter passed over waits for at most
 * rngsim.lock.numa_threshold hand-overs for each node whose turn comes first.
 * Bytes: 4, and a line for each thread.  Uncontended: one atomic and one store.
 *
 * Departs: the threshold counts, as in versions 3 to 10; later ones take 1 or
 * 10 ms.  The paper has the owner search, when it releases, and draws.
 */
#define	QSPIN_NUMA	true

#include "lib/lock/qspin.h"

QSPIN_KIND(cna, "cna", "qspin; waiters of the head's NUMA node first", 0,
    LK_NUMA_THRESHOLD | LK_NODES);
