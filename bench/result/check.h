/*
 * Whether a result agrees with itself, and what its cells' repeats amount to.
 */
#ifndef BENCH_RESULT_CHECK_H
#define BENCH_RESULT_CHECK_H

#include "bench/result/field.h"

/* A number of a cell that is the median of its samples' numbers. */
struct result_median {
	char		 rm_name[2 * RESULT_NAME_SIZE];	/* "harvest.dropped" */
	double		*rm_number;	/* in the cell */
	double		*rm_values;	/* of its samples, in any order */
	bool		 rm_lacking;	/* an object that some sample lacks */
};

/* May reorder the values.  Returns: 0, or an error that ends the walk. */
typedef int result_median_fn(void *context, struct result_median *rm);

/*
 * Calls a function for each such number.
 *
 * Returns: 0 or the error of each().
 */
int result_medians(struct result_cell *c, result_median_fn *each,
    void *context);

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
