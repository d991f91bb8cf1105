#include <errno.h>
#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/progress.h"
#include "bench/console/stop.h"
#include "bench/sources/window.h"
#include "bench/statistics/stats.h"
#include "lib/kassert.h"
#include "lib/machine.h"
#include "lib/tick.h"

/*
 * Unmeasured reading: CPUs that slept get up to speed.  Those of the window
 * before are, and the less of a time slice is used up the better.
 */
static const int64_t sources_warmup_ns = 5 * NS_PER_MS;
static const int64_t sources_warmup_again_ns = NS_PER_MS / 2;

/* Of the order of points and of resampling: neither is a result. */
enum { SOURCES_SEED = 1 };

/* A point, and the curve that it is of. */
struct place {
	struct sources_curve *pl_curve;
	struct sources_point *pl_point;
};

const char *const sources_status_names[SOURCES_STATUSES] = {
	[SOURCES_TIMED]		= "timed",
	[SOURCES_ABSENT]	= "absent",
	[SOURCES_WRONG]		= "wrong",
	[SOURCES_DEAD]		= "dead"
};

static int
make_points(struct sources_curve *sc, const struct sources_options *so)
{
	unsigned i;

	sc->sc_points = calloc(so->so_thread_counts, sizeof(*sc->sc_points));
	if (sc->sc_points == NULL)
		return (ENOMEM);
	for (i = 0; i < so->so_thread_counts; i++) {
		struct sources_point *sp = &sc->sc_points[i];

		sp->sp_threads = so->so_threads[i];
		sp->sp_oversubscribed = sp->sp_threads > machine_cpus();
		sp->sp_samples = calloc(so->so_repeats,
		    sizeof(*sp->sp_samples));
		if (sp->sp_samples == NULL)
			return (ENOMEM);
	}
	return (0);
}

static void
check(struct sources_curve *sc)
{

	switch (number_source_check(sc->sc_source, sc->sc_width,
	    sc->sc_first)) {
	case 0:
		sc->sc_status = SOURCES_TIMED;
		break;
	case ENOTSUP:
		sc->sc_status = SOURCES_ABSENT;
		break;
	case EILSEQ:
		sc->sc_status = SOURCES_WRONG;
		break;
	default:
		sc->sc_status = SOURCES_DEAD;
	}
}

/* A curve for each source and width that is asked for and exists. */
static int
make_curves(struct sources *sr, const struct sources_options *so)
{
	struct sources_curve *sc;
	unsigned i, w;
	int error;

	sr->sr_curves = calloc((size_t)so->so_sources * NUMBER_WIDTHS,
	    sizeof(*sr->sr_curves));
	if (sr->sr_curves == NULL)
		return (ENOMEM);
	for (i = 0; i < so->so_sources; i++) {
		for (w = 0; w < NUMBER_WIDTHS; w++) {
			if (!so->so_width[w] ||
			    so->so_source[i]->ns_batch[w] == NULL)
				continue;
			sc = &sr->sr_curves[sr->sr_count++];
			sc->sc_source = so->so_source[i];
			sc->sc_width = (enum number_width)w;
			error = make_points(sc, so);
			if (error != 0)
				return (error);
			check(sc);
		}
	}
	return (0);
}

/* All that is to be visited in a repeat; as many as points at most. */
static unsigned
find_places(const struct sources *sr, struct place *places)
{
	unsigned i, k, n = 0;

	for (i = 0; i < sr->sr_count; i++) {
		struct sources_curve *sc = &sr->sr_curves[i];

		for (k = 0; sc->sc_status == SOURCES_TIMED &&
		    k < sr->sr_options.so_thread_counts; k++)
			places[n++] = (struct place){ sc, &sc->sc_points[k] };
	}
	return (n);
}

/* Of one CPU for each thread. */
static double
cpu_percent(const struct sources_point *sp, const struct sources_sample *sm)
{

	return (100 * sm->ss_cpu_s / (sm->ss_window_s * sp->sp_threads));
}

/* Measures a window, and again while others disturb it. */
static int
measure_quietly(const struct sources *sr, const struct place *pl,
    struct sources_sample *sm)
{
	const struct sources_curve *sc = pl->pl_curve;
	struct sources_point *sp = pl->pl_point;
	/* Threads that share CPUs disturb each other. */
	const unsigned most = sp->sp_oversubscribed ? 1 : SOURCES_TRIES;
	struct sources_sample now;
	unsigned tries;
	int error;

