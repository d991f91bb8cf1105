/*
 * How locks wait for a word to change, and when they yield.  A kernel spins
 * with preemption off, so the owner and the next waiter run.  In a user program
 * either may have lost its CPU to a spinning thread, and then the queue waits
 * for the scheduler: each spinner yields after rngsim.lock.spin_polls polls.
 */
#pragma once

#include "lib/lock/lock.h"

static inline struct lock_wait
lock_wait_init(const struct lock *l)
{
	return ((struct lock_wait){ .lw_polls = l->lo_config.spin_polls,
	    .lw_left = l->lo_config.spin_polls });
}

/* Adds n polls; after lw_polls of them gives up the CPU. */
static inline void
lock_spin_polled(struct lock_wait *w, unsigned n)
{
	if (w->lw_polls == 0)
		return;
	if (w->lw_left > n) {
		w->lw_left -= n;
		return;
	}
	w->lw_left = w->lw_polls;
	w->lw_yields++;
	machine_yield();
}

#define	LOCK_SPIN(name, T, type, await)					\
static inline void							\
name(struct lock_wait *w, struct m##T *p, type v)			\
{									\
	lock_spin_polled(w, await(p, v, w->lw_left));			\
}

/* Poll while *p, last read as v, may still hold v; or until it may hold v. */
LOCK_SPIN(lock_spin_32, 32, uint32_t, machine_await_32)
LOCK_SPIN(lock_spin_ptr, ptr, uintptr_t, machine_await_ptr)
LOCK_SPIN(lock_spin_is_32, 32, uint32_t, machine_await_is_32)

/* Waits for n pauses without reading memory. */
static inline void
lock_spin_pause(struct lock_wait *w, unsigned n)
{
	unsigned most;

	while (n > 0) {
		most = w->lw_polls != 0 && w->lw_left < n ? w->lw_left : n;
		machine_pause(most);
		lock_spin_polled(w, most);
		n -= most;
	}
}

/*
 * The back-off of mtx(9), lock_delay() of FreeBSD 14: each delay twice the one
 * before, up to a limit, and the first twice the base.
 */
struct lock_delay_arg {
	const struct lock_config *config;
	unsigned	delay;		/* pauses that the last call made */
	unsigned	spin_cnt;	/* and all calls together */
};

static inline struct lock_delay_arg
lock_delay_arg_init(const struct lock_config *config)
{
	return ((struct lock_delay_arg){ .config = config,
	    .delay = config->delay_base });
}

/*
 * Doubles the delay.  A waiter that starves begins again with the base, if the
 * configuration says so.  Returns: pauses that are due.
 */
static inline unsigned
lock_delay_next(struct lock_delay_arg *la)
{
	const struct lock_config *lc = la->config;
	unsigned delay;

	delay = la->delay > lc->delay_max / 2 ? lc->delay_max : la->delay * 2;
	la->delay = delay;
	la->spin_cnt += delay;
	if (la->spin_cnt > lc->starvation_limit && lc->restrict_starvation)
		la->delay = lc->delay_base;
	return (delay);
}
