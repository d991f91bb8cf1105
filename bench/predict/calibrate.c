#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/child.h"
#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/predict/calibrate_probe.h"

enum {
	BATCHES_LEAST	= 20,
	DISTURBED_MOST	= 20,		/* discarded in a row */
	BATCH_NS	= 20000,	/* many times a clock's cost */
	PARTS		= 2		/* families from here are parts */
};

static const double speed_s = 0.06;

/* Probes of this process, then the part of each enum crypto_mode. */
static const struct {
	const struct calibrate_probe *probes;
	unsigned	 factor;	/* of their weights */
	const char	*label;		/* of a part, for progress */
} families[PARTS + CRYPTO_MODES] = {
	{ calibrate_line_probes, 1, NULL },
	{ calibrate_os_probes, 1, NULL },
	[PARTS + CRYPTO_KERNEL] = { calibrate_kernel_probes, 2,
	    "ciphers as random(4) runs them" },
	[PARTS + CRYPTO_NATIVE] = { calibrate_native_probes, 2,
	    "ciphers, native" },
};

/* Times that the thread was preempted. */
static long
preemptions(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return (ru.ru_nivcsw);
}

static void
clear(struct calibration *cb)
{
	memset(cb, 0, sizeof(*cb));
	for (unsigned i = 0; i < PROFILE_VALUES; i++)
		cb->cb_reading[i].rd_from = PROVENANCE_ABSENT;
}

unsigned
calibrate_samples(struct calibration *cb, unsigned count, unsigned least,
    double (*sample)(void *arg), void *arg, int64_t budget_ns)
{
	const unsigned first = count;
	int64_t end_ns = tick_ns() + budget_ns;
	unsigned begun = 0;
	long before;

	KASSERT(count < cb->cb_most && cb->cb_most <= CALIBRATE_SAMPLES_MAX,
	    ("%u of %u samples", count, cb->cb_most));
	do {
		cb->cb_batches += !cb->cb_switches;
		begun++;
		before = preemptions();
		cb->cb_samples[count] = sample(arg);
		if (cb->cb_switches || preemptions() == before)
			cb->cb_in_a_row = 0;
		else {
			cb->cb_disturbed++;
			cb->cb_in_a_row++;
		}
		/* A machine that is never quiet is measured, and marked. */
		count += cb->cb_in_a_row == 0 ||
		    cb->cb_in_a_row >= DISTURBED_MOST;
	} while (count < cb->cb_most && !stop_asked() &&
	    (count == first || begun < least || tick_ns() < end_ns));
	return (count);
}

struct batch {
	void		(*ba_fn)(void *arg, unsigned n);
	void		*ba_arg;
	unsigned	 ba_n;
};

static double
time_batch(void *arg)
{
	const struct batch *ba = arg;
	int64_t start_ns = tick_ns();

	ba->ba_fn(ba->ba_arg, ba->ba_n);
	return ((double)(tick_ns() - start_ns) / ba->ba_n);
}

struct calibrate_spread
calibrate_batches(struct calibration *cb, void (*fn)(void *arg, unsigned n),
    void *arg, int64_t budget_ns)
{
	struct batch ba = { .ba_fn = fn, .ba_arg = arg, .ba_n = 1 };

	while (time_batch(&ba) * ba.ba_n < BATCH_NS &&
	    ba.ba_n < UINT32_MAX / 4)
		ba.ba_n *= 2;
	return (calibrate_spread(cb->cb_samples, calibrate_samples(cb, 0,
	    BATCHES_LEAST, time_batch, &ba, budget_ns)));
}

void
calibrate_loop_probe(struct calibration *cb)
{
	const struct calibrate_probe *pb = cb->cb_probe;
	struct calibrate_spread sp;

	sp = calibrate_batches(cb, pb->pb_loop, NULL, cb->cb_budget_ns);
	calibrate_enter(cb, pb->pb_key, &sp, 1, 0, "%s", pb->pb_note);
}

static void __attribute__((format(printf, 5, 0)))
enter(struct calibration *cb, enum profile_key key, enum provenance from,
    const struct calibrate_spread *sp, const char *fmt, va_list ap)
{
	const struct profile_field *pf = &profile_fields[key];
	struct calibrate_reading *rd = &cb->cb_reading[key];

	rd->rd_value = fmin(pf->pf_most, fmax(pf->pf_least, sp->sp_p50));
	rd->rd_p5 = fmin(pf->pf_most, fmax(pf->pf_least, sp->sp_p5));
	rd->rd_p95 = fmin(pf->pf_most, fmax(pf->pf_least, sp->sp_p95));
	rd->rd_count = sp->sp_count;
	rd->rd_from = from;
	vsnprintf(rd->rd_note, sizeof(rd->rd_note), fmt, ap);
}

