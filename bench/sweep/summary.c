#include "bench/kernel/ksource.h"
#include "bench/sweep/sweep.h"

/* Limits of gates and notes. */
static const double skew_max_share = 0.05;	/* of the window */
static const double drift_max_share = 0.10;	/* half to half */
static const double backlog_max_share = 0.01;	/* of the requests due */
static const double drift_min_reads = 20;	/* in each part of a window */

void
summary_sample(const struct cell *ce, struct cell_measure *cm, unsigned order)
{
	struct result_sample *rs = &cm->cm_sample;

	rs->order = order;
	if (cm->cm_outcome.mo_events > 0) {
		rs->virtual_events = (double)cm->cm_outcome.mo_events;
		snprintf(rs->trace_hash, sizeof(rs->trace_hash),
		    "%016" PRIx64, cm->cm_outcome.mo_hash);
	}
	/*
	 * Whether the two halves of a window had different rates.  A simulated
	 * machine does not drift, a load that varies by itself would hide it,
	 * and in slices it falls on all cells.
	 */
	if ((ce->ce_workload == NULL || !workload_varies(ce->ce_workload)) &&
	    rs->trace_hash[0] == '\0' && rs->together == 0 &&
	    rs->reads_per_s * rs->window_s >= drift_min_reads *
	    rs->intervals && rs->drift_share > drift_max_share)
		strcpy(rs->gate, "drift");
}

void
summary_add(struct sweep_cell *sc, struct cell_measure *cm)
{
	struct result_sample *rs = &cm->cm_sample;

	field_merge(repeat_fields, &sc->sc_sum, cm);
	sc->sc_drifted += rs->gate[0] != '\0';
	sc->sc_result.samples[sc->sc_result.repeats++] = *rs;
	/* The arrays are the cell's now. */
	*rs = (struct result_sample){ .order = 0 };
	cell_measure_free(cm);
}

/* The interval of what each repeat has at that place. */
static void
interval(const struct result_cell *rc, size_t offset, uint64_t seed,
    double ci95[2])
{
	double *values = xcalloc(rc->repeats, sizeof(*values));

	for (unsigned i = 0; i < rc->repeats; i++)
		memcpy(&values[i], (const char *)&rc->samples[i] + offset,
		    sizeof(*values));
	stats_ci95_median(values, rc->repeats, seed, ci95);
	free(values);
}

/* The total's and the harvest CPU's; the total's of parts if few repeats. */
static void
intervals(struct result_cell *rc, uint64_t seed)
{
	double *ci95 = rc->total_mb_per_s_ci95, *values;
	unsigned n = 0;

	if (rc->repeats >= RESULT_CI95_REPEATS_MIN) {
		strcpy(rc->ci95_of, RESULT_CI95_REPEATS);
		interval(rc, offsetof(struct result_sample, total_mb_per_s),
		    seed, ci95);
		interval(rc, offsetof(struct result_sample,
		    harvest.cpu_percent), seed, rc->harvest_cpu_percent_ci95);
	} else {
		strcpy(rc->ci95_of, RESULT_CI95_PARTS);
		values = xcalloc((size_t)rc->repeats * CELL_INTERVALS + 1,
		    sizeof(*values));
		for (unsigned i = 0; i < rc->repeats; i++)
			for (unsigned k = 0; k < rc->samples[i].intervals; k++)
				values[n++] =
				    rc->samples[i].interval_mb_per_s[k];
		stats_ci95_median(values, n, seed, ci95);
		free(values);
	}
	/* The median of window parts may be outside: contain the total. */
	ci95[0] = fmin(ci95[0], rc->total_mb_per_s);
	ci95[1] = fmax(ci95[1], rc->total_mb_per_s);
}

#define	note(rc, ...)							\
	(APPEND((rc)->notes, RESULT_TEXT_SIZE, "%s",			\
	    (rc)->notes[0] == '\0' ? "" : "; "),			\
	    APPEND((rc)->notes, RESULT_TEXT_SIZE, __VA_ARGS__))

