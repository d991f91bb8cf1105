#include <gsl/gsl_randist.h>

#include "bench/cell/slices.h"
#include "bench/cli/progress.h"
#include "bench/sweep/sweep.h"

/* The repeats on this machine so far, and room for those of a group. */
struct measuring {
	int64_t		 mq_start_ns;
	unsigned	 mq_done;	/* repeats of all cells */
	gsl_rng		*mq_rng;
	unsigned	*mq_order;
	struct cell_params *mq_params;
	struct cell_measure *mq_measures;
};

/* One repeat of a cell; without a ledger first, to know what a ledger costs. */
static int
measure_one(const struct options *op, struct cell_params *cp,
    struct cell_measure *cm, char error_text[CELL_ERROR_SIZE])
{
	const struct engine *en = grid_engine(op);
	double plain = 0;
	int error;

	if (op->op_ledger_log == NULL) {
		cp->cp_ledger = false;
		error = en->en_run(cp, cm, error_text);
		if (error != 0 || !op->op_ledger)
			return (error);
		plain = cm->cm_sample.total_mb_per_s;
		cell_measure_free(cm);
	}
	cp->cp_ledger = true;
	if ((error = en->en_run(cp, cm, error_text)) == 0)
		cm->cm_sample.plain_mb_per_s = plain;
	return (error);
}

/*
 * Whether cells are measured side by side: those that differ only in design,
 * lock or cipher, unless they are too many or too large to exist at once.  A
 * ledger's cell is measured twice, and what is recorded or logged is of one
 * cell.  A slice shows readers' bytes, not producers' events.
 */
static bool
together(const struct options *op, const struct cell *a, const struct cell *b)
{
	return (a->ce_readers == b->ce_readers && !op->op_ledger &&
	    a->ce_request_bytes == b->ce_request_bytes &&
	    a->ce_producers + b->ce_producers == 0 && !a->ce_until_seeded &&
	    (uint64_t)a->ce_readers * op->op_designs.ol_count *
	    op->op_locks.ol_count * op->op_ciphers.ol_count <=
	    SLICES_READERS_MAX && workload_max_bytes(&op->op_workload,
	    a->ce_request_bytes) <= SLICES_REQUEST_MAX_BYTES &&
	    op->op_ledger_log == NULL && op->op_time_s >= SLICES_MIN_TIME_S &&
	    op->op_config.bc_harvest.record_file[0] == '\0');
}

static double
passed_s(const struct measuring *mq)
{
	return ((double)(tick_ns() - mq->mq_start_ns) / 1e9);
}

/* One repeat of the cells of a group, which is not empty. */
static int
measure_group(struct sweeping *sw, const unsigned *group, unsigned n,
    unsigned repeat, struct measuring *mq)
{
	const struct options *op = sw->sw_options;
	int error;

	for (unsigned i = 0; i < n; i++)
		mq->mq_params[i] = grid_params(op,
		    &sw->sw_cells[group[i]].sc_cell, repeat);
	progress_update(op->op_until > 0 ?
	    (uint64_t)fmin(passed_s(mq), op->op_time_limit_s) : mq->mq_done,
	    FORMATF(n > 1 ? "%s and %u more" : "%s",
	    TEXT_OF(grid_text, &mq->mq_params->cp_cell), n - 1));
	error = n == 1 ? measure_one(op, mq->mq_params, mq->mq_measures,
	    sw->sw_error) : slices_run(grid_engine(op), mq->mq_params, n,
	    mq->mq_rng, mq->mq_measures, sw->sw_error);
	if (error != 0)
		return (error);
	for (unsigned i = 0; i < n; i++) {
		if (n > 1)
			mq->mq_measures[i].cm_sample.together = mq->mq_done + 1;
		if (error != 0)
			cell_measure_free(&mq->mq_measures[i]);
		else
			error = checkpoint_take(sw, group[i], repeat,
			    mq->mq_done + i, &mq->mq_measures[i]);
	}
	return (error);
}

/*
 * One repeat of the cells from..to - 1 that the journal does not have, in
 * random order; of the grid in groups.
 */
