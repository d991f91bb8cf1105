/*
 * Counts of threads inside, which exclude none: what locks that protect only
 * their own word cost.  An including file defines count_add().
 */
#pragma once

#include "lib/lock/lock.h"

LOCK_STATE(struct m32)

/* Adds n to the count.  Orders nothing: a count guards no other data. */
static void count_add(struct m32 *count, uint32_t n);

static inline bool
count_enter(struct lock *l, struct lock_node *n __unused)
{
	count_add(state_of(l), 1);
	return (true);
}

static inline void
count_unlock(struct lock *l, struct lock_node *n __unused)
{
	count_add(state_of(l), UINT32_MAX);
}

static inline bool
count_owned(struct lock *l __unused)
{
	return (true);
}

#define	COUNT_CLASS(kind, descr, type)					\
	LOCK_CLASS(kind) = { .lc_name = #kind, .lc_descr = descr,	\
	    .lc_type = type, .lc_flags = LC_SPIN,			\
	    .lc_enter = count_enter, .lc_trylock = count_enter,		\
	    .lc_unlock = count_unlock, .lc_owned = count_owned }
