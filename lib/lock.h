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

#include "lib/failpoint.h"
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include "lib/flavour.h"
#include "lib/kassert.h"
#include "lib/lockprof.h"
#include "lib/machine.h"
#include "lib/tunable.h"

enum {
	LOCK_STATE_BYTES	= 48,	/* what a class may keep in a lock */
	LOCK_NODE_BYTES		= 64,	/* and in an acquisition */
	LOCK_THREADS_DEFAULT	= 128,
	LOCK_THREADS_MAX	= 0xffff,
	LOCK_NODES_MAX		= 64,	/* NUMA nodes */

	/* lc_flags */
	LC_EXCLUDES	= 1u << 0,	/* at most one owner; all but "none" */
	LC_SLEEPS	= 1u << 1,	/* a waiter may give up its CPU */
	LC_FIFO		= 1u << 2,	/* granted in order of arrival */
	LC_SPIN		= 1u << 3,	/* usable where sleeping is not */
	LC_ASSEMBLY	= 1u << 4,	/* orders memory in assembly */

	/* lc_knobs: the parts of struct lock_config that a kind heeds */
	LK_DELAY	= 1u << 0,
	LK_STARVATION	= 1u << 1,
	LK_SPIN_POLLS	= 1u << 2,
	LK_TICKET_PAUSES = 1u << 3,
	LK_PASS_LIMIT	= 1u << 4,
	LK_NODES	= 1u << 5
};

/*
 * Fail points around a lock, each or NULL; the latter two are asked where the
 * lock was taken at a site whose bit is set.
 */
struct lock_faults {
	struct failpoint *lf_acquired;	/* by who has just got it */
	struct failpoint *lf_releasing;	/* by who is about to release it */
	struct failpoint *lf_released;	/* and who has */
	uint32_t	 lf_sites;
};

/*
 * The knobs that kinds share; lock_tunables has their sysctl names.
 */
struct lock_config {
	/* LK_DELAY: mtx(9)'s back-off, in pauses. */
	unsigned	delay_base;
	unsigned	delay_max;
	/* LK_STARVATION: pauses after which a waiter counts as starving. */
	unsigned	starvation_limit;
	bool		restrict_starvation;	/* and is let poll often */
	/*
	 * LK_SPIN_POLLS: polls after which a waiter that spins gives up its CPU
	 * once; 0 is never.  A kernel's spinner cannot lose its CPU and its
	 * owner neither; here both can, and a queue then stands still until
	 * the scheduler comes round.
	 */
	unsigned	spin_polls;
	/* LK_TICKET_PAUSES: pauses for each waiter ahead. */
	unsigned	ticket_pauses;
	/* LK_PASS_LIMIT: hand-overs within a node while others wait. */
	unsigned	pass_limit;
	/* LK_NODES: NUMA nodes to pretend, threads in turn; 0: none. */
	unsigned	nodes;
	/*
	 * Threads that may use the lock, 1..LOCK_THREADS_MAX; each has an
	 * mt_index of its own, 0..threads - 1.
	 */
	unsigned	threads;
	/*
	 * Profile, and how many holds not to time for each that is; the
	 * program's choice of flavour and of profile, not the lock's.
	 */
	bool		prof_enable;
	unsigned	prof_skipcount;
	/* A run's fail points; outlive the lock.  NULL: none. */
	const struct lock_faults *faults;
};

struct lock_class;

/*
 * A lock.  What precedes its state is read-only while in use; the state shares
 * its cache line with what profiling writes for each owner, and nothing else.
 */
struct lock {
	_Alignas(MACHINE_CACHE_LINE)
	const struct lock_class	*lo_class;
	const char		*lo_name;
	struct lockprof		*lo_prof;	/* or NULL: not profiled */
	void			*lo_lines;	/* lock_lines_init()'s */
	struct lock_config	 lo_config;
	_Alignas(MACHINE_CACHE_LINE)
	unsigned char		 lo_state[LOCK_STATE_BYTES];
	struct lockprof_owner	 lo_owner;
};

CTASSERT(offsetof(struct lock, lo_owner) + sizeof(struct lockprof_owner) -
    offsetof(struct lock, lo_state) <= MACHINE_CACHE_LINE);

/*
 * One acquisition, on the caller's stack from lock_acquire() to lock_release().
 * Kinds that queue keep their queue node here, on a line that others may spin
 * on.
 */
