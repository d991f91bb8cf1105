#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/memory.h"
#include "bench/stats/stats.h"
#include "lib/base/kassert.h"

double
stats_median(double *values, unsigned n)
{
	return (stats_quantile(values, n, 0.5));
}

double
stats_quantile(double *values, unsigned n, double q)
{
	KASSERT(n > 0, ("quantile of nothing"));
	KASSERT(q >= 0 && q <= 1, ("quantile %f", q));
	gsl_sort(values, 1, n);
	return (gsl_stats_quantile_from_sorted_data(values, 1, n, q));
}

double
stats_mean(const double *values, unsigned n)
{
	KASSERT(n > 0, ("mean of nothing"));
	return (gsl_stats_mean(values, 1, n));
}

double
stats_cov(const double *values, unsigned n)
{
	const double mean = stats_mean(values, n);

	return (mean == 0 ? 0 :
	    gsl_stats_sd_with_fixed_mean(values, 1, n, mean) / mean);
}

double
stats_jain(const double *values, unsigned n)
{
	double cov = stats_cov(values, n);

	/* No reader got anything: evenly so. */
	return (1 / (1 + cov * cov));
}

double
stats_min_max(const double *values, unsigned n)
{
	double max, min;

	KASSERT(n > 0, ("extremes of nothing"));
	gsl_stats_minmax(&min, &max, values, 1, n);
	return (max > 0 ? min / max : 0);
}

double
stats_cna(const double *values, unsigned n)
{
	double larger = 0, sum = 0;
	unsigned place;

	KASSERT(n > 0, ("half of nothing"));
	for (unsigned i = 0; i < n; i++) {
		sum += values[i];
		/* Its place among the sorted, counted in halves. */
		place = 1;
		for (unsigned k = 0; k < n; k++)
			place += 2u * (values[k] < values[i] ||
			    (values[k] == values[i] && k < i));
		if (place >= n)
			larger += place > n ? values[i] : values[i] / 2;
	}
	/* No reader got anything: evenly so. */
	return (sum > 0 ? larger / sum : 0.5);
}

void
stats_change(const double *a, const double *b, unsigned n, double *scratch,
    struct stats_change *sc)
{
	unsigned alike = 0;

	for (unsigned i = 0; i < n; i++)
		scratch[i] = a[i] > 0 ? b[i] / a[i] - 1 : b[i] > 0;
	sc->sc_median = stats_median(scratch, n);
	sc->sc_band[0] = stats_quantile(scratch, n, STATS_BAND_LOW);
	sc->sc_band[1] = stats_quantile(scratch, n, STATS_ROBUST);
	for (unsigned i = 0; i < n; i++)
		alike += sc->sc_median < 0 ? b[i] < a[i] : b[i] > a[i];
	sc->sc_share = (double)alike / n;
}

gsl_rng *
stats_rng(uint64_t seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	if (rng == NULL)
		no_memory();
	/* The generator takes 32 bits; all 64 should matter. */
	gsl_rng_set(rng, (unsigned long)((seed ^ seed >> 32) & UINT32_MAX));
	return (rng);
}

void
stats_ci95_median(const double *values, unsigned n, uint64_t seed,
    double *low, double *high)
{
	double *medians = xcalloc(HYPOTHESIS_RESAMPLES, sizeof(*medians));
	double *sorted = xcalloc(n, sizeof(*sorted));
	struct resample rs;

	resample_init(&rs, n, seed);
	memcpy(sorted, values, n * sizeof(*sorted));
	gsl_sort(sorted, 1, n);
	resample_medians(&rs, sorted, medians);
	resample_interval(medians, low, high);
	free(sorted);
	free(medians);
	resample_fini(&rs);
}

void
agreement_add(struct agreement *ag, double measured, double predicted,
    bool share, const void *of)
{
	double error = predicted - measured;

	if (share) {
		KASSERT(measured > 0, ("measured %g", measured));
		KASSERT(predicted >= 0, ("predicted %g", predicted));
		error = predicted / measured - 1;
		ag->ag_logs += log(predicted / measured);
	}
	ag->ag_count++;
	ag->ag_sum += fabs(error);
	if (ag->ag_worst_of == NULL || fabs(error) > fabs(ag->ag_worst)) {
		ag->ag_worst = error;
		ag->ag_worst_of = of;
	}
}

double
agreement_mean(const struct agreement *ag)
{
	return (ag->ag_count == 0 ? 0 : ag->ag_sum / ag->ag_count);
}

double
agreement_bias(const struct agreement *ag)
{
	return (ag->ag_count == 0 ? 0 : exp(ag->ag_logs / ag->ag_count));
}

/* 1 when a is above b, -1 below, 0 when they are tied. */
static int
order(const struct agreement_value *a, const struct agreement_value *b,
    double margin)
{
	if (fabs(a->av_value - b->av_value) <= margin *
	    fmax(a->av_value, b->av_value))
		return (0);
	return (a->av_low > b->av_high ? 1 : b->av_low > a->av_high ? -1 : 0);
}

void
agreement_rank(const struct agreement_item *a, const struct agreement_item *b,
    struct agreement_ranks *ar)
{
	const int was = order(&a->ai_measured, &b->ai_measured,
	    AGREEMENT_MARGIN);
	const int predicted = order(&a->ai_predicted, &b->ai_predicted, 0);

	ar->ar_pairs++;
	ar->ar_told += was != 0;
	ar->ar_same += was != 0 && predicted == was;
	ar->ar_opposite += was != 0 && predicted == -was;
}

double
agreement_tau(const struct agreement_ranks *ar)
{
	return (ar->ar_told == 0 ? 0 :
	    ((double)ar->ar_same - ar->ar_opposite) / ar->ar_told);
}
