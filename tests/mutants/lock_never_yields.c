/*
 * A ticket lock whose waiters keep their CPUs from its owner.
 */
#define	MUTANT	mutant_lock_never_yields
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_lock.h"

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	uint32_t ticket;

	(void)n;
	ticket = atomic_fetchadd_32(&state_of(l)->b_word, 1);
	lock_wait_begin(l, w);
	while (atomic_load_acq_32(&state_of(l)->b_other) != ticket)
		machine_await_is_32(&state_of(l)->b_other, ticket, 0);
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{
	(void)n;
	atomic_fetchadd_rel_32(&state_of(l)->b_other, 1);
}

MUTANT_LOCK(LC_SPIN | LC_FIFO);
