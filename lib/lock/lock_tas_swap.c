/*
 * Test-and-set lock that only swaps.
 *
 * Idea: as tas, but a waiter only swaps.  Each swap takes the line from the
 * owner and the other waiters, so that a release waits behind them: the worst
 * case of benchmarks, swap_mutex of ARM's lockhammer.
 * Fairness: none.
 * Bytes: 4.  Uncontended: one atomic and one store.
 */
#define	TAS_OWN_WAIT
#include "lib/lock/tas.h"

static void
tas_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	do {
		machine_failed_32(state_of(l), TAS_HELD);
		lock_spin_polled(w, 1);
	} while (!tas_enter(l, n));
}

TAS_CLASS(tas_swap, "tas-swap", "test-and-set: swaps until it was free",
    LK_SPIN_POLLS);
