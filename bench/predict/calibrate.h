/*
 * Measures what operations cost on this machine, for a profile of it
 * (lib/profile/profile.h).
 *
 * Each probe measures some values, in batches on a thread that is bound to a
 * CPU; batches that lost the CPU are discarded.  libcrypto chooses its
 * instructions when it is loaded, so ciphers with all instructions are measured
 * by this program executed again.
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
	double		 mr_value;
	double		 mr_p5;		/* of the samples */
	double		 mr_p95;
	unsigned	 mr_count;	/* samples; 0: it was not measured */
	enum provenance	 mr_from;	/* ABSENT: no value */
	char		 mr_note[CALIBRATE_NOTE_SIZE];
};

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

struct progress;

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
	struct progress	*cb_progress;	/* NULL: of another process */
	uint64_t	 cb_done;	/* weights of the probes before */
	double		 cb_samples[CALIBRATE_SAMPLES_MAX];
	int		 cb_error;	/* of a probe: an errno value, or 0 */
};

/*
 * Measures everything.  The caller is attached to the machine and has called
 * tick_calibrate(); libcrypto's mode is CRYPTO_KERNEL.
 *
 *   seconds  in   for all
 *   force    in   measure a busy machine too
 *   argv     in   the program's own
 *   error    out  on failure: the reason
 *
 * Returns: 0; EINTR after a signal; EBUSY when the machine is too busy and
 * force false; else an errno value.
 */
int calibrate_measure(struct calibration *cb, double seconds, bool force,
    char *const argv[], char error[CALIBRATE_TEXT_SIZE]);

/*
 * In the program that was executed again: measures what depends on libcrypto's
 * mode, which is CRYPTO_NATIVE, and writes it to out.
 *
 * Returns: 0, EINTR, or a probe's errno value.
 */
int calibrate_native(double seconds, FILE *out);

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
