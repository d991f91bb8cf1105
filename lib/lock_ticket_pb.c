/*
 * Ticket lock with proportional back-off.
 *
 * Paper: J. M. Mellor-Crummey, M. L. Scott, "Algorithms for scalable
 * synchronization on shared-memory multiprocessors", ACM TOCS 9(1), 1991.
 * Idea: a ticket lock whose number being served tells a waiter how many are
 * ahead of it.  It stays away for so many pauses for each of them
 * (rngsim.lock.ticket_pauses) and then looks again, so that the line is read
 * about once in a hand-over rather than by everybody all the time.  Too few
 * pauses and it is a ticket lock, too many and the lock waits for its waiter.
 * Fairness: FIFO, as ticket.
 * Bytes: 8.  Uncontended: one atomic and one store.
 */
#include "lib/lock.h"
#include "lib/lock_spin.h"

struct ticket_pb {
	struct m32	tp_next;		/* the dispenser */
	struct m32	tp_serving;
};

LOCK_STATE_FITS(struct ticket_pb);

static struct ticket_pb *
ticket_pb_of(struct lock *l)
{

	return ((struct ticket_pb *)(void *)l->lo_state);
}

static int
ticket_pb_init(struct lock *l)
{

	atomic_init_32(&ticket_pb_of(l)->tp_next, 0);
	atomic_init_32(&ticket_pb_of(l)->tp_serving, 0);
	return (0);
}

static bool
ticket_pb_owned(struct lock *l)
{

	return (machine_note_load_32(&ticket_pb_of(l)->tp_next) !=
	    machine_note_load_32(&ticket_pb_of(l)->tp_serving));
}

static void
ticket_pb_fini(struct lock *l)
{

	KASSERT(!ticket_pb_owned(l), ("%s is owned", l->lo_name));
}

static void __attribute__((noinline))
ticket_pb_wait(struct lock *l, uint32_t ticket, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);
	struct m32 *serving = &ticket_pb_of(l)->tp_serving;
	uint32_t ahead;

	lock_wait_begin(l, w);
	while ((ahead = ticket - atomic_load_acq_32(serving)) != 0)
		lock_spin_pause(&ls, ahead * l->lo_config.ticket_pauses);
	lock_wait_end(w);
}

static bool
ticket_pb_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct ticket_pb *t = ticket_pb_of(l);
	uint32_t ticket;

	(void)n;
	ticket = atomic_fetchadd_32(&t->tp_next, 1);
	if (atomic_load_acq_32(&t->tp_serving) == ticket)
		return (false);
	ticket_pb_wait(l, ticket, w);
	return (true);
}

/*
 * Draws the number being served if nobody has: then it is served still, as only
 * its owner ends that.
 */
static bool
ticket_pb_trylock(struct lock *l, struct lock_node *n)
{
	struct ticket_pb *t = ticket_pb_of(l);
	uint32_t serving;

	(void)n;
	serving = atomic_load_acq_32(&t->tp_serving);
	return (atomic_load_32(&t->tp_next) == serving &&
	    atomic_cmpset_acq_32(&t->tp_next, serving, serving + 1));
}

static void
ticket_pb_unlock(struct lock *l, struct lock_node *n)
{
	struct ticket_pb *t = ticket_pb_of(l);

	(void)n;
	MPASS(ticket_pb_owned(l));
	atomic_store_rel_32(&t->tp_serving, atomic_load_32(&t->tp_serving) + 1);
}

LOCK_CLASS(ticket_pb) = {
	.lc_name	= "ticket-pb",
	.lc_descr	= "ticket; who is far behind looks less often",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN | LC_FIFO,
	.lc_knobs	= LK_SPIN_POLLS | LK_TICKET_PAUSES,
	.lc_init	= ticket_pb_init,
	.lc_fini	= ticket_pb_fini,
	.lc_lock	= ticket_pb_lock,
	.lc_trylock	= ticket_pb_trylock,
	.lc_unlock	= ticket_pb_unlock,
	.lc_owned	= ticket_pb_owned,
};