void
calibrate_enter(struct calibration *cb, enum profile_key key,
    const struct calibrate_spread *sp, double scale, double offset,
    const char *fmt, ...)
{
	const struct calibrate_spread scaled = {
		.sp_p5 = sp->sp_p5 * scale + offset,
		.sp_p50 = sp->sp_p50 * scale + offset,
		.sp_p95 = sp->sp_p95 * scale + offset,
		.sp_count = sp->sp_count,
	};
	va_list ap;

	va_start(ap, fmt);
	enter(cb, key, PROVENANCE_MEASURED, &scaled, fmt, ap);
	va_end(ap);
}

void
calibrate_set(struct calibration *cb, enum profile_key key,
    enum provenance from, double value, const char *fmt, ...)
{
	const struct calibrate_spread sp = { .sp_p5 = value, .sp_p50 = value,
	    .sp_p95 = value };
	va_list ap;

	va_start(ap, fmt);
	enter(cb, key, from, &sp, fmt, ap);
	va_end(ap);
}

static unsigned
weight_of(unsigned family)
{
	const struct calibrate_probe *pb = families[family].probes;
	unsigned sum = 0;

	for (; pb->pb_label != NULL; pb++)
		sum += pb->pb_weight;
	return (sum * families[family].factor);
}

static void
probe_main(void *arg)
{
	struct calibration *cb = arg;

	cb->cb_probe->pb_run(cb);
}

static int
run_probe(struct calibration *cb, const struct calibrate_probe *pb,
    double seconds)
{
	static struct mthread td;
	int error;

	cb->cb_probe = pb;
	cb->cb_most = CALIBRATE_SAMPLES_MAX;
	cb->cb_budget_ns = (int64_t)(seconds * (double)NS_PER_S);
	error = machine_spawn(&td, "calibrate", 0, probe_main, cb);
	if (error != 0)
		return (error);
	machine_join(&td);
	cb->cb_conditions.cc_unbound |= !td.mt_bound;
	return (stop_asked() ? EINTR : cb->cb_error);
}

/*
 * Runs a family's probes one after the other.
 *
 *   each_s   in      time for a weight of 1
 *   p, done  in/out  progress, one step for each weight; or NULL
 */
static int
run_family(struct calibration *cb, unsigned family, double each_s,
    struct progress *p, uint64_t *done)
{
	const struct calibrate_probe *pb = families[family].probes;
	int error = 0;

	for (; pb->pb_label != NULL && error == 0; pb++) {
		if (p != NULL)
			progress_update(p, *done, pb->pb_label);
		error = run_probe(cb, pb, each_s * pb->pb_weight);
		if (p != NULL)
			*done += pb->pb_weight;
	}
	return (error);
}

int
calibrate_part(enum crypto_mode mode, double seconds, FILE *out)
{
	const unsigned family = PARTS + mode;
	static struct calibration cb;
	int error;

	clear(&cb);
	error = run_family(&cb, family, seconds * families[family].factor /
	    weight_of(family), NULL, NULL);
	if (error == 0 && fwrite(&cb, sizeof(cb), 1, out) != 1)
		error = EIO;
	return (error);
}

/* Adds what a part found. */
static void
merge(struct calibration *cb, const struct calibration *part)
{
	for (unsigned i = 0; i < PROFILE_VALUES; i++)
		if (part->cb_reading[i].rd_from != PROVENANCE_ABSENT)
			cb->cb_reading[i] = part->cb_reading[i];
	cb->cb_batches += part->cb_batches;
	cb->cb_disturbed += part->cb_disturbed;
	cb->cb_conditions.cc_unbound |= part->cb_conditions.cc_unbound;
}

/*
 * Measures a mode's part in this program executed again.  It writes its struct
 * calibration to the pipe: both are the same program.
 *
 * Returns: 0; EINTR after a signal; ECHILD when the process failed, after its
 * message; else an errno value.
 */