	for (tries = 1; tries <= most; tries++) {
		error = window_measure(sc->sc_source, sc->sc_width,
		    sp->sp_threads, tries == 1 ? sources_warmup_ns :
		    sources_warmup_again_ns, (int64_t)(
		    sr->sr_options.so_time_s * (double)NS_PER_S), &now,
		    &sp->sp_unbound);
		if (error != 0 || stop_asked())
			return (error);
		if (tries == 1 || cpu_percent(sp, &now) > cpu_percent(sp, sm))
			*sm = now;
		sm->ss_tries = tries;
		if (cpu_percent(sp, sm) >= SOURCES_CPU_PERCENT)
			break;
	}
	return (0);
}

/*
 * Visits one point.
 *
 *   order  in  the visits before
 */
static int
visit(const struct sources *sr, const struct place *pl, unsigned order,
    char why[SOURCES_TEXT_SIZE])
{
	struct sources_curve *sc = pl->pl_curve;
	struct sources_point *sp = pl->pl_point;
	struct sources_sample *sm = &sp->sp_samples[sp->sp_count];
	int error;

	/* Dead since an earlier visit. */
	if (sc->sc_status != SOURCES_TIMED)
		return (0);
	error = measure_quietly(sr, pl, sm);
	if (stop_asked()) {
		snprintf(why, SOURCES_TEXT_SIZE, "interrupted");
		return (EINTR);
	}
	if (error == EIO) {
		sc->sc_status = SOURCES_DEAD;
		return (0);
	}
	if (error != 0) {
		snprintf(why, SOURCES_TEXT_SIZE, "cannot run %u threads: %s",
		    sp->sp_threads, strerror(error));
		return (error);
	}
	sm->ss_order = order;
	sp->sp_count++;
	return (0);
}

static int
visit_all(const struct sources *sr, struct place *places, unsigned n,
    gsl_rng *rng, char why[SOURCES_TEXT_SIZE])
{
	const unsigned repeats = sr->sr_options.so_repeats;
	char label[64];
	struct progress p;
	unsigned i, r;
	int error = 0;

	progress_init(&p, (uint64_t)n * repeats);
	for (r = 0; r < repeats && error == 0; r++) {
		gsl_ran_shuffle(rng, places, n, sizeof(*places));
		for (i = 0; i < n && error == 0; i++) {
			snprintf(label, sizeof(label), "%s, %u bits, %u "
			    "thread%s", places[i].pl_curve->sc_source->ns_name,
			    number_bits[places[i].pl_curve->sc_width],
			    places[i].pl_point->sp_threads,
			    places[i].pl_point->sp_threads == 1 ? "" : "s");
			progress_update(&p, (uint64_t)r * n + i, label);
			error = visit(sr, &places[i], r * n + i, why);
		}
	}
	progress_fini(&p);
	return (error);
}

static int
run(struct sources *sr, char why[SOURCES_TEXT_SIZE])
{
	struct place *places;
	gsl_rng *rng;
	unsigned n;
	int error = ENOMEM;

	places = calloc((size_t)sr->sr_count *
	    sr->sr_options.so_thread_counts + 1, sizeof(*places));
	rng = stats_rng(SOURCES_SEED);
	if (places != NULL && rng != NULL) {
		n = find_places(sr, places);
		error = n == 0 ? 0 : visit_all(sr, places, n, rng, why);
	}
	if (rng != NULL)
		gsl_rng_free(rng);
	free(places);
	return (error);
}

static int
summarize_point(struct sources_point *sp)
{
	double cpu[SOURCES_REPEATS_MAX], failures[SOURCES_REPEATS_MAX];
	double rate[SOURCES_REPEATS_MAX];
	unsigned i;
	int error;

	KASSERT(sp->sp_count <= SOURCES_REPEATS_MAX, ("%u", sp->sp_count));
	if (sp->sp_count == 0)
		return (0);
	for (i = 0; i < sp->sp_count; i++) {
		const struct sources_sample *sm = &sp->sp_samples[i];

		rate[i] = (double)sm->ss_reads / sm->ss_window_s;
		cpu[i] = cpu_percent(sp, sm);
		failures[i] = 100 * (double)sm->ss_failures /
		    (double)sm->ss_reads;
	}
	error = stats_ci95_median(rate, sp->sp_count, SOURCES_SEED,
	    &sp->sp_ci95[0], &sp->sp_ci95[1]);
	sp->sp_reads_per_s = stats_median(rate, sp->sp_count);
	sp->sp_failures_percent = stats_median(failures, sp->sp_count);
	sp->sp_cpu_percent = stats_median(cpu, sp->sp_count);
	return (error);
}

