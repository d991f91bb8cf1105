#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/calibrate/calibrate_stats.h"
#include "bench/statistics/stats.h"
#include "lib/kassert.h"

/* When two heaps of samples are two modes. */
static const double modes_ratio = 1.5;		/* of their medians */
static const double modes_weight = 0.05;	/* of the lighter one */
static const double modes_distance = 4;		/* Ashman's D, of logarithms */
static const double modes_trim = 0.025;		/* of each end */

/* Of a normal distribution: standard deviation over median deviation. */
static const double mad_to_deviation = 1.4826;

/* Above these a machine is not fit to be measured. */
static const double others_most = 0.3;
static const double steal_most = 0.01;
static const double disturbed_most = 0.05;
static const double drift_most = 0.05;

struct calibrate_spread
calibrate_spread(double *values, unsigned n)
{
	struct calibrate_spread sp = { .sp_count = n };
	unsigned i, within = 0;

	if (n == 0)
		return (sp);
	sp.sp_p5 = stats_quantile(values, n, 0.05);
	sp.sp_p50 = stats_quantile(values, n, 0.5);
	sp.sp_p95 = stats_quantile(values, n, 0.95);
	sp.sp_p99 = stats_quantile(values, n, 0.99);
	for (i = 0; i < n; i++) {
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

/*
 * How many of n ascending logarithms make the lower heap: where splitting them
 * takes most of their variance away, each heap having at least the least.
 */
static unsigned
split(const double *logs, unsigned n, unsigned least)
{
	double best = -1, gain, left = 0, sum = 0;
	unsigned at = 0, i;

	for (i = 0; i < n; i++)
		sum += logs[i];
	for (i = 1; i < n; i++) {
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

/* The variance of a heap. */
static double
variance(const double *v, unsigned n)
{
	double mean = stats_mean(v, n), sum = 0;
	unsigned i;

	for (i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return (sum / n);
}

bool
calibrate_bimodal(double *values, unsigned n, struct calibrate_modes *modes)
{
	unsigned at, i, least, trim = (unsigned)(n * modes_trim);
	double apart, *logs, spread;
	bool two = false;

	if (n < 3)
		return (false);
	(void)stats_median(values, n);
	logs = malloc(n * sizeof(*logs));
	if (logs == NULL)
		return (false);
	for (i = 0; i < n; i++)
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
		apart = stats_mean(logs + trim + at, n - at) -
		    stats_mean(logs + trim, at);
		spread = variance(logs + trim, at) +
		    variance(logs + trim + at, n - at);
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
	unsigned i, k, pairs = 0;

	KASSERT(n >= 2 && n <= CALIBRATE_POINTS_MAX, ("%u points", n));
	for (i = 0; i < n; i++)
		for (k = 0; k < i; k++) {
			KASSERT(x[i] != x[k], ("%g twice", x[i]));
			slopes[pairs++] = (y[i] - y[k]) / (x[i] - x[k]);
		}
	return (stats_median(slopes, pairs));
}

double
calibrate_cv(double *values, unsigned n)
{
	double median = stats_median(values, n);
	unsigned i;

	if (median == 0)
		return (0);
	for (i = 0; i < n; i++)
		values[i] = fabs(values[i] - median);
	return (mad_to_deviation * stats_median(values, n) / fabs(median));
}

double
calibrate_others(double busy_s, double own_s, double total_s)
{

	KASSERT(total_s > 0, ("%g seconds", total_s));
	return (fmin(1, fmax(0, (busy_s - own_s) / total_s)));
}

/* Adds to a list. */
static void __attribute__((format(printf, 3, 4)))
object(char *text, size_t size, const char *fmt, ...)
{
	size_t at = 0;
	va_list ap;

	while (at < size && text[at] != '\0')
		at++;
	if (at > 0 && at < size)
		at += (size_t)snprintf(text + at, size - at, "; ");
	if (at >= size)
		return;
	va_start(ap, fmt);
	vsnprintf(text + at, size - at, fmt, ap);
	va_end(ap);
}

unsigned
calibrate_objections(const struct calibrate_conditions *cc, char *text,
    size_t size)
{
	unsigned n = 0;

	text[0] = '\0';
	if (cc->cc_others > others_most) {
		n++;
		object(text, size, "other programs use %.2f of each CPU (at "
		    "most %.2f): stop them", cc->cc_others, others_most);
	}
	if (cc->cc_steal > steal_most) {
		n++;
		object(text, size, "the hypervisor gave %.1f %% of the time "
		    "to others (at most %.0f %%): try at a quieter time",
		    cc->cc_steal * 100, steal_most * 100);
	}
	if (cc->cc_disturbed > disturbed_most) {
		n++;
		object(text, size, "%.1f %% of the batches lost their CPU (at "
		    "most %.0f %%): stop other programs",
		    cc->cc_disturbed * 100, disturbed_most * 100);
	}
	if (cc->cc_quota > 0) {
		n++;
		object(text, size, "a cgroup allows only %.3g CPUs' worth of "
		    "time: lift its quota", cc->cc_quota);
	}
	if (fabs(cc->cc_drift) > drift_most) {
		n++;
		object(text, size, "the CPU became %.1f %% %s on the way (at "
		    "most %.0f %%): fix its frequency, or try again",
		    fabs(cc->cc_drift) * 100, cc->cc_drift > 0 ? "slower" :
		    "faster", drift_most * 100);
	}
	if (cc->cc_unbound) {
		n++;
		object(text, size, "threads may not be bound to CPUs: allow "
		    "that");
	}
	return (n);
}
