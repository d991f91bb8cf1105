#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>

#include "bench/cell/slices.h"
#include "bench/cli/memory.h"
#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/report/comparable.h"
#include "bench/sweep/sweep.h"
#include "lib/machine/tick.h"

/* A sweep under way. */
struct sweeping {
	const struct options *sw_options;
	struct checkpoint *sw_checkpoint;	/* or NULL */
	struct sweep_cell *sw_cells;	/* the grid's, then controls */
	const struct cell **sw_grid;	/* of sw_cells */
	unsigned	 sw_grid_count;
	unsigned	 sw_count;	/* controls included */
	/* By cell; written in order of runs by the thread that takes them. */
	atomic_bool	*sw_stuck;
	unsigned	 sw_stuck_count;
	char		*sw_error;	/* CELL_ERROR_SIZE bytes */
};

/* The repeats on this machine so far, and room for those of a group. */
struct visit {
	struct progress	 vi_progress;
	int64_t		 vi_start_ns;
	unsigned	 vi_done;	/* repeats of all cells */
	gsl_rng		*vi_rng;
	unsigned	*vi_order;
	struct cell_params *vi_params;
	struct cell_measure *vi_measures;
};

/* Writes a repeat to disk, then adds it to its cell; cm is empty afterwards. */
static int
take(struct sweeping *sw, unsigned cell, unsigned repeat, unsigned order,
    struct cell_measure *cm)
{
	struct sweep_cell *sc = &sw->sw_cells[cell];
	int error;

	summary_sample(&sc->sc_cell, cm, order);
	error = checkpoint_add(sw->sw_checkpoint, cell, repeat, cm);
	if (error == 0)
		summary_add(sc, cm);
	else
		cell_measure_free(cm);
	return (error);
}

/*
 * One repeat of one cell.  Under a ledger a run without one comes first, for
 * the cost of the ledger; with a log that would be the cost of writing.
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
 * Whether cells are measured side by side: those that differ only in design,
 * lock or cipher, unless they are too many or too large to exist at once.  A
 * ledger's cell is measured twice, and what is recorded or logged is of one
 * cell.
 */
static bool
together(const struct options *op, const struct cell *a, const struct cell *b)
{
	return (a->ce_readers == b->ce_readers &&
	    a->ce_request_bytes == b->ce_request_bytes &&
	    (uint64_t)a->ce_readers * op->op_designs.ol_count *
	    op->op_locks.ol_count * op->op_ciphers.ol_count <=
	    SLICES_READERS_MAX && workload_max_bytes(&op->op_workload,
	    a->ce_request_bytes) <= SLICES_REQUEST_MAX_BYTES &&
	    !op->op_ledger &&
	    op->op_ledger_log == NULL && op->op_time_s >= SLICES_MIN_TIME_S &&
	    op->op_config.bc_harvest.record_file[0] == '\0');
}

static double
passed_s(const struct visit *vi)
{
	return ((double)(tick_ns() - vi->vi_start_ns) / 1e9);
}

/* One repeat of the cells of a group, which is not empty. */
static int
measure_group(struct sweeping *sw, const unsigned *group, unsigned n,
    unsigned repeat, struct visit *vi)
{
	const struct options *op = sw->sw_options;
	/* Cells to be compared get the same requests. */
	const struct cell_params like = { .cp_config = &op->op_config,
	    .cp_time_s = op->op_time_s, .cp_seed = op->op_seed + repeat,
	    .cp_stop = &stop_signal, .cp_place = &op->op_place };
	char label[2 * GRID_TEXT_SIZE], text[GRID_TEXT_SIZE];
	int error;
	unsigned i;

	for (i = 0; i < n; i++) {
		vi->vi_params[i] = like;
		vi->vi_params[i].cp_cell = sw->sw_cells[group[i]].sc_cell;
	}
	snprintf(label, sizeof(label), n > 1 ? "%s and %u more" : "%s",
	    grid_text(&vi->vi_params->cp_cell, text), n - 1);
	progress_update(&vi->vi_progress, op->op_until > 0 ?
	    (uint64_t)fmin(passed_s(vi), op->op_time_limit_s) : vi->vi_done,
	    label);
	error = n == 1 ? measure_one(op, vi->vi_params, vi->vi_measures,
	    sw->sw_error) : slices_run(grid_engine(op), vi->vi_params, n,
	    vi->vi_rng, vi->vi_measures, sw->sw_error);
	if (error != 0)
		return (error);
	for (i = 0; i < n; i++) {
		if (n > 1)
			vi->vi_measures[i].cm_sample.together = vi->vi_done + 1;
		if (error == 0)
			error = take(sw, group[i], repeat, vi->vi_done + i,
			    &vi->vi_measures[i]);
		else
			cell_measure_free(&vi->vi_measures[i]);
	}
	return (error);
}

/*
 * One repeat of the cells from..to - 1 that the journal does not have, in
 * random order; of the grid in groups.
 */
