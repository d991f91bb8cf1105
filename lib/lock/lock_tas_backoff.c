/*
 * Test-and-set lock with exponential back-off.
 *
 * Paper: T. E. Anderson, "The performance of spin lock alternatives for
 * shared-memory multiprocessors", IEEE TPDS 1(1), 1990.
 * Idea: as tas, but a waiter that failed pauses before it tries again, by
 * mtx(9)'s delays (lib/lock/spin.h).  Fewer waiters compete for the line at a
 * release; the lock may stay free until one looks.
 * Fairness: none, and worse than tas: long waiters look seldom.
 * Bytes: 4.  Uncontended: one atomic and one store.
 */
#define	TAS_OWN_WAIT
#include "lib/lock/tas.h"

static void
tas_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct lock_delay_arg lda = lock_delay_arg_init(&l->lo_config);

	do {
		lock_spin_pause(w, lock_delay_next(&lda));
	} while (!tas_trylock(l, n));
}

TAS_CLASS(tas_backoff, "tas-backoff", "tas with exponential back-off",
    LK_DELAY | LK_STARVATION | LK_SPIN_POLLS);
