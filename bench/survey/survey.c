#include <gsl/gsl_randist.h>

#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/stats/stats.h"
#include "bench/survey/survey.h"

enum {
	JSON_DIGITS	= 12,
	APART		= 128,	/* bytes: lines are fetched in pairs */
	BATCH_MAX	= 1 << 24	/* operations */
};

/* The time of a batch: long against reading the clock between batches. */
static const int64_t batch_ns = 10 * NS_PER_US;

/* Shared by all threads; written before and while they start. */
struct window {
	const struct window_task *wi_task;
	int64_t		 wi_warmup_ns, wi_ns;
	_Alignas(APART)
	struct m32	 wi_ready;	/* threads that are warm */
	_Alignas(APART)
	struct m64	 wi_end;	/* tick_ns(); written before wi_go */
	struct m32	 wi_go;
};

struct worker {
	_Alignas(APART)
	struct mthread	 ww_thread;
	struct window	*ww_window;
	struct window_state ww_state;
	struct window_batch ww_batch;
	uint64_t	 ww_count;	/* of operations in the window */
	int64_t		 ww_end_ns;
	int64_t		 ww_cpu_ns;	/* CPU time in the window */
	int		 ww_error;
};

/* Repeats batches until a time, at least one; grow: first larger ones. */
static void
repeat(struct worker *ww, int64_t end_ns, bool grow)
{
	struct window_batch *wb = &ww->ww_batch;
	int64_t before_ns, now_ns = tick_ns();

	ww->ww_count = wb->wb_failures = 0;
	do {
		before_ns = now_ns;
		ww->ww_error = ww->ww_window->wi_task->wtk_batch(&ww->ww_state,
		    wb);
		ww->ww_count += wb->wb_count;
		now_ns = tick_ns();
		if (grow && now_ns - before_ns < batch_ns &&
		    wb->wb_count < BATCH_MAX)
			wb->wb_count *= 2;
	} while (ww->ww_error == 0 && now_ns < end_ns && !stop_asked());
	ww->ww_end_ns = now_ns;
}

static void
work(void *arg)
{
	struct worker *ww = arg;
	struct window *wi = ww->ww_window;
	const unsigned threads = wi->wi_task->wtk_threads;
	int64_t cpu_ns;

	repeat(ww, tick_ns() + wi->wi_warmup_ns, true);
	/* The last thread that is warm starts the window. */
	if (atomic_fetchadd_rel_32(&wi->wi_ready, 1) + 1 == threads) {
		atomic_store_64(&wi->wi_end, (uint64_t)(tick_ns() + wi->wi_ns));
		atomic_store_rel_32(&wi->wi_go, 1);
	}
	/* With a CPU of its own it spins: after a yield it starts late. */
	while (atomic_load_acq_32(&wi->wi_go) == 0)
		if (threads > machine_cpus())
			machine_yield();
		else
			machine_pause(1);
	if (ww->ww_error != 0)
		return;
	cpu_ns = machine_thread_cpu_ns(&ww->ww_thread);
	repeat(ww, (int64_t)atomic_load_64(&wi->wi_end), false);
	ww->ww_cpu_ns = machine_thread_cpu_ns(&ww->ww_thread) - cpu_ns;
}

int
window_measure(const struct window_task *wt, int64_t warmup_ns,
    int64_t window_ns, struct window_sample *wm)
{
	struct window wi = { .wi_task = wt, .wi_warmup_ns = warmup_ns,
	    .wi_ns = window_ns };
	int64_t begin_ns, cpu_ns = 0, end_ns = 0;
	struct worker *end, *workers, *ww;
	int error = 0;

	KASSERT(wt->wtk_threads > 0 && window_ns > 0, ("%u threads",
	    wt->wtk_threads));
	*wm = (struct window_sample){ .wm_count = 0 };
	workers = xaligned(APART, wt->wtk_threads * sizeof(*workers));
	atomic_init_32(&wi.wi_ready, 0);
	atomic_init_32(&wi.wi_go, 0);
	atomic_init_64(&wi.wi_end, 0);
	for (end = workers; end < workers + wt->wtk_threads; end++) {
		end->ww_window = &wi;
		end->ww_state = wt->wtk_state;
		end->ww_batch.wb_count = 1;
		error = machine_spawn(&end->ww_thread, FORMATF("survey %d",
		    (int)(end - workers)), (int)((unsigned)(end - workers) %
		    machine_cpus()), work, end);
		if (error != 0) {
			/* Those started end at once. */
			atomic_store_rel_32(&wi.wi_go, 1);
			break;
		}
	}
	for (ww = workers; ww < end; ww++) {
		machine_join(&ww->ww_thread);
		error = error != 0 ? error : ww->ww_error;
		end_ns = MAX(ww->ww_end_ns, end_ns);
		cpu_ns += ww->ww_cpu_ns;
		wm->wm_count += ww->ww_count;
		wm->wm_failures += ww->ww_batch.wb_failures;
		wm->wm_unbound |= !ww->ww_thread.mt_bound;
	}
	begin_ns = (int64_t)atomic_load_64(&wi.wi_end) - window_ns;
	wm->wm_window_s = (double)(end_ns - begin_ns) / (double)NS_PER_S;
	wm->wm_cpu_s = (double)cpu_ns / (double)NS_PER_S;
	free(workers);
	return (error);
}

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
		points[i].pt_task.wtk_threads = 1;
	}
}