struct lock_node {
	_Alignas(MACHINE_CACHE_LINE)
	unsigned char		ln_state[LOCK_NODE_BYTES];
	struct lockprof_hold	ln_hold;
	unsigned		ln_site;	/* where faults are asked */
};

/*
 * What a class offers.  td is machine_curthread() throughout.
 *
 * lc_init	takes l with the head filled in and lo_state zeroed; returns 0
 *		or an errno value.  May call lock_lines_init().
 * lc_fini	undoes it; the lock is not owned.
 * lc_lock	acquires, with acquire ordering.  Returns whether it had to wait
 *		and in that case, only then, fills *w: lock_wait_begin() first,
 *		lock_wait_end() or lock_wait_end_blocked() last.  Not recursive.
 * lc_trylock	acquires if that is possible at once; returns whether it did.
 *		NULL in a kind that cannot tell before it has joined the queue.
 * lc_unlock	releases with release ordering; the caller owns the lock.
 * lc_owned	whether the caller owns the lock; for assertions only.  A kind
 *		that does not know its owner answers whether anybody does.
 */
struct lock_class {
	const char	*lc_name;	/* as -l takes it */
	const char	*lc_descr;	/* one line for listings */
	const char	*lc_type;	/* the kernel's word: "sleep mutex" */
	unsigned	 lc_flags;
	unsigned	 lc_knobs;
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
#define	LOCK_NODE_FITS(type)						\
	CTASSERT(sizeof(type) <= LOCK_NODE_BYTES);			\
	CTASSERT(_Alignof(type) <= MACHINE_CACHE_LINE)

/* LOCK_HOST kinds use the host's atomics or threads: they run on it alone. */
#ifdef MACHINE_VIRTUAL
#define	LOCK_ON_HOST(kind)
#else
#define	LOCK_ON_HOST(kind)	LOCK(kind)
#endif
#define	LOCK(kind)	extern LOCK_CLASS(kind);
#define	LOCK_HOST(kind)	LOCK_ON_HOST(kind)
#include "lib/lock.tbl"
#undef LOCK
#undef LOCK_HOST

#define	lock_classes		FLAVOURED(lock_classes)
#define	lock_class_count	FLAVOURED(lock_class_count)
#define	lock_class_find		FLAVOURED(lock_class_find)
#define	lock_init		FLAVOURED(lock_init)
#define	lock_fini		FLAVOURED(lock_fini)
#define	lock_lines_init		FLAVOURED(lock_lines_init)
#define	lock_fault_acquired	FLAVOURED(lock_fault_acquired)
#define	lock_fault_releasing	FLAVOURED(lock_fault_releasing)
#define	lock_fault_released	FLAVOURED(lock_fault_released)

/* The family, in table order. */
extern const struct lock_class *const lock_classes[];
extern const unsigned lock_class_count;

/* The class called name; NULL when there is none. */
const struct lock_class *lock_class_find(const char *name);

/*
 * mtx(9)'s constants for a machine of ncpus: base 1, max 256 times the smallest
 * power of two strictly greater than ncpus, capped at SHRT_MAX; for the others
 * see lib/lockconf.c.  threads is LOCK_THREADS_DEFAULT.
 *
 * Source: sys/kern/subr_lock.c lock_delay_default_init(), FreeBSD 14.
 */
struct lock_config lock_config_default(unsigned ncpus);
extern const struct tunable lock_tunables[];
extern const unsigned lock_tunable_count;

/* The LK_ bit that a lock tunable belongs to; 0: to none or to all. */
unsigned lock_tunable_knob(const char *name);

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

/* For what follows, where a run has fail points: asks them. */
void lock_fault_acquired(const struct lock_faults *lf, struct lock_node *n,
    unsigned site);
void lock_fault_releasing(const struct lock_faults *lf,
    const struct lock_node *n);
void lock_fault_released(const struct lock_faults *lf,
    const struct lock_node *n);

#define	LOCK_FAULTS(l)							\
	(__builtin_expect((l)->lo_config.faults != NULL, 0))

/*
 * ThreadSanitizer is told what kinds do that it cannot follow, and of no other,
 * as it would then believe them.
 */
static inline void
lock_tell_acquired(struct lock *l)
{

#ifdef __SANITIZE_THREAD__
	if ((l->lo_class->lc_flags & LC_ASSEMBLY) != 0)
		__tsan_acquire(l);
#else
	(void)l;
#endif
}

static inline void
lock_tell_released(struct lock *l)
{

#ifdef __SANITIZE_THREAD__
	if ((l->lo_class->lc_flags & LC_ASSEMBLY) != 0)
		__tsan_release(l);
#else
	(void)l;
#endif
}

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