static void
notes_of_host(struct result_cell *rc)
{
	const struct design *de = design_find(rc->design);
	const double quota = cpu_quota();
	uint64_t kinds = 0;
	int n;

	if (cpu_count() < cpu_count_machine())
		note(rc, "affinity mask: %u of %u CPUs", cpu_count(),
		    cpu_count_machine());
	if (quota > 0 && quota < rc->readers)
		note(rc, "cgroup quota: %.3g CPUs", quota);
	/* Of the cores on which readers ended their windows. */
	for (unsigned i = 0; i < rc->repeats; i++)
		for (unsigned k = 0; k < rc->readers; k++)
			kinds |= UINT64_C(1) <<
			    cpu_kind(rc->samples[i].reader_cpu[k]) % 64;
	if ((n = __builtin_popcountll(kinds)) > 1)
		note(rc, "readers on %d kinds of cores", n);
	if (de != NULL && design_info(de).di_held)
		note(rc, "critical sections are locks of CPUs: the host "
		    "preempts threads");
}

/* A recording that is longer than the window is cut. */
static void
note_of_recording(const struct workload *wl, struct result_cell *rc)
{
	const double window_s = rc->samples[0].window_s;
	double recorded_s;

	if (wl == NULL || wl->wl_arrivals != ARRIVALS_RECORDED)
		return;
	recorded_s = (double)wl->wl_recording.rec_length_ns / 1e9 /
	    wl->wl_speed;
	if (window_s < recorded_s)
		note(rc, "the window has %.3g %% of the recording, %.3g of "
		    "%.3g s", 100 * window_s / recorded_s, window_s,
		    recorded_s);
}

/* The gate that the cell fails, if any; the limits it met and what was odd. */
static void
gate_and_notes(const struct sweep_cell *sc, const struct result_host *host,
    struct result_cell *rc)
{
	const double lost = comparable_lost(rc, host);
	double skew = 0, window = 0;
	bool drift = sc->sc_drifted > rc->repeats / 2;
	const char *drift_text = FORMATF("drift within %u of %u windows",
	    sc->sc_drifted, rc->repeats);
	const char *lost_text = FORMATF("readers lost %.0f %% of their CPU "
	    "time to other work", 100 * lost);
	unsigned idle = 0;

	snprintf(rc->gate, sizeof(rc->gate), "%s", sc->sc_sum.cm_displaced ?
	    "the host moved a thread off its CPU" : sc->sc_sum.cm_unbound ?
	    "binding a thread to its CPU was refused" : lost >
	    COMPARABLE_LOST_MOST && !comparable_sliced(rc) ? lost_text :
	    drift ? drift_text : "");
	if (lost > COMPARABLE_LOST_MOST && comparable_sliced(rc))
		note(rc, "%s", lost_text);
	if (cell_apart(rc->design, rc->lock))
		note(rc, "each reader has a generator of its own");
	if (rc->pretended_nodes > 0)
		note(rc, "%u NUMA nodes are pretended, threads in turn on "
		    "them", rc->pretended_nodes);
	note_of_recording(sc->sc_cell.ce_workload, rc);
	if (rc->producers > 0 && rc->harvest.cpu_percent <= 0)
		note(rc, "the harvest thread got no CPU beside the producers");
	for (unsigned i = 0; i < rc->repeats; i++) {
		const struct result_sample *rs = &rc->samples[i];

		skew = fmax(skew, fmax(rs->start_skew_ms, rs->stop_skew_ms));
		window = rs->window_s * 1e3;
		for (unsigned k = 0; k < rc->readers &&
		    rc->time_to_seeded_ns <= 0; k++)
			idle += rs->reader_mb_per_s[k] <= 0;
	}
	for (unsigned i = 0; i < rc->health_rows; i++)
		if (rc->health[i].excluded > 0)
			note(rc, "health test failed: %s is left out",
			    rc->health[i].source);
	if (skew > skew_max_share * window)
		note(rc, "a read in flight at the window's edge took %.0f ms",
		    skew);
	if (sc->sc_drifted > 0 && !drift)
		note(rc, "%s", drift_text);
	if (sc->sc_sum.cm_backlog > fmax(rc->readers, backlog_max_share *
	    rc->rate_per_s * rc->readers * window / 1e3))
		note(rc, "the load was not sustained: %.0f requests were due "
		    "but not begun", sc->sc_sum.cm_backlog);
	if (idle > 0)
		note(rc, "a reader finished no request in %u window%s", idle,
		    PLURAL(idle));
}

