/*
 * The Concurrency Kit's fetch-and-store lock with back-off, twin of
 * tas-backoff.
 *
 * Idea: exchange 1 into the word; who did not get 0 counts in an empty loop, to
 * 512 at first and twice as far each time up to 2^20, and exchanges again:
 * Anderson, "The Performance of Spin Lock Alternatives for Shared-Memory
 * Multiprocessors", IEEE TPDS 1(1), 1990.  A waiter does not look in between,
 * so the lock may lie free while all wait.
 * Fairness: none; who waited long looks seldom, and newcomers win.
 * Bytes: 4.  Uncontended: one atomic to acquire, a store to release.
 */
#include "lib/lock_ck.h"

LOCK_STATE_FITS(ck_spinlock_fas_t);

static ck_spinlock_fas_t *
lock_of(struct lock *l)
{

	return (LOCK_CK_STATE(l, ck_spinlock_fas_t));
}

static int
fas_eb_init(struct lock *l)
{

	ck_spinlock_fas_init(lock_of(l));
	return (0);
}

static bool
fas_eb_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	bool held;

	(void)n;
	held = lock_ck_begin(l, w, LOCK_PROFILING &&
	    ck_spinlock_fas_locked(lock_of(l)));
	ck_spinlock_fas_lock_eb(lock_of(l));
	return (lock_ck_end(w, held));
}

static bool
fas_eb_trylock(struct lock *l, struct lock_node *n)
{

	(void)n;
	return (ck_spinlock_fas_trylock(lock_of(l)));
}

static void
fas_eb_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	ck_spinlock_fas_unlock(lock_of(l));
}

static bool
fas_eb_owned(struct lock *l)
{

	return (ck_spinlock_fas_locked(lock_of(l)));
}

LOCK_CLASS(ck_fas_eb) = {
	.lc_name	= "ck-fas-eb",
	.lc_descr	= "ck-fas with exponential back-off",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN |
	    LC_ASSEMBLY,
	.lc_init	= fas_eb_init,
	.lc_fini	= lock_ck_fini,
	.lc_lock	= fas_eb_lock,
	.lc_trylock	= fas_eb_trylock,
	.lc_unlock	= fas_eb_unlock,
	.lc_owned	= fas_eb_owned,
};
