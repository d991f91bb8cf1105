#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gsl/gsl_randist.h>

#include "bench/console/progress.h"
#include "bench/console/stop.h"
#include "bench/statistics/stats.h"
#include "bench/sweep/grid.h"
#include "bench/sweep/summary.h"
#include "bench/sweep/sweep.h"
#include "bench/sweep/sweep_virtual.h"
#include "bench/sweep/uncertainty.h"
#include "harvest/source.h"
#include "lib/tick.h"

enum {
	CALIBRATION_ROUNDS	= 9,
	CALIBRATION_PAIRS	= 20000
};

/* What one time stamp costs, and profiling one acquisition. */
static int
calibrate(struct result_host *host)
{
	double cost[CALIBRATION_ROUNDS], stamp[CALIBRATION_ROUNDS];
	double bare, real;
	volatile uint64_t sink;
	int64_t start_ns;
	unsigned i, k;

	for (i = 0; i < CALIBRATION_ROUNDS; i++) {
		real = ENGINE(real).en_lock_pairs(CALIBRATION_PAIRS);
		bare = ENGINE(bare).en_lock_pairs(CALIBRATION_PAIRS);
		if (real < 0 || bare < 0)
			return (ENOMEM);
		cost[i] = (real - bare) / CALIBRATION_PAIRS;
		start_ns = tick_ns();
		for (k = 0; k < CALIBRATION_PAIRS; k++)
			sink = tick_cycles();
		stamp[i] = (double)(tick_ns() - start_ns) / CALIBRATION_PAIRS;
	}
	(void)sink;
	host->profile_ns = fmax(0, stats_median(cost, CALIBRATION_ROUNDS));
	host->clock_ns = stats_median(stamp, CALIBRATION_ROUNDS);
	return (0);
}

static void
free_strings(char **strings)
{
	unsigned i;

	for (i = 0; strings[i] != NULL; i++)
		free(strings[i]);
	free(strings);
}

