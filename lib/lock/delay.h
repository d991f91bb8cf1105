/*
 * The back-off of mtx(9): each delay twice the one before, up to a limit.
 *
 * Source: sys/kern/subr_lock.c lock_delay(), FreeBSD 14: the delay is doubled
 * before it is waited for, so the first is twice the base.
 */
#ifndef LIB_LOCK_DELAY_H
#define LIB_LOCK_DELAY_H

#include "lib/lock/lock.h"

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
 * configuration says so.
 *
 * Returns: pauses that are due.
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

static inline void
lock_delay(struct lock_delay_arg *la)
{
	machine_pause(lock_delay_next(la));
}

#endif
