#include "bench/sweep/grid.h"
#include "lib/cpu.h"

enum {
	/* As short as a request can be while it is still one. */
	CONTROL_BYTES	= 16
};

static const struct workload *
workload(const struct options *op)
{

	return (workload_is_plain(&op->op_workload) ? NULL : &op->op_workload);
}

/* Design innermost, so that rows to compare stand together. */
unsigned
grid_expand(const struct options *op, struct sweep_cell *cells)
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
			.ce_workload = workload(op),
		};
	return (n);
}

/* The most readers of the grid that have a CPU each; or the fewest. */
static unsigned
control_readers(const struct options *op)
{
	uint64_t best = 0, fewest = UINT64_MAX, v;
	unsigned r;

	for (r = 0; r < op->op_readers.ol_count; r++) {
		v = op->op_readers.ol_value[r];
		if (v < fewest)
			fewest = v;
		if (v > best && v <= cpu_count())
			best = v;
	}
	return ((unsigned)(best > 0 ? best : fewest));
}

/*
 * The last design whose readers can do without exclusion, each with a generator
 * of its own.
 */
static const char *
control_design(const struct options *op)
{
	const struct random_algorithm *ra;
	unsigned d;

	for (d = op->op_designs.ol_count; d > 0; d--) {
		ra = generators[op->op_designs.ol_value[d - 1]];
		if ((ra->ra_flags & RA_MANY_LOCKS) == 0)
			return (ra->ra_ident);
	}
	return ("concurrent");
}

unsigned
grid_expand_controls(const struct options *op, struct sweep_cell *cells)
{
	struct cell like = {
		.ce_cipher = ciphers[op->op_ciphers.ol_value[0]],
		.ce_readers = control_readers(op),
	};
	unsigned i, n = 0;

	/* Simulated, they would show nothing that the profile does not say. */
	if (op->op_kind != OPTIONS_SWEEP || op->op_simulated ||
	    !op->op_config.bc_program.controls)
		return (0);
	for (i = 0; i < op->op_locks.ol_count; i++) {
		like.ce_design = "none";
		like.ce_lock = lock_classes[op->op_locks.ol_value[i]]->lc_name;
		like.ce_request_bytes = CONTROL_BYTES;
		cells[n++].sc_cell = like;
	}
	for (i = 0; i < op->op_ciphers.ol_count; i++) {
		like.ce_design = control_design(op);
		like.ce_lock = "none";
		like.ce_cipher = ciphers[op->op_ciphers.ol_value[i]];
		like.ce_request_bytes = op->op_sizes.ol_value[0];
		like.ce_workload = workload(op);
		cells[n++].sc_cell = like;
	}
	return (n);
}

unsigned
grid_cells(const struct options *op)
{

	return (op->op_designs.ol_count * op->op_locks.ol_count *
	    op->op_ciphers.ol_count * op->op_readers.ol_count *
	    op->op_sizes.ol_count);
}

unsigned
grid_controls(const struct options *op)
{

	return (op->op_locks.ol_count + op->op_ciphers.ol_count);
}

const struct engine *
grid_engine(const struct options *op)
{

	if (op->op_simulated)
		return (&ENGINE(virtual));
	return (op->op_config.bc_lock.prof_enable ? &ENGINE(real) :
	    &ENGINE(bare));
}
