#include "bench/cli/memory.h"
#include "bench/sweep/sweep.h"
#include "lib/machine/cpu.h"

enum { CONTROL_BYTES = 16 };	/* of the shortest request */

static const struct workload *
workload(const struct options *op)
{
	return (workload_is_plain(&op->op_workload) ? NULL : &op->op_workload);
}

static struct cell
cell_at(const struct options *op, unsigned c, unsigned s, unsigned l,
    unsigned r, unsigned d)
{
	return ((struct cell){
		.ce_design = generators[op->op_designs.ol_value[d]]->ra_ident,
		.ce_lock = lock_classes[op->op_locks.ol_value[l]]->lc_name,
		.ce_cipher = ciphers[op->op_ciphers.ol_value[c]],
		.ce_readers = (unsigned)op->op_readers.ol_value[r],
		.ce_request_bytes = op->op_sizes.ol_value[s],
		.ce_workload = workload(op),
		.ce_lock_loop = op->op_lock_loop,
	});
}

struct cell
grid_first(const struct options *op)
{
	return (cell_at(op, 0, 0, 0, 0, 0));
}

/* Design innermost, so that rows to compare stand together. */
static unsigned
expand(const struct options *op, struct sweep_cell *cells)
{
	unsigned n = 0;

	for (unsigned c = 0; c < op->op_ciphers.ol_count; c++)
	for (unsigned s = 0; s < op->op_sizes.ol_count; s++)
	for (unsigned l = 0; l < op->op_locks.ol_count; l++)
	for (unsigned r = 0; r < op->op_readers.ol_count; r++)
	for (unsigned d = 0; d < op->op_designs.ol_count; d++)
		cells[n++].sc_cell = cell_at(op, c, s, l, r, d);
	return (n);
}

/* The most readers of the grid that have a CPU each; else the fewest. */
static unsigned
control_readers(const struct options *op)
{
	uint64_t best = 0, fewest = UINT64_MAX, v;

	for (unsigned r = 0; r < op->op_readers.ol_count; r++) {
		v = op->op_readers.ol_value[r];
		if (v < fewest)
			fewest = v;
		if (v > best && v <= cpu_count())
			best = v;
	}
	return ((unsigned)(best > 0 ? best : fewest));
}

/* The last design of a single part: each reader gets a generator of its own. */
static const char *
control_design(const struct options *op)
{
	const struct random_algorithm *ra;

	for (unsigned d = op->op_designs.ol_count; d > 0; d--) {
		ra = generators[op->op_designs.ol_value[d - 1]];
		if ((ra->ra_flags & RA_MANY_LOCKS) == 0)
			return (ra->ra_ident);
	}
	return ("concurrent");
}

/* Each lock around nothing, and each cipher with nothing shared. */
static unsigned
expand_controls(const struct options *op, struct sweep_cell *cells)
{
	struct cell like = {
		.ce_cipher = ciphers[op->op_ciphers.ol_value[0]],
		.ce_readers = control_readers(op),
		.ce_design = "none",
		.ce_request_bytes = CONTROL_BYTES,
	};
	unsigned n = 0;

	/* A simulation would only repeat the profile's costs. */
	if (op->op_cmd != COMMAND_sweep || op->op_simulated ||
	    !op->op_config.bc_program.controls)
		return (0);
	for (unsigned i = 0; i < op->op_locks.ol_count; i++) {
		like.ce_lock = lock_classes[op->op_locks.ol_value[i]]->lc_name;
		cells[n++].sc_cell = like;
	}
	like.ce_design = control_design(op);
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
grid_make(const struct options *op, struct sweep_cell **cells, unsigned *grid,
    unsigned *count)
{
	unsigned most;

	*grid = *count = 0;
	most = op->op_locks.ol_count * (1 + op->op_designs.ol_count *
	    op->op_ciphers.ol_count * op->op_readers.ol_count *
	    op->op_sizes.ol_count) + op->op_ciphers.ol_count;
	*cells = xcalloc(most, sizeof(**cells));
	*grid = expand(op, *cells);
	*count = *grid + expand_controls(op, *cells + *grid);
	for (unsigned i = 0; i < *count; i++)
		(*cells)[i].sc_samples = xcalloc(op->op_repeats,
		    sizeof(*(*cells)->sc_samples));
}

unsigned
grid_jobs(const struct options *op)
{
	const unsigned n = op->op_sizes.ol_count * op->op_readers.ol_count;

	return (!op->op_simulated ? n : n * op->op_designs.ol_count *
	    op->op_locks.ol_count * op->op_ciphers.ol_count);
}

bool
grid_has(const struct options *op, unsigned cell)
{
	const unsigned designs = op->op_designs.ol_count;
	const unsigned readers = op->op_readers.ol_count;
	uint64_t job = cell;

	if (op->op_part_of == 0)
		return (true);
	/* The order of expand(). */
	if (!op->op_simulated)
		job = cell / designs % readers + readers * (cell / designs /
		    readers / op->op_locks.ol_count % op->op_sizes.ol_count);
	return (job * op->op_part_of / grid_jobs(op) == op->op_part - 1);
}

const struct engine *
grid_engine(const struct options *op)
{
	if (op->op_simulated)
		return (&ENGINE(virtual));
	return (op->op_config.bc_lock.prof_enable ? &ENGINE(real) :
	    &ENGINE(bare));
}

const char *
grid_text(const struct cell *ce, char text[GRID_TEXT_SIZE])
{
	snprintf(text, GRID_TEXT_SIZE, "%s %s %s, %u reader%s", ce->ce_design,
	    ce->ce_lock, ce->ce_cipher->ci_name, ce->ce_readers,
	    ce->ce_readers == 1 ? "" : "s");
	return (text);
}
