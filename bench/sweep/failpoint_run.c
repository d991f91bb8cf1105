#include <inttypes.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/cli/stop.h"
#include "bench/sweep/sweep.h"

#define	ROWS								\
	ROW("reads", reads)						\
	ROW("readers left waiting", waiting)				\
	ROW("reseeds", reseeds)						\
	ROW("events", totals.ht_in)					\
	ROW("  delivered", totals.ht_processed)				\
	ROW("  pending", totals.ht_pending)				\
	ROW("  dropped", totals.ht_dropped)				\
	ROW("  discarded", totals.ht_discarded)

static void
print(const struct options *op, const struct failpoint_outcome *fo,
    unsigned runs, unsigned seeded)
{
	const struct cell ce = grid_first(op);

	printf("fail points, engine %s: %s, lock %s, %s, %u reader%s, seed %"
	    PRIu64 "\nNothing here is a measurement.\n\n",
	    op->op_simulated ? "virtual" : "real", ce.ce_design, ce.ce_lock,
	    ce.ce_cipher->ci_name, ce.ce_readers, PLURAL(ce.ce_readers),
	    op->op_seed);
	printf("%-24s %12s %12s  %s\n", "point", "evaluated", "executed",
	    "set to");
	for (unsigned i = 0; i < FAILPOINTS; i++)
		printf("%-24s %12" PRIu64 " %12" PRIu64 "  %s\n",
		    failpoints_def(i)->fd_name, fo->fo_evaluated[i],
		    fo->fo_executed[i], op->op_faults.fl_text[i] == NULL ?
		    "-" : op->op_faults.fl_text[i]);
	printf("\n%-24s %12u\n%-24s %12u\n", "runs", runs, "of them seeded",
	    seeded);
#define	ROW(name, member)						\
	printf("%-24s %12" PRIu64 "\n", name, fo->fo_##member);
	ROWS
#undef ROW
}

int
failpoint_run(const struct options *op)
{
	const struct engine *en = op->op_simulated ? &ENGINE(virtual) :
	    &ENGINE(real);
	const struct cell ce = grid_first(op);
	struct failpoint_outcome sum = { .fo_reads = 0 }, *fo;
	struct cell_measure *cm = xcalloc(1, sizeof(*cm));
	char why[CELL_ERROR_SIZE] = "";
	unsigned seeded = 0;
	int error = 0;

	fo = &cm->cm_faults;
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
		if (error != 0)
			break;
		for (unsigned i = 0; i < FAILPOINTS; i++) {
			sum.fo_evaluated[i] += fo->fo_evaluated[i];
			sum.fo_executed[i] += fo->fo_executed[i];
		}
#define	ROW(name, member)	sum.fo_##member += fo->fo_##member;
		ROWS
#undef ROW
		seeded += fo->fo_seeded;
		cell_measure_free(cm);
	}
	free(cm);
	if (error != 0)
		return (run_error("%s", why));
	print(op, &sum, op->op_repeats, seeded);
	return (EXIT_SUCCESS);
}
