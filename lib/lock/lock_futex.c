/*
 * The three-state futex mutex.
 *
 * Paper: U. Drepper, "Futexes are tricky", 2004, the third of its mutexes.
 * Idea: a word is free, held, or held with waiters.  A thread that finds it
 * held writes the third state and sleeps in the kernel for as long as that
 * stands.  Releasing frees the word and, if there were waiters, wakes one of
 * them.  The woken thread writes the third state again, as others may still
 * sleep.  A waiter sleeps at once, so all its waiting counts as blocking.
 * Fairness: none; a running thread overtakes the woken one.
 * Bytes: 4.  Uncontended: one atomic each way.  Contended: system calls.
 */
#include "lib/lock/lock.h"

enum {
	FUTEX_FREE	= 0,
	FUTEX_HELD	= 1,
	FUTEX_AWAITED	= 2	/* held; a waiter may sleep */
};

LOCK_STATE(struct m32)

static bool
futex_enter(struct lock *l, struct lock_node *n __unused)
{
	return (atomic_cmpset_acq_32(state_of(l), FUTEX_FREE, FUTEX_HELD));
}

static void
futex_wait(struct lock *l, struct lock_node *n __unused, struct lock_wait *w)
{
	w->lw_block_cycles = LOCK_WAIT_ASLEEP;
	while (atomic_swap_acq_32(state_of(l), FUTEX_AWAITED) != FUTEX_FREE)
		machine_wait_32(state_of(l), FUTEX_AWAITED, -1);
}

static void
futex_unlock(struct lock *l, struct lock_node *n __unused)
{
	MPASS(machine_note_load_32(state_of(l)) != FUTEX_FREE);
	if (atomic_fetchadd_rel_32(state_of(l), (uint32_t)-1) == FUTEX_HELD)
		return;
	atomic_store_rel_32(state_of(l), FUTEX_FREE);
	machine_wake_one_32(state_of(l));
}

static bool
futex_owned(struct lock *l)
{
	return (machine_note_load_32(state_of(l)) != FUTEX_FREE);
}

LOCK_KIND(futex, futex, "futex",
    "free, held or awaited; a waiter sleeps at once", "sleep lock", LC_SLEEPS,
    0, .lc_trylock = futex_enter, .lc_owned = futex_owned);
