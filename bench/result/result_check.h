/*
 * Whether a result agrees with itself: what is computed from samples is what
 * they give.
 */
#ifndef BENCH_RESULT_CHECK_H
#define BENCH_RESULT_CHECK_H

#include "bench/result/result.h"

/*
 * Looks for what no measurement leaves: a cell that stands twice, a repeat's
 * total that is not its readers' sum, and medians over repeats that are not
 * those of the samples.  A median may leave out repeats that failed a gate.
 * Members that the samples lack are not looked at, and decimals may be rounded.
 *
 *   error  out  on failure: which member and what is wrong with it
 *
 * Returns: 0, EINVAL or ENOMEM.
 */
int result_check(const struct result *r, char error[RESULT_TEXT_SIZE]);

/*
 * Whether all of a repeat's total is some reader's.
 *
 *   sum  out  what its readers had
 */
bool result_check_sum(const struct result_sample *rs, unsigned readers,
    double *sum);

/*
 * Order of cells by all that says what was measured, but for how often a
 * spinner polls, which is a setting of the whole run; for qsort(3): takes
 * pointers to pointers to cells.
 */
int result_cell_order(const void *left, const void *right);

#endif
