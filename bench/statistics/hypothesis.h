/*
 * Whether two samples differ: tests, their correction for many, and intervals
 * by resampling.
 *
 * Values are in ascending order wherever a function says sorted, and finite.
 * p is the probability, 0..1, of a difference at least as large, of either
 * sign, between two samples of one distribution.
 */
#ifndef BENCH_HYPOTHESIS_H
#define BENCH_HYPOTHESIS_H

#include <stddef.h>
#include <stdint.h>

enum {
	HYPOTHESIS_RESAMPLES	= 2000,
	/* Both samples' values; up to here the distribution of U is counted. */
	HYPOTHESIS_EXACT_MAX	= 50,
	/* Values; up to here the distribution of Kendall's S is counted. */
	HYPOTHESIS_TREND_EXACT_MAX = 10
};

/*
 * Welch's t test of two means; variances may differ.
 *
 *   na, nb  in  2 or more
 *
 * Returns: p; 1 when neither sample varies, as there is no scale to judge by,
 * or when a variance is beyond a double.
 */
double hypothesis_welch(const double *a, unsigned na, const double *b,
    unsigned nb);

/*
 * The test of Mann and Whitney: whether values of one sample tend to be larger.
 * By counting all orders where no value occurs twice and there are at most
 * HYPOTHESIS_EXACT_MAX; else by the normal distribution, corrected for ties and
 * for continuity.
 *
 *   a, b  in  sorted, at least one value each
 *
 * Returns: p.
 */
double hypothesis_mann_whitney(const double *a, unsigned na, const double *b,
    unsigned nb);

/*
 * The test of Mann and Kendall for a trend.  By counting all orders where no
 * value occurs twice and there are at most HYPOTHESIS_TREND_EXACT_MAX: p of 5
 * values that only rise is 2/5!, that of 4 is 2/4!.  Else by the normal
 * distribution, corrected for ties and for continuity.
 *
 *   x  in  when each value was taken; any scale
 *   n  in  any
 *
 * Returns: p.
 */
double hypothesis_trend(const double *x, const double *y, unsigned n);

/*
 * Replaces each p by one corrected for all of them, after Holm: to accept those
 * below a limit is to err in any one of them with that probability at most.
 *
 * Returns: 0 or ENOMEM, with p untouched.
 */
int hypothesis_holm(double *p, size_t n);

/* What ministat(1) says of two samples. */
struct hypothesis_student {
	double	hs_difference;	/* of the means, b - a */
	double	hs_half_width;	/* of its 95 % interval */
	double	hs_pooled_sd;
};

/*
 * Student's t of two means with one variance for both.
 *
 *   na, nb  in  2 or more
 */
void hypothesis_student(const double *a, unsigned na, const double *b,
    unsigned nb, struct hypothesis_student *hs);

/*
 * HYPOTHESIS_RESAMPLES draws with replacement from n values, kept as the places
 * of the middle values, which are all that a median needs: the same draws serve
 * any sample of n.
 */
struct resample {
	unsigned	 rs_n;
	unsigned	(*rs_middle)[2];	/* equal where n is odd */
};

/*
 * Draws anew.  The same n and seed give the same draws everywhere.
 *
 *   rs    out  untouched on failure
 *   n     in   1 or more
 *
 * Returns: 0 or ENOMEM.
 */
int resample_init(struct resample *rs, unsigned n, uint64_t seed);
void resample_fini(struct resample *rs);

/*
 * The median of each draw.
 *
 *   sorted   in   rs_n values
 *   medians  out  HYPOTHESIS_RESAMPLES of them
 */
void resample_medians(const struct resample *rs, const double *sorted,
    double *medians);

/*
 * The middle 95 % of what resampling gave.
 *
 *   v          in   HYPOTHESIS_RESAMPLES values, left as they are
 *   low, high  out
 */
void resample_interval(const double *v, double *low, double *high);

#endif
