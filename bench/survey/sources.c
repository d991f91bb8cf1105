#include <math.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/cli/stop.h"
#include "bench/stats/stats.h"
#include "bench/survey/sources.h"

/* Unmeasured reading: CPUs that slept reach their speed. */
static const int64_t sources_warmup_ns = 5 * NS_PER_MS;

/* Throughputs that count as the same. */
static const double saturation_share = 0.95;

const char *const sources_status_names[SOURCES_STATUSES] = {
	[SOURCES_TIMED]		= "timed",
	[SOURCES_ABSENT]	= "absent",
	[SOURCES_WRONG]		= "wrong",
	[SOURCES_DEAD]		= "dead"
};

void
sources_make_points(struct sources *sr)
{
	struct survey *sy = &sr->sr_survey;

	sy->sy_points = sr->sr_count * sr->sr_thread_counts;
	sr->sr_points = xcalloc(sy->sy_points + 1, sizeof(*sr->sr_points));
	sr->sr_samples = xcalloc((size_t)sy->sy_points * sy->sy_repeats + 1,
	    sizeof(*sr->sr_samples));
	for (unsigned i = 0; i < sy->sy_points; i++) {
		struct sources_point *sp = &sr->sr_points[i];

		sp->sp_threads = sr->sr_threads[i % sr->sr_thread_counts];
		sp->sp_oversubscribed = sp->sp_threads > sy->sy_host.cpus;
		sp->sp_samples = &sr->sr_samples[i * sy->sy_repeats];
	}
	for (unsigned i = 0; i < sr->sr_count; i++)
		sr->sr_curves[i].sc_points =
		    &sr->sr_points[i * sr->sr_thread_counts];
}

static enum sources_status
check(struct sources_curve *sc)
{
	switch (number_source_check(sc->sc_source, sc->sc_width,
	    sc->sc_first)) {
	case 0:
		return (SOURCES_TIMED);
	case ENOTSUP:
		return (SOURCES_ABSENT);
	case EILSEQ:
		return (SOURCES_WRONG);
	default:
		return (SOURCES_DEAD);
	}
}

/* A curve for each source and width that is asked for and exists. */
static void
make_curves(struct sources *sr)
{
	struct sources_curve *sc;
	unsigned w;

	sr->sr_curves = xcalloc((size_t)sr->sr_sources * NUMBER_WIDTHS,
	    sizeof(*sr->sr_curves));
	for (unsigned i = 0; i < sr->sr_sources * NUMBER_WIDTHS; i++) {
		w = i % NUMBER_WIDTHS;
		if (!sr->sr_width[w] ||
		    sr->sr_source[i / NUMBER_WIDTHS]->ns_batch[w] == NULL)
			continue;
		sc = &sr->sr_curves[sr->sr_count++];
		sc->sc_source = sr->sr_source[i / NUMBER_WIDTHS];
		sc->sc_width = (enum number_width)w;
		sc->sc_status = check(sc);
	}
	sources_make_points(sr);
}

static void
label(const struct survey *sy, unsigned point, char text[SURVEY_LABEL_SIZE])
{
	const struct sources *sr = (const struct sources *)sy;
	const struct sources_curve *sc = sources_curve(sr, point);
	const unsigned threads = sr->sr_points[point].sp_threads;

	snprintf(text, SURVEY_LABEL_SIZE, "%s, %u bits, %u thread%s",
	    sc->sc_source->ns_name, number_bits[sc->sc_width], threads,
	    PLURAL(threads));
}

static int
visit(struct survey *sy, unsigned point)
{
	struct sources *sr = (struct sources *)sy;
	struct sources_curve *sc = &sr->sr_curves[point / sr->sr_thread_counts];
	struct sources_point *sp = &sr->sr_points[point];
	struct sources_sample *sm = &sp->sp_samples[sp->sp_count];
	int error;

	if (sc->sc_status != SOURCES_TIMED)
		return (0);
	error = window_measure(sc->sc_source, sc->sc_width, sp->sp_threads,
	    sources_warmup_ns, (int64_t)(sy->sy_time_s * (double)NS_PER_S),
	    sm, &sp->sp_unbound);
	if (stop_asked())
		return (EINTR);
	if (error == EIO) {
		sc->sc_status = SOURCES_DEAD;
		return (0);
	}
	if (error != 0) {
		snprintf(sy->sy_why, sizeof(sy->sy_why), "cannot run %u "
		    "threads: %s", sp->sp_threads, strerror(error));
		return (error);
	}
	sp->sp_count++;
	return (0);
}

