/*
 * Ticket lock.
 *
 * Papers: D. P. Reed, R. K. Kanodia, "Synchronization with eventcounts and
 * sequencers", CACM 22(2), 1979; as a spin lock J. M. Mellor-Crummey,
 * M. L. Scott, "Algorithms for scalable synchronization on shared-memory
 * multiprocessors", ACM TOCS 9(1), 1991.
 * Idea: as at a counter with a ticket dispenser: a thread draws the next number
 * with one fetch-and-add and waits until that number is served.  Releasing
 * serves the next.  Numbers wrap, which does no harm.  All waiters read the
 * same word, so each release sends the line to all of them.
 * Fairness: FIFO.  One waiter without a CPU stops all behind it.
 * Bytes: 8.  Uncontended: one atomic and one store; only the owner writes the
 * number being served.
 */
#include "lib/lock.h"
#include "lib/lock_spin.h"

struct ticket {
	struct m32	t_next;		/* the dispenser */
	struct m32	t_serving;
};

LOCK_STATE_FITS(struct ticket);

static struct ticket *
ticket_of(struct lock *l)
{

	return ((struct ticket *)(void *)l->lo_state);
}

static int
ticket_init(struct lock *l)
{

	atomic_init_32(&ticket_of(l)->t_next, 0);
	atomic_init_32(&ticket_of(l)->t_serving, 0);
	return (0);
}

static bool
ticket_owned(struct lock *l)
{

	return (machine_note_load_32(&ticket_of(l)->t_next) !=
	    machine_note_load_32(&ticket_of(l)->t_serving));
}

static void
ticket_fini(struct lock *l)
{

	KASSERT(!ticket_owned(l), ("%s is owned", l->lo_name));
}

static void __attribute__((noinline))
ticket_wait(struct lock *l, uint32_t ticket, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);
	struct m32 *serving = &ticket_of(l)->t_serving;

	lock_wait_begin(l, w);
	while (atomic_load_acq_32(serving) != ticket)
		lock_spin_is_32(&ls, serving, ticket);
	lock_wait_end(w);
}

static bool
ticket_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct ticket *t = ticket_of(l);
	uint32_t ticket;

	(void)n;
	ticket = atomic_fetchadd_32(&t->t_next, 1);
	if (atomic_load_acq_32(&t->t_serving) == ticket)
		return (false);
	ticket_wait(l, ticket, w);
	return (true);
}

/*
 * Draws the number being served if nobody has: then it is served still, as only
 * its owner ends that.
 */
static bool
ticket_trylock(struct lock *l, struct lock_node *n)
{
	struct ticket *t = ticket_of(l);
	uint32_t serving;

	(void)n;
	serving = atomic_load_acq_32(&t->t_serving);
	return (atomic_load_32(&t->t_next) == serving &&
	    atomic_cmpset_acq_32(&t->t_next, serving, serving + 1));
}

static void
ticket_unlock(struct lock *l, struct lock_node *n)
{
	struct ticket *t = ticket_of(l);

	(void)n;
	MPASS(ticket_owned(l));
	atomic_store_rel_32(&t->t_serving, atomic_load_32(&t->t_serving) + 1);
}

LOCK_CLASS(ticket) = {
	.lc_name	= "ticket",
	.lc_descr	= "draw a number, wait until it is served",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN | LC_FIFO,
	.lc_knobs	= LK_SPIN_POLLS,
	.lc_init	= ticket_init,
	.lc_fini	= ticket_fini,
	.lc_lock	= ticket_lock,
	.lc_trylock	= ticket_trylock,
	.lc_unlock	= ticket_unlock,
	.lc_owned	= ticket_owned,
};
