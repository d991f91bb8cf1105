/* rngsim calibrate: a profile of this machine. */
#include "bench/cli/child.h"
#include "bench/cli/progress.h"
#include "bench/cmd.h"
#include "bench/predict/calibrate.h"

/* In the environment of the program that is executed again. */
#define	CALIBRATE_NATIVE	"RNGSIM_CALIBRATE_NATIVE"

static const double drift_s = 0.06;
static const char guessed_like[] = "epyc-9654-2s";

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
		progress_update(cb->cb_done, pq->pq_label);
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

/*
 * In the program that was executed again, in mode CRYPTO_NATIVE: measures what
 * depends on the mode, and writes it to stdout.  Returns: 0 or an errno value.
 */
static int
measure_native(double seconds)
{
	static struct calibration cb;
	int error;

	for (unsigned i = 0; i < PROFILE_VALUES; i++)
		cb.cb_profile.pr_from[i] = PROVENANCE_ABSENT;
	error = run_probes(&cb, true, seconds / weight_of(true));
	return (error != 0 || fwrite(&cb, sizeof(cb), 1, stdout) == 1 ?
	    error : EIO);
}

/*
 * Runs the native probes in this program executed again.  It writes its struct
 * calibration to the pipe, which the other probes continue: both are the same
 * program.  Returns: 0; EINTR after a signal; ECHILD when the process failed,
 * after its message; else an errno value.
 */
static int
run_native(struct calibration *cb, double seconds)
{
	const char *const argv[] = { command_argv[0], "calibrate", "-t",
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
		    like.pr_from[key] != PROVENANCE_ABSENT &&
		    (profile_used(&cb->cb_profile, key) ||
		    profile_fields[key].pf_need == PROFILE_NEED_NEVER))
			calibrate_set(cb, key, PROVENANCE_GUESSED,
			    like.pr_value[key], "as %s", guessed_like);
}

/*
 * Measures everything.  Returns: 0, with calibrate_objections() in error_text;
 * or with the reason EINTR after a signal, EBUSY for a busy machine unless that
 * is forced, another errno value.
 */
static int
measure(struct calibration *cb, const struct options *op,
    char error_text[CALIBRATE_TEXT_SIZE])
{
	const unsigned others = weight_of(false), native = weight_of(true);
	const double each_s = op->op_time_s / (others + native);
	const bool force = GIVEN(op, FORCE);
	struct calibrate_conditions before = { .cc_quota = 0 };
	struct calibrate_conditions *cc = &cb->cb_conditions;
	int error;

	calibrate_await_rest(&before, !force);
	if (!force &&
	    calibrate_objections(&before, error_text, CALIBRATE_TEXT_SIZE) > 0)
		return (EBUSY);
	progress_init(others + native, 0);
	progress_update(0, "ciphers, native");
	if ((error = run_native(cb, native * each_s)) == 0) {
		before.cc_unbound = cc->cc_unbound;
		*cc = before;
		error = run_probes(cb, false, each_s);
	}
	progress_fini();
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

/* Blanks at the right of a column set the next one off. */
static const struct column columns[] = {
	{ "key", -21 }, { "value ", 10 }, { "unit ", -5 }, { "p5..p95 ", -21 },
	{ "provenance", 0 }
};

static void
print(const struct calibration *cb, const char *busy)
{
	const struct calibrate_conditions *cc = &cb->cb_conditions;
	const struct profile *pr = &cb->cb_profile;
	const struct calibrate_spread *qs = cb->cb_spread;

	COLUMNS_TITLES(stdout, columns);
	for (unsigned i = 0; i < PROFILE_VALUES; i++, qs++)
		if (pr->pr_from[i] != PROVENANCE_ABSENT)
			COLUMNS_ROW(stdout, columns, profile_fields[i].pf_key,
			    FORMATF("%.4g ", pr->pr_value[i]),
			    profile_unit_name(profile_fields[i].pf_unit),
			    qs->spr_count == 0 ? "" : FORMATF("%.4g..%.4g",
			    qs->spr_p5, qs->spr_p95),
			    provenance_names[pr->pr_from[i]]);
	putc('\n', stdout);
	format_wrapf(stdout, "Meanwhile:", 0, "other programs used %.2f of "
	    "each CPU; the hypervisor took %.1f %% of the time; %.1f %% of the "
	    "batches lost their CPU; the CPU became %.1f %% slower.",
	    cc->cc_others, cc->cc_steal * 100, cc->cc_disturbed * 100,
	    cc->cc_drift * 100);
	if (busy[0] != '\0') {
		putc('\n', stdout);
		format_wrap(stdout, "Not reliable:", 4, busy);
	}
}

/* Opens what will be written; makes the folders of the host's profile. */
static int
open_output(const struct options *op, const char **path)
{
	static char host[PATH_MAX];
	char *slash = host;
	int error;

	*path = op->op_output;
	if (*path != NULL)
		return (command_open(*path, NULL));
	if (profile_host_path(host, sizeof(host)) != 0)
		return (run_error("no HOME to keep the profile in: use -o "
		    "FILE"));
	*path = host;
	while ((slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		error = mkdir(host, 0777) == 0 || errno == EEXIST ? 0 : errno;
		*slash = '/';
		if (error != 0)
			return (run_error("%s: %s", host, strerror(error)));
	}
	return (command_open(host, NULL));
}

static int
calibrate(const struct options *op, const char *path)
{
	char busy[CALIBRATE_TEXT_SIZE] = "";
	static struct calibration cb;
	const int error = measure(&cb, op, busy);

	if (error == EBUSY)
		return (complain(EXIT_UNFIT, "this machine is not fit to be "
		    "calibrated: %s; or use --force, which marks the profile",
		    busy));
	if (error != 0)
		return (run_error("%s", busy));
	calibrate_describe(&cb, busy);
	if (crypto_failed() != NULL)
		return (run_error("libcrypto refused to compute %s",
		    crypto_failed()));
	if (command_write(path, profile_write, &cb.cb_profile) != 0)
		return (EXIT_FAILURE);
	print(&cb, busy);
	run_note("the profile is %s", path);
	return (EXIT_SUCCESS);
}

static int
run(struct options *op)
{
	const bool native = getenv(CALIBRATE_NATIVE) != NULL;
	const char *path;
	int error, status;

	/* Executing the program again leaves open files behind. */
	if ((status = command_crypto_mode(native ? CRYPTO_NATIVE :
	    CRYPTO_KERNEL)) == 0)
		status = command_crypto();
	if (status != 0)
		return (status);
	if (native) {
		error = measure_native(op->op_time_s);
		return (error == 0 ? EXIT_SUCCESS : run_error("%s",
		    strerror(error)));
	}
	stop_catch_signals();
	status = open_output(op, &path);
	return (status == EXIT_SUCCESS ? calibrate(op, path) : status);
}

const struct command cmd_calibrate = { NULL, run, NEEDS_THREAD };