	machine_lock_wait(l, l->lo_name);
	contended = l->lo_class->lc_lock(l, n, &w);
	lock_tell_acquired(l);
	machine_lock_held(l, l->lo_name);
	lockprof_acquired(l->lo_prof, &l->lo_owner, &n->ln_hold, site,
	    contended ? &w : NULL);
	machine_charge(COST_LOCK, 1);
	if (LOCK_FAULTS(l))
		lock_fault_acquired(l->lo_config.faults, n, site);
}

/*
 * Acquires l, of a kind that has lc_trylock, if nobody owns it; false, and
 * nothing happened, otherwise.
 */
static inline bool
lock_tryacquire(struct lock *l, struct lock_node *n, unsigned site)
{

	if (!l->lo_class->lc_trylock(l, n))
		return (false);
	lock_tell_acquired(l);
	machine_lock_held(l, l->lo_name);
	lockprof_acquired(l->lo_prof, &l->lo_owner, &n->ln_hold, site, NULL);
	machine_charge(COST_LOCK, 1);
	if (LOCK_FAULTS(l))
		lock_fault_acquired(l->lo_config.faults, n, site);
	return (true);
}

/* Books the hold of l under another site, once its holder knows better. */
static inline void
lock_resite(struct lock *l, struct lock_node *n, unsigned site)
{

	lockprof_resite(l->lo_prof, &l->lo_owner, &n->ln_hold, site);
}

/* Releases l, which the caller acquired with n. */
static inline void
lock_release(struct lock *l, struct lock_node *n)
{
	const struct lock_faults *lf = NULL;
	uint64_t now;

	if (LOCK_FAULTS(l)) {
		lf = l->lo_config.faults;
		lock_fault_releasing(lf, n);
	}
	now = lockprof_releasing(l->lo_prof, &n->ln_hold);
	machine_lock_free(l, l->lo_name);
	lock_tell_released(l);
	l->lo_class->lc_unlock(l, n);
	lockprof_released(l->lo_prof, &n->ln_hold, now);
	machine_charge(COST_UNLOCKED, 1);
	if (__builtin_expect(lf != NULL, 0))
		lock_fault_released(lf, n);
}

/*
 * For lc_init: gives l an array of cache lines, l->lo_lines, all zero; ends
 * with the lock.
 *
 *   n     in  members
 *   size  in  bytes of one, a multiple of MACHINE_CACHE_LINE
 *
 * Returns: 0 or ENOMEM.
 */
int lock_lines_init(struct lock *l, size_t n, size_t size);

/*
 * For kinds: a wait begins, with nothing blocked or yielded yet, and ends; what
 * of it was not asleep was spinning.
 */
static inline void
lock_wait_begin(struct lock *l, struct lock_wait *w)
{

	w->lw_block_cycles = 0;
	w->lw_yields = 0;
	if (!LOCK_PROFILING)
		return;
	w->lw_holder = machine_note_load_32(&l->lo_owner.lo_site);
	w->lw_start_cycles = machine_cycles();
}

static inline void
lock_wait_end(struct lock_wait *w)
{

	uint64_t wait;

	if (!LOCK_PROFILING)
		return;
	wait = machine_cycles_since(w->lw_start_cycles, machine_cycles());
	w->lw_spin_cycles = wait > w->lw_block_cycles ? wait -
	    w->lw_block_cycles : 0;
}

/* In place of lock_wait_end() where all of the wait was asleep. */
static inline void
lock_wait_end_blocked(struct lock_wait *w)
{

	if (!LOCK_PROFILING)
		return;
	w->lw_block_cycles = machine_cycles_since(w->lw_start_cycles,
	    machine_cycles());
	w->lw_spin_cycles = 0;
}

/*
 * For kinds that heed LK_NODES: the caller's NUMA node, below
 * lock_numa_nodes().
 */
static inline unsigned
lock_numa_node(const struct lock *l)
{
	unsigned nodes = l->lo_config.nodes;

	return (nodes == 0 ? machine_node() :
	    machine_curthread()->mt_index % nodes);
}

static inline unsigned
lock_numa_nodes(const struct lock *l)
{

	return (l->lo_config.nodes == 0 ? machine_nodes() :
	    l->lo_config.nodes);
}

/* Whether the caller owns l; for assertions. */
static inline bool
lock_owned(struct lock *l)
{

	return (l->lo_class->lc_owned(l));
}

#endif
