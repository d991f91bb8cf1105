/* Statistics of a few numbers, all finite. */
#pragma once

#include <gsl/gsl_rng.h>

#include "lib/base/base.h"

/*
 * Figures of at least one value.  These two sort values: the middle one, or the
 * mean of two; that below which a share q, 0..1, lies, linear between values.
 */
double stats_median(double *values, unsigned n);
double stats_quantile(double *values, unsigned n, double q);

/* Standard deviation, dividing by n, over the mean; 0 for a mean of 0. */
double stats_cov(const double *values, unsigned n);

/* Jain's index, (sum x)^2 / (n sum x^2): 1/n..1, 1 when all are equal. */
double stats_jain(const double *values, unsigned n);

/* The smallest over the largest: 0..1, 1 when all are equal; 0 for all 0. */
double stats_min_max(const double *values, unsigned n);

/*
 * The fairness factor of the CNA papers: the share of the sum in the larger
 * half of the values, 0.5..1, where a middle value counts half.
 */
double stats_cna(const double *values, unsigned n);

/* A random generator for gsl_rng_free(). */
gsl_rng *stats_rng(uint64_t seed);

/*
 * Sorts values.  A 95 % interval of the median, one value's the value itself:
 * percentile bootstrap over HYPOTHESIS_RESAMPLES draws, in whatever order.
 */
void stats_ci95_median(double *values, unsigned n, uint64_t seed,
    double ci95[2]);

/* How b differs from a in n pairs, each drawn alike. */
struct stats_change {
	double	chg_median;	/* of b over a, less one */
	double	chg_band[2];	/* 10 % and 90 % quantile of it */
	double	chg_share;	/* of the pairs that differ as it does */
};

/* A change in at least this share of the pairs is robust. */
#define	STATS_ROBUST	0.9
#define	STATS_BAND_LOW	0.1

/* The quantiles of both; values stay as they are. */
void stats_band(const double *values, unsigned n, double band[2]);

/*
 * Changes of predictions up to this share are not ranked: intervals have the
 * model's random variation, not its error.
 */
#define	STATS_MARGIN_PREDICTED	0.05

void stats_change(const double *a, const double *b, unsigned n,
    struct stats_change *sc);

enum {
	HYPOTHESIS_RESAMPLES	= 2000,
	/* Up to so many values, both samples', the distribution is exact. */
	HYPOTHESIS_EXACT_MAX	= 50,
	/* The same of the test for a trend. */
	HYPOTHESIS_TREND_EXACT_MAX = 10
};

/*
 * Two-sided tests.  They return p, 0..1: the probability of a difference at
 * least as large if both samples come from one distribution.
 *
 * Welch's t test: two means of 2 or more values, variances may differ.  1 when
 * neither sample varies or a variance is beyond a double.
 */
double hypothesis_welch(const double *a, unsigned na, const double *b,
    unsigned nb);

/*
 * Mann and Whitney's test: whether values of one sorted sample tend to be
 * larger.  Exact up to HYPOTHESIS_EXACT_MAX values without ties; else by the
 * normal distribution, corrected for ties and continuity.
 */
double hypothesis_mann_whitney(const double *a, unsigned na, const double *b,
    unsigned nb);

/* Mann and Kendall's test for a trend of y over x, exact or not likewise. */
double hypothesis_trend(const double *x, const double *y, unsigned n);

/*
 * Replaces each p by one corrected after Holm: of differences with p below a
 * limit the probability that any is not real is at most that limit.
 */
void hypothesis_holm(double *p, size_t n);

/* What paired ratios show: 0.03 is 3 % more. */
struct paired {
	unsigned	prd_count;	/* of pairs; 0: not paired */
	double		prd_error;	/* standard error of the logarithm */
	double		prd_change, prd_ci95[2];
	double		prd_p;		/* of such a change by chance, 0..1 */
};

enum { PAIRED_MIN = 3, PAIRED_TRIM_MIN = 10 };

/*
 * The change that logarithms of ratios show, one for each pair: Yuen's test of
 * their trimmed mean, which leaves out a fifth at each end where there are
 * PAIRED_TRIM_MIN or more.  Pairs must be independent.  Sorts logs; *pd is
 * zeros for less than PAIRED_MIN pairs.
 *
 * Source: K. K. Yuen, "The two-sample trimmed t for unequal population
 * variances", Biometrika 61 (1974), in its form for pairs.
 */
void paired_estimate(double *logs, unsigned n, struct paired *pd);

/*
 * HYPOTHESIS_RESAMPLES draws with replacement from n sorted values.  A draw is
 * the indexes of its two middle values, which serve any n sorted values.
 */
struct resample {
	unsigned	 rsm_n;
	unsigned	(*rs_middle)[2];	/* equal where n is odd */
};

/* Draws from values; the same for the same n and seed.  Free rs_middle. */
void resample_init(struct resample *rs, unsigned n, uint64_t seed);

/* The medians of all draws from rsm_n sorted values. */
void resample_medians(const struct resample *rs, const double *sorted,
    double *medians);

/* The middle 95 % of HYPOTHESIS_RESAMPLES values. */
void resample_interval(const double *v, double ci95[2]);

/* Values that differ by less count as equal: a share of the larger one. */
#define	AGREEMENT_MARGIN	0.01

/* How far predictions are off; starts as zeros. */
struct agreement {
	unsigned	ag_count;
	double		ag_sum;		/* of the absolute errors */
	double		ag_logs;	/* of ln(predicted / measured) */
	double		ag_worst;	/* the largest error, with its sign */
	const void	*ag_worst_of;	/* NULL: none was added */
};

/* Adds one of something: its error is a share of measured > 0, or absolute. */
void agreement_add(struct agreement *ag, double measured, double predicted,
    bool share, const void *of);

/* The mean absolute error; 0 of none. */
double agreement_mean(const struct agreement *ag);

/* The geometric mean of predicted over measured, of shares; 0 of none. */
double agreement_bias(const struct agreement *ag);

struct agreement_value {
	double	av_low, av_value, av_high;
};

struct agreement_item {
	struct agreement_value	ai_measured, ai_predicted;
};

/*
 * Pairs of items.  A prediction orders two if their intervals do not overlap; a
 * measurement if, besides, they differ by more than AGREEMENT_MARGIN.
 */
struct agreement_ranks {
	unsigned	agr_told;	/* ordered by the measurement */
	unsigned	agr_same;	/* of these: predicted in that order */
	unsigned	agr_opposite;	/* predicted in the other order */
};

void agreement_rank(struct agreement_item a, struct agreement_item b,
    struct agreement_ranks *ar);

/*
 * (agr_same - agr_opposite) / agr_told: Somers' d, -1..1, and Kendall's tau
 * where nothing is tied; 0 when the measurement orders no pair.
 */
double agreement_tau(const struct agreement_ranks *ar);
