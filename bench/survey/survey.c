#include <errno.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>

#include "bench/cli/atomic_file.h"
#include "bench/cli/memory.h"
#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/cli/usage.h"
#include "bench/result/json_text.h"
#include "bench/stats/stats.h"
#include "bench/survey/survey.h"
#include "lib/machine/tick.h"

enum { JSON_DIGITS = 12 };

void
survey_make(struct survey *sv, unsigned subjects, unsigned ways,
    size_t own_size)
{
	struct survey_point *points;
	struct window_sample *samples;
	const unsigned n = subjects * ways;
	char *own;

	sv->sv_count = subjects;
	sv->sv_ways = ways;
	sv->sv_subjects = xcalloc(subjects + 1, sizeof(*sv->sv_subjects));
	/* The points of all subjects are one array, and so are the rest. */
	points = xcalloc(n + 1, sizeof(*points));
	samples = xcalloc((size_t)n * sv->sv_repeats + 1, sizeof(*samples));
	own = xcalloc(subjects + 1, own_size);
	for (unsigned i = 0; i <= subjects; i++) {
		sv->sv_subjects[i].su_points = &points[i * ways];
		sv->sv_subjects[i].su_of = own + i * own_size;
	}
	for (unsigned i = 0; i <= n; i++) {
		points[i].pt_samples = &samples[(size_t)i * sv->sv_repeats];
		points[i].pt_task.wt_threads = 1;
	}
}

void
survey_free(struct survey *sv)
{
	if (sv->sv_subjects == NULL)
		return;
	free(sv->sv_subjects[0].su_points[0].pt_samples);
	free(sv->sv_subjects[0].su_points);
	free(sv->sv_subjects[0].su_of);
	free(sv->sv_subjects);
	sv->sv_subjects = NULL;
	sv->sv_count = 0;
}

static int
visit(struct survey *sv, struct survey_subject *su, struct survey_point *pt)
{
	int error;

	if (su->su_error != 0)
		return (0);
	error = window_measure(&pt->pt_task, sv->sv_kind->sk_warmup_ns,
	    (int64_t)(sv->sv_time_s * (double)NS_PER_S),
	    &pt->pt_samples[pt->pt_count]);
	if (stop_asked())
		return (EINTR);
	if (error == EIO) {
		su->su_error = EIO;
		return (0);
	}
	if (error != 0)
		snprintf(sv->sv_why, sizeof(sv->sv_why), "cannot run %u "
		    "threads: %s", pt->pt_task.wt_threads, strerror(error));
	pt->pt_count += error == 0;
	return (error);
}

static int
visit_all(struct survey *sv)
{
	const unsigned n = sv->sv_count * sv->sv_ways;
	struct survey_subject *su;
	unsigned *order;
	struct progress p;
	gsl_rng *rng;
	int error = 0;

	if (n == 0) {
		sv->sv_done = sv->sv_repeats;
		return (0);
	}
	rng = stats_rng(SURVEY_SEED);
	order = xcalloc(n, sizeof(*order));
	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	progress_init(&p, (uint64_t)n * sv->sv_repeats, 0);
	while (!survey_complete(sv) && error == 0) {
		gsl_ran_shuffle(rng, order, n, sizeof(*order));
		for (unsigned i = 0; i < n && error == 0; i++) {
			su = &sv->sv_subjects[order[i] / sv->sv_ways];
			progress_update(&p, (uint64_t)sv->sv_done * n + i,
			    su->su_name);
			error = visit(sv, su,
			    &su->su_points[order[i] % sv->sv_ways]);
		}
		sv->sv_done += error == 0;
	}
	progress_fini(&p);
	gsl_rng_free(rng);
	free(order);
	return (error);
}

static void
summarize(struct survey_point *pt, bool cpu_time)
{
	double cpu[SURVEY_REPEATS_MAX], failures[SURVEY_REPEATS_MAX];
	double rate[SURVEY_REPEATS_MAX];
	const unsigned n = pt->pt_count;

	KASSERT(n <= SURVEY_REPEATS_MAX, ("%u repeats", n));
	if (n == 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		const struct window_sample *wm = &pt->pt_samples[i];
		const double count = (double)wm->wm_count;

		/* Not every system has clocks of threads. */
		rate[i] = count / (cpu_time && wm->wm_cpu_s > 0 ?
		    wm->wm_cpu_s : wm->wm_window_s);
		cpu[i] = 100 * wm->wm_cpu_s / (wm->wm_window_s *
		    pt->pt_task.wt_threads);
		failures[i] = 100 * (double)wm->wm_failures / count;
	}
	stats_ci95_median(rate, n, SURVEY_SEED, &pt->pt_ci95[0],
	    &pt->pt_ci95[1]);
	pt->pt_per_s = stats_median(rate, n);
	pt->pt_quartiles[0] = stats_quantile(rate, n, 0.25);
	pt->pt_quartiles[1] = stats_quantile(rate, n, 0.75);
	pt->pt_failures_percent = stats_median(failures, n);
	pt->pt_cpu_percent = stats_median(cpu, n);
}

