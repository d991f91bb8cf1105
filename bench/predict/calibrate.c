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
	SAMPLES_LEAST	= 20,		/* begun, also without budget */
	DISTURBED_MOST	= 20,		/* discarded in a row */
	BATCH_NS	= 20000		/* many times a clock's cost */
};

static const double drift_s = 0.06;
static const char guessed_like[] = "epyc-9654-2s";

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
		cb->cb_reading[i].mr_from = PROVENANCE_ABSENT;
}

unsigned
calibrate_samples(struct calibration *cb, unsigned count,
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
	    (count == first || begun < SAMPLES_LEAST || tick_ns() < end_ns));
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
	    time_batch, &ba, budget_ns)));
}

/* A probe of pq_key by batches of pq_loop. */
static void
loop(struct calibration *cb)
{
	const struct calibrate_probe *pq = cb->cb_probe;
	struct calibrate_spread qs;

	qs = calibrate_batches(cb, pq->pq_loop, NULL, cb->cb_budget_ns);
	calibrate_enter(cb, pq->pq_key, &qs, 1, 0, "%s", pq->pq_note);
}

static const struct calibrate_probe probes[] = {
#define	PROBE(native, weight, label, function, key, number)		\
	{ native, weight, label, calibrate_##function, PROFILE_##key,	\
	    number, NULL, NULL },
#define	LOOP(native, weight, label, function, key, note)		\
	{ native, weight, label, loop, PROFILE_##key, 0,		\
	    calibrate_##function, note },
#include "bench/predict/calibrate.tbl"
#undef PROBE
#undef LOOP
};

enum { PROBES = sizeof(probes) / sizeof(probes[0]) };

static double
in_range(enum profile_key key, double v)
{
	const struct profile_field *pf = &profile_fields[key];

	return (fmin(pf->pf_most, fmax(pf->pf_least, v)));
}

void
calibrate_set(struct calibration *cb, enum profile_key key,
    enum provenance from, double value, const char *fmt, ...)
{
	struct calibrate_reading *mr = &cb->cb_reading[key];
	va_list ap;

	mr->mr_value = in_range(key, value);
	mr->mr_count = 0;
	mr->mr_from = from;
	va_start(ap, fmt);
	vsnprintf(mr->mr_note, sizeof(mr->mr_note), fmt, ap);
	va_end(ap);
}

void
calibrate_enter(struct calibration *cb, enum profile_key key,
    const struct calibrate_spread *qs, double scale, double offset,
    const char *fmt, ...)
{
	struct calibrate_reading *mr = &cb->cb_reading[key];
	va_list ap;

	mr->mr_value = in_range(key, qs->qs_p50 * scale + offset);
	mr->mr_p5 = in_range(key, qs->qs_p5 * scale + offset);
	mr->mr_p95 = in_range(key, qs->qs_p95 * scale + offset);
	mr->mr_count = qs->qs_count;
	mr->mr_from = PROVENANCE_MEASURED;
	va_start(ap, fmt);
	vsnprintf(mr->mr_note, sizeof(mr->mr_note), fmt, ap);
	va_end(ap);
}

static void
probe_main(void *arg)
{
	struct calibration *cb = arg;

	cb->cb_probe->pq_run(cb);
}

static int
run_probe(struct calibration *cb, const struct calibrate_probe *pq,
    double seconds)
{
	static struct mthread td;
	int error;

	cb->cb_probe = pq;
	cb->cb_most = CALIBRATE_SAMPLES_MAX;
	cb->cb_budget_ns = (int64_t)(seconds * (double)NS_PER_S);
	error = machine_spawn(&td, "calibrate", 0, probe_main, cb);
	if (error != 0)
		return (error);
	machine_join(&td);
	cb->cb_conditions.cc_unbound |= !td.mt_bound;
	return (stop_asked() ? EINTR : cb->cb_error);
}

/* Runs the native probes or the others, each_s for a weight of 1. */
static int
run_probes(struct calibration *cb, bool native, double each_s)
{
	const struct calibrate_probe *pq = probes;
	int error = 0;

	for (; pq < probes + PROBES && error == 0; pq++) {
		if (pq->pq_native != native)
			continue;
		if (cb->cb_progress != NULL)
			progress_update(cb->cb_progress, cb->cb_done,
			    pq->pq_label);
		error = run_probe(cb, pq, each_s * pq->pq_weight);
		cb->cb_done += pq->pq_weight;
	}
	return (error);
}

static unsigned
weight_of(bool native)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < PROBES; i++)
		if (probes[i].pq_native == native)
			sum += probes[i].pq_weight;
	return (sum);
}

int
calibrate_native(double seconds, FILE *out)
{
	static struct calibration cb;
	int error;

	clear(&cb);
	error = run_probes(&cb, true, seconds / weight_of(true));
	if (error == 0 && fwrite(&cb, sizeof(cb), 1, out) != 1)
		error = EIO;
	return (error);
}