static int
measure_block(struct sweeping *sw, unsigned from, unsigned to, unsigned repeat,
    struct measuring *mq)
{
	unsigned *const order = mq->mq_order;
	unsigned end, k, n = 0, swap;
	int error = 0;

	for (unsigned i = from; i < to; i++)
		if (*grid_has(sw, i, repeat) ||
		    (from == 0 && !grid_in_part(sw->sw_options, i)))
			mq->mq_done++;
		else
			order[n++] = i;
	if (n > 0)
		gsl_ran_shuffle(mq->mq_rng, order, n, sizeof(*order));
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
		error = measure_group(sw, order + i, end - i, repeat, mq);
		mq->mq_done += end - i;
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
	struct paired pd;
	unsigned k;

	for (unsigned i = 0; i < sw->sw_grid; i++) {
		for (k = 0; k < i && !together(op, &cells[k].sc_cell,
		    &cells[i].sc_cell); k++)
			continue;
		if (k == i && together(op, &cells[i].sc_cell,
		    &cells[i].sc_cell))
			continue;
		comparable_paired(&cells[k].sc_result, &cells[i].sc_result,
		    &quantities[QUANTITY_TOTAL], &pd);
		if (pd.prd_count == 0 || pd.prd_ci95[1] - pd.prd_ci95[0] >
		    op->op_until * (1 + pd.prd_change))
			return (false);
	}
	return (true);
}

static bool
enough(struct sweeping *sw, unsigned repeats, const struct measuring *mq)
{
	const struct options *op = sw->sw_options;

	if (repeats == op->op_repeats)
		return (true);
	if (op->op_until == 0 || repeats < op->op_until_repeats)
		return (false);
	if (look(sw))
		return (true);
	if (passed_s(mq) < op->op_time_limit_s)
		return (false);
	run_note("after %.0f s an interval is still wider than %g %%",
	    passed_s(mq), 100 * op->op_until);
	return (true);
}

/* All repeats here; controls last, as cells that fail are then found early. */
static int
measure_all(struct sweeping *sw)
{
	const struct options *op = sw->sw_options;
	const unsigned grid = sw->sw_grid, n = sw->sw_count;
	struct measuring mq = { .mq_order = xcalloc(n, sizeof(*mq.mq_order)),
	    .mq_params = xcalloc(n, sizeof(*mq.mq_params)),
	    .mq_measures = xcalloc(n, sizeof(*mq.mq_measures)),
	    .mq_rng = stats_rng(op->op_seed), .mq_start_ns = tick_ns() };
	int error = 0;

	progress_init(op->op_until > 0 ? (uint64_t)op->op_time_limit_s :
	    (uint64_t)n * op->op_repeats, op->op_until > 0 ||
	    sw->sw_checkpoint == NULL ? 0 : sw->sw_checkpoint->ckp_before);
	for (unsigned repeat = 0; error == 0 && !enough(sw, repeat, &mq);
	    repeat++)
		if ((error = measure_block(sw, 0, grid, repeat, &mq)) == 0)
			error = measure_block(sw, grid, n, repeat, &mq);
	progress_fini();
	gsl_rng_free(mq.mq_rng);
	free(mq.mq_measures);
	free(mq.mq_params);
	free(mq.mq_order);
	return (error);
}

/* Makes the result's cells of those with a repeat. */
static void
finish(const struct sweeping *sw, unsigned from, unsigned to,
    struct result_cell *out, unsigned *count)
{
	for (unsigned i = from; i < to; i++)
		if (sw->sw_cells[i].sc_result.repeats > 0)
			summary_finish(&sw->sw_cells[i], sw->sw_options,
			    &sw->sw_result->host, &out[(*count)++]);
}

int
sweep_run(const struct options *op, char *const argv[], struct checkpoint *ck,
    struct result *r, char error_text[CELL_ERROR_SIZE])
{
	struct sweeping sw = { .sw_options = op, .sw_checkpoint = ck,
	    .sw_result = r, .sw_error = error_text };
	int error = 0;