static int
run_part(struct calibration *cb, char *const whole[], enum crypto_mode mode,
    double seconds)
{
	char time[32];
	const char *const argv[] = { whole[0], "calibrate", "--part",
	    crypto_mode_names[mode], "-t", time, NULL };
	struct child ch = { .ch_argv = argv, .ch_again = true,
	    .ch_fd = { 0, CHILD_PIPE, 0 } };
	static struct calibration part;
	size_t len = 0;
	int error, status;
	ssize_t n = 1;

	snprintf(time, sizeof(time), "%.3f", fmax(0.01, seconds));
	error = child_start(&ch);
	if (error != 0)
		return (error);
	while (len < sizeof(part) && n > 0) {
		n = read(ch.ch_out, (char *)&part + len, sizeof(part) - len);
		if (n > 0)
			len += (size_t)n;
		/* A signal ends the part as well. */
		if (stop_asked())
			kill(ch.ch_pid, SIGTERM);
		if (n < 0 && errno == EINTR)
			n = 1;
	}
	close(ch.ch_out);
	status = child_wait(ch.ch_pid);
	if (stop_asked())
		return (EINTR);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
	    len != sizeof(part))
		return (ECHILD);
	merge(cb, &part);
	return (0);
}

/* A computation whose time depends on the CPU's speed alone. */
static void
compute_loop(void *arg, unsigned n)
{
	volatile uint64_t *sink = arg;
	uint64_t x = *sink | 1;

	for (; n > 0; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	*sink = x;
}

static void
probe_speed(struct calibration *cb)
{
	uint64_t state = 1;

	cb->cb_speed_ns = calibrate_batches(cb, compute_loop, &state,
	    cb->cb_budget_ns).sp_p50;
}

static int
run_speed(struct calibration *cb)
{
	static const struct calibrate_probe speed = { .pb_run = probe_speed };

	return (run_probe(cb, &speed, speed_s));
}

/* The families, each its share of the time. */
static int
run_families(struct calibration *cb, const struct calibrate_params *params)
{
	unsigned total = 0;
	struct progress p;
	uint64_t done = 0;
	double each_s;
	int error = 0;

	for (unsigned i = 0; i < PARTS + CRYPTO_MODES; i++)
		total += weight_of(i);
	each_s = params->cp_seconds / total;
	progress_init(&p, total, 0);
	for (unsigned i = 0; i < PARTS + CRYPTO_MODES && error == 0; i++) {
		if (i < PARTS) {
			error = run_family(cb, i, each_s, &p, &done);
			continue;
		}
		progress_update(&p, done, families[i].label);
		error = run_part(cb, params->cp_argv,
		    (enum crypto_mode)(i - PARTS), weight_of(i) * each_s);
		done += weight_of(i);
	}
	progress_fini(&p);
	return (error);
}

/* The same, with the CPU's speed measured before and after. */
static int
run_all(struct calibration *cb, const struct calibrate_params *params)
{
	double first_ns;
	int error;

	/* A CPU that was idle needs a while to reach its speed. */
	error = run_speed(cb);
	if (error == 0)
		error = run_speed(cb);
	first_ns = cb->cb_speed_ns;
	if (error == 0)
		error = run_families(cb, params);
	if (error == 0)
		error = run_speed(cb);
	if (error == 0)
		cb->cb_conditions.cc_drift = cb->cb_speed_ns / first_ns - 1;
	return (error);
}

int
calibrate_measure(struct calibration *cb, const struct calibrate_params *params,
    char error_text[CALIBRATE_TEXT_SIZE])
{
	struct calibrate_conditions *cc = &cb->cb_conditions;
	struct calibrate_usage before;
	int error;

	clear(cb);
	calibrate_await_rest(cc, !params->cp_force);
	if (calibrate_objections(cc, error_text, CALIBRATE_TEXT_SIZE) > 0 &&
	    !params->cp_force)
		return (EBUSY);
	before = calibrate_usage();
	error = run_all(cb, params);
	if (error != 0) {
		snprintf(error_text, CALIBRATE_TEXT_SIZE, "%s",
		    error == EINTR ? "interrupted" : error == ECHILD ?
		    "measuring the ciphers failed" : strerror(error));
		return (error);
	}
	calibrate_usage_since(&before, cc);
	cc->cc_disturbed = (double)cb->cb_disturbed / cb->cb_batches;
	if (calibrate_objections(cc, error_text, CALIBRATE_TEXT_SIZE) > 0 &&
	    !params->cp_force)
		return (EBUSY);
	return (0);
}