void
survey_summarize(struct survey *sv)
{
	for (unsigned i = 0; i < sv->sv_count * sv->sv_ways; i++)
		summarize(&sv->sv_subjects[0].su_points[i],
		    sv->sv_kind->sk_cpu_time);
}

int
survey_measure(struct survey *sv)
{
	int error;

	sv->sv_done = 0;
	sv->sv_why[0] = '\0';
	result_now(sv->sv_started);
	result_host_fill(&sv->sv_host);
	error = visit_all(sv);
	/* Times of failed computations are no costs. */
	if (crypto_failed() != NULL) {
		snprintf(sv->sv_why, sizeof(sv->sv_why),
		    "%s could no longer be computed", crypto_failed());
		return (EIO);
	}
	survey_summarize(sv);
	return (error);
}

void
survey_print_head(FILE *out, const struct survey *sv, const char *where,
    const char *how)
{
	const struct result_host *host = &sv->sv_host;
	const bool complete = survey_complete(sv);

	format_wrapf(out, complete ? "measured on" : "INCOMPLETE, measured on",
	    2, "%s, %u CPU%s, %s%s", host->cpu_model, host->cpus,
	    PLURAL(host->cpus), sv->sv_started, where);
	format_wrapf(out, "medians", 2, "of %s%u repeat%s of %g s%s; "
	    "INVARIANTS %s", complete ? "" : "at most ", sv->sv_repeats,
	    PLURAL(sv->sv_repeats), sv->sv_time_s, how,
	    host->invariants ? "on" : "off");
}

bool
survey_unbound(const struct survey_point *pt)
{
	for (unsigned i = 0; i < pt->pt_count; i++)
		if (pt->pt_samples[i].wm_unbound)
			return (true);
	return (false);
}

double
survey_spread(const struct survey_point *pt)
{
	return (50 * (pt->pt_ci95[1] - pt->pt_ci95[0]) / pt->pt_per_s);
}

const char *
format_spread(char buf[32], const struct survey_point *pt)
{
	return (pt->pt_count == 1 ? "?" : format_percent(buf,
	    survey_spread(pt)));
}

void
survey_print_unknown(FILE *out)
{
	format_wrap(out, "?", 2, "too few repeats: the spread between them is "
	    "not known.");
}

char *
survey_json(const struct survey *sv)
{
	return (json_document(sv->sv_kind->sk_json(sv), JSON_INDENT(2) |
	    JSON_REAL_PRECISION(JSON_DIGITS)));
}

/* Prints what is wrong with a file; 0 stays 0. */
static int
failed(const char *path, int error)
{
	return (error == 0 ? 0 : run_error("%s: %s", path, strerror(error)));
}

static int
print_all(const struct survey *sv, const struct options *op,
    struct atomic_file *of)
{
	char *text = survey_json(sv);
	int status = EXIT_SUCCESS;

	if (op->op_output != NULL)
		status = failed(op->op_output,
		    atomic_file_commit(of, text, strlen(text)));
	if (op->op_format == FORMAT_JSON)
		fputs(text, stdout);
	else if (op->op_format == FORMAT_CSV)
		sv->sv_kind->sk_csv(stdout, sv);
	else
		sv->sv_kind->sk_table(stdout, sv);
	free(text);
	return (status);
}

int
survey_command(struct survey *sv, const struct options *op)
{
	struct atomic_file of = { .of_fd = -1 };
	int error, status = EXIT_SUCCESS;

	if (op->op_output != NULL)
		status = failed(op->op_output,
		    atomic_file_open(&of, op->op_output));
	if (status != EXIT_SUCCESS)
		return (status);
	error = survey_measure(sv);
	if (error == 0 || error == EINTR)
		status = print_all(sv, op, &of);
	if (error == EINTR)
		status = run_error("interrupted: %u of %u repeats are complete",
		    sv->sv_done, sv->sv_repeats);
	else if (error != 0)
		status = run_error("%s", sv->sv_why);
	atomic_file_abort(&of);
	return (status);
}