/* Adds what another process found. */
static void
merge(struct calibration *cb, const struct calibration *part)
{
	for (unsigned i = 0; i < PROFILE_VALUES; i++)
		if (part->cb_reading[i].mr_from != PROVENANCE_ABSENT)
			cb->cb_reading[i] = part->cb_reading[i];
	cb->cb_batches += part->cb_batches;
	cb->cb_disturbed += part->cb_disturbed;
	cb->cb_conditions.cc_unbound |= part->cb_conditions.cc_unbound;
}

/*
 * Runs the native probes in this program executed again.  It writes its struct
 * calibration to the pipe: both are the same program.
 *
 * Returns: 0; EINTR after a signal; ECHILD when the process failed, after its
 * message; else an errno value.
 */
static int
run_native(struct calibration *cb, char *const whole[], double seconds)
{
	char time[32];
	const char *const argv[] = { whole[0], "calibrate", "--part",
	    crypto_mode_names[CRYPTO_NATIVE], "-t", time, NULL };
	struct child ch = { .ch_argv = argv, .ch_again = true,
	    .ch_fd = { 0, CHILD_PIPE, 0 } };
	static struct calibration part;
	bool complete;
	int error, status;
	FILE *in;

	snprintf(time, sizeof(time), "%.3f", fmax(0.01, seconds));
	error = child_start(&ch);
	if (error != 0)
		return (error);
	in = fdopen(ch.ch_out, "r");
	complete = in != NULL && fread(&part, sizeof(part), 1, in) == 1;
	/* A signal ends the reading, and is to end the part. */
	if (stop_asked())
		kill(ch.ch_pid, SIGTERM);
	if (in != NULL)
		fclose(in);
	else
		close(ch.ch_out);
	status = child_wait(ch.ch_pid);
	if (stop_asked())
		return (EINTR);
	if (!complete || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return (ECHILD);
	merge(cb, &part);
	return (0);
}

static int
run_all(struct calibration *cb, double seconds, char *const argv[])
{
	const unsigned others = weight_of(false), native = weight_of(true);
	const double each_s = seconds / (others + native);
	struct progress p;
	int error;

	progress_init(&p, others + native, 0);
	cb->cb_progress = &p;
	error = run_probes(cb, false, each_s);
	if (error == 0) {
		progress_update(&p, cb->cb_done, "ciphers, native");
		error = run_native(cb, argv, native * each_s);
	}
	progress_fini(&p);
	cb->cb_progress = NULL;
	return (error);
}

/*
 * Takes again what depends on the CPU's speed alone; what probes measure while
 * the CPU becomes faster or slower does not fit together.
 */
static int
measure_drift(struct calibration *cb)
{
	struct calibrate_reading *mr = &cb->cb_reading[PROFILE_LAT_HIT];
	const struct calibrate_reading first = *mr;
	const struct calibrate_probe *pq = probes;
	int error;

	while (pq->pq_key != PROFILE_LAT_HIT)
		pq++;
	error = run_probe(cb, pq, drift_s);
	cb->cb_conditions.cc_drift = mr->mr_value / first.mr_value - 1;
	*mr = first;
	return (error);
}

/* What was not measured, but is used, is guessed to be a shipped profile's. */
static void
guess_rest(struct calibration *cb)
{
	char why[PROFILE_ERROR_SIZE] = "";
	static struct profile like, own;
	int error;

	error = profile_load(&like, guessed_like, why);
	KASSERT(error == 0, ("%s", why));
	calibrate_profile(cb, "", &own);
	for (unsigned key = 0; key < PROFILE_VALUES; key++)
		if (own.pr_from[key] == PROVENANCE_ABSENT &&
		    (profile_used(&own, key) ||
		    profile_fields[key].pf_need == PROFILE_NEED_NEVER))
			calibrate_set(cb, key, PROVENANCE_GUESSED,
			    like.pr_value[key], "as %s", guessed_like);
}

int
calibrate_measure(struct calibration *cb, double seconds, bool force,
    char *const argv[], char error_text[CALIBRATE_TEXT_SIZE])
{
	struct calibrate_conditions *cc = &cb->cb_conditions;
	struct calibrate_usage before;
	int error;

	clear(cb);
	calibrate_await_rest(cc, !force);
	if (calibrate_objections(cc, error_text, CALIBRATE_TEXT_SIZE) > 0 &&
	    !force)
		return (EBUSY);
	before = calibrate_usage();
	error = run_all(cb, seconds, argv);
	if (error == 0)
		error = measure_drift(cb);
	if (error != 0) {
		snprintf(error_text, CALIBRATE_TEXT_SIZE, "%s",
		    error == EINTR ? "interrupted" : error == ECHILD ?
		    "measuring the ciphers failed" : strerror(error));
		return (error);
	}
	guess_rest(cb);
	calibrate_usage_since(&before, cc);
	cc->cc_disturbed = (double)cb->cb_disturbed / cb->cb_batches;
	if (calibrate_objections(cc, error_text, CALIBRATE_TEXT_SIZE) > 0 &&
	    !force)
		return (EBUSY);
	return (0);
}
