/*
 * Plans: a command as a list of jobs, each a command that stands alone.
 */
#ifndef BENCH_CAMPAIGN_PLAN_H
#define BENCH_CAMPAIGN_PLAN_H

#include "bench/options/options.h"

/*
 * Writes the jobs of a command that are not done, and what they have in common,
 * below op_plan.
 *
 *   op    in/out  options_seed() was called; the seed becomes that of the plan
 *   argv  in      the program's
 *
 * Returns: 0 or an exit status.
 */
int plan_write(struct options *op, char *const argv[], unsigned jobs);

#endif
