/*
 * Measures what operations cost on this machine, for a profile of it
 * (lib/profile/profile.h).
 *
 * Each probe measures some values, in batches on a thread that is bound to a
 * CPU; batches that lost the CPU are discarded.  libcrypto chooses its
 * instructions when it is loaded, so each mode's ciphers are measured by this
 * program executed again.
 */
#ifndef BENCH_PREDICT_CALIBRATE_H
#define BENCH_PREDICT_CALIBRATE_H

#include "lib/crypto/crypto.h"
#include "lib/profile/profile.h"

enum {
	CALIBRATE_NOTE_SIZE	= 96,
	CALIBRATE_TEXT_SIZE	= 768,
	CALIBRATE_SAMPLES_MAX	= 8192
};

/* A value, in its unit. */
struct calibrate_reading {
	double		 rd_value;
	double		 rd_p5;		/* of the samples */
	double		 rd_p95;
	unsigned	 rd_count;	/* samples; 0: it was not measured */
	enum provenance	 rd_from;	/* ABSENT: no value */
	char		 rd_note[CALIBRATE_NOTE_SIZE];
};

/* What may disturb a measurement. */
struct calibrate_conditions {
	double		cc_load;	/* 1-minute load average of a CPU */
	double		cc_others;	/* other work, CPUs' worth per CPU */
	double		cc_steal;	/* share of time stolen */
	double		cc_disturbed;	/* share of batches with a switch */
	double		cc_quota;	/* CPUs; 0: none */
	double		cc_drift;	/* last probe over first, less 1 */
	bool		cc_unbound;	/* a thread could not be bound */
};

struct calibration {
	struct calibrate_reading cb_reading[PROFILE_VALUES];
	struct calibrate_conditions cb_conditions;
	unsigned	 cb_batches;	/* begun */
	unsigned	 cb_disturbed;	/* of these, lost their CPU */
	unsigned	 cb_in_a_row;	/* disturbed ones in a row until now */
	/* For a probe: itself, its time, samples of the latest batches. */
	const struct calibrate_probe *cb_probe;
	int64_t		 cb_budget_ns;
	bool		 cb_switches;	/* keep batches that lost the CPU */
	unsigned	 cb_most;	/* samples */
	double		 cb_samples[CALIBRATE_SAMPLES_MAX];
	double		 cb_speed_ns;	/* of a fixed computation, latest */
	int		 cb_error;	/* of a probe: an errno value, or 0 */
};

struct calibrate_params {
	double		 cp_seconds;	/* for all */
	bool		 cp_force;	/* measure a busy machine too */
	char *const	*cp_argv;	/* the program's own */
};

/*
 * Measures everything.  The caller is attached to the machine and has called
 * tick_calibrate().
 *
 *   error  out  on failure: the reason
 *
 * Returns: 0; EINTR after a signal; EBUSY when the machine is too busy and
 * params->cp_force false; else an errno value.
 */
int calibrate_measure(struct calibration *cb,
    const struct calibrate_params *params, char error[CALIBRATE_TEXT_SIZE]);

/*
 * In the program that was executed again: measures what depends on libcrypto,
 * which was started in that mode, and writes it to out.
 *
 * Returns: 0, EINTR, or a probe's errno value.
 */
int calibrate_part(enum crypto_mode mode, double seconds, FILE *out);

/*
 * Lists the conditions beyond their limits and the remedies, cut to size.
 *
 * Returns: how many there are; with 0, text is "".
 */
unsigned calibrate_objections(const struct calibrate_conditions *cc,
    char *text, size_t size);

/*
 * Makes a profile of the readings.
 *
 *   busy  in  calibrate_objections(), or ""
 */
void calibrate_profile(const struct calibration *cb, const char *busy,
    struct profile *pr);

/* Prints the values and the conditions. */
void calibrate_print(FILE *out, const struct calibration *cb,
    const char *busy);

#endif