static void
summarise_producers(struct sweep_cell *sc, const struct engine *en,
    uint64_t seed, struct result_cell *rc)
{
	double *values = xcalloc(rc->repeats, sizeof(*values));

	rc->producers = sc->sc_cell.ce_producers;
	TEXT_SET(rc->producer, sc->sc_cell.ce_producing->prw_text);
	rc->producer_per_s = xcalloc(rc->producers, sizeof(double));
	for (unsigned k = 0; k < rc->producers; k++) {
		for (unsigned i = 0; i < rc->repeats; i++)
			values[i] = rc->samples[i].producer_per_s[k];
		rc->producer_per_s[k] = stats_median(values, rc->repeats);
	}
	interval(rc, offsetof(struct result_sample, production.events_per_s),
	    seed, rc->events_per_s_ci95);
	rc->call_ns = cell_latency(en, &sc->sc_sum.cm_call);
	free(values);
}

/* What the cell was, as options set it. */
static void
describe(const struct sweep_cell *sc, const struct options *op,
    struct result_cell *rc)
{
	const struct lock_config *config = &op->op_config.bc_lock;
	const struct engine *engine = grid_engine(op);
	const struct cell *ce = &sc->sc_cell;
	const struct workload *wl = ce->ce_workload;
	unsigned knobs;

	CTASSERT((int)WORKLOAD_TEXT_SIZE <= (int)RESULT_TEXT_SIZE);
	TEXT_SET(rc->engine, engine->en_name);
	TEXT_SET(rc->design, ce->ce_design);
	TEXT_SET(rc->lock, ce->ce_lock);
	TEXT_SET(rc->cipher, ce->ce_cipher->ci_name);
	TEXT_SET(rc->crypto, crypto_mode_names[op->op_crypto]);
	rc->readers = ce->ce_readers;
	rc->request_bytes = ce->ce_request_bytes;
	if (wl != NULL) {
		TEXT_SET(rc->workload, wl->wl_text);
		TEXT_SET(rc->arrivals,
		    workload_arrivals_names[wl->wl_arrivals]);
		rc->rate_per_s = workload_rate(wl);
		rc->request_bytes = (uint64_t)fmax(1, floor(0.5 +
		    workload_mean_bytes(wl, ce->ce_request_bytes)));
	}
	rc->oversubscribed = !engine->en_simulated &&
	    (rc->readers + ce->ce_producers > cpu_count() ||
	    (cpu_quota() > 0 && rc->readers + ce->ce_producers > cpu_quota()));
	rc->profiled = engine->en_profiled;
	if (ce->ce_producers > 0 && ksource_named(rc->design) &&
	    !design_info(design_find(rc->design)).di_queued)
		note(rc, "the source has no random_harvestq.c: producers use "
		    "rngsim's, model %s",
		    design_queue_names[op->op_config.bc_harvest.queue]);
	knobs = (unsigned)lock_class_find(rc->lock)->lc_knobs;
	if ((knobs & LK_SPIN_POLLS) != 0)
		rc->spin_polls = config->spin_polls;
	if ((knobs & LK_NODES) != 0)
		rc->pretended_nodes = config->nodes;
}

/* A bucket's end may lie above the largest of what it counted. */
static struct result_quantiles
row_quantiles(const struct engine *en, const struct hist_small *cycles,
    double max_ns)
{
#define	Q(q)	fmin(max_ns,						\
    (double)en->en_cycles_to_ns(hist_small_quantile(cycles, q)))
	return ((struct result_quantiles){ .p50 = Q(0.5), .p99 = Q(0.99),
	    .p999 = Q(0.999) });
#undef Q
}

