/*
 * Lock profiling: what LOCK_PROFILING(9) and lockstat(1) would say, by lock, by
 * place in the program and by thread.
 *
 * Each thread writes rows of its own, without atomics on shared words and after
 * the lock was released, so that profiling lengthens no hold by more than the
 * reading of one time stamp.  Compiled out where LOCK_PROFILING is 0.
 */
#ifndef LIB_LOCKPROF_H
#define LIB_LOCKPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/flavour.h"
#include "lib/machine.h"

#ifndef LOCK_PROFILING
#define	LOCK_PROFILING	1
#endif

/*
 * How a contended acquisition waited, in machine_cycles().  As in lockstat(1),
 * spin is the whole wait less the time asleep, so the two are disjoint.
 */
struct lock_wait {
	uint64_t	lw_spin_cycles;
	uint64_t	lw_block_cycles;
};

/* The acquisition now held, part of struct lock_node. */
struct lockprof_hold {
	uint64_t	lh_start_cycles;
	struct lock_wait lh_wait;	/* valid if contended */
	uint32_t	lh_site;
	bool		lh_contended;
};

/* What one thread did at one site with one lock in the current window. */
struct lockprof_row {
	uint64_t	lr_count;		/* acquisitions */
	uint64_t	lr_contended;		/* that had to wait */
	uint64_t	lr_hold_cycles;
	uint64_t	lr_hold_max_cycles;
	uint64_t	lr_spin_cycles;
	uint64_t	lr_block_cycles;
	uint64_t	lr_wait_max_cycles;
	uint32_t	lr_window;		/* which the row is about */
};

struct lockprof {
	struct m32	 lp_window;	/* 0: not recording */
	unsigned	 lp_threads;
	unsigned	 lp_sites;
	const char *const *lp_site_names;
	struct lockprof_row *lp_rows;	/* [thread][site] */
};

/*
 * Makes an empty profile that is not recording.
 *
 *   threads     in  threads have mt_index 0..threads - 1
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
 */
struct lockprof_row lockprof_sum(const struct lockprof *lp, uint32_t window,
    unsigned site, unsigned first, unsigned last);

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

static inline void
lockprof_acquired(struct lockprof *lp, struct lockprof_hold *lh, unsigned site,
    const struct lock_wait *w)
{

	if (!LOCK_PROFILING || lp == NULL)
		return;
	lh->lh_site = site;
	lh->lh_contended = w != NULL;
	if (w != NULL)
		lh->lh_wait = *w;
	lh->lh_start_cycles = machine_cycles();
}

/* Books the hold under another site, once its holder knows better. */
static inline void
lockprof_resite(struct lockprof_hold *lh, unsigned site)
{

	lh->lh_site = site;
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