static void
summarize_point(struct sources_point *sp)
{
	double cpu[SURVEY_REPEATS_MAX], failures[SURVEY_REPEATS_MAX];
	double rate[SURVEY_REPEATS_MAX];

	KASSERT(sp->sp_count <= SURVEY_REPEATS_MAX, ("%u", sp->sp_count));
	if (sp->sp_count == 0)
		return;
	for (unsigned i = 0; i < sp->sp_count; i++) {
		const struct sources_sample *sm = &sp->sp_samples[i];

		rate[i] = (double)sm->ss_reads / sm->ss_window_s;
		/* Of one CPU for each thread. */
		cpu[i] = 100 * sm->ss_cpu_s / (sm->ss_window_s *
		    sp->sp_threads);
		failures[i] = 100 * (double)sm->ss_failures /
		    (double)sm->ss_reads;
	}
	stats_ci95_median(rate, sp->sp_count, SURVEY_SEED,
	    &sp->sp_ci95[0], &sp->sp_ci95[1]);
	sp->sp_reads_per_s = stats_median(rate, sp->sp_count);
	sp->sp_failures_percent = stats_median(failures, sp->sp_count);
	sp->sp_cpu_percent = stats_median(cpu, sp->sp_count);
}

/* Threads that share CPUs do not count. */
static void
find_enough(const struct sources *sr, struct sources_curve *sc)
{
	const struct sources_point *sp, *end = sc->sc_points +
	    sr->sr_thread_counts;
	double best = 0;
	unsigned n = 0;

	for (sp = sc->sc_points; sp < end; sp++)
		if (!sp->sp_oversubscribed && sp->sp_count > 0) {
			best = fmax(best, sp->sp_reads_per_s);
			sc->sc_most = sp->sp_threads;
			n++;
		}
	for (sp = sc->sc_points; n >= 2 && sc->sc_enough == 0; sp++)
		if (!sp->sp_oversubscribed && sp->sp_count > 0 &&
		    sp->sp_reads_per_s >= saturation_share * best)
			sc->sc_enough = sp->sp_threads;
}

void
sources_summarize(struct sources *sr)
{
	for (unsigned i = 0; i < sr->sr_survey.sy_points; i++)
		summarize_point(&sr->sr_points[i]);
	for (unsigned i = 0; i < sr->sr_count; i++)
		find_enough(sr, &sr->sr_curves[i]);
}

static int
measure(struct survey *sy)
{
	struct sources *sr = (struct sources *)sy;
	int error;

	mitigation_read(NULL, sr->sr_srbds);
	make_curves(sr);
	error = survey_visit(sy);
	sources_summarize(sr);
	return (error);
}

static bool
drawn(const struct survey *sy)
{
	return (sources_any((const struct sources *)sy, NULL));
}

const struct survey_kind sources_kind = {
	.sk_measure	= measure,
	.sk_visit	= visit,
	.sk_label	= label,
	.sk_json	= sources_json,
	.sk_csv		= sources_csv,
	.sk_table	= sources_table,
	.sk_plot	= sources_plot,
	.sk_drawn	= drawn,
};

void
sources_free(struct sources *sr)
{
	free(sr->sr_samples);
	free(sr->sr_points);
	free(sr->sr_curves);
	sr->sr_samples = NULL;
	sr->sr_points = NULL;
	sr->sr_curves = NULL;
	sr->sr_count = 0;
}

bool
sources_any(const struct sources *sr, const struct sources_curve *sc)
{
	for (unsigned i = 0; i < sr->sr_survey.sy_points; i++)
		if (sr->sr_points[i].sp_count > 0 &&
		    (sc == NULL || sc == sources_curve(sr, i)))
			return (true);
	return (false);
}
