/*
 * The back-off of mtx(9): each delay twice the last, up to a limit, never reset
 * within one acquisition.
 *
 * Source: sys/kern/subr_lock.c lock_delay(), FreeBSD 14.
 */
#ifndef LIB_LOCK_DELAY_H
#define LIB_LOCK_DELAY_H

#include "lib/lock.h"

struct lock_delay_arg {
	unsigned	delay;		/* pauses the next call makes */
	unsigned	max;
};

static inline struct lock_delay_arg
lock_delay_arg_init(const struct lock_config *config)
{

	return ((struct lock_delay_arg){ .delay = config->delay_base,
	    .max = config->delay_max });
}

static inline void
lock_delay(struct lock_delay_arg *la)
{
	unsigned delay = la->delay;

	la->delay = delay > la->max / 2 ? la->max : delay * 2;
	machine_pause(delay);
}

#endif
