/*
 * Trying gets a lock that another has.
 */
#define	MUTANT	mutant_lock_try_eager
#include "tests/mutants/mutant.h"
#include "lib/lock/lock.h"

static bool
try_eagerly(struct lock *l, struct lock_node *n)
{
	(void)l;
	(void)n;
	return (true);
}

#define	MUTANT_TRYLOCK	try_eagerly
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
