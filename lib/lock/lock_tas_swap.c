/*
 * Test-and-set lock that only swaps.
 *
 * Idea: as tas, but a waiter swaps again and again, without a look or a pause
 * between.  Each swap takes the line from the owner and the other waiters, so
 * that a release waits behind them.  Benchmarks have it as the worst case:
 * swap_mutex of ARM's lockhammer.
 * Fairness: none.
 * Bytes: 4.  Uncontended: one atomic and one store.
 */
#include "lib/lock/tas.h"

static void __attribute__((noinline))
tas_wait(struct lock *l, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);

	lock_wait_begin(l, w);
	do {
		machine_failed_32(state_of(l), TAS_HELD);
		lock_spin_polled(&ls, 1);
	} while (atomic_swap_acq_32(state_of(l), TAS_HELD) != TAS_FREE);
	lock_wait_end(w);
}

TAS_CLASS(tas_swap, "tas-swap", "test-and-set: swaps until it was free",
    LK_SPIN_POLLS);
