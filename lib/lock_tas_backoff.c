/*
 * Test-and-set lock with exponential back-off.
 *
 * Paper: T. E. Anderson, "The performance of spin lock alternatives for
 * shared-memory multiprocessors", IEEE TPDS 1(1), 1990.
 * Idea: as tas, but a waiter whose attempt failed stays away from the word for
 * a while, and for twice as long after each further failure, up to a limit.
 * Fewer waiters then fight for the line at each release; in return the lock
 * may stay free until the first of them looks again.  The delays are mtx(9)'s
 * (lib/lock_delay.h).
 * Fairness: none, and worse than tas: who has waited for long looks seldom.
 * Bytes: 4.  Uncontended: one atomic and one store.
 */
#include "lib/lock.h"
#include "lib/lock_delay.h"
#include "lib/lock_spin.h"

enum {
	TAS_FREE	= 0,
	TAS_HELD	= 1
};

struct tas_backoff {
	struct m32	tb_word;
};

LOCK_STATE_FITS(struct tas_backoff);

static struct m32 *
word_of(struct lock *l)
{

	return (&((struct tas_backoff *)(void *)l->lo_state)->tb_word);
}

static int
tas_backoff_init(struct lock *l)
{

	atomic_init_32(word_of(l), TAS_FREE);
	return (0);
}

static void
tas_backoff_fini(struct lock *l)
{

	KASSERT(atomic_load_32(word_of(l)) == TAS_FREE, ("%s is owned",
	    l->lo_name));
}

static void __attribute__((noinline))
tas_backoff_wait(struct lock *l, struct lock_wait *w)
{
	struct lock_delay_arg lda = lock_delay_arg_init(&l->lo_config);
	struct lock_spin ls = lock_spin_init(l, w);

	lock_wait_begin(l, w);
	do {
		lock_spin_pause(&ls, lock_delay_next(&lda));
	} while (atomic_load_32(word_of(l)) != TAS_FREE ||
	    atomic_swap_acq_32(word_of(l), TAS_HELD) != TAS_FREE);
	lock_wait_end(w);
}

static bool
tas_backoff_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{

	(void)n;
	if (atomic_swap_acq_32(word_of(l), TAS_HELD) == TAS_FREE)
		return (false);
	tas_backoff_wait(l, w);
	return (true);
}

static bool
tas_backoff_trylock(struct lock *l, struct lock_node *n)
{

	(void)n;
	return (atomic_load_32(word_of(l)) == TAS_FREE &&
	    atomic_swap_acq_32(word_of(l), TAS_HELD) == TAS_FREE);
}

static void
tas_backoff_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	MPASS(machine_note_load_32(word_of(l)) == TAS_HELD);
	atomic_store_rel_32(word_of(l), TAS_FREE);
}

static bool
tas_backoff_owned(struct lock *l)
{

	return (machine_note_load_32(word_of(l)) != TAS_FREE);
}

LOCK_CLASS(tas_backoff) = {
	.lc_name	= "tas-backoff",
	.lc_descr	= "tas with exponential back-off",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN,
	.lc_knobs	= LK_DELAY | LK_STARVATION | LK_SPIN_POLLS,
	.lc_init	= tas_backoff_init,
	.lc_fini	= tas_backoff_fini,
	.lc_lock	= tas_backoff_lock,
	.lc_trylock	= tas_backoff_trylock,
	.lc_unlock	= tas_backoff_unlock,
	.lc_owned	= tas_backoff_owned,
};
