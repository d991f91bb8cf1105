/*
 * Test-and-set lock that tests before it sets.
 *
 * Paper: L. Rudolph, Z. Segall, "Dynamic decentralized cache schemes for MIMD
 * parallel processors", ISCA 1984.
 * Idea: a thread that swaps 1 into the word and gets 0 owns the lock.  A waiter
 * reads the word in its own cache until it is 0, and only then swaps.  A
 * release, which stores 0, sends the line to all waiters, and all swap.
 * Fairness: none; the waiter nearest to the line wins.
 * Bytes: 4.  Uncontended: one atomic and one store.
 */
#include "lib/lock/tas.h"

TAS_CLASS(tas, "tas", "test-and-test-and-set: swap when seen free",
    LK_SPIN_POLLS);
