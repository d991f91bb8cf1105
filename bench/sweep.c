#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "bench/progress.h"
#include "bench/stats.h"
#include "bench/sweep.h"
#include "harvest/source.h"
#include "lib/tick.h"

enum {
	CALIBRATION_ROUNDS	= 9,
	CALIBRATION_PAIRS	= 20000
};

/* Gates: what is said in the row when it does not hold. */
static const double skew_max_share = 0.05;	/* of the window */
static const double drift_max_share = 0.10;	/* first half against second */

/* A cell under way: its samples so far and what they add up to. */
struct sweep_cell {
	struct cell	sc_cell;
	struct result_sample *sc_samples;
	unsigned	sc_count;
	struct hist	sc_latency;
	struct hist	sc_harvest_latency;
	struct result_row *sc_rows;
	unsigned	sc_row_count;
	double		sc_acquisitions;
	bool		sc_unbound;
};

static volatile sig_atomic_t stop_signal;

static void
on_signal(int sig)
{

	stop_signal = sig;
}

/* Catches what should end a measurement in order; a second one kills. */
static void
catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa;
	unsigned i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sa.sa_flags = (int)SA_RESETHAND;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &sa, NULL);
}

/* The grid, design innermost, so that rows to compare stand together. */
static unsigned
expand(const struct options *op, struct sweep_cell *cells)
{
	unsigned c, d, l, n = 0, r, s;

	for (c = 0; c < op->op_ciphers.ol_count; c++)
	for (s = 0; s < op->op_sizes.ol_count; s++)
	for (l = 0; l < op->op_locks.ol_count; l++)
	for (r = 0; r < op->op_readers.ol_count; r++)
	for (d = 0; d < op->op_designs.ol_count; d++)
		cells[n++].sc_cell = (struct cell){
			.ce_design = generators[op->op_designs.ol_value[d]]->
			    ra_ident,
			.ce_lock = lock_classes[op->op_locks.ol_value[l]]->
			    lc_name,
			.ce_cipher = ciphers[op->op_ciphers.ol_value[c]],
			.ce_readers = (unsigned)op->op_readers.ol_value[r],
			.ce_request_bytes = op->op_sizes.ol_value[s],
		};
	return (n);
}

