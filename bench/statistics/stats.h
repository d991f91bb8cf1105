/*
 * Figures of merit of a few numbers: repeats of a cell, readers of a repeat.
 *
 * All take at least one value.  When all are 0, as nobody read anything, the
 * figures are defined still: each says what 0 gives.
 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stdint.h>

#include <gsl/gsl_rng.h>

/* The middle value, or the mean of the two middle ones.  Sorts values. */
double stats_median(double *values, unsigned n);

/*
 * The value below which a share q, 0..1, lies, linear between neighbours.
 * Sorts values.
 */
double stats_quantile(double *values, unsigned n, double q);

/* The arithmetic mean. */
double stats_mean(const double *values, unsigned n);

/*
 * Standard deviation over mean; the values are all there are, no sample.  0 for
 * a mean of 0.
 */
double stats_cov(const double *values, unsigned n);

/*
 * Jain's index, (sum x)^2 / (n sum x^2): 1/n..1, 1 when all are equal, be it 0.
 */
double stats_jain(const double *values, unsigned n);

/* The smallest over the largest: 0..1, 1 when all are equal, but 0 for 0. */
double stats_min_max(const double *values, unsigned n);

/*
 * The share that the larger half of the values make of the sum, a middle one
 * counting half: 0.5..1, 0.5 when all are equal, be it 0.  Of threads'
 * operations it is the fairness factor of the CNA papers.
 */
double stats_cna(const double *values, unsigned n);

/*
 * A generator of all that is drawn, the same for the same seed everywhere.
 *
 * Returns: NULL when there is no memory; else for gsl_rng_free().
 */
gsl_rng *stats_rng(uint64_t seed);

/*
 * An interval that holds the median with 95 % confidence: percentile bootstrap
 * over HYPOTHESIS_RESAMPLES draws.  The same values, in any order, and the same
 * seed give the same interval.  With one value there is no spread to see and
 * the interval is that value.
 *
 *   values     in   left as they are
 *   low, high  out  untouched on failure
 *
 * Returns: 0 or ENOMEM.
 */
int stats_ci95_median(const double *values, unsigned n, uint64_t seed,
    double *low, double *high);

#endif