void
survey_free(struct survey *sv)
{
	free(sv->sv_subjects[0].su_points[0].pt_samples);
	free(sv->sv_subjects[0].su_points);
	free(sv->sv_subjects[0].su_of);
	free(sv->sv_subjects);
}

static int
visit(struct survey *sv, struct survey_subject *su, struct survey_point *pt)
{
	int error;

	if (su->su_error != 0)
		return (0);
	error = window_measure(&pt->pt_task, sv->sv_kind->knd_warmup_ns,
	    (int64_t)(sv->sv_time_s * (double)NS_PER_S),
	    &pt->pt_samples[pt->pt_count]);
	if (stop_asked())
		return (EINTR);
	pt->pt_count += error == 0;
	if (error == EIO)
		su->su_error = EIO;
	else if (error != 0)
		run_error("cannot run %u threads: %s", pt->pt_task.wtk_threads,
		    strerror(error));
	return (error == EIO ? 0 : error);
}

static int
visit_all(struct survey *sv)
{
	const unsigned n = sv->sv_count * sv->sv_ways;
	unsigned *order = xcalloc(n, sizeof(*order));
	gsl_rng *rng = stats_rng(SURVEY_SEED);
	struct survey_subject *su;
	int error = 0;

	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	progress_init((uint64_t)(n > 0 ? n : 1) * sv->sv_repeats, 0);
	while (!survey_complete(sv) && error == 0) {
		if (n > 0)
			gsl_ran_shuffle(rng, order, n, sizeof(*order));
		for (unsigned i = 0; i < n && error == 0; i++) {
			su = &sv->sv_subjects[order[i] / sv->sv_ways];
			progress_update((uint64_t)sv->sv_done * n + i,
			    su->su_name);
			error = visit(sv, su,
			    &su->su_points[order[i] % sv->sv_ways]);
		}
		sv->sv_done += error == 0;
	}
	progress_fini();
	gsl_rng_free(rng);
	free(order);
	return (error);
}

void
survey_summarize(struct survey *sv)
{
	double cpu[SURVEY_REPEATS_MAX], failures[SURVEY_REPEATS_MAX];
	double rate[SURVEY_REPEATS_MAX];

	for (unsigned p = 0; p < sv->sv_count * sv->sv_ways; p++) {
		struct survey_point *pt = &sv->sv_subjects[0].su_points[p];
		const unsigned n = pt->pt_count;

		KASSERT(n <= SURVEY_REPEATS_MAX, ("%u repeats", n));
		if (n == 0)
			continue;
		for (unsigned i = 0; i < n; i++) {
			const struct window_sample *wm = &pt->pt_samples[i];
			const double count = (double)wm->wm_count;

			/* Not every system has clocks of threads. */
			rate[i] = count / (sv->sv_kind->knd_cpu_time &&
			    wm->wm_cpu_s > 0 ? wm->wm_cpu_s : wm->wm_window_s);
			cpu[i] = 100 * wm->wm_cpu_s / (wm->wm_window_s *
			    pt->pt_task.wtk_threads);
			failures[i] = 100 * (double)wm->wm_failures / count;
		}
		stats_ci95_median(rate, n, SURVEY_SEED, pt->pt_ci95);
		pt->pt_per_s = stats_median(rate, n);
		pt->pt_quartiles[0] = stats_quantile(rate, n, 0.25);
		pt->pt_quartiles[1] = stats_quantile(rate, n, 0.75);
		pt->pt_failures_percent = stats_median(failures, n);
		pt->pt_cpu_percent = stats_median(cpu, n);
	}
}

int
survey_measure(struct survey *sv)
{
	int error;

	sv->sv_done = 0;
	result_now(sv->sv_started);
	result_host_fill(&sv->sv_host);
	error = visit_all(sv);
	/* Times of failed computations are no costs. */
	if (crypto_failed() != NULL) {
		run_error("%s could no longer be computed", crypto_failed());
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

int
survey_command(struct survey *sv, const struct options *op)
{
	int error, status = command_open(op->op_output, NULL);
	char *text;

	if (status != 0)
		return (status);
	error = survey_measure(sv);
	if (error == 0 || error == EINTR) {
		text = json_document(sv->sv_kind->sk_json(sv), JSON_INDENT(2) |
		    JSON_REAL_PRECISION(JSON_DIGITS));
		status = command_commit(op->op_output, text, strlen(text));
		if (op->op_format == FORMAT_JSON)
			fputs(text, stdout);
		else if (op->op_format == FORMAT_CSV)
			sv->sv_kind->sk_csv(stdout, sv);
		else
			sv->sv_kind->sk_table(stdout, sv);
		free(text);
	}
	if (error == EINTR)
		status = run_error("interrupted: %u of %u repeats are complete",
		    sv->sv_done, sv->sv_repeats);
	else if (error != 0)
		status = EXIT_FAILURE;
	return (status);
}
