/*
 * Test-and-set lock that tests before it sets.
 *
 * Paper: L. Rudolph, Z. Segall, "Dynamic decentralized cache schemes for MIMD
 * parallel processors", ISCA 1984.
 * Idea: a word is swapped with 1, and who finds 0 in it has the lock.  A waiter
 * reads the word, from its own cache, until it is 0, and only then swaps.
 * Releasing stores 0.  Each release sends the line to all waiters, and all of
 * them swap.
 * Fairness: none; who is nearest to the line wins, and may win for ever.
 * Bytes: 4.  Uncontended: one atomic and one store.
 */
#include "lib/lock.h"
#include "lib/lock_spin.h"

enum {
	TAS_FREE	= 0,
	TAS_HELD	= 1
};

struct tas {
	struct m32	tas_word;
};

LOCK_STATE_FITS(struct tas);

static struct m32 *
word_of(struct lock *l)
{

	return (&((struct tas *)(void *)l->lo_state)->tas_word);
}

static int
tas_init(struct lock *l)
{

	atomic_init_32(word_of(l), TAS_FREE);
	return (0);
}

static void
tas_fini(struct lock *l)
{

	KASSERT(atomic_load_32(word_of(l)) == TAS_FREE, ("%s is owned",
	    l->lo_name));
}

static void __attribute__((noinline))
tas_wait(struct lock *l, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);

	lock_wait_begin(l, w);
	do {
		while (atomic_load_32(word_of(l)) != TAS_FREE)
			lock_spin_32(&ls, word_of(l), TAS_HELD);
	} while (atomic_swap_acq_32(word_of(l), TAS_HELD) != TAS_FREE);
	lock_wait_end(w);
}

static bool
tas_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{

	(void)n;
	if (atomic_swap_acq_32(word_of(l), TAS_HELD) == TAS_FREE)
		return (false);
	tas_wait(l, w);
	return (true);
}

static bool
tas_trylock(struct lock *l, struct lock_node *n)
{

	(void)n;
	return (atomic_load_32(word_of(l)) == TAS_FREE &&
	    atomic_swap_acq_32(word_of(l), TAS_HELD) == TAS_FREE);
}

static void
tas_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	MPASS(machine_note_load_32(word_of(l)) == TAS_HELD);
	atomic_store_rel_32(word_of(l), TAS_FREE);
}

static bool
tas_owned(struct lock *l)
{

	return (machine_note_load_32(word_of(l)) != TAS_FREE);
}

LOCK_CLASS(tas) = {
	.lc_name	= "tas",
	.lc_descr	= "test-and-test-and-set: swap when seen free",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN,
	.lc_knobs	= LK_SPIN_POLLS,
	.lc_init	= tas_init,
	.lc_fini	= tas_fini,
	.lc_lock	= tas_lock,
	.lc_trylock	= tas_trylock,
	.lc_unlock	= tas_unlock,
	.lc_owned	= tas_owned,
};
