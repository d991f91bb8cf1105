/*
 * The Concurrency Kit's locks as kinds.
 *
 * They run as their authors wrote them and never yield: with more threads than
 * CPUs a hand-over to a waiter without a CPU lasts until the scheduler comes
 * round, and rngsim.lock.spin_polls has no effect.  An acquisition counts as
 * contended if the lock was held just before; that look is compiled in with
 * profiling only.
 *
 * ck_cohort.h has a trylock that is not used: a failing one counts as a waiter
 * for a moment, and a release in that moment passes the lock to no thread.
 */
#ifndef LIB_LOCK_CK_H
#define LIB_LOCK_CK_H

#include <ck_cohort.h>
#include <ck_spinlock.h>

#include "lib/lock/lock.h"

/*
 * The functions and the class of a kind; acquire, release and held are
 * expressions over l and n.  The other arguments are further members of the
 * class, at least lc_flags.
 */
#define	CK_LOCK(kind, name, descr, acquire, release, held, ...)		\
	static bool							\
	kind##_lock(struct lock *l, struct lock_node *n,		\
	    struct lock_wait *w)					\
	{								\
		const bool wait = LOCK_PROFILING && (held);		\
									\
		(void)n;						\
		if (wait)						\
			lock_wait_begin(l, w);				\
		acquire;						\
		if (wait)						\
			lock_wait_end(w);				\
		return (wait);						\
	}								\
									\
	static void							\
	kind##_unlock(struct lock *l, struct lock_node *n)		\
	{								\
									\
		(void)l;						\
		(void)n;						\
		release;						\
	}								\
									\
	static bool							\
	kind##_owned(struct lock *l)					\
	{								\
									\
		return (held);						\
	}								\
									\
	LOCK_CLASS(kind) = {						\
		.lc_name	= name,					\
		.lc_descr	= descr,				\
		.lc_type	= "spin lock",				\
		.lc_lock	= kind##_lock,				\
		.lc_unlock	= kind##_unlock,			\
		.lc_owned	= kind##_owned,				\
		__VA_ARGS__						\
	}

/* The flags of all of them. */
#define	CK_FLAGS	(LC_EXCLUDES | LC_SPIN | LC_ASSEMBLY)

#define	CK_TRYLOCK(kind, try)						\
	static bool							\
	kind##_trylock(struct lock *l, struct lock_node *n)		\
	{								\
									\
		(void)n;						\
		return (try);						\
	}								\
	CTASSERT(LOCK_STATE_BYTES > 0)

#endif
