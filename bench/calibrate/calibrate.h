/*
 * Measuring what operations cost on this machine, for a profile of it
 * (lib/profile.h).
 *
 * Each probe measures some values, in batches on a thread that is bound to a
 * CPU; batches that lost it are thrown away.  libcrypto's instructions are
 * chosen when it is loaded, so what depends on them is measured by this program
 * executed anew, once for each choice (bench/calibrate/calibrate_part.c).
 */
#ifndef BENCH_CALIBRATE_H
#define BENCH_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/calibrate/calibrate_stats.h"
#include "lib/crypto.h"
#include "lib/profile.h"

enum {
	CALIBRATE_NOTE_SIZE	= 96,
	CALIBRATE_NAME_SIZE	= 16,
	CALIBRATE_TEXT_SIZE	= 768,
	CALIBRATE_CHECKS_MAX	= 32,
	CALIBRATE_SAMPLES_MAX	= 8192
};

/* What is known of a value, in its unit. */
struct calibrate_reading {
	double		 rd_value;
	double		 rd_p5;		/* of the samples */
	double		 rd_p95;
	unsigned	 rd_count;	/* samples; 0: it was not measured */
	enum provenance	 rd_from;	/* ABSENT: no value */
	char		 rd_note[CALIBRATE_NOTE_SIZE];
};

/* A read request of one thread, as it was and as the values have it. */
struct calibrate_check {
	char		 ck_design[CALIBRATE_NAME_SIZE];
	char		 ck_cipher[CALIBRATE_NAME_SIZE];
	enum crypto_mode ck_mode;
	unsigned	 ck_bytes;
	double		 ck_measured_ns;
	double		 ck_predicted_ns;
};

struct calibration {
	struct calibrate_reading cb_reading[PROFILE_VALUES];
	struct calibrate_check cb_check[CALIBRATE_CHECKS_MAX];
	unsigned	 cb_checks;
	struct calibrate_conditions cb_conditions;
	unsigned	 cb_batches;	/* begun */
	unsigned	 cb_disturbed;	/* of these, lost their CPU */
	unsigned	 cb_in_a_row;	/* of these, since one that did not */
	/* For probes: the samples of the latest batches. */
	double		 cb_samples[CALIBRATE_SAMPLES_MAX];
	double		 cb_speed_ns;	/* of a fixed computation, latest */
	int		 cb_error;	/* of a probe: an errno value, or 0 */
};

/* What to measure, and how. */
struct calibrate_params {
	double		 cp_seconds;	/* for all */
	bool		 cp_force;	/* a busy machine, too */
	char *const	*cp_argv;	/* the program's own */
};

/*
 * Measures everything.  The machine is attached and tick_calibrate() was
 * called.
 *
 *   cb     out
 *   error  out  on failure: why, for people
 *
 * Returns: 0; EINTR after a signal; EBUSY when the machine is not fit and
 * params->cp_force false; else an errno value.
 */
int calibrate_measure(struct calibration *cb,
    const struct calibrate_params *params, char error[CALIBRATE_TEXT_SIZE]);

/*
 * Measures what depends on libcrypto, which is in that mode and was started,
 * and prints it for calibrate_part_read().
 *
 * Returns: 0, EINTR, or what a probe said.
 */
int calibrate_part(enum crypto_mode mode, double seconds, FILE *out);

/*
 * Takes over what a part has printed.
 *
 *   cb  in/out
 *
 * Returns: 0; EINVAL when it is not that, or not all of it.
 */
int calibrate_part_read(struct calibration *cb, FILE *in);

/*
 * Measures a mode's part in a process of its own, which is this program
 * executed anew.
 *
 *   cb    in/out  what it found is added
 *   argv  in      the program's own
 *
 * Returns: 0; EINTR after a signal; ECHILD when the process failed, having said
 * why; else an errno value.
 */
int calibrate_part_run(struct calibration *cb, char *const argv[],
    enum crypto_mode mode, double seconds);

/* Fills in ck_predicted_ns, from the values. */
void calibrate_predict(struct calibration *cb);

/*
 * Makes a profile of the readings.
 *
 *   busy  in  what was wrong with the machine, or ""
 */
void calibrate_profile(const struct calibration *cb, const char *busy,
    struct profile *pr);

/*
 * Prints the values and the checks, as a table or as JSON.
 *
 *   path  in  where the profile is
 *   busy  in  as above
 *
 * Returns: 0 or ENOMEM.
 */
void calibrate_print_table(FILE *out, const struct calibration *cb,
    const char *busy);
int calibrate_print_json(FILE *out, const struct calibration *cb,
    const char *path, const char *busy);

#endif
