/*
 * Locks: what every kind in lib/lock/lock_*.c provides, and how it is used.  A
 * kind is one file that ends in its struct lock_class (compare that of
 * sys/kern/subr_lock.c).  A line in lib/lock/lock.tbl sets its place in lists.
 */
#pragma once

#include "lib/base/tunable.h"
#include "lib/lock/profiling.h"

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
	LC_STARVES	= 1u << 4,	/* others may pass a waiter for ever */
	LC_QUEUE	= 1u << 5 | LC_SPIN, /* on a line of each waiter's */

	/* lc_knobs: the parts of struct lock_config that a kind uses */
	LK_DELAY	= 1u << 0,
	LK_STARVATION	= 1u << 1,
	LK_SPIN_POLLS	= 1u << 2,
	LK_TICKET_PAUSES = 1u << 3,
	LK_PASS_LIMIT	= 1u << 4,
	LK_NODES	= 1u << 5,
	LK_NUMA_THRESHOLD = 1u << 6,
	LK_LIMITS	= LK_PASS_LIMIT | LK_NUMA_THRESHOLD
};

/* Fail points around a lock, each or NULL. */
struct lock_faults {
	struct failpoint *lf_acquired;
	/* Just before and just after a release by one of these threads. */
	struct failpoint *lf_releasing, *lf_released;
	unsigned	 lf_first;	/* mt_index */
	unsigned	 lf_count;
};

/* lock_tunables has the sysctl names. */
struct lock_config {
	unsigned	delay_base;	/* LK_DELAY: mtx(9)'s back-off, in */
	unsigned	delay_max;	/* pauses */
	/* LK_STARVATION: pauses after which delay_base is used again ... */
	unsigned	starvation_limit;
	bool		restrict_starvation;	/* ... if this is set */
	/* LK_SPIN_POLLS: polls before a spinner yields; 0: never. */
	unsigned	spin_polls;
	unsigned	ticket_pauses;	/* LK_TICKET_PAUSES: per waiter */
	unsigned	pass_limit;	/* LK_PASS_LIMIT: hand-overs in node */
	unsigned	numa_threshold;	/* LK_NUMA_THRESHOLD: the same of cna */
	unsigned	nodes;		/* LK_NODES: pretended; 0: the host's */
	/* mt_index of its users is below this, 1..LOCK_THREADS_MAX. */
	unsigned	threads;
	/* Profile; uncontended holds not timed for each that is. */
	bool		prof_enable;
	unsigned	prof_skipcount;
	const struct lock_faults *faults;	/* outlives the lock, or NULL */
};

/* What precedes lo_state is read-only while the lock is in use. */
struct lock {
	_Alignas(MACHINE_CACHE_LINE) const struct lock_class *lo_class;
	const char		*lo_name;
	struct lockprof		*lo_prof;	/* or NULL: not profiled */
	void			*lo_lines;	/* lock_lines_init()'s */
	struct lock_config	 lo_config;
	_Alignas(MACHINE_CACHE_LINE) unsigned char lo_state[LOCK_STATE_BYTES];
	struct lockprof_owner	 lo_owner;
};

CTASSERT(offsetof(struct lock, lo_owner) + sizeof(struct lockprof_owner) -
    offsetof(struct lock, lo_state) <= MACHINE_CACHE_LINE);

/* One acquisition, from lock_acquire() to lock_release(); a queue's node. */
struct lock_node {
	_Alignas(MACHINE_CACHE_LINE) unsigned char ln_state[LOCK_NODE_BYTES];
	struct lockprof_hold	ln_hold;
};

struct lock_class {
	const char	*lc_name;	/* as -l takes it */
	const char	*lc_descr;	/* one line for listings */
	const char	*lc_type;	/* the kernel's word: "sleep mutex" */
	unsigned	 lc_flags, lc_knobs;
	/* Of lo_lines, whole lines for each NUMA node, or for each thread. */
	size_t		 lc_node_bytes, lc_thread_bytes;
	/* NULL: zero words are a free lock. */
	void		(*lc_init)(struct lock *l);
	/* NULL: lock_fini() asserts that lc_owned() is false. */
	void		(*lc_fini)(struct lock *l);
	/* Begins an acquisition.  If it returns false lc_wait() follows. */
	bool		(*lc_enter)(struct lock *l, struct lock_node *n);
	/*
	 * Adds to lw_block_cycles the time that the caller is asleep.  NULL:
	 * lc_enter() always returns true.
	 */
	void		(*lc_wait)(struct lock *l, struct lock_node *n,
			    struct lock_wait *w);
	/* NULL in a kind that must queue to find out. */
	bool		(*lc_trylock)(struct lock *l, struct lock_node *n);
	void		(*lc_unlock)(struct lock *l, struct lock_node *n);
	/* For assertions: whether the caller, or any thread, owns it. */
	bool		(*lc_owned)(struct lock *l);
};

#define	LOCK_CLASS(kind)	const struct lock_class FLAVOURED(lock_##kind)

