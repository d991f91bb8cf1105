#include "bench/sweep/sweep.h"

enum { CONTROL_BYTES = 16 };	/* of the shortest request */

static const struct workload *
workload(const struct options *op)
{
	return (workload_is_plain(&op->op_workload) ? NULL : &op->op_workload);
}

static struct cell
cell_at(const struct options *op, unsigned c, unsigned s, unsigned l,
    unsigned p, unsigned r, unsigned d)
{
	const unsigned producers = (unsigned)op->op_producers.ol_value[p];

	return ((struct cell){
		.ce_design = design_at(op->op_designs.ol_value[d])->de_ident,
		.ce_lock = lock_classes[op->op_locks.ol_value[l]]->lc_name,
		.ce_cipher = ciphers[op->op_ciphers.ol_value[c]],
		.ce_readers = (unsigned)op->op_readers.ol_value[r],
		.ce_request_bytes = op->op_sizes.ol_value[s],
		.ce_workload = workload(op), .ce_lock_loop = op->op_lock_loop,
		.ce_producers = producers,
		.ce_producing = producers == 0 ? NULL : &op->op_producing,
		.ce_until_seeded = op->op_until_seeded,
	});
}

struct cell
grid_first(const struct options *op)
{
	return (cell_at(op, 0, 0, 0, 0, 0, 0));
}

/* Each lock around nothing, and each cipher with nothing shared. */
static unsigned
expand_controls(const struct options *op, struct sweep_cell *cells)
{
	struct cell like = { .ce_cipher = ciphers[op->op_ciphers.ol_value[0]],
	    .ce_design = "none", .ce_request_bytes = CONTROL_BYTES };
	uint64_t best = 0, fewest = UINT64_MAX, v;
	const struct design *de;
	unsigned n = 0;

	/* A simulation would only repeat the profile's costs. */
	if (op->op_cmd != COMMAND_sweep || op->op_simulated ||
	    !op->op_config.bc_program.controls)
		return (0);
	/* The most readers that have a CPU each; else the fewest. */
	for (unsigned r = 0; r < op->op_readers.ol_count; r++) {
		v = op->op_readers.ol_value[r];
		fewest = MIN(fewest, v);
		if (v > best && v <= cpu_count())
			best = v;
	}
	like.ce_readers = (unsigned)(best > 0 ? best : fewest);
	if (like.ce_readers == 0)
		return (0);
	for (unsigned i = 0; i < op->op_locks.ol_count; i++) {
		like.ce_lock = lock_classes[op->op_locks.ol_value[i]]->lc_name;
		cells[n++].sc_cell = like;
	}
	/* The last of one part: each reader gets a generator of its own. */
	like.ce_design = "concurrent";
	for (unsigned d = 0; d < op->op_designs.ol_count; d++) {
		de = design_at(op->op_designs.ol_value[d]);
		if ((de->de_flags & DE_MANY_LOCKS) == 0)
			like.ce_design = de->de_ident;
	}
	like.ce_lock = "none";
	like.ce_request_bytes = op->op_sizes.ol_value[0];
	like.ce_workload = workload(op);
	for (unsigned i = 0; i < op->op_ciphers.ol_count; i++) {
		like.ce_cipher = ciphers[op->op_ciphers.ol_value[i]];
		cells[n++].sc_cell = like;
	}
	return (n);
}

