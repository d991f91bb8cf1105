/* The fail points of a run. */
#pragma once

#include "harvest/harvest.h"

enum { FAILPOINTS_ERROR_SIZE = 2 * FAILPOINT_ERROR_SIZE };

/* The points that a run sets; zeroed: none. */
struct failpoint_list {
	unsigned	 fl_count;	/* points with a specification */
	const char	*fl_text[FAILPOINTS];	/* as given; NULL: none */
	struct failpoint_spec fl_spec[FAILPOINTS];
};

/* A run's points.  They must not move while they are used. */
struct failpoints {
	struct failpoint fa_point[FAILPOINTS];
	struct lock_faults fa_lock;	/* around MTX_DEF */
	struct lock_faults fa_spin;	/* around MTX_SPIN */
};

/* Counts of the points, and of the run. */
struct failpoint_outcome {
	uint64_t	fo_evaluated[FAILPOINTS], fo_executed[FAILPOINTS];
	bool		fo_seeded;
	uint64_t	fo_reads;	/* in the window */
	uint64_t	fo_waiting;	/* readers that waited at the end */
	uint64_t	fo_reseeds;	/* since the generator was made */
	struct harvest_totals fo_totals;
};

/*
 * Adds one point to a list, from "NAME=SPEC", which stays.  Returns: 0, or
 * EINVAL with what is wrong and what is accepted.
 */
int failpoints_parse(struct failpoint_list *fl, const char *text,
    char error[FAILPOINTS_ERROR_SIZE]);

/*
 * Makes all points, so that evaluations of each are counted.  The list outlives
 * them.  Pauses last pause_ns at most, or with -1 until failpoint_release();
 * readers have mt_index first and those behind it.
 */
void failpoints_make(struct failpoints *fa, const struct failpoint_list *fl,
    const struct failpoint_machine *fm, uint64_t seed, int64_t pause_ns,
    unsigned first, unsigned readers);

/* Sets the points of a device and of its locks. */
void failpoints_set(struct failpoints *fa, struct randomdev_params *rp);

/* Reads the counts of points that are no longer used. */
void failpoints_count(struct failpoints *fa, struct failpoint_outcome *fo);
