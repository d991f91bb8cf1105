/*
 * The Concurrency Kit's fetch-and-store lock, twin of tas.
 *
 * Idea: exchange 1 into the word; who got 0 owns it.  The others read the word
 * until it is 0 and exchange again, so that they wait in their own caches:
 * Rudolph and Segall, "Dynamic Decentralized Cache Schemes for MIMD Parallel
 * Processors", ISCA 1984.  A release stores 0, and all waiters rush at it.
 * Fairness: none; a waiter may starve.
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
fas_init(struct lock *l)
{

	ck_spinlock_fas_init(lock_of(l));
	return (0);
}

static bool
fas_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	bool held;

	(void)n;
	held = lock_ck_begin(l, w, LOCK_PROFILING &&
	    ck_spinlock_fas_locked(lock_of(l)));
	ck_spinlock_fas_lock(lock_of(l));
	return (lock_ck_end(w, held));
}

static bool
fas_trylock(struct lock *l, struct lock_node *n)
{

	(void)n;
	return (ck_spinlock_fas_trylock(lock_of(l)));
}

static void
fas_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	ck_spinlock_fas_unlock(lock_of(l));
}

static bool
fas_owned(struct lock *l)
{

	return (ck_spinlock_fas_locked(lock_of(l)));
}

LOCK_CLASS(ck_fas) = {
	.lc_name	= "ck-fas",
	.lc_descr	= "test-and-set, of the Concurrency Kit",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN |
	    LC_ASSEMBLY,
	.lc_init	= fas_init,
	.lc_fini	= lock_ck_fini,
	.lc_lock	= fas_lock,
	.lc_trylock	= fas_trylock,
	.lc_unlock	= fas_unlock,
	.lc_owned	= fas_owned,
};
