#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/memory.h"
#include "bench/stats/stats.h"
#include "lib/base/kassert.h"

enum {
	/*
	 * U takes 0..na * nb, most when both samples are equally large; there
	 * are fewer inversions.
	 */
	EXACT_MAX	= HYPOTHESIS_EXACT_MAX * HYPOTHESIS_EXACT_MAX / 4,
	/* 2.5 % of all resamples, and the one that stands above. */
	TAIL		= HYPOTHESIS_RESAMPLES / 40 + 1
};

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

/* U of a over b, a tie counting one half, and the sum of t^3 - t over ties. */
static double
mann_whitney_u(const double *a, unsigned na, const double *b, unsigned nb,
    double *ties)
{
	unsigned i = 0, ia, ib, k = 0;
	double tied, u = 0, v;

	*ties = 0;
	while (i < na || k < nb) {
		v = k == nb || (i < na && a[i] < b[k]) ? a[i] : b[k];
		for (ia = 0; i < na && a[i] == v; i++)
			ia++;
		/* These of a are above all k of b so far. */
		for (ib = 0; k < nb && b[k] == v; k++)
			ib++;
		u += ia * ((double)(k - ib) + ib / 2.0);
		tied = (double)ia + ib;
		*ties += tied * (tied * tied - 1);
	}
	return (u);
}

double
hypothesis_mann_whitney(const double *a, unsigned na, const double *b,
    unsigned nb)
{
	const double n = (double)na + nb, product = (double)na * nb;
	double distance, ties, u, variance;

	KASSERT(na > 0 && nb > 0, ("%u and %u values", na, nb));
	u = mann_whitney_u(a, na, b, nb, &ties);
	u = fmin(u, product - u);
	if (ties == 0 && na + nb <= HYPOTHESIS_EXACT_MAX)
		return (fmin(1, 2 * share_at_most(na, nb, false,
		    na * nb, (unsigned)u)));
	variance = product / 12 * (n + 1 - ties / (n * (n - 1)));
	distance = product / 2 - u - 0.5;
	if (distance <= 0 || !(variance > 0))
		return (1);
	return (2 * gsl_cdf_ugaussian_Q(distance / sqrt(variance)));
}

/* Values that occur k times take k (k - 1) (2 k + 5) from the variance. */
static double
tie_term(const double *v, unsigned n)
{
	double k, sum = 0;
	unsigned j;

	for (unsigned i = 0; i < n; i++) {
		for (j = 0; j < i && v[j] != v[i]; j++)
			continue;
		if (j < i)
			continue;
		for (k = 0; j < n; j++)
			k += v[j] == v[i];
		sum += k * (k - 1) * (2 * k + 5);
	}
	return (sum);
}

double
hypothesis_trend(const double *x, const double *y, unsigned n)
{
	double pairs = n * (n - 1.0) / 2, s = 0, ties, variance;
	bool distinct = true;

	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < i; j++) {
			s += ((x[i] > x[j]) - (x[i] < x[j])) *
			    ((y[i] > y[j]) - (y[i] < y[j]));
			distinct = distinct && x[i] != x[j] && y[i] != y[j];
		}
	}
	if (n >= 2 && n <= HYPOTHESIS_TREND_EXACT_MAX && distinct)
		return (fmin(1, 2 * share_at_most(n, 0, true, (unsigned)pairs,
		    (unsigned)((pairs - fabs(s)) / 2))));
	ties = tie_term(y, n);
	variance = ((double)n * (n - 1.0) * (2.0 * n + 5) - ties) / 18;
	if (fabs(s) <= 1 || !(variance > 0))
		return (1);
	return (2 * gsl_cdf_ugaussian_Q((fabs(s) - 1) / sqrt(variance)));
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

	*pd = (struct paired){ .pd_count = 0 };
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
		.pd_count = n,
		.pd_error = error,
		.pd_change = expm1(mean),
		.pd_ci95 = { expm1(mean - t * error), expm1(mean + t * error) },
		.pd_p = error > 0 ? 2 * gsl_cdf_tdist_Q(fabs(mean) / error,
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
	*rs = (struct resample){ .rs_n = n, .rs_middle = middle };
	free(drawn);
	gsl_rng_free(rng);
}

void
resample_fini(struct resample *rs)
{
	free(rs->rs_middle);
	*rs = (struct resample){ .rs_n = 0 };
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
resample_interval(const double *v, double *low, double *high)
{
	const double share = HYPOTHESIS_RESAMPLES / 40.0 - 0.025;
	double tail[TAIL], rest = share - floor(share);

	/* Sorting all of them would take most of a comparison's time. */
	gsl_sort_smallest(tail, TAIL, v, 1, HYPOTHESIS_RESAMPLES);
	*low = tail[TAIL - 2] + rest * (tail[TAIL - 1] - tail[TAIL - 2]);
	gsl_sort_largest(tail, TAIL, v, 1, HYPOTHESIS_RESAMPLES);
	*high = tail[TAIL - 2] + rest * (tail[TAIL - 1] - tail[TAIL - 2]);
}
