/* What test-and-set locks share; one with TAS_OWN_WAIT defines tas_wait(). */
#pragma once

#include "lib/lock/spin.h"

enum { TAS_FREE, TAS_HELD };

/* Whether the first swap of an acquisition waits for the free word. */
#ifndef TAS_AWAITS
#define	TAS_AWAITS	false
#endif

LOCK_STATE(struct m32)

static inline bool
tas_enter(struct lock *l, struct lock_node *n __unused)
{
	if (TAS_AWAITS)
		machine_await_32(state_of(l), TAS_HELD, 0);
	return (atomic_swap_acq_32(state_of(l), TAS_HELD) == TAS_FREE);
}

#ifndef TAS_OWN_WAIT
/* Reads the word until it is free, and then swaps. */
static void
tas_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	do {
		while (atomic_load_32(state_of(l)) != TAS_FREE)
			lock_spin_32(w, state_of(l), TAS_HELD);
	} while (!tas_enter(l, n));
}
#endif

static inline bool
tas_trylock(struct lock *l, struct lock_node *n)
{
	return (atomic_load_32(state_of(l)) == TAS_FREE && tas_enter(l, n));
}

static inline void
tas_unlock(struct lock *l, struct lock_node *n __unused)
{
	MPASS(machine_note_load_32(state_of(l)) == TAS_HELD);
	atomic_store_rel_32(state_of(l), TAS_FREE);
}

static inline bool
tas_owned(struct lock *l)
{
	return (machine_note_load_32(state_of(l)) != TAS_FREE);
}

#define	TAS_CLASS(kind, name, descr, knobs)				\
	LOCK_KIND(kind, tas, name, descr, "spin lock", LC_SPIN, knobs,	\
	    .lc_trylock = tas_trylock, .lc_owned = tas_owned)