	memset(r, 0, sizeof(*r));
	grid_make(&sw);
	describe_run(op, argv, sw.sw_grid, sw.sw_count - sw.sw_grid, r);
	if (ck != NULL) {
		error = checkpoint_begin(ck, &sw);
		/* Repeats of another run must not be in this result. */
		for (unsigned i = 0; i < sw.sw_count && error != 0; i++)
			grid_clear(&sw.sw_cells[i]);
	}
	if (error == 0)
		error = op->op_simulated ? replicate_run(&sw) :
		    measure_all(&sw);
	finish(&sw, sw.sw_grid, sw.sw_count, r->controls, &r->control_count);
	finish(&sw, 0, sw.sw_grid, r->cells, &r->cell_count);
	if (error == 0 || error == EINTR || error == EDEADLK)
		uncertainty_finish(&sw);
	grid_free(&sw);
	r->complete = error == 0;
	if (!r->complete && error_text[0] == '\0')
		snprintf(error_text, CELL_ERROR_SIZE, "%s", strerror(error));
	return (error);
}

/* What came of a run with fail points. */
#define	ROWS(ROW)							\
	ROW("reads", reads)						\
	ROW("readers left waiting", waiting)				\
	ROW("reseeds", reseeds)						\
	ROW("events", totals.ht_in)					\
	ROW("  delivered", totals.ht_processed)				\
	ROW("  pending", totals.ht_pending)				\
	ROW("  dropped", totals.ht_dropped)				\
	ROW("  discarded", totals.ht_discarded)

static void
print_outcome(const struct options *op, const struct failpoint_outcome *fo,
    unsigned runs, unsigned seeded)
{
	const struct cell ce = grid_first(op);

	printf("fail points, engine %s: %s, lock %s, %s, %u reader%s, seed %"
	    PRIu64 "\nNothing here is a measurement.\n\n", op->op_simulated ?
	    "virtual" : "real", ce.ce_design, ce.ce_lock, ce.ce_cipher->ci_name,
	    ce.ce_readers, PLURAL(ce.ce_readers), op->op_seed);
	printf("%-24s %12s %12s  %s\n", "point", "evaluated", "executed",
	    "set to");
	for (unsigned i = 0; i < FAILPOINTS; i++)
		printf("%-24s %12" PRIu64 " %12" PRIu64 "  %s\n",
		    failpoint_defs[i].fd_name, fo->fo_evaluated[i],
		    fo->fo_executed[i], op->op_faults.fl_text[i] == NULL ?
		    "-" : op->op_faults.fl_text[i]);
	printf("\n%-24s %12u\n%-24s %12u\n", "runs", runs, "of them seeded",
	    seeded);
#define	PRINT(name, member)						\
	printf("%-24s %12" PRIu64 "\n", name, fo->fo_##member);
	ROWS(PRINT)
}

int
failpoint_run(const struct options *op)
{
	const struct engine *en = op->op_simulated ? &ENGINE(virtual) :
	    &ENGINE(real);
	const struct cell ce = grid_first(op);
	struct cell_measure *cm = xcalloc(1, sizeof(*cm));
	struct failpoint_outcome sum = { .fo_reads = 0 }, *fo = &cm->cm_faults;
	char why[CELL_ERROR_SIZE] = "";
	unsigned seeded = 0;
	int error = 0;

	stop_catch_signals();
	for (unsigned n = 0; error == 0 && n < op->op_repeats; n++) {
		struct cell_params cp = grid_params(op, &ce, n);
		struct machine_config mc;

		cp.cp_faults = &op->op_faults;
		if (op->op_simulated)
			grid_machine(op, &op->op_machine.vi_profile, n, &cp,
			    &mc);
		error = en->en_run(&cp, cm, why);
		/* Staying unseeded is an outcome. */
		if (error == ETIMEDOUT)
			error = 0;
		for (unsigned i = 0; i < FAILPOINTS; i++) {
			sum.fo_evaluated[i] += fo->fo_evaluated[i];
			sum.fo_executed[i] += fo->fo_executed[i];
		}
#define	ADD(name, member)	sum.fo_##member += fo->fo_##member;
		ROWS(ADD)
		seeded += fo->fo_seeded;
		cell_measure_free(cm);
	}
	free(cm);
	if (error != 0)
		return (run_error("%s", why));
	print_outcome(op, &sum, op->op_repeats, seeded);
	return (EXIT_SUCCESS);
}
