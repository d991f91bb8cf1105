/*
 * Lock profiling: what LOCK_PROFILING(9) and lockstat(1) would say, by lock, by
 * place in the program and by thread.
 *
 * Each thread writes rows of its own, those of its mt_index, which no other may
 * have: without atomics on shared words and after the lock was released, so
 * that profiling lengthens no hold by more than the reading of one time stamp.
 * Compiled out where LOCK_PROFILING is 0.
 */
#ifndef LIB_LOCKPROF_H
#define LIB_LOCKPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/flavour.h"
#include "lib/hist.h"
#include "lib/machine.h"

#ifndef LOCK_PROFILING
#define	LOCK_PROFILING	1
#endif

enum {
	LOCKPROF_SITES_MAX	= 8,	/* of one lock */
	LOCKPROF_NO_SITE	= LOCKPROF_SITES_MAX	/* never held yet */
};

/*
 * How a contended acquisition waited, in machine_cycles().  As in lockstat(1),
 * spin is the whole wait less the time asleep, so the two are disjoint.
 */
struct lock_wait {
	uint64_t	lw_start_cycles;
	uint64_t	lw_spin_cycles;
	uint64_t	lw_block_cycles;
	uint32_t	lw_holder;	/* site that held it when this began */
	uint32_t	lw_yields;	/* times a spinning waiter gave way */
};

/*
 * What profiling keeps in a lock; written by its owner.  A waiter reads lo_site
 * once, so the two are on the line that an acquisition touches anyway.
 */
struct lockprof_owner {
	struct m64	lo_acquisitions;
	struct m32	lo_site;	/* the holder's, or the last one's */
};

/* The acquisition now held, part of struct lock_node. */
struct lockprof_hold {
	uint64_t	lh_start_cycles;
	uint64_t	lh_acquisition;	/* the lock's so-many-th */
	const struct lockprof_owner *lh_owner;	/* which lock */
	struct lock_wait lh_wait;	/* valid if contended */
	uint32_t	lh_site;
	uint32_t	lh_weight;	/* holds that this one's time is for */
	bool		lh_contended;
};

/* Waits that began while one site held the lock. */
struct lockprof_waits {
	uint64_t	lv_count;
	uint64_t	lv_cycles;
};

/*
 * What one thread did at one site with one lock in the current window.  What
 * every release writes is on the first line, but for one bucket.
 */
struct lockprof_row {
	_Alignas(MACHINE_CACHE_LINE)
	uint32_t	lr_window;		/* which the row is about */
	uint64_t	lr_count;		/* acquisitions */
	uint64_t	lr_hold_cycles;
	uint64_t	lr_hold_max_cycles;
	uint64_t	lr_contended;		/* that had to wait */
	uint64_t	lr_spin_cycles;
	uint64_t	lr_block_cycles;
	uint64_t	lr_wait_max_cycles;
	uint64_t	lr_yields;
	struct lockprof_waits lr_for[LOCKPROF_SITES_MAX];	/* by holder */
	struct hist_small lr_hold;
	struct hist_small lr_spin;		/* of waits that did */
	struct hist_small lr_block;		/* likewise */
};

/*
 * What one thread did with one lock, whatever the site.  Short distances, the
 * usual ones, are counted on the first line.
 */
struct lockprof_thread {
	_Alignas(MACHINE_CACHE_LINE)
	const struct lockprof_owner *lt_owner;	/* its latest lock's, or NULL */
	uint64_t	lt_last;	/* and which acquisition of that */
	uint32_t	lt_window;
	struct hist_small lt_reacquire;	/* acquisitions from one to the next */
};

struct lockprof {
	struct m32	 lp_window;	/* 0: not recording */
	unsigned	 lp_threads;
	unsigned	 lp_sites;
	/*
	 * Holds that are not timed for each that is, of those without a wait;
	 * 0 times all.  Set before anyone acquires.
	 */
	unsigned	 lp_skipcount;
	const char *const *lp_site_names;
	struct lockprof_row *lp_rows;	/* [thread][site] */
	struct lockprof_thread *lp_thread;	/* [thread] */
};

/*
 * Makes an empty profile that is not recording.
 *
 *   threads     in  threads have mt_index 0..threads - 1
 *   sites       in  at most LOCKPROF_SITES_MAX
 *   site_names  in  sites strings, kept by reference
 *
 * Returns: 0 or ENOMEM.
 */