static void
find_saturation(const struct sources *sr, struct sources_curve *sc)
{
	struct saturation_point points[SOURCES_THREADS_MAX];
	unsigned i, n = 0;

	for (i = 0; i < sr->sr_options.so_thread_counts; i++) {
		const struct sources_point *sp = &sc->sc_points[i];

		if (sp->sp_oversubscribed || sp->sp_count == 0)
			continue;
		points[n++] = (struct saturation_point){ sp->sp_threads,
		    sp->sp_reads_per_s, sp->sp_ci95[0], sp->sp_ci95[1] };
	}
	saturation_find(points, n, &sc->sc_saturation);
}

int
sources_summarize(struct sources *sr)
{
	unsigned i, k;
	int error;

	for (i = 0; i < sr->sr_count; i++) {
		/* There was no memory for them. */
		if (sr->sr_curves[i].sc_points == NULL)
			continue;
		for (k = 0; k < sr->sr_options.so_thread_counts; k++) {
			error = summarize_point(
			    &sr->sr_curves[i].sc_points[k]);
			if (error != 0)
				return (error);
		}
		find_saturation(sr, &sr->sr_curves[i]);
	}
	return (0);
}

int
sources_measure(struct sources *sr, const struct sources_options *so,
    char why[SOURCES_TEXT_SIZE])
{
	int error, summed;

	memset(sr, 0, sizeof(*sr));
	why[0] = '\0';
	sr->sr_options = *so;
	result_now(sr->sr_started);
	result_host_fill(&sr->sr_host);
	mitigation_read(NULL, &sr->sr_mitigation);
	error = make_curves(sr, so);
	if (error == 0)
		error = run(sr, why);
	sr->sr_complete = error == 0;
	summed = sources_summarize(sr);
	if (error == 0)
		error = summed;
	if (error != 0 && why[0] == '\0')
		snprintf(why, SOURCES_TEXT_SIZE, "%s", strerror(error));
	return (error);
}

void
sources_free(struct sources *sr)
{
	unsigned i, k;

	for (i = 0; i < sr->sr_count; i++) {
		struct sources_curve *sc = &sr->sr_curves[i];

		for (k = 0; sc->sc_points != NULL &&
		    k < sr->sr_options.so_thread_counts; k++)
			free(sc->sc_points[k].sp_samples);
		free(sc->sc_points);
	}
	free(sr->sr_curves);
	sr->sr_curves = NULL;
	sr->sr_count = 0;
}

const struct sources_curve *
sources_find(const struct sources *sr, const char *name,
    enum number_width width)
{
	unsigned i;

	for (i = 0; i < sr->sr_count; i++) {
		const struct sources_curve *sc = &sr->sr_curves[i];

		if (sc->sc_status == SOURCES_TIMED && sc->sc_width == width &&
		    strcmp(sc->sc_source->ns_name, name) == 0)
			return (sc);
	}
	return (NULL);
}

bool
sources_curve_any(const struct sources *sr, const struct sources_curve *sc)
{
	unsigned i;

	for (i = 0; i < sr->sr_options.so_thread_counts; i++)
		if (sc->sc_points[i].sp_count > 0)
			return (true);
	return (false);
}

bool
sources_any(const struct sources *sr)
{
	unsigned i;

	for (i = 0; i < sr->sr_count; i++)
		if (sources_curve_any(sr, &sr->sr_curves[i]))
			return (true);
	return (false);
}

const struct sources_point *
sources_one(const struct sources_curve *sc)
{
	const struct sources_point *sp = sc->sc_points;

	return (sp->sp_threads == 1 && sp->sp_count > 0 ? sp : NULL);
}

const struct sources_point *
sources_all(const struct sources *sr, const struct sources_curve *sc)
{
	const struct sources_point *found = NULL, *sp;
	unsigned i;

	for (i = 0; i < sr->sr_options.so_thread_counts; i++) {
		sp = &sc->sc_points[i];
		if (!sp->sp_oversubscribed && sp->sp_count > 0)
			found = sp;
	}
	return (found);
}
