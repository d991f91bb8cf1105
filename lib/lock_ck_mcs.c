/*
 * The Concurrency Kit's MCS lock, twin of mcs.
 *
 * Idea: exchange one's own node into the tail word, tell the predecessor where
 * it is, and wait on it; the owner wakes its successor by one store there:
 * Mellor-Crummey and Scott, "Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors", ACM TOCS 9(1), 1991.  Each waits on a line of
 * its own, so a hand-over costs two misses however many wait.
 * Fairness: first come, first served.
 * Bytes: a pointer, and two words an acquisition.  Uncontended: an atomic each
 * way.
 */
#include "lib/lock_ck.h"

LOCK_STATE_FITS(ck_spinlock_mcs_t);
LOCK_NODE_FITS(ck_spinlock_mcs_context_t);

static ck_spinlock_mcs_t *
lock_of(struct lock *l)
{

	return (LOCK_CK_STATE(l, ck_spinlock_mcs_t));
}

static int
mcs_init(struct lock *l)
{

	ck_spinlock_mcs_init(lock_of(l));
	return (0);
}

static bool
mcs_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	bool held;

	held = lock_ck_begin(l, w, LOCK_PROFILING &&
	    ck_spinlock_mcs_locked(lock_of(l)));
	ck_spinlock_mcs_lock(lock_of(l),
	    LOCK_CK_NODE(n, ck_spinlock_mcs_context_t));
	return (lock_ck_end(w, held));
}

static bool
mcs_trylock(struct lock *l, struct lock_node *n)
{

	return (ck_spinlock_mcs_trylock(lock_of(l),
	    LOCK_CK_NODE(n, ck_spinlock_mcs_context_t)));
}

static void
mcs_unlock(struct lock *l, struct lock_node *n)
{

	ck_spinlock_mcs_unlock(lock_of(l),
	    LOCK_CK_NODE(n, ck_spinlock_mcs_context_t));
}

static bool
mcs_owned(struct lock *l)
{

	return (ck_spinlock_mcs_locked(lock_of(l)));
}

LOCK_CLASS(ck_mcs) = {
	.lc_name	= "ck-mcs",
	.lc_descr	= "MCS, of the Concurrency Kit",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_FIFO | LC_SPIN |
	    LC_ASSEMBLY,
	.lc_init	= mcs_init,
	.lc_fini	= lock_ck_fini,
	.lc_lock	= mcs_lock,
	.lc_trylock	= mcs_trylock,
	.lc_unlock	= mcs_unlock,
	.lc_owned	= mcs_owned,
};
