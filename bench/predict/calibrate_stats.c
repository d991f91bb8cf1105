#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "bench/predict/calibrate_probe.h"
#include "bench/stats/stats.h"
#include "lib/base/kassert.h"

struct calibrate_spread
calibrate_spread(double *values, unsigned n)
{
	struct calibrate_spread qs = { .qs_count = n };

	if (n == 0)
		return (qs);
	qs.qs_p5 = stats_quantile(values, n, 0.05);
	qs.qs_p50 = stats_quantile(values, n, 0.5);
	qs.qs_p95 = stats_quantile(values, n, 0.95);
	qs.qs_p99 = stats_quantile(values, n, 0.99);
	qs.qs_mean = gsl_stats_trmean_from_sorted_data(0.05, values, 1, n);
	return (qs);
}

/* The deviation of the logarithms. */
static double
sigma_of(double p50, double p95)
{
	return (p95 <= p50 ? 0 : log(p95 / p50) /
	    gsl_cdf_ugaussian_Pinv(0.95));
}

double
calibrate_tail(const struct calibrate_spread *qs, double less)
{
	const double p50 = qs->qs_p50 - less, p99 = qs->qs_p99 - less;

	/* Logarithms of nothing have no distribution. */
	if (p50 <= 0)
		return (p99);
	return (fmin(p99, p50 * exp(sigma_of(p50, qs->qs_p95 - less) *
	    gsl_cdf_ugaussian_Pinv(0.99))));
}

void
calibrate_lognormal(double p50, double p95, double *mean, double *cv)
{
	const double sigma = sigma_of(p50, p95);

	*mean = p50 * exp(sigma * sigma / 2);
	*cv = sqrt(expm1(sigma * sigma));
}

double
calibrate_cv(double *values, unsigned n)
{
	static double work[CALIBRATE_SAMPLES_MAX];
	const double median = stats_median(values, n);

	KASSERT(n <= CALIBRATE_SAMPLES_MAX, ("%u samples", n));
	return (median == 0 ? 0 : gsl_stats_mad(values, 1, n, work) / median);
}
