#include <gsl/gsl_fit.h>
#include <math.h>

#include "bench/hypothesis.h"
#include "bench/stats.h"
#include "bench/trend.h"

bool
trend_usable(const struct result_sample *s)
{

	return (s->gate[0] == '\0');
}

double
trend_of_cell(const struct result_cell *cell, double *x, double *y, double *p)
{
	double cov00, cov01, cov11, first = HUGE_VAL, intercept, last = 0;
	double median, slope, sum;
	unsigned i, n = 0;

	for (i = 0; i < cell->repeats; i++) {
		if (!trend_usable(&cell->samples[i]))
			continue;
		x[n] = cell->samples[i].order;
		first = fmin(first, x[n]);
		last = fmax(last, x[n]);
		y[n++] = cell->samples[i].total_mb_per_s;
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
