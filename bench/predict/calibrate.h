/*
 * Measures what operations cost on this machine, for a profile of it
 * (lib/profile/profile.h).  Each probe measures some values, in batches on a
 * thread that is bound to a CPU; batches that lost the CPU are discarded.
 * Order statistics throughout: one late batch moves a mean, not a median.
 * libcrypto chooses its instructions when it is loaded, so ciphers with all
 * instructions are measured by this program executed again.
 */
#pragma once

#include "bench/cli/stop.h"
#include "lib/machine/machine.h"

enum { CALIBRATE_TEXT_SIZE = 768, CALIBRATE_SAMPLES_MAX = 8192 };

/* What may disturb a measurement. */
struct calibrate_conditions {
	double		cc_load;	/* 1-minute load average of a CPU */
	double		cc_others;	/* other work, CPUs' worth per CPU */
	double		cc_steal;	/* share of time stolen */
	double		cc_disturbed;	/* share of batches with a switch */
	double		cc_quota;	/* CPUs; 0: none */
	double		cc_drift;	/* in the time of an operation */
	bool		cc_unbound;	/* a thread could not be bound */
};

/* A summary of samples; all 0 for none. */
struct calibrate_spread {
	double		spr_p5, spr_p50, spr_p95, spr_p99;
	double		spr_mean;	/* without a twentieth at each end */
	unsigned	spr_count;
};

struct calibration {
	struct profile	 cb_profile;	/* values until now */
	struct calibrate_spread cb_spread[PROFILE_VALUES];	/* of them */
	struct calibrate_conditions cb_conditions;
	unsigned	 cb_batches;	/* begun */
	unsigned	 cb_disturbed;	/* of these, lost their CPU */
	unsigned	 cb_in_a_row;	/* disturbed ones in a row until now */
	/* For a probe: itself, its time, samples of the latest batches. */
	const struct calibrate_probe *cb_probe;
	int64_t		 cb_budget_ns;
	bool		 cb_switches;	/* keep batches that lost the CPU */
	unsigned	 cb_most;	/* samples */
	uint64_t	 cb_done;	/* weights of the probes before */
	double		 cb_samples[CALIBRATE_SAMPLES_MAX];
	int		 cb_error;	/* of a probe */
};

/* Names and describes cb_profile; busy is what is objected to, or "". */
void calibrate_describe(struct calibration *cb, const char *busy);

/* Lists the conditions beyond their limits.  Returns: how many there are. */
unsigned calibrate_objections(const struct calibrate_conditions *cc,
    char *text, size_t size);

/* A row of calibrate.tbl: cb_budget_ns on a thread bound to the first CPU. */
struct calibrate_probe {
	bool		 pq_native;
	unsigned	 pq_weight;
	const char	*pq_label;	/* for progress */
	void		(*pq_run)(struct calibration *cb);
	enum profile_key pq_key;
	unsigned	 pq_number;
	void		(*pq_loop)(void *arg, unsigned n);
	const char	*pq_note;
};

#define	PROBE(native, weight, label, function, ...)			\
	void calibrate_##function(struct calibration *cb);
#define	LOOP(native, weight, label, function, ...)			\
	void calibrate_##function(void *arg, unsigned n);
#include "bench/predict/calibrate.tbl"

/* Fills in cc_others and cc_steal, of the time since the call before. */
void calibrate_watch(struct calibrate_conditions *cc);

/*
 * Fills in cc_quota, cc_load and what precedes the measurement.  With wait, a
 * build or a shell's start-up files that have just ended do not count.
 */
void calibrate_await_rest(struct calibrate_conditions *cc, bool wait);

/*
 * Appends samples to the count in cb_samples until the budget is used up or
 * there are cb_most; at least one unless a signal came.  Those during which the
 * thread lost its CPU are discarded.  Returns: the new count.
 */
unsigned calibrate_samples(struct calibration *cb, unsigned count,
    double (*sample)(void *arg), void *arg, int64_t budget_ns);

/* Times fn(arg, n), n large enough for the clock.  Returns: ns of one of n. */
struct calibrate_spread calibrate_batches(struct calibration *cb,
    void (*fn)(void *arg, unsigned n), void *arg, int64_t budget_ns);

/* Enters the median of samples times scale plus offset, cut to the range. */
void calibrate_enter(struct calibration *cb, enum profile_key key,
    const struct calibrate_spread *qs, double scale, double offset,
    const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Times fn(arg, n) and enters that, plus offset. */
#define	CALIBRATE_TIME(cb, key, fn, arg, ns, offset, ...)		\
	calibrate_enter(cb, key, &(const struct calibrate_spread[]){	\
	    calibrate_batches(cb, fn, arg, ns) }[0], 1, offset, __VA_ARGS__)

/* Enters a value without samples. */
void calibrate_set(struct calibration *cb, enum profile_key key,
    enum provenance from, double value, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* A value; 0 when there is none yet. */
static inline double
calibrate_value(const struct calibration *cb, enum profile_key key)
{
	return (cb->cb_profile.pr_value[key]);
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
