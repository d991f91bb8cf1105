#include <gsl/gsl_fit.h>
#include <math.h>

#include "bench/hypothesis.h"
#include "bench/stats.h"
#include "bench/trend.h"

double
trend_of_cell(const struct result_cell *cell, double *x, double *y, double *p)
{
	double cov00, cov01, cov11, first = HUGE_VAL, intercept, last = 0;
	double median, slope, sum;
	unsigned i, n = cell->repeats;

	for (i = 0; i < n; i++) {
		x[i] = cell->samples[i].order;
		first = fmin(first, x[i]);
		last = fmax(last, x[i]);
		y[i] = cell->samples[i].total_mb_per_s;
	}
	*p = 1;
	if (n < TREND_REPEATS_MIN || first >= last)
		return (0);
	*p = hypothesis_trend(x, y, n);
	gsl_fit_linear(x, 1, y, 1, n, &intercept, &slope, &cov00, &cov01,
	    &cov11, &sum);
	median = stats_median(y, n);
	slope *= last - first;
	return (median > 0 && isfinite(slope) ? slope / median : 0);
}
