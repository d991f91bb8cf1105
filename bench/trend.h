/*
 * Whether a cell's throughput moved while it was measured.
 */
#ifndef BENCH_TREND_H
#define BENCH_TREND_H

#include "bench/result.h"

enum { TREND_REPEATS_MIN = 3 };

/*
 * How far the total moved along a line through the repeats, in the order of
 * measuring.
 *
 *   x, y  out  room for as many values as the cell has repeats; scratch
 *   p     out  the probability of such a trend by chance, 0..1
 *
 * Returns: the change from the first repeat to the last, as a share of the
 * median: 0.05 is 5 % more; 0 with fewer than TREND_REPEATS_MIN.
 */
double trend_of_cell(const struct result_cell *cell, double *x, double *y,
    double *p);

#endif
