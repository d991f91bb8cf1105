/*
 * A lock that lets two in.
 */
#define	MUTANT	mutant_lock_two
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_lock.h"

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);
	uint32_t inside;

	(void)n;
	lock_wait_begin(l, w);
	for (;;) {
		inside = atomic_load_32(&state_of(l)->b_word);
		if (inside < 2 && atomic_cmpset_acq_32(&state_of(l)->b_word,
		    inside, inside + 1))
			break;
		lock_spin_32(&ls, &state_of(l)->b_word, inside);
	}
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{
	(void)n;
	atomic_fetchadd_rel_32(&state_of(l)->b_word, (uint32_t)-1);
}

MUTANT_LOCK(LC_SPIN);
