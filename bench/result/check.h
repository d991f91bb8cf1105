/*
 * Whether a result agrees with itself.
 */
#ifndef BENCH_RESULT_CHECK_H
#define BENCH_RESULT_CHECK_H

#include "bench/result/field.h"

/* Sets the numbers of a cell that are medians of its samples'. */
void result_set_medians(struct result_cell *c);

/*
 * Looks for what no measurement writes: a cell that is there twice, a repeat's
 * total that is not its readers' sum, medians that are not those of the
 * samples.  A median may leave out repeats that failed a gate.  Objects that
 * the samples lack are not looked at, and decimals may be rounded.
 *
 *   error  out  on failure: which member and what is wrong with it
 *
 * Returns: 0 or EINVAL.
 */
int result_check(const struct result *r, char error[RESULT_TEXT_SIZE]);

/* Whether a repeat's total is the sum of its readers, *sum. */
bool result_check_sum(const struct result_sample *rs, unsigned readers,
    double *sum);

/*
 * Order of cells by what was measured, for qsort(3): takes pointers to pointers
 * to cells.  Leaves out spin_polls, which is a setting of the whole run.
 */
int result_cell_order(const void *left, const void *right);

#endif
