/*
 * A lock that is handed over to a waiter that has left.
 */
#define	MUTANT	mutant_lock_hand_over_lost
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_lock.h"

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);

	(void)n;
	lock_wait_begin(l, w);
	atomic_fetchadd_32(&state_of(l)->b_other, 1);
	while (atomic_swap_acq_32(&state_of(l)->b_word, 1) == 1)
		lock_spin_32(&ls, &state_of(l)->b_word, 1);
	atomic_fetchadd_32(&state_of(l)->b_other, (uint32_t)-1);
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{
	(void)n;
	atomic_store_rel_32(&state_of(l)->b_word,
	    atomic_load_32(&state_of(l)->b_other) > 1 ? 1 : 0);
}

MUTANT_LOCK(LC_SPIN);
