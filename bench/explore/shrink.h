/*
 * Shrinking a counterexample: a smaller scenario, then fewer switches.
 */
#ifndef BENCH_EXPLORE_SHRINK_H
#define BENCH_EXPLORE_SHRINK_H

#include "bench/explore/counterexample.h"

/*
 * Replaces a counterexample by the smallest that is found to break the same
 * property.
 *
 *   runs_max  in  executions to spend
 *
 * Returns: 0; ENOMEM; EINTR; EPROTO: its outcome is not the recorded one.
 */
int shrink(struct execution *ex, struct counterexample *cx, uint64_t runs_max);

/*
 * Shrinks a schedule alone: removes and joins turns as long as fails()
 * returns true.
 *
 *   fails  in  runs a schedule; may replace it by the one that was really run
 */
void shrink_schedule(struct schedule *sd,
    bool (*fails)(void *context, struct schedule *sd), void *context);

#endif
