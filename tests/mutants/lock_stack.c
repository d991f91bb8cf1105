/*
 * Waiters on a stack: the last to come is served first.
 */
#define	MUTANT	mutant_lock_stack
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_lock.h"

struct waiter {
	struct mptr	wa_next;
	struct m32	wa_granted;
};

LOCK_NODE(struct waiter)

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);
	struct waiter *me = node_of(n);
	uintptr_t top;

	/* b_word: the owner and all that wait. */
	if (atomic_fetchadd_32(&state_of(l)->b_word, 1) == 0) {
		/* The last release: it is what that has read. */
		(void)atomic_load_acq_32(&state_of(l)->b_word);
		return (false);
	}
	lock_wait_begin(l, w);
	atomic_init_32(&me->wa_granted, 0);
	do {
		top = atomic_load_ptr(&state_of(l)->b_list);
		atomic_init_ptr(&me->wa_next, top);
	} while (!atomic_cmpset_rel_ptr(&state_of(l)->b_list, top,
	    (uintptr_t)me));
	while (atomic_load_acq_32(&me->wa_granted) == 0)
		lock_spin_32(&ls, &me->wa_granted, 0);
	lock_wait_end(w);
	return (true);
}

/* Only an owner takes from the stack, so its top cannot come back. */
static void
broken_unlock(struct lock *l, struct lock_node *n)
{
	struct lock_spin ls = lock_spin_init(l, NULL);
	struct waiter *top;

	(void)n;
	if (atomic_fetchadd_rel_32(&state_of(l)->b_word, (uint32_t)-1) == 1)
		return;
	do {
		while ((top = (struct waiter *)atomic_load_acq_ptr(
		    &state_of(l)->b_list)) == NULL)
			lock_spin_ptr(&ls, &state_of(l)->b_list, 0);
	} while (!atomic_cmpset_acq_ptr(&state_of(l)->b_list, (uintptr_t)top,
	    atomic_load_ptr(&top->wa_next)));
	atomic_store_rel_32(&top->wa_granted, 1);
}

MUTANT_LOCK(LC_SPIN | LC_FIFO);
