/*
 * Lock profiling as LOCK_PROFILING(9) and lockstat(1), by lock, site and
 * thread.  A thread writes the rows of its own mt_index, after it released the
 * lock, so profiling adds one time stamp to a hold.
 */
#pragma once

#include "lib/base/hist.h"
#include "lib/machine/machine.h"

#ifndef LOCK_PROFILING
#define	LOCK_PROFILING	1
#endif

enum {
	LOCKPROF_SITES_MAX	= 16,	/* of all locks of a profile */
	LOCKPROF_NO_SITE	= LOCKPROF_SITES_MAX	/* never held yet */
};

/* A wait, in machine_cycles(); time asleep is not in lw_spin_cycles. */
struct lock_wait {
	uint64_t	lw_start_cycles, lw_spin_cycles, lw_block_cycles;
	uint32_t	lw_holder;	/* site that held it when this began */
	uint32_t	lw_yields;	/* times a spinning waiter gave way */
	uint32_t	lw_polls;	/* between yields; 0: never */
	uint32_t	lw_left;	/* until the next */
};

/* For kinds whose waiters sleep at once: all of a wait. */
#define	LOCK_WAIT_ASLEEP	UINT64_MAX

/* Part of struct lock, written by its owner. */
struct lockprof_owner {
	struct m64	lpo_acquisitions;
	struct m32	lpo_site;	/* the holder's, or the last one's */
};

/* Part of struct lock_node. */
struct lockprof_hold {
	uint64_t	lh_start_cycles;
	uint64_t	lh_acquisition;	/* its number in the lock */
	const struct lockprof_owner *lh_owner;	/* which lock */
	struct lock_wait lh_wait;	/* valid if contended */
	uint32_t	lh_site;
	uint32_t	lh_weight;	/* holds that this one's time is for */
	bool		lh_contended;
};

/* Waits that began while one site held the lock. */
struct lockprof_waits {
	uint64_t	lv_count, lv_cycles;
};

/* One thread at one site of one lock.  Hot words come first. */
struct lockprof_row {
	_Alignas(MACHINE_CACHE_LINE)
	uint64_t	lr_count;		/* acquisitions */
	uint64_t	lr_hold_cycles, lr_hold_max_cycles;
	uint64_t	lr_contended;		/* that had to wait */
	uint64_t	lr_spin_cycles, lr_block_cycles;
	uint64_t	lr_wait_max_cycles, lr_yields;
	struct lockprof_waits lr_for[LOCKPROF_SITES_MAX];	/* by holder */
	struct hist_small lr_hold;
	struct hist_small lr_spin;		/* of waits that did */
	struct hist_small lr_block;		/* likewise */
};

/* One thread with one lock at all sites. */
struct lockprof_thread {
	_Alignas(MACHINE_CACHE_LINE)
	const struct lockprof_owner *lpt_owner;	/* its latest lock's, or NULL */
	uint64_t	lpt_last;	/* and which acquisition of that */
	struct hist_small lpt_reacquire; /* acquisitions between two */
};

struct lockprof {
	struct m32	 lp_open;	/* holds that end are recorded */
	unsigned	 lp_threads, lp_sites;
	/* Uncontended holds not timed for each that is; set before use. */
	unsigned	 lp_skipcount;
	const char *const *lp_site_names;
	/* The lock that a site took first, NULL for none; if it spins. */
	_Atomic(const char *) lp_site_lock[LOCKPROF_SITES_MAX];
	atomic_bool	 lp_site_spins[LOCKPROF_SITES_MAX];
	struct lockprof_row *lp_rows;	/* [thread][site] */
	struct lockprof_thread *lp_thread;	/* [thread] */
};

/*
 * Makes a profile that does not record yet, for mt_index below threads and at
 * most LOCKPROF_SITES_MAX sites; site_names outlives it.
 */
void lockprof_init(struct lockprof *lp, unsigned threads, unsigned sites,
    const char *const *site_names);

void lockprof_fini(struct lockprof *lp);

/* Begins or ends recording. */
void lockprof_open(struct lockprof *lp, bool open);

/* Adds up threads first..last, which no longer run, at one site. */
void lockprof_sum(const struct lockprof *lp, unsigned site, unsigned first,
    unsigned last, struct lockprof_row *sum);

/* The same of lp_thread: lpt_reacquire is set. */
void lockprof_sum_threads(const struct lockprof *lp, unsigned first,
    unsigned last, struct lockprof_thread *sum);

/* Adds one finished hold to the calling thread's row; for this header. */
void lockprof_record(struct lockprof *lp, const struct lockprof_hold *lh,
    uint64_t end_cycles);

static inline uint64_t
lockprof_stamp(void)
{
	return (LOCK_PROFILING ? machine_cycles() : 0);
}

/*
 * How many holds this one's time stands for; 0: it is not timed.  A hash of the
 * number chooses, as sites may take turns with a fixed period.
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
	if (machine_note_load_32(&lo->lpo_site) != site)
		machine_note_store_32(&lo->lpo_site, site);
	lh->lh_acquisition = machine_note_load_64(&lo->lpo_acquisitions) + 1;
	machine_note_store_64(&lo->lpo_acquisitions, lh->lh_acquisition);
	lh->lh_weight = w != NULL || lp->lp_skipcount == 0 ? 1 :
	    lockprof_weight(lp, lh->lh_acquisition);
	if (lh->lh_weight != 0)
		lh->lh_start_cycles = machine_cycles();
}

/* Before a release; the stamp goes to lockprof_released(). */
static inline uint64_t
lockprof_releasing(const struct lockprof *lp, const struct lockprof_hold *lh)
{
	return (LOCK_PROFILING && lp != NULL && lh->lh_weight != 0 ?
	    machine_cycles() : 0);
}

static inline void
lockprof_released(struct lockprof *lp, const struct lockprof_hold *lh,
    uint64_t end_cycles)
{
	if (LOCK_PROFILING && lp != NULL)
		lockprof_record(lp, lh, end_cycles);
}