static char **
copy_strings(char *const *from)
{
	unsigned i, n = 0;
	char **to;

	while (from != NULL && from[n] != NULL)
		n++;
	to = calloc(n + 1, sizeof(*to));
	for (i = 0; to != NULL && i < n; i++) {
		to[i] = strdup(from[i]);
		if (to[i] == NULL) {
			free_strings(to);
			return (NULL);
		}
	}
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

/* A simulated machine has what this one lacks. */
static void
have_all(struct random_source_list *sl)
{
	unsigned i;

	for (i = 0; i < sl->sl_skipped_count; i++)
		sl->sl_source[sl->sl_count++] = sl->sl_skipped[i];
	sl->sl_skipped_count = 0;
}

static int
describe(const struct options *op, char *const argv[], struct result *r)
{
	struct random_source_list sl;
	struct harvest_error why;

	memset(r, 0, sizeof(*r));
	r->argv = copy_strings(argv);
	r->tunables = copy_strings(op->op_tunables);
	if (random_source_list_parse(&sl, op->op_config.bc_harvest.sources,
	    &why) != 0)
		memset(&sl, 0, sizeof(sl));
	if (op->op_simulated)
		have_all(&sl);
	r->sources = source_names(sl.sl_source, sl.sl_count);
	r->sources_skipped = source_names(sl.sl_skipped, sl.sl_skipped_count);
	r->cells = calloc(grid_cells(op), sizeof(*r->cells));
	r->controls = calloc(grid_controls(op) + 1, sizeof(*r->controls));
	if (r->argv == NULL || r->tunables == NULL || r->cells == NULL ||
	    r->controls == NULL ||
	    r->sources == NULL || r->sources_skipped == NULL)
		return (ENOMEM);
	r->seed = op->op_seed;
	r->time_s = op->op_time_s;
	snprintf(r->place, sizeof(r->place), "%s", op->op_place_text);
	result_now(r->started);
	result_host_fill(&r->host);
	return (op->op_simulated ? 0 : calibrate(&r->host));
}

/* What progress says is being measured. */
static void
label_cell(const struct sweep_cell *sc, char *buf, size_t size)
{

	snprintf(buf, size, "%s %s %s, %u reader%s", sc->sc_cell.ce_design,
	    sc->sc_cell.ce_lock, sc->sc_cell.ce_cipher->ci_name,
	    sc->sc_cell.ce_readers, sc->sc_cell.ce_readers == 1 ? "" : "s");
}

/* A repeat that was measured: first to disk, then to its cell. */
static int
take(struct checkpoint *ck, struct sweep_cell *sc, unsigned cell,
    unsigned repeat, unsigned order, struct cell_measure *cm,
    char error_text[CELL_ERROR_SIZE])
{
	int error;

	error = checkpoint_add(ck, &sc->sc_cell, cell, repeat, order, cm,
	    error_text);
	if (error != 0) {
		cell_measure_free(cm);
		return (error);
	}
	return (summary_add(sc, cm, order));
}

/*
 * One repeat of one cell.  Under a ledger it is preceded by one without, which
 * tells what the ledger costs; with a log that would be what writing costs.
 */
static int
measure_one(const struct options *op, struct cell_params *cp,
    struct cell_measure *cm, char error_text[CELL_ERROR_SIZE])
{
	const struct engine *en = grid_engine(op);
	double plain = 0;
	int error;

	cp->cp_ledger = false;
	if (op->op_ledger_log == NULL) {
		error = en->en_run(cp, cm, error_text);
		if (error != 0 || !op->op_ledger)
			return (error);
		plain = cm->cm_sample.total_mb_per_s;
		cell_measure_free(cm);
	}
	cp->cp_ledger = true;
	cp->cp_ledger_log = op->op_ledger_log;
	error = en->en_run(cp, cm, error_text);
	if (error == 0)
		cm->cm_sample.plain_mb_per_s = plain;
	return (error);
}

/*
 * All repeats of all cells.  Each block ends with the controls: a cell that
 * cannot be measured is found before time is spent on them.
 */
static int
measure_all(const struct options *op, struct checkpoint *ck,
    struct sweep_cell *cells, unsigned grid, unsigned controls,
    char error_text[CELL_ERROR_SIZE])
{
	struct cell_params cp = { .cp_config = &op->op_config,
	    .cp_time_s = op->op_time_s, .cp_stop = &stop_signal,
	    .cp_place = &op->op_place };
	struct cell_measure *cm;
	struct progress progress;
	unsigned *order;
	gsl_rng *rng;
	char label[64];
	unsigned i, n = grid + controls, repeat, done = 0;
	int error = 0;

	order = calloc(n, sizeof(*order));
	cm = malloc(sizeof(*cm));
	rng = stats_rng(op->op_seed);
	if (order == NULL || cm == NULL || rng == NULL) {
		snprintf(error_text, CELL_ERROR_SIZE, "no memory");
		error = ENOMEM;
		goto out;
	}
	for (i = 0; i < n; i++)
		order[i] = i;
	progress_resume(&progress, (uint64_t)n * op->op_repeats,
	    checkpoint_repeats_before(ck));
	for (repeat = 0; error == 0 && repeat < op->op_repeats; repeat++) {
		/* Cells to be compared are asked for the same. */
		cp.cp_seed = op->op_seed + repeat;
		gsl_ran_shuffle(rng, order, grid, sizeof(*order));
		if (controls > 0)
			gsl_ran_shuffle(rng, order + grid, controls,
			    sizeof(*order));
		for (i = 0; error == 0 && i < n; i++) {
			struct sweep_cell *sc = &cells[order[i]];

			if (checkpoint_has(ck, order[i], repeat)) {
				done++;
				continue;
			}
			label_cell(sc, label, sizeof(label));
			progress_update(&progress, done, label);
			cp.cp_cell = sc->sc_cell;
			error = measure_one(op, &cp, cm, error_text);
			if (error == 0)
				error = take(ck, sc, order[i], repeat, done++,
				    cm, error_text);
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

/* Makes result cells of all that have a repeat. */
static int
finish(const struct options *op, struct sweep_cell *cells, unsigned n,
    const struct result_host *host, struct result_cell *out, unsigned *count)
{
	unsigned i;
	int error = 0;

	*count = 0;
	for (i = 0; i < n; i++) {
		if (cells[i].sc_count > 0 && error == 0) {
			error = summary_finish(&cells[i],
			    crypto_mode_names[op->op_crypto], op->op_seed,
			    host, grid_engine(op), &op->op_config.bc_lock,
			    &out[*count]);
			if (error == 0 && op->op_simulated)
				virtual_describe(&op->op_machine,
				    &out[*count]);
			*count += error == 0;
		}
		summary_free(&cells[i]);
	}
	if (error == 0)
		error = summary_gate_trend(out, *count);
	return (error);
}

/* What finish() will make results of, in its order. */
static struct cell *
live_cells(const struct sweep_cell *cells, unsigned n)
{
	struct cell *live;
	unsigned count = 0, i;

	live = calloc(n + 1, sizeof(*live));
	for (i = 0; live != NULL && i < n; i++)
		if (cells[i].sc_count > 0)
			live[count++] = cells[i].sc_cell;
	return (live);
}

int
sweep_run(const struct options *op, char *const argv[], struct checkpoint *ck,
    struct result *r, char error_text[CELL_ERROR_SIZE])
{
	struct sweep_cell *cells;
	struct cell *live;
	unsigned controls, i, n = grid_cells(op);
	int error, error2;

	cells = calloc(n + grid_controls(op), sizeof(*cells));
	error = describe(op, argv, r);
	if (cells == NULL || error != 0) {
		snprintf(error_text, CELL_ERROR_SIZE, "no memory for %u cells",
		    n);
		free(cells);
		return (ENOMEM);
	}
	grid_expand(op, cells);
	controls = grid_expand_controls(op, &cells[n]);
	for (i = 0; i < n + controls && error == 0; i++) {
		cells[i].sc_samples = calloc(op->op_repeats,
		    sizeof(*cells[i].sc_samples));
		if (cells[i].sc_samples == NULL)
			error = ENOMEM;
	}
	if (error == 0 && ck != NULL) {
		error = checkpoint_begin(ck, op, r, cells, n + controls,
		    error_text);
		/* What was taken up of another run is none of this one's. */
		for (i = 0; i < n + controls && error != 0; i++)
			summary_forget(&cells[i]);
	}
	if (error == 0)
		error = op->op_simulated ? sweep_virtual(op, ck, cells, n,
		    &stop_signal, error_text) : measure_all(op, ck, cells, n,
		    controls, error_text);
	live = live_cells(cells, n);
	error2 = finish(op, cells, n, &r->host, r->cells, &r->cell_count);
	if (finish(op, &cells[n], controls, &r->host, r->controls,
	    &r->control_count) != 0)
		error2 = ENOMEM;
	if (live == NULL)
		error2 = ENOMEM;
	else if (op->op_uncertainty > 0 && error2 == 0 &&
	    (error == 0 || error == EDEADLK) && r->cell_count > 0)
		error2 = uncertainty_run(op, ck, live, &stop_signal, r,
		    error_text);
	free(live);
	free(cells);
	r->complete = error == 0 && error2 == 0;
	if (!r->complete && error_text[0] == '\0')
		snprintf(error_text, CELL_ERROR_SIZE, "no memory for the "
		    "results");
	return (error != 0 ? error : error2);
}