void
grid_make(struct sweeping *sw)
{
	const struct options *op = sw->sw_options;
	const unsigned most = op->op_locks.ol_count * (1 +
	    op->op_designs.ol_count * op->op_ciphers.ol_count *
	    op->op_producers.ol_count * op->op_readers.ol_count *
	    op->op_sizes.ol_count) + op->op_ciphers.ol_count;

	sw->sw_cells = xcalloc(most, sizeof(*sw->sw_cells));
	/* Design innermost, so that rows to compare stand together. */
	for (unsigned c = 0; c < op->op_ciphers.ol_count; c++)
	for (unsigned s = 0; s < op->op_sizes.ol_count; s++)
	for (unsigned l = 0; l < op->op_locks.ol_count; l++)
	for (unsigned p = 0; p < op->op_producers.ol_count; p++)
	for (unsigned r = 0; r < op->op_readers.ol_count; r++)
	for (unsigned d = 0; d < op->op_designs.ol_count; d++)
		sw->sw_cells[sw->sw_grid++].sc_cell = cell_at(op, c, s, l, p,
		    r, d);
	sw->sw_count = sw->sw_grid +
	    expand_controls(op, sw->sw_cells + sw->sw_grid);
	/* The memory of other jobs' cells is not touched. */
	for (unsigned i = 0; i < sw->sw_count; i++)
		if (i >= sw->sw_grid || grid_in_part(op, i))
			sw->sw_cells[i].sc_result.samples = xcalloc(
			    op->op_repeats, sizeof(struct result_sample));
	sw->sw_rounds = op->op_repeats * (1 + op->op_uncertainty);
	sw->sw_has = xcalloc((size_t)sw->sw_rounds * sw->sw_count,
	    sizeof(*sw->sw_has));
	sw->sw_drawn = xcalloc((size_t)op->op_repeats * op->op_uncertainty *
	    sw->sw_grid, sizeof(*sw->sw_drawn));
	sw->sw_profiles = uncertainty_profiles(op);
}

void
grid_clear(struct sweep_cell *sc)
{
	field_free(result_cell_fields, &sc->sc_result);
	cell_measure_free(&sc->sc_sum);
	*sc = (struct sweep_cell){ .sc_cell = sc->sc_cell };
}

void
grid_free(struct sweeping *sw)
{
	for (unsigned i = 0; i < sw->sw_count; i++)
		if (sw->sw_cells[i].sc_result.samples != NULL)
			grid_clear(&sw->sw_cells[i]);
	free(sw->sw_cells);
	free(sw->sw_has);
	free(sw->sw_drawn);
	free(sw->sw_profiles);
}

struct cell_params
grid_params(const struct options *op, const struct cell *ce, unsigned repeat)
{
	return ((struct cell_params){ .cp_cell = *ce,
	    .cp_config = &op->op_config, .cp_place = &op->op_place,
	    .cp_time_s = op->op_time_s, .cp_seed = op->op_seed + repeat,
	    .cp_bytes = op->op_verify, .cp_ledger = op->op_ledger,
	    .cp_ledger_log = op->op_ledger_log, .cp_stop = &stop_signal });
}

void
grid_machine(const struct options *op, const struct profile *pr,
    unsigned repeat, struct cell_params *cp, struct machine_config *mc)
{
	virtual_config(&op->op_machine, pr, cp, op->op_crypto == CRYPTO_NATIVE,
	    virtual_seed(op->op_seed, repeat, &cp->cp_cell), mc);
	mc->mc_stop = cp->cp_stop;
	cp->cp_machine = mc;
}

unsigned
grid_jobs(const struct options *op)
{
	const unsigned n = op->op_sizes.ol_count * op->op_readers.ol_count *
	    op->op_producers.ol_count;

	return (!op->op_simulated ? n : n * op->op_designs.ol_count *
	    op->op_locks.ol_count * op->op_ciphers.ol_count);
}

bool
grid_in_part(const struct options *op, unsigned cell)
{
	const unsigned designs = op->op_designs.ol_count;
	const unsigned readers = op->op_readers.ol_count *
	    op->op_producers.ol_count;
	uint64_t job = cell;

	if (op->op_part_of == 0)
		return (true);
	/* The order of grid_make(). */
	if (!op->op_simulated)
		job = cell / designs % readers + readers * (cell / designs /
		    readers / op->op_locks.ol_count % op->op_sizes.ol_count);
	return (job * op->op_part_of / grid_jobs(op) == op->op_part - 1);
}

const struct engine *
grid_engine(const struct options *op)
{
	return (op->op_simulated ? &ENGINE(virtual) :
	    op->op_config.bc_lock.prof_enable ? &ENGINE(real) : &ENGINE(bare));
}

const char *
grid_text(struct text *t, const struct cell *ce)
{
	text_add(t, "%s %s %s, %s%u reader%s, %" PRIu64 " bytes",
	    ce->ce_design, ce->ce_lock, ce->ce_cipher->ci_name,
	    ce->ce_producers == 0 ? "" : FORMATF("%u producer%s, ",
	    ce->ce_producers, PLURAL(ce->ce_producers)),
	    ce->ce_readers, PLURAL(ce->ce_readers), ce->ce_request_bytes);
	return (t->s);
}