static unsigned
grid_size(const struct options *op)
{

	return (op->op_designs.ol_count * op->op_locks.ol_count *
	    op->op_ciphers.ol_count * op->op_readers.ol_count *
	    op->op_sizes.ol_count);
}

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

	for (i = 0; i < cm->cm_row_count; i++) {
		const struct result_row *from = &cm->cm_rows[i];

		to = row_for(sc, from);
		if (to == NULL)
			return (ENOMEM);
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

/* Moves one repeat's measure into its cell. */
static int
absorb(struct sweep_cell *sc, struct cell_measure *cm, unsigned order)
{

	hist_merge(&sc->sc_latency, &cm->cm_latency);
	hist_merge(&sc->sc_harvest_latency, &cm->cm_harvest_latency);
	sc->sc_acquisitions += cm->cm_acquisitions;
	sc->sc_unbound |= cm->cm_unbound;
	if (add_rows(sc, cm) != 0)
		return (ENOMEM);
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
static void
interval(const struct sweep_cell *sc, struct result_cell *rc, uint64_t seed,
    double *scratch)
{
	unsigned i, k, n = 0;

	if (sc->sc_count >= 3) {
		for (i = 0; i < sc->sc_count; i++)
			scratch[n++] = sc->sc_samples[i].total_mb_per_s;
	} else {
		for (i = 0; i < sc->sc_count; i++)
			for (k = 0; k < sc->sc_samples[i].intervals; k++)
				scratch[n++] =
				    sc->sc_samples[i].interval_mb_per_s[k];
	}
	stats_ci95_median(scratch, n, seed, &rc->total_mb_per_s_ci95[0],
	    &rc->total_mb_per_s_ci95[1]);
	/* Reader windows are not the wall's: keep the estimate inside. */
	rc->total_mb_per_s_ci95[0] = fmin(rc->total_mb_per_s_ci95[0],
	    rc->total_mb_per_s);
	rc->total_mb_per_s_ci95[1] = fmax(rc->total_mb_per_s_ci95[1],
	    rc->total_mb_per_s);
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
		note(rc, "a reader waited %.3g ms across the window's edge",
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

/* Makes the result's cell of a sweep's; takes over its arrays. */
static int
finish_cell(const struct options *op, struct sweep_cell *sc,
    const struct result_host *host, const struct engine *engine,
    struct result_cell *rc)
{
	double *scratch;

	scratch = calloc((size_t)sc->sc_count * CELL_INTERVALS + 1,
	    sizeof(*scratch));
	rc->reader_mb_per_s = calloc(sc->sc_cell.ce_readers, sizeof(double));
	if (scratch == NULL || rc->reader_mb_per_s == NULL) {
		free(scratch);
		return (ENOMEM);
	}
	snprintf(rc->engine, sizeof(rc->engine), "%s", engine->en_name);
	snprintf(rc->design, sizeof(rc->design), "%s", sc->sc_cell.ce_design);
	snprintf(rc->lock, sizeof(rc->lock), "%s", sc->sc_cell.ce_lock);
	snprintf(rc->cipher, sizeof(rc->cipher), "%s",
	    sc->sc_cell.ce_cipher->ci_name);
	snprintf(rc->crypto, sizeof(rc->crypto), "%s",
	    crypto_mode_names[op->op_crypto]);
	rc->readers = sc->sc_cell.ce_readers;
	rc->request_bytes = sc->sc_cell.ce_request_bytes;
	rc->repeats = sc->sc_count;
	rc->oversubscribed = rc->readers > cpu_count();
	rc->profiled = engine->en_profiled;
	summarise(sc, rc, scratch);
	interval(sc, rc, op->op_seed, scratch);
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

/* What one time stamp costs, and profiling one acquisition. */
static void
calibrate(struct result_host *host)
{
	double cost[CALIBRATION_ROUNDS], stamp[CALIBRATION_ROUNDS];
	volatile uint64_t sink;
	int64_t start_ns;
	unsigned i, k;

	for (i = 0; i < CALIBRATION_ROUNDS; i++) {
		cost[i] = (ENGINE(real).en_lock_pairs(CALIBRATION_PAIRS) -
		    ENGINE(bare).en_lock_pairs(CALIBRATION_PAIRS)) /
		    CALIBRATION_PAIRS;
		start_ns = tick_ns();
		for (k = 0; k < CALIBRATION_PAIRS; k++)
			sink = tick_cycles();
		stamp[i] = (double)(tick_ns() - start_ns) / CALIBRATION_PAIRS;
	}
	(void)sink;
	host->profile_ns = fmax(0, stats_median(cost, CALIBRATION_ROUNDS));
	host->clock_ns = stats_median(stamp, CALIBRATION_ROUNDS);
}

static char **
copy_strings(char *const *from)
{
	unsigned i, n = 0;
	char **to;

	while (from != NULL && from[n] != NULL)
		n++;
	to = calloc(n + 1, sizeof(*to));
	for (i = 0; to != NULL && i < n; i++)
		to[i] = strdup(from[i]);
	return (to);
}

/* The names of sources[0..count - 1]. */
static char **
source_names(const struct random_source *const *sources, unsigned count)
{
	char *names[RANDOM_SOURCES + 1] = { NULL };
	unsigned i;

	for (i = 0; i < count; i++)
		names[i] = (char *)(uintptr_t)sources[i]->rs_ident;
	return (copy_strings(names));
}

static int
describe(const struct options *op, char *const argv[], struct result *r)
{
	struct random_source_list sl;
	struct harvest_error why;
	time_t now = time(NULL);
	struct tm tm;

	memset(r, 0, sizeof(*r));
	r->argv = copy_strings(argv);
	r->tunables = copy_strings(op->op_tunables);
	if (random_source_list_parse(&sl, op->op_config.bc_harvest.sources,
	    &why) != 0)
		memset(&sl, 0, sizeof(sl));
	r->sources = source_names(sl.sl_source, sl.sl_count);
	r->sources_skipped = source_names(sl.sl_skipped, sl.sl_skipped_count);
	r->cells = calloc(grid_size(op), sizeof(*r->cells));
	if (r->argv == NULL || r->tunables == NULL || r->cells == NULL ||
	    r->sources == NULL || r->sources_skipped == NULL)
		return (ENOMEM);
	r->seed = op->op_seed;
	r->time_s = op->op_time_s;
	gmtime_r(&now, &tm);
	strftime(r->started, sizeof(r->started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	result_host_fill(&r->host);
	calibrate(&r->host);
	return (0);
}

static const struct engine *
engine_for(const struct options *op)
{

	return (op->op_config.bc_lock.prof_enable ? &ENGINE(real) :
	    &ENGINE(bare));
}

/* Progress counts half-seconds of measuring, warm-up included. */
static void
label_cell(const struct sweep_cell *sc, char *buf, size_t size)
{

	snprintf(buf, size, "%s %s %s, %u reader%s", sc->sc_cell.ce_design,
	    sc->sc_cell.ce_lock, sc->sc_cell.ce_cipher->ci_name,
	    sc->sc_cell.ce_readers, sc->sc_cell.ce_readers == 1 ? "" : "s");
}

/* All repeats of all cells. */
static int
measure_all(const struct options *op, struct sweep_cell *cells, unsigned n,
    char error_text[CELL_ERROR_SIZE])
{
	struct cell_params cp = { .cp_config = &op->op_config,
	    .cp_time_s = op->op_time_s, .cp_stop = &stop_signal };
	struct cell_measure *cm;
	struct progress progress;
	unsigned *order;
	gsl_rng *rng;
	char label[64];
	unsigned i, repeat, done = 0;
	int error = 0;

	order = calloc(n, sizeof(*order));
	cm = malloc(sizeof(*cm));
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (order == NULL || cm == NULL || rng == NULL) {
		snprintf(error_text, CELL_ERROR_SIZE, "no memory");
		error = ENOMEM;
		goto out;
	}
	gsl_rng_set(rng, (unsigned long)((op->op_seed ^ op->op_seed >> 32) &
	    UINT32_MAX));
	for (i = 0; i < n; i++)
		order[i] = i;
	progress_init(&progress, (uint64_t)n * op->op_repeats);
	for (repeat = 0; error == 0 && repeat < op->op_repeats; repeat++) {
		gsl_ran_shuffle(rng, order, n, sizeof(*order));
		for (i = 0; error == 0 && i < n; i++) {
			struct sweep_cell *sc = &cells[order[i]];

			label_cell(sc, label, sizeof(label));
			progress_update(&progress, done, label);
			cp.cp_cell = sc->sc_cell;
			error = engine_for(op)->en_run(&cp, cm, error_text);
			if (error == 0)
				error = absorb(sc, cm, done++);
		}
	}
	progress_fini(&progress);
out:
	if (rng != NULL)
		gsl_rng_free(rng);
	free(cm);
	free(order);
	return (error);
}

int
sweep_run(const struct options *op, char *const argv[], struct result *r,
    char error_text[CELL_ERROR_SIZE])
{
	struct sweep_cell *cells;
	unsigned i, n = grid_size(op);
	int error, error2 = 0;

	cells = calloc(n, sizeof(*cells));
	error = describe(op, argv, r);
	if (cells == NULL || error != 0) {
		snprintf(error_text, CELL_ERROR_SIZE, "no memory for %u cells",
		    n);
		free(cells);
		return (ENOMEM);
	}
	expand(op, cells);
	for (i = 0; i < n && error == 0; i++) {
		cells[i].sc_samples = calloc(op->op_repeats,
		    sizeof(*cells[i].sc_samples));
		if (cells[i].sc_samples == NULL)
			error = ENOMEM;
	}
	catch_signals();
	if (error == 0)
		error = measure_all(op, cells, n, error_text);
	for (i = 0; i < n; i++) {
		if (cells[i].sc_count > 0 && error2 == 0)
			error2 = finish_cell(op, &cells[i], &r->host,
			    engine_for(op), &r->cells[r->cell_count++]);
		free(cells[i].sc_samples);
		free(cells[i].sc_rows);
	}
	free(cells);
	r->complete = error == 0 && error2 == 0;
	return (error != 0 ? error : error2);
}
