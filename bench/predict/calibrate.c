/* Runs the probes, and makes a profile of what they find. */
#include <sys/resource.h>
#include <sys/utsname.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "bench/cli/child.h"
#include "bench/cli/progress.h"
#include "bench/predict/calibrate.h"
#include "bench/result/result.h"
#include "bench/stats/stats.h"
#include "lib/crypto/crypto.h"

enum {
	TEXT_SIZE	= 96,		/* of a note */
	SAMPLES_LEAST	= 20,		/* begun, also without budget */
	DISTURBED_MOST	= 20,		/* discarded in a row */
	BATCH_NS	= 20000		/* many times a clock's cost */
};

static const double drift_s = 0.06;
static const char guessed_like[] = "epyc-9654-2s";

static long
preemptions(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return (ru.ru_nivcsw);
}

unsigned
calibrate_samples(struct calibration *cb, unsigned count,
    double (*sample)(void *arg), void *arg, int64_t budget_ns)
{
	const unsigned first = count;
	int64_t end_ns = tick_ns() + budget_ns;
	unsigned begun = 0;
	long before;
	bool lost;

	KASSERT(count < cb->cb_most && cb->cb_most <= CALIBRATE_SAMPLES_MAX,
	    ("%u of %u samples", count, cb->cb_most));
	do {
		cb->cb_batches += !cb->cb_switches;
		begun++;
		before = preemptions();
		cb->cb_samples[count] = sample(arg);
		lost = !cb->cb_switches && preemptions() != before;
		cb->cb_disturbed += lost;
		cb->cb_in_a_row = lost ? cb->cb_in_a_row + 1 : 0;
		/* A machine that is never quiet is measured, and marked. */
		count += cb->cb_in_a_row == 0 ||
		    cb->cb_in_a_row >= DISTURBED_MOST;
	} while (count < cb->cb_most && !stop_asked() &&
	    (count == first || begun < SAMPLES_LEAST || tick_ns() < end_ns));
	return (count);
}

struct batch {
	void		(*fn)(void *arg, unsigned n);
	void		*arg;
	unsigned	 n;
};

static double
time_batch(void *arg)
{
	const struct batch *ba = arg;
	int64_t start_ns = tick_ns();

	ba->fn(ba->arg, ba->n);
	return ((double)(tick_ns() - start_ns) / ba->n);
}

struct calibrate_spread
calibrate_batches(struct calibration *cb, void (*fn)(void *arg, unsigned n),
    void *arg, int64_t budget_ns)
{
	struct batch ba = { fn, arg, 1 };

	while (time_batch(&ba) * ba.n < BATCH_NS && ba.n < UINT32_MAX / 4)
		ba.n *= 2;
	return (calibrate_spread(cb->cb_samples, calibrate_samples(cb, 0,
	    time_batch, &ba, budget_ns)));
}

/* A probe of pq_key by batches of pq_loop. */
static void
loop(struct calibration *cb)
{
	const struct calibrate_probe *pq = cb->cb_probe;

	CALIBRATE_TIME(cb, pq->pq_key, pq->pq_loop, NULL, cb->cb_budget_ns, 0,
	    "%s", pq->pq_note);
}