static int
measure_block(struct sweeping *sw, unsigned from, unsigned to, unsigned repeat,
    struct visit *vi)
{
	unsigned *const order = vi->vi_order;
	unsigned end, k, n = 0, swap;
	int error = 0;

	for (unsigned i = from; i < to; i++)
		if (checkpoint_has(sw->sw_checkpoint, i, repeat) ||
		    (from == 0 && !grid_has(sw->sw_options, i)))
			vi->vi_done++;
		else
			order[n++] = i;
	if (n > 0)
		gsl_ran_shuffle(vi->vi_rng, order, n, sizeof(*order));
	for (unsigned i = 0; error == 0 && i < n; i = end) {
		for (end = i + 1, k = i + 1; from == 0 && k < n; k++) {
			if (!together(sw->sw_options,
			    &sw->sw_cells[order[i]].sc_cell,
			    &sw->sw_cells[order[k]].sc_cell))
				continue;
			swap = order[k];
			order[k] = order[end];
			order[end++] = swap;
		}
		error = measure_group(sw, order + i, end - i, repeat, vi);
		vi->vi_done += end - i;
	}
	return (error);
}

/*
 * With --until: whether each cell's ratio to the first of its group is known as
 * well as that.  This looks at widths alone, never at what is better, so that
 * the intervals keep their error: Y. S. Chow and H. Robbins, "On the asymptotic
 * theory of fixed-width sequential confidence intervals", Annals of
 * Mathematical Statistics 36 (1965).
 */
static bool
look(const struct sweeping *sw)
{
	const struct options *op = sw->sw_options;
	struct sweep_cell *const cells = sw->sw_cells;
	struct result_cell a, b;
	struct paired pd;
	unsigned k;

	for (unsigned i = 0; i < sw->sw_grid_count; i++) {
		for (k = 0; !together(op, &cells[k].sc_cell,
		    &cells[i].sc_cell); k++)
			continue;
		if (k == i)
			continue;
		a = (struct result_cell){ .samples = cells[k].sc_samples,
		    .repeats = cells[k].sc_count };
		b = (struct result_cell){ .samples = cells[i].sc_samples,
		    .repeats = cells[i].sc_count };
		comparable_paired(&a, &b, NULL, NULL, &pd);
		if (pd.pd_count == 0 || pd.pd_ci95[1] - pd.pd_ci95[0] >
		    op->op_until * (1 + pd.pd_change))
			return (false);
	}
	return (true);
}

/* Whether there are repeats enough. */
static bool
enough(struct sweeping *sw, unsigned repeats, const struct visit *vi)
{
	const struct options *op = sw->sw_options;

	if (repeats == op->op_repeats)
		return (true);
	if (op->op_until == 0 || repeats < op->op_until_repeats)
		return (false);
	if (look(sw))
		return (true);
	if (passed_s(vi) < op->op_time_limit_s)
		return (false);
	run_note("after %.0f s an interval is still wider than %g %%",
	    passed_s(vi), 100 * op->op_until);
	return (true);
}

/*
 * All repeats on this machine.  The controls end each block, so that a cell
 * that cannot be measured is found before they take time.
 */
static int
measure_all(struct sweeping *sw)
{
	const struct options *op = sw->sw_options;
	const unsigned grid = sw->sw_grid_count, n = sw->sw_count;
	struct visit vi = {
		.vi_order = xcalloc(n, sizeof(*vi.vi_order)),
		.vi_params = xcalloc(n, sizeof(*vi.vi_params)),
		.vi_measures = xcalloc(n, sizeof(*vi.vi_measures)),
		.vi_rng = stats_rng(op->op_seed),
		.vi_start_ns = tick_ns(),
	};
	int error = 0;

	progress_init(&vi.vi_progress, op->op_until > 0 ?
	    (uint64_t)op->op_time_limit_s : (uint64_t)n * op->op_repeats,
	    op->op_until > 0 || sw->sw_checkpoint == NULL ? 0 :
	    sw->sw_checkpoint->ck_before);
	for (unsigned repeat = 0; error == 0 && !enough(sw, repeat, &vi);
	    repeat++) {
		error = measure_block(sw, 0, grid, repeat, &vi);
		if (error == 0)
			error = measure_block(sw, grid, n, repeat, &vi);
	}
	progress_fini(&vi.vi_progress);
	gsl_rng_free(vi.vi_rng);
	free(vi.vi_measures);
	free(vi.vi_params);
	free(vi.vi_order);
	return (error);
}

static bool
skip_simulated(void *context, unsigned cell, unsigned repeat)
{
	const struct sweeping *sw = context;

	return (sw->sw_stuck[cell] || !grid_has(sw->sw_options, cell) ||
	    checkpoint_has(sw->sw_checkpoint, cell, repeat));
}

