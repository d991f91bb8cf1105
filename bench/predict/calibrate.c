/* What probes measure with, and how they enter what they find. */
#include <sys/resource.h>
#include <sys/utsname.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "bench/predict/calibrate.h"
#include "bench/result/result.h"
#include "bench/stats/stats.h"

enum {
	TEXT_SIZE	= 96,		/* of a note */
	SAMPLES_LEAST	= 20,		/* begun, also without budget */
	DISTURBED_MOST	= 20,		/* discarded in a row */
	BATCH_NS	= 20000		/* many times a clock's cost */
};

static long
preemptions(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return (ru.ru_nivcsw);
}

unsigned
calibrate_samples(struct calibration *cb, unsigned count,
    double (*sample)(void *arg), void *arg, int64_t budget_ns)
{
	const unsigned first = count;
	int64_t end_ns = tick_ns() + budget_ns;
	unsigned begun = 0;
	long before;
	bool lost;

	KASSERT(count < cb->cb_most && cb->cb_most <= CALIBRATE_SAMPLES_MAX,
	    ("%u of %u samples", count, cb->cb_most));
	do {
		cb->cb_batches += !cb->cb_switches;
		begun++;
		before = preemptions();
		cb->cb_samples[count] = sample(arg);
		lost = !cb->cb_switches && preemptions() != before;
		cb->cb_disturbed += lost;
		cb->cb_in_a_row = lost ? cb->cb_in_a_row + 1 : 0;
		/* A machine that is never quiet is measured, and marked. */
		count += cb->cb_in_a_row == 0 ||
		    cb->cb_in_a_row >= DISTURBED_MOST;
	} while (count < cb->cb_most && !stop_asked() &&
	    (count == first || begun < SAMPLES_LEAST || tick_ns() < end_ns));
	return (count);
}

struct batch {
	void		(*fn)(void *arg, unsigned n);
	void		*arg;
	unsigned	 n;
};

static double
time_batch(void *arg)
{
	const struct batch *ba = arg;
	int64_t start_ns = tick_ns();

	ba->fn(ba->arg, ba->n);
	return ((double)(tick_ns() - start_ns) / ba->n);
}

struct calibrate_spread
calibrate_batches(struct calibration *cb, void (*fn)(void *arg, unsigned n),
    void *arg, int64_t budget_ns)
{
	struct batch ba = { fn, arg, 1 };

	while (time_batch(&ba) * ba.n < BATCH_NS && ba.n < UINT32_MAX / 4)
		ba.n *= 2;
	return (calibrate_spread(cb->cb_samples, calibrate_samples(cb, 0,
	    time_batch, &ba, budget_ns)));
}

static double
in_range(enum profile_key key, double v)
{
	const struct profile_field *pf = &profile_fields[key];

	return (fmin(pf->pf_most, fmax(pf->pf_least, v)));
}

/* Makes text of firmware and kernels valid in a profile. */
static void
plain(char *text)
{
	for (; *text != '\0'; text++)
		if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
			*text = ' ';
}

void
calibrate_set(struct calibration *cb, enum profile_key key,
    enum provenance from, double value, const char *fmt, ...)
{
	struct profile *pr = &cb->cb_profile;

	pr->pr_value[key] = in_range(key, value);
	pr->pr_from[key] = from;
	cb->cb_spread[key].spr_count = 0;
	VFORMAT(pr->pr_source[key], PROFILE_TEXT_SIZE, fmt);
	plain(pr->pr_source[key]);
}

void
calibrate_enter(struct calibration *cb, enum profile_key key,
    const struct calibrate_spread *qs, double scale, double offset,
    const char *fmt, ...)
{
	const double p5 = in_range(key, qs->spr_p5 * scale + offset);
	const double p95 = in_range(key, qs->spr_p95 * scale + offset);
	char note[TEXT_SIZE];

	VFORMAT(note, sizeof(note), fmt);
	calibrate_set(cb, key, PROVENANCE_MEASURED, qs->spr_p50 * scale +
	    offset, "%s%sn %u, %.3g..%.3g", note, note[0] != '\0' ? "; " : "",
	    qs->spr_count, p5, p95);
	cb->cb_spread[key] = (struct calibrate_spread){ .spr_p5 = p5,
	    .spr_p95 = p95, .spr_count = qs->spr_count };
}

void
calibrate_describe(struct calibration *cb, const char *busy)
{
	struct profile *pr = &cb->cb_profile;
	char model[RESULT_NAME_SIZE], when[RESULT_NAME_SIZE];
	struct utsname un = { .sysname = "" };

	(void)uname(&un);
	cpu_model(model, sizeof(model));
	result_now(when);
	snprintf(pr->pr_name, sizeof(pr->pr_name), "host");
	/* The conditions stand here, not in each source. */
	snprintf(pr->pr_descr, sizeof(pr->pr_descr), "%s%.48s, %u CPUs, "
	    "%.12s %.24s, %.10s, load %.2f", busy[0] != '\0' ?
	    "BUSY when calibrated: " : "", model, cpu_count(), un.sysname,
	    un.release, when, cb->cb_conditions.cc_load);
	plain(pr->pr_descr);
}

struct calibrate_spread
calibrate_spread(double *values, unsigned n)
{
	struct calibrate_spread qs = { .spr_count = n };

	if (n == 0)
		return (qs);
	qs.spr_p5 = stats_quantile(values, n, 0.05);
	qs.spr_p50 = stats_quantile(values, n, 0.5);
	qs.spr_p95 = stats_quantile(values, n, 0.95);
	qs.spr_p99 = stats_quantile(values, n, 0.99);
	qs.spr_mean = gsl_stats_trmean_from_sorted_data(0.05, values, 1, n);
	return (qs);
}

static double
sigma_of(double p50, double p95)
{
	return (p95 <= p50 ? 0 : log(p95 / p50) / gsl_cdf_ugaussian_Pinv(0.95));
}

double
calibrate_tail(const struct calibrate_spread *qs, double less)
{
	const double p50 = qs->spr_p50 - less, p99 = qs->spr_p99 - less;

	/* Logarithms of nothing have no distribution. */
	return (p50 <= 0 ? p99 : fmin(p99, p50 * exp(sigma_of(p50,
	    qs->spr_p95 - less) * gsl_cdf_ugaussian_Pinv(0.99))));
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
