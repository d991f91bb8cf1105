/*
 * Gunther's Universal Scalability Law, fitted by least squares.
 *
 *	X(N) = gamma N / (1 + sigma (N - 1) + kappa N (N - 1))
 */
#ifndef BENCH_USL_FIT_H
#define BENCH_USL_FIT_H

enum {
	USL_LEAST	= 3,	/* different numbers of readers, to fit */
	USL_COLUMNS	= 4	/* of scratch, for each point */
};

/* What a total must be between, MB/s: a byte a second, and more than exists. */
#define	USL_MB_PER_S_MIN	1e-6
#define	USL_MB_PER_S_MAX	1e12

/* A measured total. */
struct usl_point {
	double	up_readers;	/* 1 or more */
	double	up_mb_per_s;	/* USL_MB_PER_S_MIN..USL_MB_PER_S_MAX */
	double	up_weight;	/* above 0 */
};

struct usl_law {
	double	ul_gamma;	/* MB/s of one reader; above 0 */
	double	ul_sigma;	/* contention; 0 or more */
	double	ul_kappa;	/* coherence; 0 or more */
};

/*
 * Fits the law to n points: the weighted squares of the errors of ln X, which
 * are relative errors, are least.
 *
 *   scratch  in  USL_COLUMNS * n numbers
 *
 * Returns: 0, or EDOM for fewer than USL_LEAST different numbers of readers.
 */
int usl_fit(const struct usl_point *points, unsigned n, double *scratch,
    struct usl_law *law);

/* The law's total for a number of readers, 1 or more; MB/s. */
double usl_at(const struct usl_law *law, double readers);

/*
 * The number of readers, not rounded, for which the law's total is largest: 1
 * when a second reader lowers it, INFINITY when it grows for ever.
 */
double usl_peak(const struct usl_law *law);

/*
 * The knee: the smallest number of readers to which one more adds less than
 * half of gamma.
 *
 *   most  in  the largest to look at
 *
 * Returns: 0 when there is none up to most.
 */
unsigned usl_knee(const struct usl_law *law, unsigned most);

#endif
