/*
 * A queue that a thread jumps when it finds the lock free: a waiter may be
 * passed any number of times.
 */
#define	MUTANT	mutant_lock_barges
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_lock.h"

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);
	uint32_t ticket;

	(void)n;
	if (atomic_cmpset_acq_32(&state_of(l)->b_word, 0, 1))
		return (false);
	lock_wait_begin(l, w);
	/* b_list counts the tickets, b_other those that were served. */
	do
		ticket = (uint32_t)atomic_load_ptr(&state_of(l)->b_list);
	while (!atomic_cmpset_acq_ptr(&state_of(l)->b_list, ticket,
	    ticket + 1));
	while (atomic_load_acq_32(&state_of(l)->b_other) != ticket)
		lock_spin_is_32(&ls, &state_of(l)->b_other, ticket);
	while (!atomic_cmpset_acq_32(&state_of(l)->b_word, 0, 1))
		lock_spin_32(&ls, &state_of(l)->b_word, 1);
	atomic_fetchadd_rel_32(&state_of(l)->b_other, 1);
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{
	(void)n;
	atomic_store_rel_32(&state_of(l)->b_word, 0);
}

MUTANT_LOCK(LC_SPIN | LC_FIFO);
