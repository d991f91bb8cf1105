/*
 * What calibration makes of samples, and when it trusts the machine.
 *
 * Order statistics throughout: one late batch moves a mean, not a median.
 */
#ifndef BENCH_CALIBRATE_STATS_H
#define BENCH_CALIBRATE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Samples in short; all 0 for none. */
struct calibrate_spread {
	double		sp_p5;
	double		sp_p50;
	double		sp_p95;
	double		sp_p99;
	double		sp_mean;	/* of those from p5 to p95 */
	unsigned	sp_count;
};

/*
 *   values  in/out  sorted afterwards
 *   n       in      0 or more
 */
struct calibrate_spread calibrate_spread(double *values, unsigned n);

/*
 * The 99th percentile of samples, each less the same part.  A disturbance that
 * hits few of them must not make the tail of all: it is at most that of the
 * lognormal distribution which has their median and 95th percentile.
 *
 *   less  in   in the samples' unit
 *   cut   out  whether that was less than what the samples have
 */
double calibrate_tail(const struct calibrate_spread *sp, double less,
    bool *cut);

/* Two heaps of samples with a gap between them. */
struct calibrate_modes {
	double		mo_low;		/* medians */
	double		mo_high;
	double		mo_low_weight;	/* shares, together 1 */
	double		mo_high_weight;
};

/*
 * Looks for two modes: each at least a twentieth of the samples, their medians
 * more than a factor of 1.5 apart, and few samples between them.
 *
 *   values  in/out  positive; sorted afterwards
 *   modes   out     if there are two
 *
 * Returns: whether there are.
 */
bool calibrate_bimodal(double *values, unsigned n,
    struct calibrate_modes *modes);

/*
 * The slope of y over x, by Theil and Sen: the median of the slopes of all
 * pairs.
 *
 *   n  in  2..CALIBRATE_POINTS_MAX; no two x are equal
 */
enum { CALIBRATE_POINTS_MAX = 16 };
double calibrate_slope(const double *x, const double *y, unsigned n);

/*
 * The coefficient of variation that a normal distribution with the samples'
 * median absolute deviation would have; 0 for a median of 0.
 *
 *   values  in/out  order and signs are lost
 *   n       in      at least 1
 */
double calibrate_cv(double *values, unsigned n);

/* What may be wrong with the machine that is measured. */
struct calibrate_conditions {
	double		cc_load;	/* 1-minute load average of a CPU */
	double		cc_others;	/* CPUs' worth of others' work, of
					   each CPU */
	double		cc_steal;	/* share of time stolen */
	double		cc_disturbed;	/* share of batches with a switch */
	double		cc_quota;	/* CPUs; 0: none */
	double		cc_drift;	/* last probe over first, less 1 */
	bool		cc_unbound;	/* a thread could not be bound */
};

/*
 * Lists what is wrong, and what would help.
 *
 *   text  out  cut where it does not fit; "" when all is well
 *
 * Returns: how many things.
 */
unsigned calibrate_objections(const struct calibrate_conditions *cc,
    char *text, size_t size);

/*
 * Of the share of CPU time that was used between two readings, what the
 * program did not use itself; 0..1.
 *
 *   busy_s, own_s  in  CPU seconds of all and of this program
 *   total_s        in  seconds of all CPUs, more than 0
 */
double calibrate_others(double busy_s, double own_s, double total_s);

#endif
