/*
 * A lock that does not record its owner.
 */
#define	MUTANT	mutant_lock_blind
#include "tests/mutants/mutant.h"
#include "lib/lock/lock.h"

static bool
owned_by_any(struct lock *l)
{
	(void)l;
	return (true);
}

static void
fini_any(struct lock *l)
{
	(void)l;
}

#define	MUTANT_OWNED	owned_by_any
#define	MUTANT_FINI	fini_any
#include "tests/mutants/mutant_lock.h"

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);

	(void)n;
	lock_wait_begin(l, w);
	while (!atomic_cmpset_acq_32(&state_of(l)->b_word, 0, 1))
		lock_spin_32(&ls, &state_of(l)->b_word, 1);
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{
	(void)n;
	atomic_store_rel_32(&state_of(l)->b_word, 0);
}

MUTANT_LOCK(LC_SPIN);
