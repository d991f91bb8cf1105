#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/result_part.h"
#include "bench/result/trend.h"
#include "bench/statistics/stats.h"
#include "bench/sweep/summary.h"
#include "bench/sweep/summary_health.h"
#include "bench/sweep/summary_rows.h"
#include "lib/cpu.h"

/* Gates and oddities: what is said of a repeat or a cell, and from when on. */
static const double skew_max_share = 0.05;	/* of the window */
static const double drift_max_share = 0.10;	/* half to half */
static const double backlog_max_share = 0.01;	/* of the requests due */
static const double drift_min_reads = 20;	/* in each part of a window */

/* Whether a cell's load is uneven by itself: no drift can be seen then. */
static bool
varies(const struct cell *ce)
{

	return (ce->ce_workload != NULL && workload_varies(ce->ce_workload));
}

/*
 * Whether a window's second half went at another rate than its first.  A
 * simulated machine grows neither warm nor busy.
 */
static bool
drifted(const struct result_sample *rs)
{

	return (rs->trace_hash[0] == '\0' &&
	    rs->reads_per_s * rs->window_s >= drift_min_reads *
	    rs->intervals && rs->drift_share > drift_max_share);
}

static void
add_ledger(struct result_ledger *to, const struct result_ledger *from)
{

	to->records += from->records;
	to->blocks += from->blocks;
	to->keys += from->keys;
	to->wipes += from->wipes;
	to->reads += from->reads;
	to->reseeds += from->reseeds;
	to->events += from->events;
	to->forgotten += from->forgotten;
	to->ranges_max = fmax(to->ranges_max, from->ranges_max);
}

int
summary_add(struct sweep_cell *sc, struct cell_measure *cm, unsigned order)
{
	struct result_sample *rs = &cm->cm_sample;

	if (cm->cm_outcome.mo_events > 0) {
		rs->virtual_events = (double)cm->cm_outcome.mo_events;
		snprintf(rs->trace_hash, sizeof(rs->trace_hash),
		    "%016" PRIx64, cm->cm_outcome.mo_hash);
	}
	if (!varies(&sc->sc_cell) && drifted(rs))
		snprintf(rs->gate, sizeof(rs->gate), "drift");
	if (summary_rows_add(sc, cm) != 0) {
		cell_measure_free(cm);
		return (ENOMEM);
	}
	summary_health_add(sc, cm);
	add_ledger(&sc->sc_ledger, &cm->cm_ledger);
	hist_merge(&sc->sc_latency, &cm->cm_latency);
	hist_merge(&sc->sc_uncorrected, &cm->cm_uncorrected);
	hist_merge(&sc->sc_harvest_latency, &cm->cm_harvest_latency);
	sc->sc_acquisitions += cm->cm_acquisitions;
	sc->sc_drifted += rs->gate[0] != '\0';
	sc->sc_unbound |= cm->cm_unbound;
	sc->sc_displaced |= cm->cm_displaced;
	sc->sc_backlog = fmax(sc->sc_backlog, cm->cm_backlog);
	rs->order = order;
	sc->sc_samples[sc->sc_count++] = *rs;
	rs->reader_mb_per_s = NULL;
	rs->reader_cpu = NULL;
	rs->interval_mb_per_s = NULL;
	rs->output_sha256 = NULL;
	cell_measure_free(cm);
	return (0);
}

void
summary_free(struct sweep_cell *sc)
{
	unsigned i;

	for (i = 0; sc->sc_samples != NULL && i < sc->sc_count; i++)
		result_sample_free(&sc->sc_samples[i]);
	free(sc->sc_samples);
	free(sc->sc_rows);
	free(sc->sc_waits);
}

