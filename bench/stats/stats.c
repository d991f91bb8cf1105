#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "bench/stats/stats.h"

enum {
	/* Of U, 0..na * nb, most when both are alike; inversions are fewer. */
	EXACT_MAX	= HYPOTHESIS_EXACT_MAX * HYPOTHESIS_EXACT_MAX / 4,
	/* 2.5 % of all resamples, and the one that stands above. */
	TAIL		= HYPOTHESIS_RESAMPLES / 40 + 1
};

double
stats_quantile(double *values, unsigned n, double q)
{
	KASSERT(n > 0, ("quantile of nothing"));
	KASSERT(q >= 0 && q <= 1, ("quantile %f", q));
	gsl_sort(values, 1, n);
	return (gsl_stats_quantile_from_sorted_data(values, 1, n, q));
}

double
stats_median(double *values, unsigned n)
{
	return (stats_quantile(values, n, 0.5));
}

double
stats_cov(const double *values, unsigned n)
{
	const double mean = gsl_stats_mean(values, 1, n);

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
stats_band(const double *values, unsigned n, double band[2])
{
	double *sorted = xcalloc(n, sizeof(*sorted));

	memcpy(sorted, values, n * sizeof(*sorted));
	band[0] = stats_quantile(sorted, n, STATS_BAND_LOW);
	band[1] = stats_quantile(sorted, n, STATS_ROBUST);
	free(sorted);
}

void
stats_change(const double *a, const double *b, unsigned n,
    struct stats_change *sc)
{
	double *changes = xcalloc(n, sizeof(*changes));
	unsigned alike = 0;

	for (unsigned i = 0; i < n; i++)
		changes[i] = a[i] > 0 ? b[i] / a[i] - 1 : b[i] > 0;
	sc->chg_median = stats_median(changes, n);
	stats_band(changes, n, sc->chg_band);
	free(changes);
	for (unsigned i = 0; i < n; i++)
		alike += sc->chg_median < 0 ? b[i] < a[i] : b[i] > a[i];
	sc->chg_share = (double)alike / n;
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
stats_ci95_median(double *values, unsigned n, uint64_t seed, double ci95[2])
{
	double *medians = xcalloc(HYPOTHESIS_RESAMPLES, sizeof(*medians));
	struct resample rs;

	resample_init(&rs, n, seed);
	gsl_sort(values, 1, n);
	resample_medians(&rs, values, medians);
	resample_interval(medians, ci95);
	free(medians);
	free(rs.rs_middle);
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
order(struct agreement_value a, struct agreement_value b, double margin)
{
	if (fabs(a.av_value - b.av_value) <= margin *
	    fmax(a.av_value, b.av_value))
		return (0);
	return (a.av_low > b.av_high ? 1 : b.av_low > a.av_high ? -1 : 0);
}

void
agreement_rank(struct agreement_item a, struct agreement_item b,
    struct agreement_ranks *ar)
{
	const int was = order(a.ai_measured, b.ai_measured, AGREEMENT_MARGIN);
	const int predicted = order(a.ai_predicted, b.ai_predicted, 0);

	ar->agr_told += was != 0;
	ar->agr_same += was != 0 && predicted == was;
	ar->agr_opposite += was != 0 && predicted == -was;
}

double
agreement_tau(const struct agreement_ranks *ar)
{
	return (ar->agr_told == 0 ? 0 :
	    ((double)ar->agr_same - ar->agr_opposite) / ar->agr_told);
}

double
hypothesis_welch(const double *a, unsigned na, const double *b, unsigned nb)
{
	double df, se2, t, va, vb;

	KASSERT(na >= 2 && nb >= 2, ("%u and %u values", na, nb));
	va = gsl_stats_variance(a, 1, na) / na;
	vb = gsl_stats_variance(b, 1, nb) / nb;
	se2 = va + vb;
	/* Squares of the largest numbers overflow. */
	if (!(se2 > 0) || !isfinite(se2))
		return (1);
	t = (gsl_stats_mean(b, 1, nb) - gsl_stats_mean(a, 1, na)) / sqrt(se2);
	/* Welch and Satterthwaite; shares, as squares could overflow here. */
	va /= se2;
	vb /= se2;
	df = 1 / (va * va / (na - 1) + vb * vb / (nb - 1));
	return (2 * gsl_cdf_tdist_Q(fabs(t), df));
}

/*
 * Of all orders of different values, the share in which a statistic is at most
 * k, 0..max.  The number for each value of the statistic is a coefficient of
 *
 *	prod (1 - q^(base + i)) / (1 - q^(by_one ? 1 : i)), i = 1..n
 *
 * whose factors are applied one at a time: whole numbers, which a double holds
 * exactly below HYPOTHESIS_EXACT_MAX values.  Mann and Whitney's U of n values
 * and base others is a Gaussian binomial; inversions of n values have base 0.
 */
static double
share_at_most(unsigned n, unsigned base, bool by_one, unsigned max, unsigned k)
{
	double count[EXACT_MAX + 1] = { 1 }, below = 0, all = 0;
	unsigned divisor;

	KASSERT(max <= EXACT_MAX && k <= max, ("%u of %u", k, max));
	for (unsigned i = 1; i <= n; i++) {
		divisor = by_one ? 1 : i;
		for (unsigned j = max; j >= base + i; j--)
			count[j] -= count[j - base - i];
		for (unsigned j = divisor; j <= max; j++)
			count[j] += count[j - divisor];
	}
	for (unsigned j = 0; j <= max; j++) {
		all += count[j];
		if (j <= k)
			below += count[j];
	}
	return (below / all);
}

double
hypothesis_mann_whitney(const double *a, unsigned na, const double *b,
    unsigned nb)
{
	const double n = (double)na + nb, product = (double)na * nb;
	double distance, tied, ties = 0, u = 0, v, variance;
	unsigned i = 0, ia, ib, k = 0;

	KASSERT(na > 0 && nb > 0, ("%u and %u values", na, nb));
	/* U of a over b, a tie counting one half, and ties, of t^3 - t each. */
	while (i < na || k < nb) {
		v = k == nb || (i < na && a[i] < b[k]) ? a[i] : b[k];
		for (ia = 0; i < na && a[i] == v; i++)
			ia++;
		/* These of a are above all k of b so far. */
		for (ib = 0; k < nb && b[k] == v; k++)
			ib++;
		u += ia * ((double)(k - ib) + ib / 2.0);
		tied = (double)ia + ib;
		ties += tied * (tied * tied - 1);
	}
	u = fmin(u, product - u);
	if (ties == 0 && na + nb <= HYPOTHESIS_EXACT_MAX)
		return (fmin(1, 2 * share_at_most(na, nb, false,
		    na * nb, (unsigned)u)));
	variance = product / 12 * (n + 1 - ties / (n * (n - 1)));
	distance = product / 2 - u - 0.5;
	return (distance <= 0 || !(variance > 0) ? 1 :
	    2 * gsl_cdf_ugaussian_Q(distance / sqrt(variance)));
}

double
hypothesis_trend(const double *x, const double *y, unsigned n)
{
	double k, pairs = n * (n - 1.0) / 2, s = 0, ties = 0, variance;
	bool distinct = true;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < i; j++) {
			s += ((x[i] > x[j]) - (x[i] < x[j])) *
			    ((y[i] > y[j]) - (y[i] < y[j]));
			distinct = distinct && x[i] != x[j] && y[i] != y[j];
		}
	if (n >= 2 && n <= HYPOTHESIS_TREND_EXACT_MAX && distinct)
		return (fmin(1, 2 * share_at_most(n, 0, true, (unsigned)pairs,
		    (unsigned)((pairs - fabs(s)) / 2))));
	/* k equal values take k (k - 1) (2 k + 5) from the variance. */
	for (unsigned i = 0; i < n; i++) {
		k = 0;
		for (unsigned j = 0; j < n; j++)
			k += y[j] == y[i];
		ties += (k - 1) * (2 * k + 5);
	}
	variance = ((double)n * (n - 1.0) * (2.0 * n + 5) - ties) / 18;
	return (fabs(s) <= 1 || !(variance > 0) ? 1 :
	    2 * gsl_cdf_ugaussian_Q((fabs(s) - 1) / sqrt(variance)));
}

void
hypothesis_holm(double *p, size_t n)
{
	size_t *rank = xcalloc(n, sizeof(*rank));
	double floor = 0;

	gsl_sort_index(rank, p, 1, n);
	for (size_t i = 0; i < n; i++) {
		floor = fmin(1, fmax(floor, p[rank[i]] * (double)(n - i)));
		p[rank[i]] = floor;
	}
	free(rank);
}

void
paired_estimate(double *logs, unsigned n, struct paired *pd)
{
	const unsigned cut = n >= PAIRED_TRIM_MIN ? n / 5 : 0;
	const unsigned kept = n - 2 * cut;
	double error, mean, t;

	*pd = (struct paired){ .prd_count = 0 };
	if (n < PAIRED_MIN)
		return;
	gsl_sort(logs, 1, n);
	mean = gsl_stats_mean(logs + cut, 1, kept);
	/* The variance is of all, with those that were left out moved in. */
	for (unsigned i = 0; i < cut; i++) {
		logs[i] = logs[cut];
		logs[n - 1 - i] = logs[n - 1 - cut];
	}
	error = sqrt(gsl_stats_variance(logs, 1, n) * (n - 1) /
	    ((double)kept * (kept - 1)));
	t = gsl_cdf_tdist_Pinv(0.975, kept - 1);
	*pd = (struct paired){
		.prd_count = n,
		.prd_error = error,
		.prd_change = expm1(mean),
		.prd_ci95 = { expm1(mean - t * error), expm1(mean + t *
		    error) },
		.prd_p = error > 0 ? 2 * gsl_cdf_tdist_Q(fabs(mean) / error,
		    kept - 1) : mean != 0 ? 0 : 1,
	};
}

void
resample_init(struct resample *rs, unsigned n, uint64_t seed)
{
	unsigned (*middle)[2] = xcalloc(HYPOTHESIS_RESAMPLES, sizeof(*middle));
	unsigned *drawn = xcalloc(n, sizeof(*drawn)), place, seen;
	gsl_rng *rng = stats_rng(seed);

	KASSERT(n > 0, ("resamples of nothing"));
	for (unsigned i = 0; i < HYPOTHESIS_RESAMPLES; i++) {
		memset(drawn, 0, n * sizeof(*drawn));
		for (unsigned k = 0; k < n; k++)
			drawn[gsl_rng_uniform_int(rng, n)]++;
		/* The places at which so many of the draws have been seen. */
		place = 0;
		seen = drawn[0];
		for (unsigned k = 0; k < 2; k++) {
			while (seen <= (n - 1 + k) / 2)
				seen += drawn[++place];
			middle[i][k] = place;
		}
	}
	*rs = (struct resample){ .rsm_n = n, .rs_middle = middle };
	free(drawn);
	gsl_rng_free(rng);
}

void
resample_medians(const struct resample *rs, const double *sorted,
    double *medians)
{
	for (unsigned i = 0; i < HYPOTHESIS_RESAMPLES; i++)
		medians[i] = sorted[rs->rs_middle[i][0]] / 2 +
		    sorted[rs->rs_middle[i][1]] / 2;
}

void
resample_interval(const double *v, double ci95[2])
{
	const double share = HYPOTHESIS_RESAMPLES / 40.0 - 0.025;
	double tail[TAIL], rest = share - floor(share);

	/* Sorting all of them would take most of a comparison's time. */
	gsl_sort_smallest(tail, TAIL, v, 1, HYPOTHESIS_RESAMPLES);
	ci95[0] = tail[TAIL - 2] + rest * (tail[TAIL - 1] - tail[TAIL - 2]);
	gsl_sort_largest(tail, TAIL, v, 1, HYPOTHESIS_RESAMPLES);
	ci95[1] = tail[TAIL - 2] + rest * (tail[TAIL - 1] - tail[TAIL - 2]);
}