int lockprof_init(struct lockprof *lp, unsigned threads, unsigned sites,
    const char *const *site_names);

/* Releases what lockprof_init() took. */
void lockprof_fini(struct lockprof *lp);

/*
 * Starts a window: rows begin at zero, each when its thread next writes it.
 *
 *   window  in  not 0, and another than the last
 */
void lockprof_open(struct lockprof *lp, uint32_t window);

/* Ends the window; releases from now on leave the rows as they are. */
void lockprof_close(struct lockprof *lp);

/*
 * Adds up the rows of one window over threads first..last at one site.  No
 * thread is writing: they have been joined.
 *
 *   sum  out
 */
void lockprof_sum(const struct lockprof *lp, uint32_t window, unsigned site,
    unsigned first, unsigned last, struct lockprof_row *sum);

/* The same of what is kept for each thread; lt_last is meaningless. */
void lockprof_sum_threads(const struct lockprof *lp, uint32_t window,
    unsigned first, unsigned last, struct lockprof_thread *sum);

#define	lockprof_record	FLAVOURED(lockprof_record)

/* Adds one finished hold to the calling thread's row; for this header. */
void lockprof_record(struct lockprof *lp, const struct lockprof_hold *lh,
    uint64_t end_cycles);

/* A time stamp where profiling is compiled in, else nothing. */
static inline uint64_t
lockprof_stamp(void)
{

	return (LOCK_PROFILING ? machine_cycles() : 0);
}

/* For lib/lock.h: the lock begins unheld. */
static inline void
lockprof_owner_init(struct lockprof_owner *lo)
{

	atomic_init_64(&lo->lo_acquisitions, 0);
	atomic_init_32(&lo->lo_site, LOCKPROF_NO_SITE);
}

/*
 * How many holds the time of an uncontended one is to stand for: 0 to leave it
 * untimed.  Which are timed depends on a hash of the acquisition's number, as
 * sites take turns with a period that counting would fall in step with.
 */
static inline uint32_t
lockprof_weight(const struct lockprof *lp, uint64_t acquisition)
{
	uint32_t hash = (uint32_t)(acquisition * 0x9e3779b97f4a7c15u >> 32);
	uint32_t every = lp->lp_skipcount + 1;

	return (((uint64_t)hash * every >> 32) == 0 ? every : 0);
}

static inline void
lockprof_acquired(struct lockprof *lp, struct lockprof_owner *lo,
    struct lockprof_hold *lh, unsigned site, const struct lock_wait *w)
{

	if (!LOCK_PROFILING || lp == NULL)
		return;
	lh->lh_owner = lo;
	lh->lh_site = site;
	lh->lh_contended = w != NULL;
	if (w != NULL)
		lh->lh_wait = *w;
	/* Looked at first: waiters share the line. */
	if (machine_note_load_32(&lo->lo_site) != site)
		machine_note_store_32(&lo->lo_site, site);
	lh->lh_acquisition = machine_note_load_64(&lo->lo_acquisitions) + 1;
	machine_note_store_64(&lo->lo_acquisitions, lh->lh_acquisition);
	lh->lh_weight = w != NULL || lp->lp_skipcount == 0 ? 1 :
	    lockprof_weight(lp, lh->lh_acquisition);
	if (lh->lh_weight != 0)
		lh->lh_start_cycles = machine_cycles();
}

/* The time stamp of a release; before it, to be passed on after it. */
static inline uint64_t
lockprof_releasing(const struct lockprof *lp, const struct lockprof_hold *lh)
{

	return (LOCK_PROFILING && lp != NULL && lh->lh_weight != 0 ?
	    machine_cycles() : 0);
}

/* Books the hold under another site, once its holder knows better. */
static inline void
lockprof_resite(struct lockprof *lp, struct lockprof_owner *lo,
    struct lockprof_hold *lh, unsigned site)
{

	if (!LOCK_PROFILING || lp == NULL)
		return;
	lh->lh_site = site;
	machine_note_store_32(&lo->lo_site, site);
}

static inline void
lockprof_released(struct lockprof *lp, const struct lockprof_hold *lh,
    uint64_t end_cycles)
{

	if (!LOCK_PROFILING || lp == NULL)
		return;
	lockprof_record(lp, lh, end_cycles);
}

#endif
