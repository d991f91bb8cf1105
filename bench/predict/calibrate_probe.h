/*
 * Between the files of calibrate: probes, their helpers, and statistics of
 * samples.
 *
 * Order statistics throughout: one late batch moves a mean, not a median.
 */
#ifndef BENCH_PREDICT_CALIBRATE_PROBE_H
#define BENCH_PREDICT_CALIBRATE_PROBE_H

#include "bench/predict/calibrate.h"
#include "lib/machine/machine.h"

/*
 * A row of calibrate.tbl.  It takes about cb_budget_ns on a thread bound to the
 * first CPU.
 */
struct calibrate_probe {
	bool		 pq_native;
	unsigned	 pq_weight;
	const char	*pq_label;	/* for progress */
	void		(*pq_run)(struct calibration *cb);
	enum profile_key pq_key;
	unsigned	 pq_number;
	/* For calibrate_loop(): */
	void		(*pq_loop)(void *arg, unsigned n);
	const char	*pq_note;
};

#define	PROBE(native, weight, label, function, ...)			\
	void calibrate_##function(struct calibration *cb);
#define	LOOP(native, weight, label, function, ...)			\
	void calibrate_##function(void *arg, unsigned n);
#include "bench/predict/calibrate.tbl"
#undef PROBE
#undef LOOP

/* CPU time so far, of all CPUs together. */
struct calibrate_usage {
	double		ut_busy_s;
	double		ut_steal_s;
	double		ut_total_s;	/* 0: unknown */
	double		ut_own_s;	/* of this process and its children */
};

struct calibrate_usage calibrate_usage(void);

/* Fills in cc_others and cc_steal, of the time since then. */
void calibrate_usage_since(const struct calibrate_usage *then,
    struct calibrate_conditions *cc);

/*
 * Fills in cc_quota, cc_load and what precedes the measurement.  With wait it
 * waits for the machine to come to rest: a build or a shell's start-up files
 * that have just ended should not count.
 */
void calibrate_await_rest(struct calibrate_conditions *cc, bool wait);

/* A summary of samples; all 0 for none. */
struct calibrate_spread {
	double		qs_p5;
	double		qs_p50;
	double		qs_p95;
	double		qs_p99;
	double		qs_mean;	/* without a twentieth at each end */
	unsigned	qs_count;
};

/*
 * Appends samples to the count in cb_samples until the budget is used up or
 * there are cb_most; at least one unless a signal came.  Those during which the
 * thread lost its CPU are discarded.
 *
 * Returns: the new count.
 */
unsigned calibrate_samples(struct calibration *cb, unsigned count,
    double (*sample)(void *arg), void *arg, int64_t budget_ns);

/*
 * Times fn(arg, n), with n large enough for the clock, repeatedly.
 *
 * Returns: the ns of one of the n; the samples are in cb_samples.
 */
struct calibrate_spread calibrate_batches(struct calibration *cb,
    void (*fn)(void *arg, unsigned n), void *arg, int64_t budget_ns);

/*
 * Enters a measured value: the median of samples, times scale, plus offset,
 * cut to the key's range.
 */
void calibrate_enter(struct calibration *cb, enum profile_key key,
    const struct calibrate_spread *qs, double scale, double offset,
    const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Enters a value without samples. */
void calibrate_set(struct calibration *cb, enum profile_key key,
    enum provenance from, double value, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* A reading's value; 0 when there is none yet. */
static inline double
calibrate_value(const struct calibration *cb, enum profile_key key)
{
	return (cb->cb_reading[key].mr_value);
}

/* Summarises n samples, n >= 0; sorts them. */
struct calibrate_spread calibrate_spread(double *values, unsigned n);

/*
 * The 99th percentile of samples, each less the same part.  A disturbance of
 * few samples must not make the tail of all: the result is at most that of the
 * lognormal distribution with their median and 95th percentile.
 */
double calibrate_tail(const struct calibrate_spread *qs, double less);

/* Of the lognormal distribution with that median > 0 and 95th percentile. */
void calibrate_lognormal(double p50, double p95, double *mean, double *cv);

/*
 * The coefficient of variation of a normal distribution with the samples'
 * median absolute deviation; 0 for a median of 0.  Sorts the samples.
 */
double calibrate_cv(double *values, unsigned n);

#endif
