/*
 * How kinds that spin wait for a word to change, and when they give way.
 *
 * A kernel that spins has preemption off, so the owner and the next in line
 * run.  A user program has no such switch: whoever all wait for may have lost
 * its CPU to one of them.  So every spinner gives up its CPU after a number of
 * polls, rngsim.lock.spin_polls, and what it costs is counted.
 */
#ifndef LIB_LOCK_SPIN_H
#define LIB_LOCK_SPIN_H

#include "lib/lock.h"

/* One wait, from lock_wait_begin() to lock_wait_end(), or in a release. */
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

/* Books n polls, and gives up the CPU when they have become too many. */
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

/* Lets polls' time pass while *p, last seen to hold v, may still hold it. */
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

/* The same while *p may hold another value than want. */
static inline void
lock_spin_is_32(struct lock_spin *ls, struct m32 *p, uint32_t want)
{

	lock_spin_polled(ls, machine_await_is_32(p, want, ls->ls_left));
}

/* Lets n pauses pass without looking at memory. */
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
