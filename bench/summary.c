#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/stats.h"
#include "bench/summary.h"
#include "lib/cpu.h"

/* Gates: what is said in the row when it does not hold. */
static const double skew_max_share = 0.05;	/* of the window */
static const double drift_max_share = 0.10;	/* half to half */
static const double drift_min_reads = 20;	/* in each part of a window */

/* The same site, lock and role in another repeat's rows; or a new row. */
static struct result_row *
row_for(struct sweep_cell *sc, const struct result_row *like)
{
	struct result_row *grown;
	unsigned i;

	for (i = 0; i < sc->sc_row_count; i++)
		if (strcmp(sc->sc_rows[i].site, like->site) == 0 &&
		    strcmp(sc->sc_rows[i].lock, like->lock) == 0 &&
		    strcmp(sc->sc_rows[i].role, like->role) == 0)
			return (&sc->sc_rows[i]);
	grown = realloc(sc->sc_rows, (sc->sc_row_count + 1) * sizeof(*grown));
	if (grown == NULL)
		return (NULL);
	sc->sc_rows = grown;
	grown[sc->sc_row_count] = (struct result_row){ .count = 0 };
	memcpy(grown[sc->sc_row_count].site, like->site, sizeof(like->site));
	memcpy(grown[sc->sc_row_count].lock, like->lock, sizeof(like->lock));
	memcpy(grown[sc->sc_row_count].role, like->role, sizeof(like->role));
	return (&grown[sc->sc_row_count++]);
}

static int
add_rows(struct sweep_cell *sc, const struct cell_measure *cm)
{
	struct result_row *to;
	unsigned i;

	/* All rows first, so that a failure adds nothing. */
	for (i = 0; i < cm->cm_row_count; i++)
		if (row_for(sc, &cm->cm_rows[i]) == NULL)
			return (ENOMEM);
	for (i = 0; i < cm->cm_row_count; i++) {
		const struct result_row *from = &cm->cm_rows[i];

		to = row_for(sc, from);
		to->count += from->count;
		to->contended += from->contended;
		to->hold_total_ns += from->hold_total_ns;
		to->wait_total_ns += from->wait_total_ns;
		to->spin_total_ns += from->spin_total_ns;
		to->block_total_ns += from->block_total_ns;
		to->hold_max_ns = fmax(to->hold_max_ns, from->hold_max_ns);
		to->wait_max_ns = fmax(to->wait_max_ns, from->wait_max_ns);
	}
	return (0);
}

int
summary_add(struct sweep_cell *sc, struct cell_measure *cm, unsigned order)
{

	if (add_rows(sc, cm) != 0) {
		cell_measure_free(cm);
		return (ENOMEM);
	}
	hist_merge(&sc->sc_latency, &cm->cm_latency);
	hist_merge(&sc->sc_harvest_latency, &cm->cm_harvest_latency);
	sc->sc_acquisitions += cm->cm_acquisitions;
	sc->sc_unbound |= cm->cm_unbound;
	cm->cm_sample.order = order;
	sc->sc_samples[sc->sc_count++] = cm->cm_sample;
	cm->cm_sample.reader_mb_per_s = NULL;
	cm->cm_sample.reader_cpu = NULL;
	cm->cm_sample.interval_mb_per_s = NULL;
	cell_measure_free(cm);
	return (0);
}

/* The median over samples of the double at offset. */
static double
median_of(const struct sweep_cell *sc, size_t offset, double *scratch)
{
	unsigned i;

	for (i = 0; i < sc->sc_count; i++)
		memcpy(&scratch[i], (const char *)&sc->sc_samples[i] + offset,
		    sizeof(double));
	return (stats_median(scratch, sc->sc_count));
}

/*
 * The interval of the total: over repeats, or, where there are too few of them,
 * over the parts of their windows.
 */
static int
interval(const struct sweep_cell *sc, struct result_cell *rc, uint64_t seed,
    double *scratch)
{
	unsigned i, k, n = 0;
	int error;

	snprintf(rc->ci95_of, sizeof(rc->ci95_of), "%s", sc->sc_count >= 3 ?
	    RESULT_CI95_REPEATS : RESULT_CI95_PARTS);
	if (sc->sc_count >= 3) {
		for (i = 0; i < sc->sc_count; i++)
			scratch[n++] = sc->sc_samples[i].total_mb_per_s;
	} else {
		for (i = 0; i < sc->sc_count; i++)
			for (k = 0; k < sc->sc_samples[i].intervals; k++)
				scratch[n++] =
				    sc->sc_samples[i].interval_mb_per_s[k];
	}
	error = stats_ci95_median(scratch, n, seed,
	    &rc->total_mb_per_s_ci95[0], &rc->total_mb_per_s_ci95[1]);
	if (error != 0)
		return (error);
	/* Reader windows are not the wall's: keep the estimate inside. */
	rc->total_mb_per_s_ci95[0] = fmin(rc->total_mb_per_s_ci95[0],
	    rc->total_mb_per_s);
	rc->total_mb_per_s_ci95[1] = fmax(rc->total_mb_per_s_ci95[1],
	    rc->total_mb_per_s);
	return (0);
}

static void __attribute__((format(printf, 2, 3)))
note(struct result_cell *rc, const char *fmt, ...)
{
	size_t used = strlen(rc->notes);
	va_list ap;

	if (used > 0 && used < sizeof(rc->notes) - 2) {
		strcpy(rc->notes + used, "; ");
		used += 2;
	}
	va_start(ap, fmt);
	vsnprintf(rc->notes + used, sizeof(rc->notes) - used, fmt, ap);
	va_end(ap);
}

