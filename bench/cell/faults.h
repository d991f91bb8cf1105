/*
 * All fail points there are, and those that one run has.
 */
#ifndef BENCH_FAULTS_H
#define BENCH_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "fortuna/generator.h"
#include "harvest/harvest_config.h"
#include "lib/failpoint.h"
#include "lib/lock.h"

/* Points, numbered 0..FAULT_POINTS - 1, lib's first. */
enum {
	FAULT_POINTS = LIB_FAILPOINTS + FORTUNA_FAILPOINTS +
	    HARVEST_FAILPOINTS,
	FAULT_ERROR_SIZE = 2 * FAILPOINT_ERROR_SIZE
};

/* What a run is asked for; zeroed: nothing. */
struct fault_list {
	unsigned	 fl_count;	/* points with a specification */
	const char	*fl_text[FAULT_POINTS];	/* as given; NULL: none */
	struct failpoint_spec fl_spec[FAULT_POINTS];
};

/* A run's points.  It must stay where it is while they are used. */
struct faults {
	struct failpoint fa_point[FAULT_POINTS];
	struct lock_faults fa_lock;	/* around the generator's locks */
	struct lock_faults fa_queue_lock;	/* and the event queue's */
};

/* What points and a run with them came to. */
struct fault_outcome {
	uint64_t	fo_evaluated[FAULT_POINTS];
	uint64_t	fo_executed[FAULT_POINTS];
	bool		fo_seeded;
	uint64_t	fo_reads;	/* in the window */
	uint64_t	fo_waiting;	/* readers that waited at the end */
	uint64_t	fo_reseeds;	/* since the generator was made */
	uint64_t	fo_in;		/* events, as struct harvest_totals */
	uint64_t	fo_processed;
	uint64_t	fo_pending;
	uint64_t	fo_dropped;
	uint64_t	fo_discarded;
};

const struct failpoint_def *fault_def(unsigned i);

/*
 * Adds one point to a list.
 *
 *   text   in   "NAME=SPEC"; stays
 *   error  out  on failure: what is wrong and what is accepted
 *
 * Returns: 0 or EINVAL.
 */
int faults_parse(struct fault_list *fl, const char *text,
    char error[FAULT_ERROR_SIZE]);

/* Whether it sets a point that only the harvest queue asks. */
bool faults_need_queue(const struct fault_list *fl);

/*
 * Makes the points of a run: all there are, so that evaluations are counted.
 *
 *   fl        in  outlives fa
 *   fm        in  the machine's that the run is on
 *   seed      in  the run's
 *   pause_ns  in  how long pause lasts at most; -1: until faults_release()
 */
void faults_make(struct faults *fa, const struct fault_list *fl,
    const struct failpoint_machine *fm, uint64_t seed, int64_t pause_ns);

/* Lets all go on who pause anywhere, for good; on the run's machine. */
void faults_release(struct faults *fa);

/*
 * Where the points go: gp_failpoints and the faults of gp_lock_config;
 * hp_failpoints, and the faults of hp_lock_config.  Of NULL: nothing.
 */
struct failpoint *faults_generator(struct faults *fa);
struct failpoint *faults_harvest(struct faults *fa);
const struct lock_faults *faults_lock(struct faults *fa);
const struct lock_faults *faults_queue_lock(struct faults *fa);

/* The counts of a run's points; nobody uses them any more. */
void faults_count(struct faults *fa, struct fault_outcome *fo);

#endif
