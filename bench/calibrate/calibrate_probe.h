/*
 * What probes are made of; for bench/calibrate*.c.
 */
#ifndef BENCH_CALIBRATE_PROBE_H
#define BENCH_CALIBRATE_PROBE_H

#include "bench/calibrate/calibrate.h"
#include "bench/console/progress.h"
#include "lib/machine.h"

/* A probe: fills in some readings, in about the time it is given. */
struct calibrate_probe {
	const char	*pb_label;	/* for people who wait */
	unsigned	 pb_weight;	/* its part of the time */
	void		(*pb_run)(struct calibration *cb, int64_t budget_ns);
};

/* The families' probes; an empty one ends each. */
extern const struct calibrate_probe calibrate_line_probes[];
extern const struct calibrate_probe calibrate_os_probes[];
extern const struct calibrate_probe calibrate_kernel_probes[];
extern const struct calibrate_probe calibrate_native_probes[];

/* What a mode's part weighs, next to families. */
unsigned calibrate_part_weight(enum crypto_mode mode);

/* The weights of a family. */
unsigned calibrate_weight(const struct calibrate_probe *probes);

/*
 * Runs a family's probes one after the other, each on a thread bound to the
 * first CPU.
 *
 *   seconds  in      for all of them
 *   p, done  in/out  progress, one step for each weight; or NULL
 *
 * Returns: 0, EINTR, or what a probe said.
 */
int calibrate_run(struct calibration *cb, const struct calibrate_probe *probes,
    double seconds, struct progress *p, uint64_t *done);

/*
 * Times fn(arg, n), n so large that a clock is good enough, again and again for
 * budget_ns.
 *
 * Returns: what one of the n takes, in ns; the samples are in cb_samples.
 */
struct calibrate_spread calibrate_batches(struct calibration *cb,
    void (*fn)(void *arg, unsigned n), void *arg, int64_t budget_ns);

/*
 * For probes that time batches on their own: begins one, and tells whether it
 * counts, because it kept its CPU or none does.
 */
long calibrate_batch_begin(struct calibration *cb);
bool calibrate_batch_end(struct calibration *cb, long begun);

/* Whether there should be another: there is room, and time or none yet. */
bool calibrate_more(unsigned count, int64_t end_ns);

/*
 * Enters what was measured: the median of samples, times scale, plus offset.
 * Values beyond what a profile may hold are cut.
 *
 *   fmt  in  the note, or ""
 */
void calibrate_enter(struct calibration *cb, enum profile_key key,
    const struct calibrate_spread *sp, double scale, double offset,
    const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Enters a value that no samples stand behind. */
void calibrate_enter_value(struct calibration *cb, enum profile_key key,
    enum provenance from, double value, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* A reading's value; 0 when there is none yet. */
static inline double
calibrate_value(const struct calibration *cb, enum profile_key key)
{

	return (cb->cb_reading[key].rd_value);
}

/* The key called CIPHER.MODE.WHAT. */
enum profile_key calibrate_cipher_key(const char *cipher,
    enum crypto_mode mode, const char *what);

/*
 * What the cipher takes of a read, ns: its bytes, and for each of its pieces a
 * call and a new key.
 */
double calibrate_read_ns(const struct calibration *cb, const char *cipher,
    enum crypto_mode mode, double bytes, double pieces);

#endif
