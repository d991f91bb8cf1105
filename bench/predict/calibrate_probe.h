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
 * A probe enters some readings, in about cb_budget_ns, on a thread bound to the
 * first CPU.
 */
struct calibrate_probe {
	const char	*pb_label;	/* for progress */
	unsigned	 pb_weight;	/* its share of the time */
	void		(*pb_run)(struct calibration *cb);
	/* For pb_run: a key, an operation done n times, a note, a number. */
	enum profile_key pb_key;
	void		(*pb_loop)(void *arg, unsigned n);
	const char	*pb_note;
	unsigned	 pb_number;
};

/* The families' probes; an empty one ends each. */
extern const struct calibrate_probe calibrate_line_probes[];
extern const struct calibrate_probe calibrate_os_probes[];
extern const struct calibrate_probe calibrate_kernel_probes[];
extern const struct calibrate_probe calibrate_native_probes[];

/* CPU time so far, of all CPUs together. */
struct calibrate_usage {
	double		us_busy_s;
	double		us_steal_s;
	double		us_total_s;	/* 0: unknown */
	double		us_own_s;	/* of this process and its children */
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
	double		sp_p5;
	double		sp_p50;
	double		sp_p95;
	double		sp_p99;
	double		sp_mean;	/* of those from p5 to p95 */
	unsigned	sp_count;
};

/* A probe of pb_key by batches of pb_loop, without an argument. */
void calibrate_loop_probe(struct calibration *cb);

/*
 * Appends samples to the count in cb_samples until the budget is used up or
 * there are cb_most; at least one unless a signal came.  Those during which the
 * thread lost its CPU are discarded.
 *
 *   least  in  samples that are begun, also without budget
 *
 * Returns: the new count.
 */
unsigned calibrate_samples(struct calibration *cb, unsigned count,
    unsigned least, double (*sample)(void *arg), void *arg, int64_t budget_ns);

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
    const struct calibrate_spread *sp, double scale, double offset,
    const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Enters a value without samples. */
void calibrate_set(struct calibration *cb, enum profile_key key,
    enum provenance from, double value, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* A reading's value; 0 when there is none yet. */
static inline double
calibrate_value(const struct calibration *cb, enum profile_key key)
{
	return (cb->cb_reading[key].rd_value);
}

/* Summarises n samples, n >= 0; sorts them. */
struct calibrate_spread calibrate_spread(double *values, unsigned n);

/*
 * The 99th percentile of samples, each less the same part.  A disturbance of
 * few samples must not make the tail of all: the result is at most that of the
 * lognormal distribution with their median and 95th percentile.
 *
 *   cut  out  whether the samples have a longer tail
 */
double calibrate_tail(const struct calibrate_spread *sp, double less,
    bool *cut);

/* Of the lognormal distribution with that median > 0 and 95th percentile. */
void calibrate_lognormal(double p50, double p95, double *mean, double *cv);

struct calibrate_modes {
	double		mo_low;		/* medians */
	double		mo_high;
	double		mo_low_weight;	/* shares, together 1 */
	double		mo_high_weight;
};

/*
 * Whether samples have two modes: each at least a twentieth of them, medians
 * more than a factor of 1.5 apart, few samples between.
 *
 *   values  in/out  positive; sorted afterwards
 */
bool calibrate_bimodal(double *values, unsigned n,
    struct calibrate_modes *modes);

/* The slope of y over n >= 2 different x: the median over all pairs (Theil). */
enum { CALIBRATE_POINTS_MAX = 16 };
double calibrate_slope(const double *x, const double *y, unsigned n);

/*
 * The coefficient of variation of a normal distribution with the samples'
 * median absolute deviation; 0 for a median of 0.  Overwrites the samples.
 */
double calibrate_cv(double *values, unsigned n);

#endif
