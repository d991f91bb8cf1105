/*
 * The Concurrency Kit's ticket lock with proportional back-off, twin of
 * ticket-pb.
 *
 * Idea: as ck-ticket, but a waiter counts in an empty loop between two looks,
 * once for each waiter ahead of it: Mellor-Crummey and Scott, "Algorithms for
 * Scalable Synchronization on Shared-Memory Multiprocessors", ACM TOCS 9(1),
 * 1991.  The caller may ask for 2^c rounds a waiter; its own tests ask for one,
 * and so does this.
 * Fairness: first come, first served.
 * Bytes: 4 or 8.  Uncontended: an atomic each way on x86, elsewhere one.
 */
#include "lib/lock_ck.h"

enum { BACKOFF_SHIFT = 0 };	/* rounds for a waiter ahead, as a power of 2 */

LOCK_STATE_FITS(ck_spinlock_ticket_t);

static ck_spinlock_ticket_t *
lock_of(struct lock *l)
{

	return (LOCK_CK_STATE(l, ck_spinlock_ticket_t));
}

static int
ticket_pb_init(struct lock *l)
{

	ck_spinlock_ticket_init(lock_of(l));
	return (0);
}

static bool
ticket_pb_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	bool held;

	(void)n;
	held = lock_ck_begin(l, w, LOCK_PROFILING &&
	    ck_spinlock_ticket_locked(lock_of(l)));
	ck_spinlock_ticket_lock_pb(lock_of(l), BACKOFF_SHIFT);
	return (lock_ck_end(w, held));
}

#ifdef CK_F_SPINLOCK_TICKET_TRYLOCK
static bool
ticket_pb_trylock(struct lock *l, struct lock_node *n)
{

	(void)n;
	return (ck_spinlock_ticket_trylock(lock_of(l)));
}
#else
#define	ticket_pb_trylock	NULL
#endif

static void
ticket_pb_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	ck_spinlock_ticket_unlock(lock_of(l));
}

static bool
ticket_pb_owned(struct lock *l)
{

	return (ck_spinlock_ticket_locked(lock_of(l)));
}

LOCK_CLASS(ck_ticket_pb) = {
	.lc_name	= "ck-ticket-pb",
	.lc_descr	= "ck-ticket; who is far behind looks less often",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_FIFO | LC_SPIN |
	    LC_ASSEMBLY,
	.lc_init	= ticket_pb_init,
	.lc_fini	= lock_ck_fini,
	.lc_lock	= ticket_pb_lock,
	.lc_trylock	= ticket_pb_trylock,
	.lc_unlock	= ticket_pb_unlock,
	.lc_owned	= ticket_pb_owned,
};