/* A class of FN_enter(), FN_wait(), FN_unlock(); further members follow. */
#define	LOCK_KIND(kind, fn, name, descr, type, flags, knobs, ...)	\
	LOCK_CLASS(kind) = { .lc_name = name, .lc_descr = descr,	\
	    .lc_type = type, .lc_flags = LC_EXCLUDES | (flags),		\
	    .lc_knobs = knobs, .lc_enter = fn##_enter,			\
	    .lc_wait = fn##_wait, .lc_unlock = fn##_unlock, __VA_ARGS__ }

/* Defines what finds a kind's part of a structure. */
#define	LOCK_PART(type, name, whole, part)				\
static inline type *							\
name(struct whole *p)							\
{									\
	CTASSERT(sizeof(type) <= sizeof(p->part));			\
	CTASSERT(_Alignof(type) <= MACHINE_CACHE_LINE);			\
									\
	return ((type *)(void *)p->part);				\
}

/* Of a lock, zeros at first; and of an acquisition, not initialised. */
#define	LOCK_STATE(type)	LOCK_PART(type, state_of, lock, lo_state)
#define	LOCK_NODE(type)		LOCK_PART(type, node_of, lock_node, ln_state)

/* LOCK_HOST kinds use the host's atomics or threads: no simulated flavour. */
#ifdef MACHINE_VIRTUAL
#define	LOCK_ON_HOST(kind)
#else
#define	LOCK_ON_HOST(kind)	LOCK(kind)
#endif
#define	LOCK(kind)	extern LOCK_CLASS(kind);
#define	LOCK_HOST(kind)	LOCK_ON_HOST(kind)
#include "lib/lock/lock.tbl"

#define	lock_classes		FLAVOURED(lock_classes)
#define	lock_class_count	FLAVOURED(lock_class_count)

/* The family, in table order; and the class called name, or NULL. */
extern const struct lock_class *const lock_classes[];
extern const unsigned lock_class_count;
const struct lock_class *lock_class_find(const char *name);

/*
 * Source of the delays: sys/kern/subr_lock.c lock_delay_default_init(), FreeBSD
 * 14.  threads is LOCK_THREADS_DEFAULT.
 */
struct lock_config lock_config_default(unsigned ncpus);
extern const struct tunable lock_tunables[];	/* tn_knob: LK_ bits */

/* Makes a free lock; prof outlives it or is NULL. */
void lock_init(struct lock *l, const struct lock_class *class, const char *name,
    const struct lock_config *config, struct lockprof *prof);

/* The lock is free, or zeroed. */
void lock_fini(struct lock *l);

/* The rest of an acquisition after lc_enter(); fills *w. */
void lock_await(struct lock *l, struct lock_node *n, struct lock_wait *w);

/* Evaluates fp, unless it is NULL, for an acquisition at one of the sites. */
void lock_fault(struct failpoint *fp, unsigned first, unsigned count);

#define	LOCK_FAULTS(l) (__builtin_expect((l)->lo_config.faults != NULL, 0))

static inline void
lock_booked(struct lock *l, struct lock_node *n, unsigned site,
    const struct lock_wait *w)
{
	machine_event(VM_LOCK_HELD, l, l->lo_name);
	lockprof_acquired(l->lo_prof, &l->lo_owner, &n->ln_hold, site, w);
	machine_charge(COST_LOCK, 1);
	if (LOCK_FAULTS(l))
		lock_fault(l->lo_config.faults->lf_acquired, 0, UINT32_MAX);
}

/* site: an index into the profile's site names. */
static inline void
lock_acquire(struct lock *l, struct lock_node *n, unsigned site)
{
	struct lock_wait w;
	bool waits;

	machine_event(VM_LOCK_WAIT, l, l->lo_name);
	waits = !l->lo_class->lc_enter(l, n);
	if (waits)
		lock_await(l, n, &w);
	lock_booked(l, n, site, waits ? &w : NULL);
}

/* Acquires l if it is free; its kind has lc_trylock. */
static inline bool
lock_tryacquire(struct lock *l, struct lock_node *n, unsigned site)
{
	if (!l->lo_class->lc_trylock(l, n))
		return (false);
	lock_booked(l, n, site, NULL);
	return (true);
}

static inline void
lock_release(struct lock *l, struct lock_node *n)
{
	const struct lock_faults *lf = NULL;
	uint64_t now;

	if (LOCK_FAULTS(l)) {
		lf = l->lo_config.faults;
		lock_fault(lf->lf_releasing, lf->lf_first, lf->lf_count);
	}
	now = lockprof_releasing(l->lo_prof, &n->ln_hold);
	machine_event(VM_LOCK_FREE, l, l->lo_name);
	l->lo_class->lc_unlock(l, n);
	lockprof_released(l->lo_prof, &n->ln_hold, now);
	machine_charge(COST_UNLOCKED, 1);
	if (__builtin_expect(lf != NULL, 0))
		lock_fault(lf->lf_released, lf->lf_first, lf->lf_count);
}

/*
 * For lc_init: makes l->lo_lines, n times size zero bytes, whole cache lines,
 * which lock_fini() frees.
 */
void lock_lines_init(struct lock *l, size_t n, size_t size);

/* For kinds that use LK_NODES: the caller's node. */
static inline unsigned
lock_numa_node(const struct lock *l)
{
	const unsigned nodes = l->lo_config.nodes;

	return (nodes == 0 ? machine_node() :
	    machine_curthread()->mt_index % nodes);
}

static inline bool
lock_owned(struct lock *l)
{
	return (l->lo_class->lc_owned(l));
}
