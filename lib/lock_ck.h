/*
 * The Concurrency Kit's locks as kinds: what their adapters share.
 *
 * They are peers that nobody here wrote, and run as their authors wrote them.
 * So they never yield: with more threads than CPUs, handing one of those that
 * queue to a waiter without a CPU takes until the scheduler comes round, and
 * rngsim.lock.spin_polls does not help.  An adapter adds the indirect call that
 * every kind has and, where profiling is compiled in, a look at the lock before
 * joining it: an acquisition counts as contended when that look found it held.
 *
 * ck_cohort.h has a trylock that is not used: for a moment a failing one counts
 * as a waiter, and a release in that moment passes the lock on to nobody.
 */
#ifndef LIB_LOCK_CK_H
#define LIB_LOCK_CK_H

#include <ck_cohort.h>
#include <ck_spinlock.h>

#include "lib/lock.h"

/* What a kind keeps in the lock, in an acquisition. */
#define	LOCK_CK_STATE(l, type)	((type *)(void *)(l)->lo_state)
#define	LOCK_CK_NODE(n, type)	((type *)(void *)(n)->ln_state)

/*
 * Around an acquisition: begins and ends its wait if it is going to wait.
 *
 *   held  in  whether the lock was found held; false without LOCK_PROFILING
 *
 * Returns: held, for lc_lock to return.
 */
static inline bool
lock_ck_begin(struct lock *l, struct lock_wait *w, bool held)
{

	if (held)
		lock_wait_begin(l, w);
	return (held);
}

static inline bool
lock_ck_end(struct lock_wait *w, bool held)
{

	if (held)
		lock_wait_end(w);
	return (held);
}

/* All there is to undo, lock_fini() does. */
static inline void
lock_ck_fini(struct lock *l)
{

	(void)l;
}

#endif
