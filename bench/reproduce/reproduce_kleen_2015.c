/*
 * Linux's one pool of random bytes on four sockets: A. Kleen, "random: make
 * /dev/urandom scalable", version 3, October 2015.
 *
 * Threads of each node draw small numbers; each draw takes the pool's spin lock
 * and hashes the pool under it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell/section.h"
#include "bench/console/stop.h"
#include "bench/reproduce/reproduce.h"

enum {
	NODES		= 4,
	NODE_CPUS	= 36,
	/* SHA-1 over a pool of 128 bytes and mixing it back: 700 to 1400. */
	HOLD_NS		= 1000,
	POOL_LINES	= 2
};

static const double warmup_s = 0.002;
static const double window_s = 0.01;

enum {
	ROW_LAST	= NODES - 1,
	ROW_SHARE	= NODES
};

#define	ONE_POOL(nodes, role, v)					\
	{ "one pool: " nodes, "", REPRODUCE_##role, v, 0, 0.9 * (v), 1.1 * (v) }
#define	NODE_POOLS(nodes, v)						\
	{ "a pool per node: " nodes, "", REPRODUCE_OPEN, v, 0,		\
	    0.9 * (v), 1.1 * (v) }

static const struct reproduce_row rows[] = {
	ONE_POOL("1 node", INPUT, 1.),
	ONE_POOL("2 nodes", PREDICTED, 0.75),
	ONE_POOL("3 nodes", PREDICTED, 0.55),
	ONE_POOL("4 nodes", FITTED, 0.42),
	[ROW_SHARE] = { "one pool: in the lock at 4 nodes", "% CPU",
	    REPRODUCE_PREDICTED, 80, 100, 80, 100 },
	NODE_POOLS("1 node", 1.),
	NODE_POOLS("2 nodes", 2.),
	NODE_POOLS("3 nodes", 2.4),
	NODE_POOLS("4 nodes", 3.),
};

static const char *const remarks[] = {
	"Figures are rates over that of one node, whose own is not published.",
	"Guessed: that the kernel's spin lock was a ticket lock (it may have "
	    "been an early queued one), 36 threads a node, 1000 ns of hashing "
	    "under it, os.read between two draws, and that 2 lines of data "
	    "come with it.",
	"The time in the lock is that of threads which do next to nothing "
	    "else: any slow lock would take as much.",
	"Two ratios and a share, after so many guesses: that the model agrees "
	    "makes it plausible and does not validate it.",
	"One pool per node is a design that there is none of yet: open.",
	NULL
};

struct point {
	const struct profile *po_profile;
	unsigned	 po_nodes;
};

static int
run_point(const void *what, uint64_t seed, double figures[REPRODUCE_FIGURES],
    char why[CELL_ERROR_SIZE])
{
	const struct point *po = what;
	struct section se = {
		.se_lock = "ticket",
		.se_lock_config = lock_config_default(NODE_CPUS *
		    po->po_nodes),
		.se_threads = NODE_CPUS * po->po_nodes,
		.se_think_ns = po->po_profile->pr_value[PROFILE_OS_READ],
		.se_hold_ns = HOLD_NS,
		.se_lines = POOL_LINES,
		.se_warmup_s = warmup_s,
		.se_time_s = window_s,
		.se_seed = seed,
	};
	char error_text[PROFILE_ERROR_SIZE];
	struct section_outcome so;
	struct machine_config mc;
	int error;

	memset(&mc, 0, sizeof(mc));
	mc.mc_seed = seed;
	error = vm_topology_make(po->po_profile, se.se_threads, po->po_nodes,
	    &mc.mc_topology, error_text);
	if (error != 0) {
		snprintf(why, CELL_ERROR_SIZE, "%s", error_text);
		return (error);
	}
	mc.mc_stop = &stop_signal;
	vm_costs(po->po_profile, "chacha20", false, &mc.mc_costs);
	/* Interrupts off: nobody who waits is without a CPU. */
	se.se_lock_config.spin_polls = 0;
	error = virtual_section_run(&se, &mc, &so);
	if (error != 0) {
		snprintf(why, CELL_ERROR_SIZE, "%u nodes: %s%s%s",
		    po->po_nodes, strerror(error), error == EDEADLK ? "; " :
		    "", error == EDEADLK ? so.so_machine.mo_stuck : "");
		return (error);
	}
	free(so.so_thread);
	figures[0] = so.so_rate_per_s;
	figures[1] = 100 * (1 - so.so_rate_per_s * (se.se_think_ns +
	    se.se_hold_ns) / 1e9 / se.se_threads);
	return (0);
}

static int
run_nodes(struct reproducing *rg, unsigned nodes,
    double figures[REPRODUCE_FIGURES])
{
	const struct point po = { &rg->rg_profile, nodes };

	return (reproduce_medians(rg, run_point, &po, figures));
}

/* What all nodes together draw, over what one does. */
static int
last_ratio(struct reproducing *rg, double *value)
{
	double all[REPRODUCE_FIGURES], one[REPRODUCE_FIGURES];
	int error;

	error = run_nodes(rg, 1, one);
	if (error == 0)
		error = run_nodes(rg, NODES, all);
	if (error == 0)
		*value = all[0] / one[0];
	return (error);
}

static int
run(struct reproducing *rg)
{
	double figures[REPRODUCE_FIGURES], one = 0;
	unsigned nodes;
	int error;

	error = reproduce_fit(rg, PROFILE_LINE_SERVICE, 0, 1,
	    rows[ROW_LAST].rr_published, last_ratio);
	for (nodes = 1; error == 0 && nodes <= NODES; nodes++) {
		error = run_nodes(rg, nodes, figures);
		if (error != 0)
			break;
		if (nodes == 1)
			one = figures[0];
		rg->rg_predicted[nodes - 1] = figures[0] / one;
		rg->rg_predicted[ROW_SHARE] = figures[1];
	}
	return (error);
}

const struct reproduction reproduce_kleen_2015 = {
	.rd_name	= "kleen-2015",
	.rd_descr	= "one spin lock around Linux's pool, on 1 to 4 "
	    "sockets",
	.rd_profile	= "xeon-e7v3-4s-2015",
	.rd_key		= PROFILE_LINE_SERVICE,
	.rd_rows	= rows,
	.rd_row_count	= sizeof(rows) / sizeof(rows[0]),
	.rd_remarks	= remarks,
	.rd_runs	= 18,
	.rd_run		= run,
};
