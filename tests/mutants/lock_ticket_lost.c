/*
 * A ticket lock whose dispenser loses a number when two draw at once.
 */
#define	MUTANT	mutant_lock_ticket_lost
#include "tests/mutants/mutant.h"
#include "lib/lock.h"
#include "lib/lock_spin.h"

struct broken {
	struct m32	b_next;
	struct m32	b_serving;
};

LOCK_STATE_FITS(struct broken);

static struct broken *
of(struct lock *l)
{

	return ((struct broken *)(void *)l->lo_state);
}

static int
broken_init(struct lock *l)
{

	atomic_init_32(&of(l)->b_next, 0);
	atomic_init_32(&of(l)->b_serving, 0);
	return (0);
}

static void
broken_fini(struct lock *l)
{

	(void)l;
}

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);
	uint32_t ticket;

	(void)n;
	ticket = atomic_load_32(&of(l)->b_next);
	atomic_store_32(&of(l)->b_next, ticket + 1);
	lock_wait_begin(l, w);
	while (atomic_load_acq_32(&of(l)->b_serving) != ticket)
		lock_spin_is_32(&ls, &of(l)->b_serving, ticket);
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	atomic_store_rel_32(&of(l)->b_serving,
	    atomic_load_32(&of(l)->b_serving) + 1);
}

static bool
broken_owned(struct lock *l)
{

	(void)l;
	return (true);
}

extern const struct lock_class MUTANT_OWN(lock);
const struct lock_class MUTANT_OWN(lock) = {
	.lc_name	= "mtx",
	.lc_flags	= LC_EXCLUDES | LC_SPIN | LC_FIFO,
	.lc_init	= broken_init,
	.lc_fini	= broken_fini,
	.lc_lock	= broken_lock,
	.lc_unlock	= broken_unlock,
	.lc_owned	= broken_owned,
};
