/*
 * A ticket lock whose dispenser loses a number when two draw at once.
 */
#define	MUTANT	mutant_lock_ticket_lost
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_lock.h"

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);
	uint32_t ticket;

	(void)n;
	ticket = atomic_load_32(&state_of(l)->b_word);
	atomic_store_32(&state_of(l)->b_word, ticket + 1);
	lock_wait_begin(l, w);
	while (atomic_load_acq_32(&state_of(l)->b_other) != ticket)
		lock_spin_is_32(&ls, &state_of(l)->b_other, ticket);
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{
	(void)n;
	atomic_store_rel_32(&state_of(l)->b_other,
	    atomic_load_32(&state_of(l)->b_other) + 1);
}

MUTANT_LOCK(LC_SPIN | LC_FIFO);
