/*
 * A lock that stops waiting after 200 polls.
 */
#define	MUTANT	mutant_lock_gives_up
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_lock.h"

enum { POLLS = 200 };

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	unsigned polls = 0;

	(void)n;
	lock_wait_begin(l, w);
	while (!atomic_cmpset_acq_32(&state_of(l)->b_word, 0, 1) &&
	    polls++ < POLLS)
		machine_pause(1);
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