void
summary_forget(struct sweep_cell *sc)
{
	const struct cell ce = sc->sc_cell;

	summary_free(sc);
	memset(sc, 0, sizeof(*sc));
	sc->sc_cell = ce;
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
	bool repeats = sc->sc_count >= RESULT_CI95_REPEATS_MIN;
	unsigned i, k, n = 0;
	int error;

	snprintf(rc->ci95_of, sizeof(rc->ci95_of), "%s", repeats ?
	    RESULT_CI95_REPEATS : RESULT_CI95_PARTS);
	for (i = 0; i < sc->sc_count; i++) {
		const struct result_sample *rs = &sc->sc_samples[i];

		if (repeats)
			scratch[n++] = rs->total_mb_per_s;
		for (k = 0; !repeats && k < rs->intervals; k++)
			scratch[n++] = rs->interval_mb_per_s[k];
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

/* Fails the cell, if it must. */
static void
gate(const struct sweep_cell *sc, struct result_cell *rc)
{

	if (sc->sc_drifted > sc->sc_count / 2)
		snprintf(rc->gate, sizeof(rc->gate), "drift within %u of %u "
		    "windows", sc->sc_drifted, sc->sc_count);
	if (sc->sc_unbound)
		snprintf(rc->gate, sizeof(rc->gate), "binding a thread to its "
		    "CPU was refused");
	if (sc->sc_displaced)
		snprintf(rc->gate, sizeof(rc->gate), "the host moved a thread "
		    "off its CPU");
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

/* How many kinds of cores a cell's readers ended their windows on. */
static unsigned
kinds(const struct sweep_cell *sc, const struct result_cell *rc)
{
	unsigned count = 0, i, k;
	uint64_t bit, seen = 0;

	for (i = 0; i < sc->sc_count; i++)
		for (k = 0; k < rc->readers; k++) {
			bit = UINT64_C(1) <<
			    cpu_kind(sc->sc_samples[i].reader_cpu[k]) % 64;
			count += (seen & bit) == 0;
			seen |= bit;
		}
	return (count);
}

static void
notes_of_host(const struct sweep_cell *sc, struct result_cell *rc)
{
	double quota = cpu_quota();
	unsigned count = kinds(sc, rc);

	if (cpu_count() < cpu_count_machine())
		note(rc, "affinity mask: %u of %u CPUs", cpu_count(),
		    cpu_count_machine());
	if (quota > 0 && quota < rc->readers)
		note(rc, "cgroup quota: %.3g CPUs", quota);
	if (count > 1)
		note(rc, "readers on %u kinds of cores", count);
}

/* Says in the row which limits it met and what was odd. */
static void
notes(const struct sweep_cell *sc, struct result_cell *rc)
{
	double skew = 0, window = 0;
	unsigned i, idle = 0, k;

	if (strcmp(rc->lock, "none") == 0)
		note(rc, "each reader has a generator of its own");
	if (rc->pretended_nodes > 0)
		note(rc, "%u NUMA nodes are pretended, threads in turn on "
		    "them", rc->pretended_nodes);
	for (i = 0; i < sc->sc_count; i++) {
		const struct result_sample *rs = &sc->sc_samples[i];

		skew = fmax(skew, fmax(rs->start_skew_ms, rs->stop_skew_ms));
		window = rs->window_s * 1e3;
		for (k = 0; k < rc->readers; k++)
			idle += rs->reader_mb_per_s[k] <= 0;
	}
	for (i = 0; i < sc->sc_health_count; i++)
		if (sc->sc_health[i].excluded > 0)
			note(rc, "health test failed: %s is left out",
			    sc->sc_health[i].source);
	if (skew > skew_max_share * window)
		note(rc, "a reader waited %.0f ms across the window's edge",
		    skew);
	if (sc->sc_drifted > 0 && sc->sc_drifted <= sc->sc_count / 2)
		note(rc, "drift within %u of %u windows", sc->sc_drifted,
		    sc->sc_count);
	if (sc->sc_backlog > fmax(rc->readers, backlog_max_share *
	    rc->rate_per_s * rc->readers * window / 1e3))
		note(rc, "the load was not sustained: %.0f requests were due "
		    "but not begun", sc->sc_backlog);
	if (idle > 0)
		note(rc, "a reader finished no request in %u window%s", idle,
		    idle == 1 ? "" : "s");
}

#define	MEDIAN(member)	median_of(sc,					\
    offsetof(struct result_sample, member), scratch)

static void
summarise(const struct sweep_cell *sc, const struct engine *en,
    struct result_cell *rc, double *scratch)
{
	unsigned i, k;

	rc->total_mb_per_s = MEDIAN(total_mb_per_s);
	for (k = 0; k < rc->readers; k++) {
		for (i = 0; i < sc->sc_count; i++)
			scratch[i] = sc->sc_samples[i].reader_mb_per_s[k];
		rc->reader_mb_per_s[k] = stats_median(scratch, sc->sc_count);
	}
	rc->ledger = sc->sc_ledger;
	rc->ledger.plain_mb_per_s = MEDIAN(plain_mb_per_s);
	rc->latency_ns = cell_latency(en, &sc->sc_latency);
	rc->latency_uncorrected_ns = sc->sc_uncorrected.hi_count == 0 ?
	    rc->latency_ns : cell_latency(en, &sc->sc_uncorrected);
	rc->fairness = (struct result_fairness){
		.min_max = MEDIAN(fairness.min_max),
		.cov = MEDIAN(fairness.cov),
		.jain = MEDIAN(fairness.jain),
		.cna = MEDIAN(fairness.cna),
		.hold_min_max = MEDIAN(fairness.hold_min_max),
		.hold_cov = MEDIAN(fairness.hold_cov),
		.hold_jain = MEDIAN(fairness.hold_jain),
		.hold_cna = MEDIAN(fairness.hold_cna),
		.reacquire_p50 = MEDIAN(fairness.reacquire_p50),
		.reacquire_p99 = MEDIAN(fairness.reacquire_p99),
		.hold_share_harvest = MEDIAN(fairness.hold_share_harvest),
	};
	rc->harvest = (struct result_harvest){
		.cpu_percent = MEDIAN(harvest.cpu_percent),
		.spin_percent = MEDIAN(harvest.spin_percent),
		.block_percent = MEDIAN(harvest.block_percent),
		.events_per_s = MEDIAN(harvest.events_per_s),
		.dropped = MEDIAN(harvest.dropped),
		.discarded = MEDIAN(harvest.discarded),
		.latency_p99_ns = cell_latency(en, &sc->sc_harvest_latency).p99,
	};
}

/* In percent of the readers' time. */
static double
profile_cost(const struct sweep_cell *sc, const struct result_cell *rc,
    const struct result_host *host)
{
	double reader_ns = 0;
	unsigned i;

	for (i = 0; i < sc->sc_count; i++)
		reader_ns += sc->sc_samples[i].window_s * 1e9 * rc->readers;
	return (100 * sc->sc_acquisitions * host->profile_ns / reader_ns);
}

static void
describe_workload(const struct cell *ce, struct result_cell *rc)
{
	const struct workload *wl = ce->ce_workload;

	CTASSERT((int)WORKLOAD_TEXT_SIZE <= (int)RESULT_TEXT_SIZE);
	snprintf(rc->workload, sizeof(rc->workload), "%s", wl->wl_text);
	snprintf(rc->arrivals, sizeof(rc->arrivals), "%s",
	    workload_arrivals_names[wl->wl_arrivals]);
	rc->rate_per_s = workload_rate(wl);
	rc->request_bytes = (uint64_t)fmax(1, floor(0.5 +
	    workload_mean_bytes(wl, ce->ce_request_bytes)));
}

static void
describe(const struct sweep_cell *sc, const char *crypto,
    const struct engine *engine, const struct lock_config *config,
    struct result_cell *rc)
{
	const struct cell *ce = &sc->sc_cell;

	snprintf(rc->engine, sizeof(rc->engine), "%s", engine->en_name);
	snprintf(rc->design, sizeof(rc->design), "%s", ce->ce_design);
	snprintf(rc->lock, sizeof(rc->lock), "%s", ce->ce_lock);
	snprintf(rc->cipher, sizeof(rc->cipher), "%s", ce->ce_cipher->ci_name);
	snprintf(rc->crypto, sizeof(rc->crypto), "%s", crypto);
	rc->readers = ce->ce_readers;
	rc->request_bytes = ce->ce_request_bytes;
	if (ce->ce_workload != NULL)
		describe_workload(ce, rc);
	rc->repeats = sc->sc_count;
	rc->oversubscribed = !engine->en_simulated &&
	    (rc->readers > cpu_count() ||
	    (cpu_quota() > 0 && rc->readers > cpu_quota()));
	rc->profiled = engine->en_profiled;
	if ((lock_class_find(rc->lock)->lc_knobs & LK_SPIN_POLLS) != 0)
		rc->spin_polls = config->spin_polls;
	if ((lock_class_find(rc->lock)->lc_knobs & LK_NODES) != 0 ||
	    (generator_find(rc->design)->ra_flags & RA_NODES) != 0)
		rc->pretended_nodes = config->nodes;
}

int
summary_finish(struct sweep_cell *sc, const char *crypto, uint64_t seed,
    const struct result_host *host, const struct engine *engine,
    const struct lock_config *config, struct result_cell *rc)
{
	double *scratch;
	int error;

	describe(sc, crypto, engine, config, rc);
	scratch = calloc((size_t)sc->sc_count * CELL_INTERVALS + 1,
	    sizeof(*scratch));
	rc->reader_mb_per_s = calloc(rc->readers, sizeof(double));
	error = scratch == NULL || rc->reader_mb_per_s == NULL ? ENOMEM : 0;
	if (error == 0) {
		summarise(sc, engine, rc, scratch);
		error = interval(sc, rc, seed, scratch);
	}
	if (error == 0)
		error = summary_health_finish(sc, rc);
	if (error == 0)
		error = summary_rows_finish(sc, engine, rc);
	free(scratch);
	if (error != 0) {
		free(rc->health);
		free(rc->reader_mb_per_s);
		memset(rc, 0, sizeof(*rc));
		return (error);
	}
	if (rc->profiled && !engine->en_simulated)
		rc->profile_cost_percent = profile_cost(sc, rc, host);
	gate(sc, rc);
	if (!engine->en_simulated)
		notes_of_host(sc, rc);
	notes(sc, rc);
	rc->samples = sc->sc_samples;
	sc->sc_samples = NULL;
	return (0);
}

int
summary_gate_trend(struct result_cell *cells, unsigned count)
{
	struct trend trend;
	unsigned i;
	int error;

	for (i = 0; i < count; i++) {
		struct result_cell *rc = &cells[i];

		error = trend_of_cell(rc, &trend);
		if (error != 0)
			return (error);
		if (rc->gate[0] == '\0' && trend.tr_drift)
			snprintf(rc->gate, sizeof(rc->gate), "drift over the "
			    "run: %+.1f %% from first to last repeat",
			    100 * trend.tr_change);
	}
	return (0);
}