static void
row_finish(const struct engine *en, struct cell_row *cr)
{
	struct result_row *row = &cr->cr_row;

	row->hold_ns = row_quantiles(en, &cr->cr_hold, row->hold_max_ns);
	row->spin_ns = row_quantiles(en, &cr->cr_spin, row->wait_max_ns);
	row->block_ns = row_quantiles(en, &cr->cr_block, row->wait_max_ns);
	row->spin_count = (double)hist_small_count(&cr->cr_spin);
	row->block_count = (double)hist_small_count(&cr->cr_block);
}

void
summary_gate_trend(struct result_cell *rc)
{
	struct drift trend;

	drift_of(rc, NULL, &trend);
	if (rc->gate[0] == '\0' && trend.dft_drift)
		snprintf(rc->gate, sizeof(rc->gate), "drift over the run: "
		    "%+.1f %% from first to last repeat",
		    100 * trend.dft_change);
}

void
summary_finish(struct sweep_cell *sc, const struct options *op,
    const struct result_host *host, struct result_cell *rc)
{
	const struct virtual_machine *vi = &op->op_machine;
	const struct engine *en = grid_engine(op);
	struct cell_measure *sum = &sc->sc_sum;
	double reader_ns = 0;
	CTASSERT((int)PROFILE_NAME_SIZE <= (int)RESULT_TEXT_SIZE);

	*rc = sc->sc_result;
	sc->sc_result.samples = NULL;
	describe(sc, op, rc);
	rc->reader_mb_per_s = xcalloc(rc->readers, sizeof(double));
	result_set_medians(rc);
	rc->ledger = sum->cm_ledger;
	rc->ledger.plain_mb_per_s = COMPARABLE_MEDIAN(rc, plain_mb_per_s);
	rc->latency_ns = cell_latency(en, &sum->cm_latency);
	rc->latency_uncorrected_ns = sum->cm_uncorrected.hi_count == 0 ?
	    rc->latency_ns : cell_latency(en, &sum->cm_uncorrected);
	if (sc->sc_cell.ce_producers > 0)
		summarise_producers(sc, en, op->op_seed, rc);
	if (sc->sc_cell.ce_until_seeded)
		interval(rc, offsetof(struct result_sample, time_to_seeded_ns),
		    op->op_seed, rc->time_to_seeded_ns_ci95);
	rc->harvest.latency_p99_ns = cell_latency(en,
	    &sum->cm_harvest_latency).p99;
	intervals(rc, op->op_seed);
	rc->lock_profile_rows = sum->cm_row_count;
	rc->lock_profile = xcalloc(rc->lock_profile_rows + 1,
	    sizeof(*rc->lock_profile));
	for (unsigned i = 0; i < rc->lock_profile_rows; i++) {
		row_finish(en, &sum->cm_rows[i]);
		rc->lock_profile[i] = sum->cm_rows[i].cr_row;
	}
	rc->health_rows = sum->cm_health_count;
	rc->health = sum->cm_health;
	sum->cm_health = NULL;
	rc->wait_rows = sum->cm_wait_count;
	rc->waits = sum->cm_waits;
	sum->cm_waits = NULL;
	for (unsigned i = 0; i < rc->repeats; i++)
		reader_ns += rc->samples[i].window_s * 1e9 * rc->readers;
	if (rc->profiled && rc->readers > 0)
		rc->profile_cost_percent = 100 * sum->cm_acquisitions *
		    host->profile_ns / reader_ns;
	if (en->en_simulated) {
		TEXT_SET(rc->profile, vi->vi_profile.pr_name);
		rc->guessed_share = profile_share(&vi->vi_profile,
		    PROVENANCE_GUESSED);
		rc->cpus = vi->vi_topology.tp_cpus;
		rc->nodes = vi->vi_topology.tp_nodes;
		rc->oversubscribed = rc->readers + rc->producers > rc->cpus;
	} else
		notes_of_host(rc);
	gate_and_notes(sc, host, rc);
	summary_gate_trend(rc);
	cell_measure_free(sum);
}