static const struct calibrate_probe probes[] = {
#define	PROBE(native, weight, label, function, key, number)		\
	{ native, weight, label, calibrate_##function, PROFILE_##key,	\
	    number, NULL, NULL },
#define	LOOP(native, weight, label, function, key, note)		\
	{ native, weight, label, loop, PROFILE_##key, 0,		\
	    calibrate_##function, note },
#include "bench/predict/calibrate.tbl"
};

static double
in_range(enum profile_key key, double v)
{
	const struct profile_field *pf = &profile_fields[key];

	return (fmin(pf->pf_most, fmax(pf->pf_least, v)));
}

/* Makes text of firmware and kernels valid in a profile. */
static void
plain(char *text)
{
	for (; *text != '\0'; text++)
		if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
			*text = ' ';
}

void
calibrate_set(struct calibration *cb, enum profile_key key,
    enum provenance from, double value, const char *fmt, ...)
{
	struct profile *pr = &cb->cb_profile;

	pr->pr_value[key] = in_range(key, value);
	pr->pr_from[key] = from;
	cb->cb_spread[key].spr_count = 0;
	VFORMAT(pr->pr_source[key], PROFILE_TEXT_SIZE, fmt);
	plain(pr->pr_source[key]);
}

void
calibrate_enter(struct calibration *cb, enum profile_key key,
    const struct calibrate_spread *qs, double scale, double offset,
    const char *fmt, ...)
{
	const double p5 = in_range(key, qs->spr_p5 * scale + offset);
	const double p95 = in_range(key, qs->spr_p95 * scale + offset);
	char note[TEXT_SIZE];

	VFORMAT(note, sizeof(note), fmt);
	calibrate_set(cb, key, PROVENANCE_MEASURED, qs->spr_p50 * scale +
	    offset, "%s%sn %u, %.3g..%.3g", note, note[0] != '\0' ? "; " : "",
	    qs->spr_count, p5, p95);
	cb->cb_spread[key] = (struct calibrate_spread){ .spr_p5 = p5,
	    .spr_p95 = p95, .spr_count = qs->spr_count };
}

static void
probe_main(void *cb)
{
	((struct calibration *)cb)->cb_probe->pq_run(cb);
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
	if ((error = machine_spawn(&td, "calibrate", 0, probe_main, cb)) != 0)
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

	for (; pq < probes + nitems(probes) && error == 0; pq++) {
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

	for (unsigned i = 0; i < nitems(probes); i++)
		sum += probes[i].pq_native == native ? probes[i].pq_weight : 0;
	return (sum);
}

int
calibrate_native(double seconds, FILE *out)
{
	static struct calibration cb;
	int error;

	for (unsigned i = 0; i < PROFILE_VALUES; i++)
		cb.cb_profile.pr_from[i] = PROVENANCE_ABSENT;
	error = run_probes(&cb, true, seconds / weight_of(true));
	return (error != 0 || fwrite(&cb, sizeof(cb), 1, out) == 1 ? error :
	    EIO);
}

/*
 * Runs the native probes in this program executed again.  It writes its struct
 * calibration to the pipe, which the other probes continue: both are the same
 * program.  Returns: 0; EINTR after a signal; ECHILD when the process failed,
 * after its message; else an errno value.
 */
static int
run_native(struct calibration *cb, char *const whole[], double seconds)
{
	const char *const argv[] = { whole[0], "calibrate", "-t",
	    FORMATF("%.3f", fmax(0.01, seconds)), NULL };
	struct child ch = { .cld_argv = argv, .cld_again = true,
	    .cld_env = CALIBRATE_NATIVE "=1", .cld_fd = { 0, CHILD_PIPE, 0 } };
	int error, status;
	size_t complete;
	FILE *in;

	if ((error = child_start(&ch)) != 0)
		return (error);
	if ((in = fdopen(ch.cld_out, "r")) == NULL)
		no_memory();
	complete = fread(cb, sizeof(*cb), 1, in);
	/* A signal ends the reading, and is to end the part. */
	if (stop_asked())
		kill(ch.cld_pid, SIGTERM);
	fclose(in);
	status = child_wait(ch.cld_pid);
	return (stop_asked() ? EINTR : complete == 1 && status == 0 ? 0 :
	    ECHILD);
}

/*
 * Takes again what depends on the CPU's speed alone; what probes measure while
 * the CPU becomes faster or slower does not fit together.
 */
static void
drift(struct calibration *cb)
{
	cb->cb_conditions.cc_drift = calibrate_batches(cb, calibrate_hit, NULL,
	    cb->cb_budget_ns).spr_p50 / calibrate_value(cb, PROFILE_LAT_HIT) -
	    1;
}

/* What was not measured, but is used, is guessed to be a shipped profile's. */
static void
guess_rest(struct calibration *cb)
{
	char why[PROFILE_ERROR_SIZE] = "";
	static struct profile like;
	const int error = profile_load(&like, guessed_like, why);

	KASSERT(error == 0, ("%s", why));
	for (unsigned key = 0; key < PROFILE_VALUES; key++)
		if (cb->cb_profile.pr_from[key] == PROVENANCE_ABSENT &&
		    (profile_used(&cb->cb_profile, key) ||
		    profile_fields[key].pf_need == PROFILE_NEED_NEVER))
			calibrate_set(cb, key, PROVENANCE_GUESSED,
			    like.pr_value[key], "as %s", guessed_like);
}

int
calibrate_measure(struct calibration *cb, double seconds, bool force,
    char *const argv[], char error_text[CALIBRATE_TEXT_SIZE])
{
	const unsigned others = weight_of(false), native = weight_of(true);
	const double each_s = seconds / (others + native);
	struct calibrate_conditions before = { .cc_quota = 0 };
	struct calibrate_conditions *cc = &cb->cb_conditions;
	struct progress p;
	int error;

	calibrate_await_rest(&before, !force);
	if (calibrate_objections(&before, error_text, CALIBRATE_TEXT_SIZE) >
	    0 && !force)
		return (EBUSY);
	progress_init(&p, others + native, 0);
	progress_update(&p, 0, "ciphers, native");
	if ((error = run_native(cb, argv, native * each_s)) == 0) {
		before.cc_unbound = cc->cc_unbound;
		*cc = before;
		cb->cb_progress = &p;
		error = run_probes(cb, false, each_s);
	}
	progress_fini(&p);
	if (error == 0)
		error = run_probe(cb, &(const struct calibrate_probe){
		    .pq_run = drift }, drift_s);
	if (error != 0) {
		snprintf(error_text, CALIBRATE_TEXT_SIZE, "%s",
		    error == EINTR ? "interrupted" : error == ECHILD ?
		    "measuring the ciphers failed" : strerror(error));
		return (error);
	}
	guess_rest(cb);
	calibrate_watch(cc);
	cc->cc_disturbed = (double)cb->cb_disturbed / cb->cb_batches;
	return (calibrate_objections(cc, error_text, CALIBRATE_TEXT_SIZE) > 0 &&
	    !force ? EBUSY : 0);
}

void
calibrate_describe(struct calibration *cb, const char *busy)
{
	struct profile *pr = &cb->cb_profile;
	char model[RESULT_NAME_SIZE], when[RESULT_NAME_SIZE];
	struct utsname un = { .sysname = "" };

	(void)uname(&un);
	cpu_model(model, sizeof(model));
	result_now(when);
	snprintf(pr->pr_name, sizeof(pr->pr_name), "host");
	/* The conditions stand here, not in each source. */
	snprintf(pr->pr_descr, sizeof(pr->pr_descr), "%s%.48s, %u CPUs, "
	    "%.12s %.24s, %.10s, load %.2f", busy[0] != '\0' ?
	    "BUSY when calibrated: " : "", model, cpu_count(), un.sysname,
	    un.release, when, cb->cb_conditions.cc_load);
	plain(pr->pr_descr);
}

/* Blanks at the right of a column set the next one off. */
static const struct column columns[] = {
	{ "key", -21 }, { "value ", 10 }, { "unit ", -5 }, { "p5..p95 ", -21 },
	{ "provenance", 0 }
};

void
calibrate_print(FILE *out, const struct calibration *cb, const char *busy)
{
	const struct calibrate_conditions *cc = &cb->cb_conditions;
	const struct profile *pr = &cb->cb_profile;
	const struct calibrate_spread *qs = cb->cb_spread;

	COLUMNS_TITLES(out, columns);
	for (unsigned i = 0; i < PROFILE_VALUES; i++, qs++)
		if (pr->pr_from[i] != PROVENANCE_ABSENT)
			COLUMNS_ROW(out, columns, profile_fields[i].pf_key,
			    FORMATF("%.4g ", pr->pr_value[i]),
			    profile_unit_name(profile_fields[i].pf_unit),
			    qs->spr_count == 0 ? "" : FORMATF("%.4g..%.4g",
			    qs->spr_p5, qs->spr_p95),
			    provenance_names[pr->pr_from[i]]);
	putc('\n', out);
	format_wrapf(out, "Meanwhile:", 0, "other programs used %.2f of each "
	    "CPU; the hypervisor took %.1f %% of the time; %.1f %% of the "
	    "batches lost their CPU; the CPU became %.1f %% slower.",
	    cc->cc_others, cc->cc_steal * 100, cc->cc_disturbed * 100,
	    cc->cc_drift * 100);
	if (busy[0] != '\0') {
		putc('\n', out);
		format_wrap(out, "Not reliable:", 4, busy);
	}
}

struct calibrate_spread
calibrate_spread(double *values, unsigned n)
{
	struct calibrate_spread qs = { .spr_count = n };

	if (n == 0)
		return (qs);
	qs.spr_p5 = stats_quantile(values, n, 0.05);
	qs.spr_p50 = stats_quantile(values, n, 0.5);
	qs.spr_p95 = stats_quantile(values, n, 0.95);
	qs.spr_p99 = stats_quantile(values, n, 0.99);
	qs.spr_mean = gsl_stats_trmean_from_sorted_data(0.05, values, 1, n);
	return (qs);
}

static double
sigma_of(double p50, double p95)
{
	return (p95 <= p50 ? 0 : log(p95 / p50) / gsl_cdf_ugaussian_Pinv(0.95));
}

double
calibrate_tail(const struct calibrate_spread *qs, double less)
{
	const double p50 = qs->spr_p50 - less, p99 = qs->spr_p99 - less;

	/* Logarithms of nothing have no distribution. */
	return (p50 <= 0 ? p99 : fmin(p99, p50 * exp(sigma_of(p50,
	    qs->spr_p95 - less) * gsl_cdf_ugaussian_Pinv(0.99))));
}

void
calibrate_lognormal(double p50, double p95, double *mean, double *cv)
{
	const double sigma = sigma_of(p50, p95);

	*mean = p50 * exp(sigma * sigma / 2);
	*cv = sqrt(expm1(sigma * sigma));
}

double
calibrate_cv(double *values, unsigned n)
{
	static double work[CALIBRATE_SAMPLES_MAX];
	const double median = stats_median(values, n);

	KASSERT(n <= CALIBRATE_SAMPLES_MAX, ("%u samples", n));
	return (median == 0 ? 0 : gsl_stats_mad(values, 1, n, work) / median);
}