static int
take_simulated(void *context, unsigned cell, unsigned repeat, int error,
    const char *why, struct cell_measure *cm)
{
	struct sweeping *sw = context;
	char text[GRID_TEXT_SIZE];
	size_t n = strlen(why);

	if (sw->sw_stuck[cell])
		return (0);
	if (error == 0)
		return (take(sw, cell, repeat, repeat * sw->sw_grid_count +
		    cell, cm));
	if (error != EDEADLK) {
		snprintf(sw->sw_error, CELL_ERROR_SIZE, "%s", why);
		return (error);
	}
	sw->sw_stuck[cell] = true;
	sw->sw_stuck_count++;
	/* The reason has several lines. */
	fprintf(stderr, "rngsim: %s: %s: %s%s", usage_command,
	    grid_text(sw->sw_grid[cell], text), why,
	    n > 0 && why[n - 1] == '\n' ? "" : "\n");
	return (0);
}

/*
 * All repeats on simulated machines.  A cell that deadlocks is left out, with a
 * message; EDEADLK is returned after the other cells.
 */
static int
simulate_all(struct sweeping *sw)
{
	const unsigned n = sw->sw_grid_count;
	const struct replicate rp = {
		.rp_options = sw->sw_options,
		.rp_cells = sw->sw_grid,
		.rp_cell_count = n,
		.rp_rounds = sw->sw_options->op_repeats,
		.rp_label = "cells",
		.rp_skip = skip_simulated,
		.rp_take = take_simulated,
		.rp_context = sw,
	};
	int error;

	sw->sw_stuck = xcalloc(n, sizeof(*sw->sw_stuck));
	error = replicate_run(&rp);
	for (unsigned i = 0; i < n; i++)
		/* Its earlier repeats alone would mislead. */
		if (sw->sw_stuck[i])
			summary_free(&sw->sw_cells[i]);
	free(sw->sw_stuck);
	if (error == 0 && sw->sw_stuck_count > 0) {
		snprintf(sw->sw_error, CELL_ERROR_SIZE, "%u of %u cell%s could "
		    "not go on", sw->sw_stuck_count, n, n == 1 ? "" : "s");
		return (EDEADLK);
	}
	if (error != 0 && sw->sw_error[0] == '\0')
		snprintf(sw->sw_error, CELL_ERROR_SIZE, "%s", strerror(error));
	return (error);
}

/* Makes the result's cells of those with a repeat. */
static void
finish(const struct sweeping *sw, unsigned from, unsigned to,
    const struct result_host *host, struct result_cell *out, unsigned *count)
{
	for (unsigned i = from; i < to; i++) {
		struct sweep_cell *sc = &sw->sw_cells[i];

		if (sc->sc_count > 0)
			summary_finish(sc, sw->sw_options, host,
			    &out[(*count)++]);
		summary_free(sc);
	}
}

int
sweep_run(const struct options *op, char *const argv[], struct checkpoint *ck,
    struct result *r, char error_text[CELL_ERROR_SIZE])
{
	struct sweeping sw = { .sw_options = op, .sw_checkpoint = ck,
	    .sw_error = error_text };
	unsigned i, live;
	int error;

	memset(r, 0, sizeof(*r));
	grid_make(op, &sw.sw_cells, &sw.sw_grid_count, &sw.sw_count);
	sw.sw_grid = xcalloc(sw.sw_grid_count, sizeof(*sw.sw_grid));
	for (i = 0; i < sw.sw_grid_count; i++)
		sw.sw_grid[i] = &sw.sw_cells[i].sc_cell;
	error = describe_run(op, argv, sw.sw_grid_count, sw.sw_count -
	    sw.sw_grid_count, r);
	if (error == 0 && ck != NULL) {
		error = checkpoint_begin(ck, op, r, sw.sw_cells, sw.sw_count,
		    error_text);
		/* Repeats of another run must not be in this result. */
		for (i = 0; i < sw.sw_count && error != 0; i++)
			summary_free(&sw.sw_cells[i]);
	}
	if (error == 0)
		error = op->op_simulated ? simulate_all(&sw) : measure_all(&sw);
	for (i = live = 0; i < sw.sw_grid_count; i++)
		if (sw.sw_cells[i].sc_count > 0)
			sw.sw_grid[live++] = sw.sw_grid[i];
	finish(&sw, 0, sw.sw_grid_count, &r->host, r->cells, &r->cell_count);
	finish(&sw, sw.sw_grid_count, sw.sw_count, &r->host, r->controls,
	    &r->control_count);
	if (op->op_uncertainty > 0 && live > 0 &&
	    (error == 0 || error == EDEADLK)) {
		int error2 = uncertainty_run(op, ck, sw.sw_grid, r, error_text);

		error = error != 0 ? error : error2;
	}
	free(sw.sw_grid);
	free(sw.sw_cells);
	r->complete = error == 0;
	if (!r->complete && error_text[0] == '\0')
		snprintf(error_text, CELL_ERROR_SIZE, "%s", strerror(error));
	return (error);
}
