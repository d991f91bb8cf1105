/*
 * Making a failing run small: a smaller scenario, then fewer changes of who
 * runs.
 */
#ifndef BENCH_SHRINK_H
#define BENCH_SHRINK_H

#include "bench/explore/case.h"

struct shrink_result {
	uint64_t	si_runs;	/* it took */
	uint64_t	si_steps_before;	/* choices of the schedule */
	uint64_t	si_steps;
	unsigned	si_switches_before;	/* pieces of the schedule */
	unsigned	si_switches;
};

/*
 * Replaces a case by a smaller one that breaks the same property, and notes
 * what comes of that.  It stays what it was when there is none.
 *
 *   runs_max  in  runs to spend
 *
 * Returns: 0; ENOMEM; EINTR; EPROTO: the case did not come out as it was noted.
 */
int shrink(struct trial *tr, struct explore_case *ca, uint64_t runs_max,
    struct shrink_result *si);

/*
 * Of a list of pieces alone, for programs of other kinds: removes and joins
 * pieces as long as fails() says that it still does.
 *
 *   fails  in  runs it; may replace sd by what was really made of it
 *
 * Returns: 0 or ENOMEM.
 */
int shrink_schedule(struct schedule *sd,
    bool (*fails)(void *context, struct schedule *sd), void *context);

#endif
