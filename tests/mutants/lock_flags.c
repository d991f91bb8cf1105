/*
 * Burns' and Lamport's lock of one flag for each thread, as Dekker's and
 * Peterson's without a fence between the own flag's store and the loads of the
 * others': right where memory is sequentially consistent.
 */
#define	MUTANT	mutant_lock_flags
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_lock.h"

enum { FLAGS = 8 };

static struct m32 *
flag_of(struct lock *l, unsigned i)
{
	return (&state_of(l)->b_flag[i]);
}

static void
await_down(struct lock *l, unsigned i, struct lock_spin *ls)
{
	while (atomic_load_acq_32(flag_of(l, i)) != 0)
		lock_spin_is_32(ls, flag_of(l, i), 0);
}

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);
	const unsigned self = machine_curthread()->mt_index;
	unsigned i;

	(void)n;
	lock_wait_begin(l, w);
	do {
		atomic_store_rel_32(flag_of(l, self), 0);
		for (i = 0; i < self; i++)
			await_down(l, i, &ls);
		atomic_store_rel_32(flag_of(l, self), 1);
		for (i = 0; i < self; i++)
			if (atomic_load_acq_32(flag_of(l, i)) != 0)
				break;
	} while (i < self);
	for (i = self + 1; i < FLAGS; i++)
		await_down(l, i, &ls);
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{
	(void)n;
	atomic_store_rel_32(flag_of(l, machine_curthread()->mt_index), 0);
}

MUTANT_LOCK(LC_SPIN);