/* Whether a window's second half went at another rate than its first. */
static double
drift(const struct result_sample *rs)
{
	double half[2] = { 0, 0 };
	unsigned k;

	if (rs->reads_per_s * rs->window_s < drift_min_reads * rs->intervals)
		return (0);
	for (k = 0; k < rs->intervals; k++)
		half[k >= rs->intervals / 2] += rs->interval_mb_per_s[k];
	return (half[0] > 0 ? fabs(half[1] / half[0] - 1) : 0);
}

/* Says in the row which limits it met and which gates it did not pass. */
static void
notes(const struct sweep_cell *sc, struct result_cell *rc, double *scratch)
{
	double quota = cpu_quota(), skew = 0, window = 0;
	unsigned i, idle = 0, k;

	if (cpu_count() < cpu_count_machine())
		note(rc, "affinity mask: %u of %u CPUs", cpu_count(),
		    cpu_count_machine());
	if (quota > 0 && quota < rc->readers)
		note(rc, "cgroup quota: %.3g CPUs", quota);
	if (strcmp(rc->lock, "none") == 0)
		note(rc, "each reader has a generator of its own");
	if (sc->sc_unbound)
		note(rc, "binding to a CPU was refused");
	for (i = 0; i < sc->sc_count; i++) {
		const struct result_sample *rs = &sc->sc_samples[i];

		skew = fmax(skew, fmax(rs->start_skew_ms, rs->stop_skew_ms));
		window = rs->window_s * 1e3;
		scratch[i] = drift(rs);
		for (k = 0; k < rc->readers; k++)
			idle += rs->reader_mb_per_s[k] <= 0;
	}
	if (skew > skew_max_share * window)
		note(rc, "a reader waited %.0f ms across the window's edge",
		    skew);
	if (stats_median(scratch, sc->sc_count) > drift_max_share)
		note(rc, "drift within the window");
	if (idle > 0)
		note(rc, "a reader finished no request in %u window%s", idle,
		    idle == 1 ? "" : "s");
}

#define	MEDIAN(member)	median_of(sc,					\
    offsetof(struct result_sample, member), scratch)

static void
summarise(const struct sweep_cell *sc, struct result_cell *rc,
    double *scratch)
{
	double reader_ns = 0;
	unsigned i, k;

	rc->total_mb_per_s = MEDIAN(total_mb_per_s);
	for (k = 0; k < rc->readers; k++) {
		for (i = 0; i < sc->sc_count; i++)
			scratch[i] = sc->sc_samples[i].reader_mb_per_s[k];
		rc->reader_mb_per_s[k] = stats_median(scratch, sc->sc_count);
	}
	rc->latency_ns = cell_latency(&sc->sc_latency);
	rc->fairness = (struct result_fairness){
		.min_max = MEDIAN(fairness.min_max),
		.cov = MEDIAN(fairness.cov),
		.jain = MEDIAN(fairness.jain),
		.hold_share_harvest = MEDIAN(fairness.hold_share_harvest),
	};
	rc->harvest = (struct result_harvest){
		.cpu_percent = MEDIAN(harvest.cpu_percent),
		.spin_percent = MEDIAN(harvest.spin_percent),
		.block_percent = MEDIAN(harvest.block_percent),
		.events_per_s = MEDIAN(harvest.events_per_s),
		.dropped = MEDIAN(harvest.dropped),
		.latency_p99_ns = cell_latency(&sc->sc_harvest_latency).p99,
	};
	for (i = 0; i < sc->sc_count; i++)
		reader_ns += sc->sc_samples[i].window_s * 1e9 * rc->readers;
	rc->profile_cost_percent = reader_ns;	/* scaled by the caller */
}

int
summary_finish(struct sweep_cell *sc, const char *crypto, uint64_t seed,
    const struct result_host *host, const struct engine *engine,
    struct result_cell *rc)
{
	double *scratch;
	int error;

	scratch = calloc((size_t)sc->sc_count * CELL_INTERVALS + 1,
	    sizeof(*scratch));
	rc->reader_mb_per_s = calloc(sc->sc_cell.ce_readers, sizeof(double));
	if (scratch == NULL || rc->reader_mb_per_s == NULL) {
		free(scratch);
		free(rc->reader_mb_per_s);
		return (ENOMEM);
	}
	snprintf(rc->engine, sizeof(rc->engine), "%s", engine->en_name);
	snprintf(rc->design, sizeof(rc->design), "%s", sc->sc_cell.ce_design);
	snprintf(rc->lock, sizeof(rc->lock), "%s", sc->sc_cell.ce_lock);
	snprintf(rc->cipher, sizeof(rc->cipher), "%s",
	    sc->sc_cell.ce_cipher->ci_name);
	snprintf(rc->crypto, sizeof(rc->crypto), "%s", crypto);
	rc->readers = sc->sc_cell.ce_readers;
	rc->request_bytes = sc->sc_cell.ce_request_bytes;
	rc->repeats = sc->sc_count;
	rc->oversubscribed = rc->readers > cpu_count() ||
	    (cpu_quota() > 0 && rc->readers > cpu_quota());
	rc->profiled = engine->en_profiled;
	summarise(sc, rc, scratch);
	error = interval(sc, rc, seed, scratch);
	if (error != 0) {
		free(scratch);
		free(rc->reader_mb_per_s);
		return (error);
	}
	rc->profile_cost_percent = rc->profiled ? 100 * sc->sc_acquisitions *
	    host->profile_ns / rc->profile_cost_percent : 0;
	notes(sc, rc, scratch);
	rc->samples = sc->sc_samples;
	rc->lock_profile = sc->sc_rows;
	rc->lock_profile_rows = sc->sc_row_count;
	sc->sc_samples = NULL;
	sc->sc_rows = NULL;
	free(scratch);
	return (0);
}
