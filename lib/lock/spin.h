/*
 * How spin locks wait for a word to change, and when they yield.
 *
 * A kernel spins with preemption off, so the owner and the next waiter run.  In
 * a user program either may have lost its CPU to a spinning thread.  So each
 * spinner yields after rngsim.lock.spin_polls polls; yields are counted.
 */
#ifndef LIB_LOCK_SPIN_H
#define LIB_LOCK_SPIN_H

#include "lib/lock/lock.h"

/* One wait: for the lock, or of an owner inside its release. */
struct lock_spin {
	struct lock_wait *ls_wait;	/* or NULL: counts no yields */
	unsigned	ls_polls;	/* between yields; 0: never */
	unsigned	ls_left;	/* until the next */
};

/* w is NULL for an owner that waits in order to release. */
static inline struct lock_spin
lock_spin_init(const struct lock *l, struct lock_wait *w)
{
	return ((struct lock_spin){ .ls_wait = w,
	    .ls_polls = l->lo_config.spin_polls,
	    .ls_left = l->lo_config.spin_polls });
}

/* Adds n polls; after ls_polls of them gives up the CPU. */
static inline void
lock_spin_polled(struct lock_spin *ls, unsigned n)
{
	if (ls->ls_polls == 0)
		return;
	if (ls->ls_left > n) {
		ls->ls_left -= n;
		return;
	}
	ls->ls_left = ls->ls_polls;
	if (ls->ls_wait != NULL)
		ls->ls_wait->lw_yields++;
	machine_yield();
}

/* Polls while *p, last read as v, may still hold v. */
static inline void
lock_spin_32(struct lock_spin *ls, struct m32 *p, uint32_t v)
{
	lock_spin_polled(ls, machine_await_32(p, v, ls->ls_left));
}

static inline void
lock_spin_ptr(struct lock_spin *ls, struct mptr *p, uintptr_t v)
{
	lock_spin_polled(ls, machine_await_ptr(p, v, ls->ls_left));
}

/* Polls until *p may hold want. */
static inline void
lock_spin_is_32(struct lock_spin *ls, struct m32 *p, uint32_t want)
{
	lock_spin_polled(ls, machine_await_is_32(p, want, ls->ls_left));
}

/* Waits for n pauses without reading memory. */
static inline void
lock_spin_pause(struct lock_spin *ls, unsigned n)
{
	unsigned most;

	while (n > 0) {
		most = ls->ls_polls != 0 && ls->ls_left < n ? ls->ls_left : n;
		machine_pause(most);
		lock_spin_polled(ls, most);
		n -= most;
	}
}

#endif
