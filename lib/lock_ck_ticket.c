/*
 * The Concurrency Kit's ticket lock, twin of ticket.
 *
 * Idea: draw a number, wait until it is called; the owner calls the next.  Reed
 * and Kanodia, "Synchronization with Eventcounts and Sequencers", CACM 22(2),
 * 1979; as a lock, Mellor-Crummey and Scott, ACM TOCS 9(1), 1991.  On x86 both
 * numbers are halves of one word, elsewhere two words.  All waiters read the
 * word of the number called, so a hand-over costs each of them a miss.
 * Fairness: first come, first served.
 * Bytes: 4 or 8.  Uncontended: an atomic each way on x86, elsewhere one.
 */
#include "lib/lock_ck.h"

LOCK_STATE_FITS(ck_spinlock_ticket_t);

static ck_spinlock_ticket_t *
lock_of(struct lock *l)
{

	return (LOCK_CK_STATE(l, ck_spinlock_ticket_t));
}

static int
ticket_init(struct lock *l)
{

	ck_spinlock_ticket_init(lock_of(l));
	return (0);
}

static bool
ticket_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	bool held;

	(void)n;
	held = lock_ck_begin(l, w, LOCK_PROFILING &&
	    ck_spinlock_ticket_locked(lock_of(l)));
	ck_spinlock_ticket_lock(lock_of(l));
	return (lock_ck_end(w, held));
}

#ifdef CK_F_SPINLOCK_TICKET_TRYLOCK
static bool
ticket_trylock(struct lock *l, struct lock_node *n)
{

	(void)n;
	return (ck_spinlock_ticket_trylock(lock_of(l)));
}
#else
#define	ticket_trylock	NULL
#endif

static void
ticket_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	ck_spinlock_ticket_unlock(lock_of(l));
}

static bool
ticket_owned(struct lock *l)
{

	return (ck_spinlock_ticket_locked(lock_of(l)));
}

LOCK_CLASS(ck_ticket) = {
	.lc_name	= "ck-ticket",
	.lc_descr	= "ticket, of the Concurrency Kit",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_FIFO | LC_SPIN |
	    LC_ASSEMBLY,
	.lc_init	= ticket_init,
	.lc_fini	= lock_ck_fini,
	.lc_lock	= ticket_lock,
	.lc_trylock	= ticket_trylock,
	.lc_unlock	= ticket_unlock,
	.lc_owned	= ticket_owned,
};
