#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "bench/predict/calibrate_probe.h"
#include "bench/stats/stats.h"
#include "lib/base/kassert.h"

/* When two groups of samples are two modes. */
static const double modes_ratio = 1.5;		/* of their medians */
static const double modes_weight = 0.05;	/* of the lighter one */
static const double modes_distance = 4;		/* Ashman's D, of logarithms */
static const double modes_trim = 0.025;		/* of each end */

/* Of a normal distribution: standard deviation over median deviation. */
static const double mad_to_deviation = 1.4826;

struct calibrate_spread
calibrate_spread(double *values, unsigned n)
{
	struct calibrate_spread sp = { .sp_count = n };
	unsigned within = 0;

	if (n == 0)
		return (sp);
	sp.sp_p5 = stats_quantile(values, n, 0.05);
	sp.sp_p50 = stats_quantile(values, n, 0.5);
	sp.sp_p95 = stats_quantile(values, n, 0.95);
	sp.sp_p99 = stats_quantile(values, n, 0.99);
	for (unsigned i = 0; i < n; i++) {
		if (values[i] < sp.sp_p5 || values[i] > sp.sp_p95)
			continue;
		sp.sp_mean += values[i];
		within++;
	}
	sp.sp_mean = within == 0 ? sp.sp_p50 : sp.sp_mean / within;
	return (sp);
}

double
calibrate_tail(const struct calibrate_spread *sp, double less, bool *cut)
{
	double p50 = sp->sp_p50 - less, p95 = sp->sp_p95 - less, most;
	double p99 = sp->sp_p99 - less;

	*cut = false;
	/* Logarithms of nothing have no distribution. */
	if (p50 <= 0 || p99 <= p50)
		return (p99);
	most = p50 * pow(p95 / p50, gsl_cdf_ugaussian_Pinv(0.99) /
	    gsl_cdf_ugaussian_Pinv(0.95));
	*cut = p99 > most;
	return (fmin(p99, most));
}

void
calibrate_lognormal(double p50, double p95, double *mean, double *cv)
{
	const double sigma = p95 <= p50 ? 0 : log(p95 / p50) /
	    gsl_cdf_ugaussian_Pinv(0.95);

	*mean = p50 * exp(sigma * sigma / 2);
	*cv = sqrt(expm1(sigma * sigma));
}

/*
 * How many of n ascending logarithms make the lower group: splitting there
 * removes most of their variance.
 *
 *   least  in  members of a group
 */
static unsigned
split(const double *logs, unsigned n, unsigned least)
{
	double best = -1, gain, left = 0, sum = 0;
	unsigned at = 0;

	for (unsigned i = 0; i < n; i++)
		sum += logs[i];
	for (unsigned i = 1; i < n; i++) {
		left += logs[i - 1];
		if (i < least || n - i < least)
			continue;
		gain = left / i - (sum - left) / (n - i);
		gain = gain * gain * i * (n - i);
		if (gain > best) {
			best = gain;
			at = i;
		}
	}
	return (at);
}

bool
calibrate_bimodal(double *values, unsigned n, struct calibrate_modes *modes)
{
	unsigned at, least, trim = (unsigned)(n * modes_trim);
	double apart, high, *logs, low, spread;
	bool two = false;

	if (n < 3)
		return (false);
	(void)stats_median(values, n);
	logs = malloc(n * sizeof(*logs));
	if (logs == NULL)
		return (false);
	for (unsigned i = 0; i < n; i++)
		logs[i] = log(fmax(values[i], 1e-9));
	n -= 2 * trim;
	least = (unsigned)ceil(n * modes_weight);
	if (least < 1)
		least = 1;
	at = split(logs + trim, n, least);
	if (at > 0) {
		modes->mo_low = stats_median(values + trim, at);
		modes->mo_high = stats_median(values + trim + at, n - at);
		modes->mo_low_weight = (double)at / n;
		modes->mo_high_weight = 1 - modes->mo_low_weight;
		low = stats_mean(logs + trim, at);
		high = stats_mean(logs + trim + at, n - at);
		apart = high - low;
		spread = gsl_stats_variance_with_fixed_mean(logs + trim, 1, at,
		    low) + gsl_stats_variance_with_fixed_mean(logs + trim + at,
		    1, n - at, high);
		/* With a spread of 0 any distance will do. */
		two = modes->mo_high > modes_ratio * modes->mo_low &&
		    M_SQRT2 * apart > modes_distance * sqrt(spread);
	}
	free(logs);
	return (two);
}

double
calibrate_slope(const double *x, const double *y, unsigned n)
{
	double slopes[CALIBRATE_POINTS_MAX * (CALIBRATE_POINTS_MAX - 1) / 2];
	unsigned pairs = 0;

	KASSERT(n >= 2 && n <= CALIBRATE_POINTS_MAX, ("%u points", n));
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++) {
			KASSERT(x[i] != x[k], ("%g twice", x[i]));
			slopes[pairs++] = (y[i] - y[k]) / (x[i] - x[k]);
		}
	return (stats_median(slopes, pairs));
}

double
calibrate_cv(double *values, unsigned n)
{
	double median = stats_median(values, n);

	if (median == 0)
		return (0);
	for (unsigned i = 0; i < n; i++)
		values[i] = fabs(values[i] - median);
	return (mad_to_deviation * stats_median(values, n) / fabs(median));
}
