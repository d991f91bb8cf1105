/*
 * Locks: the contract that every kind in lib/lock_*.c obeys.
 *
 * A kind is one file that ends in its struct lock_class, plus one line in
 * lib/lock.tbl; nothing else lists kinds.  The class is what struct lock_class
 * is in sys/kern/subr_lock.c.
 */
#ifndef LIB_LOCK_H
#define LIB_LOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/flavour.h"
#include "lib/kassert.h"
#include "lib/lockprof.h"
#include "lib/machine.h"
#include "lib/tunable.h"

enum {
	LOCK_STATE_BYTES	= 48,	/* what a class may keep in a lock */

	/* lc_flags */
	LC_EXCLUDES	= 1u << 0,	/* at most one owner; all but "none" */
	LC_SLEEPS	= 1u << 1,	/* a waiter may give up its CPU */
	LC_FIFO		= 1u << 2,	/* granted in order of arrival */
	LC_SPIN		= 1u << 3	/* usable where sleeping is not */
};

/*
 * The knobs that kinds share; lock_tunables has their sysctl names.
 */
struct lock_config {
	unsigned	delay_base;	/* pauses of a waiter's first delay */
	unsigned	delay_max;	/* and of its longest */
	bool		prof_enable;	/* profile; the program's choice of
					   flavour, not the lock's */
};

struct lock_class;

/*
 * A lock.  Its first cache line is read-only while in use, its state has the
 * second for itself.
 */
struct lock {
	_Alignas(MACHINE_CACHE_LINE)
	const struct lock_class	*lo_class;
	const char		*lo_name;
	struct lockprof		*lo_prof;	/* or NULL: not profiled */
	struct lock_config	 lo_config;
	_Alignas(MACHINE_CACHE_LINE)
	unsigned char		 lo_state[LOCK_STATE_BYTES];
};

/*
 * One acquisition, on the caller's stack from lock_acquire() to lock_release().
 * Kinds that queue keep their queue node here.
 */
struct lock_node {
	struct lockprof_hold	ln_hold;
};

/*
 * What a class offers.  td is machine_curthread() throughout.
 *
 * lc_init	takes l with the head filled in and lo_state zeroed; returns 0
 *		or an errno value.
 * lc_fini	undoes it; the lock is not owned.
 * lc_lock	acquires, with acquire ordering.  Returns whether it had to wait
 *		and in that case, only then, fills *w.  Not recursive.
 * lc_trylock	acquires if that is possible at once; returns whether it did.
 * lc_unlock	releases with release ordering; the caller owns the lock.
 * lc_owned	whether the caller owns the lock; for assertions only.  A kind
 *		that does not know its owner answers whether anybody does.
 */
struct lock_class {
	const char	*lc_name;	/* as -l takes it */
	const char	*lc_descr;	/* one line for listings */
	const char	*lc_type;	/* the kernel's word: "sleep mutex" */
	unsigned	 lc_flags;
	int		(*lc_init)(struct lock *l);
	void		(*lc_fini)(struct lock *l);
	bool		(*lc_lock)(struct lock *l, struct lock_node *n,
			    struct lock_wait *w);
	bool		(*lc_trylock)(struct lock *l, struct lock_node *n);
	void		(*lc_unlock)(struct lock *l, struct lock_node *n);
	bool		(*lc_owned)(struct lock *l);
};

#define	LOCK_CLASS(kind)	const struct lock_class FLAVOURED(lock_##kind)
#define	LOCK_STATE_FITS(type)						\
	CTASSERT(sizeof(type) <= LOCK_STATE_BYTES);			\
	CTASSERT(_Alignof(type) <= MACHINE_CACHE_LINE)

#define	LOCK(kind)	extern LOCK_CLASS(kind);
#include "lib/lock.tbl"
#undef LOCK

#define	lock_classes		FLAVOURED(lock_classes)
#define	lock_class_count	FLAVOURED(lock_class_count)
#define	lock_class_find		FLAVOURED(lock_class_find)
#define	lock_init		FLAVOURED(lock_init)
#define	lock_fini		FLAVOURED(lock_fini)

/* The family, in table order. */
extern const struct lock_class *const lock_classes[];
extern const unsigned lock_class_count;

/* The class called name; NULL when there is none. */
const struct lock_class *lock_class_find(const char *name);

/*
 * mtx(9)'s constants for a machine of ncpus: base 1, max 256 times the smallest
 * power of two strictly greater than ncpus, capped at SHRT_MAX.
 *
 * Source: sys/kern/subr_lock.c lock_delay_default_init(), FreeBSD 14.
 */
struct lock_config lock_config_default(unsigned ncpus);
extern const struct tunable lock_tunables[];
extern const unsigned lock_tunable_count;

/*
 * Makes an unowned lock.
 *
 *   l       out  caller's storage
 *   config  in   copied
 *   prof    in   where its profile goes, or NULL; outlives the lock
 *
 * Returns: 0, or an errno value; l is then unusable.
 */
int lock_init(struct lock *l, const struct lock_class *class, const char *name,
    const struct lock_config *config, struct lockprof *prof);

/* Ends a lock nobody owns or waits for. */
void lock_fini(struct lock *l);

/*
 * Acquires l; the caller does not own it.
 *
 *   n     out  the acquisition; stays put until lock_release()
 *   site  in   where in the program, an index into the profile's site names
 */
static inline void
lock_acquire(struct lock *l, struct lock_node *n, unsigned site)
{
	struct lock_wait w;
	bool contended;

	contended = l->lo_class->lc_lock(l, n, &w);
	lockprof_acquired(l->lo_prof, &n->ln_hold, site, contended ? &w : NULL);
}

/* Acquires l if nobody owns it; false, and nothing happened, otherwise. */
static inline bool
lock_tryacquire(struct lock *l, struct lock_node *n, unsigned site)
{

	if (!l->lo_class->lc_trylock(l, n))
		return (false);
	lockprof_acquired(l->lo_prof, &n->ln_hold, site, NULL);
	return (true);
}

/* Releases l, which the caller acquired with n. */
static inline void
lock_release(struct lock *l, struct lock_node *n)
{
	uint64_t now;

	now = lockprof_stamp();
	l->lo_class->lc_unlock(l, n);
	lockprof_released(l->lo_prof, &n->ln_hold, now);
}

/* Whether the caller owns l; for assertions. */
static inline bool
lock_owned(struct lock *l)
{

	return (l->lo_class->lc_owned(l));
}

#endif
