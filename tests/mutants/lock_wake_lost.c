/*
 * A lock that looks for sleepers before it is free, and so does not wake a
 * thread that fell asleep meanwhile.
 */
#define	MUTANT	mutant_lock_wake_lost
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_lock.h"

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	(void)n;
	lock_wait_begin(l, w);
	while (!atomic_cmpset_acq_32(&state_of(l)->b_word, 0, 1)) {
		atomic_fetchadd_32(&state_of(l)->b_other, 1);
		machine_wait_32(&state_of(l)->b_word, 1, -1);
		atomic_fetchadd_32(&state_of(l)->b_other, (uint32_t)-1);
	}
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{
	(void)n;
	if (atomic_load_32(&state_of(l)->b_other) == 0) {
		atomic_store_rel_32(&state_of(l)->b_word, 0);
		return;
	}
	atomic_store_rel_32(&state_of(l)->b_word, 0);
	machine_wake_32(&state_of(l)->b_word);
}

MUTANT_LOCK(LC_SLEEPS);
