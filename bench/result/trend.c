#include <errno.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>

#include "bench/result/trend.h"
#include "bench/statistics/hypothesis.h"
#include "bench/statistics/stats.h"

/*
 * A drift refuses a cell, so that a false alarm costs a measurement and claims
 * nothing: each cell is asked alone, and one in fifty that did not drift may be
 * refused.  TREND_REPEATS_MIN repeats in their order have p = 0.017.
 */
static const double drift_p = 0.02;
static const double drift_share = 0.05;

int
trend_of_cell(const struct result_cell *cell, struct trend *tr)
{
	double cov00, cov01, cov11, first = HUGE_VAL, intercept, last = 0;
	double median, slope, sum, *x, *y;
	unsigned i, n = cell->repeats;

	x = calloc(2 * (size_t)n + 1, sizeof(*x));
	if (x == NULL)
		return (ENOMEM);
	y = x + n;
	for (i = 0; i < n; i++) {
		x[i] = cell->samples[i].order;
		first = fmin(first, x[i]);
		last = fmax(last, x[i]);
		y[i] = cell->samples[i].total_mb_per_s;
	}
	*tr = (struct trend){ .tr_p = 1 };
	if (n >= TREND_REPEATS_MIN && first < last &&
	    cell->profile[0] == '\0') {
		tr->tr_p = hypothesis_trend(x, y, n);
		gsl_fit_linear(x, 1, y, 1, n, &intercept, &slope, &cov00,
		    &cov01, &cov11, &sum);
		median = stats_median(y, n);
		slope *= last - first;
		if (median > 0 && isfinite(slope / median))
			tr->tr_change = slope / median;
		tr->tr_drift = tr->tr_p < drift_p &&
		    fabs(tr->tr_change) >= drift_share;
	}
	free(x);
	return (0);
}
