/*
 * Linux's one pool of random bytes on four sockets, and a pool for each: A.
 * Kleen, "random: make /dev/urandom scalable", version 3, October 2015.
 *
 * Threads of each node draw small numbers; each draw takes the pool's spin lock
 * and hashes the pool under it.
 *
 * Separate locks scale with the nodes; the published pools did not.  A second
 * fit finds how many writes a draw to memory that all nodes share would explain
 * the difference.
 */
#include "bench/cell/critical_section.h"
#include "bench/cli/stop.h"
#include "bench/predict/reproduce.h"

enum {
	NODES		= 4,
	NODE_CPUS	= 36,
	/* SHA-1 over a pool of 128 bytes and mixing it back: 700 to 1400. */
	HOLD_NS		= 700,
	/* The pool, its state and counters. */
	POOL_LINES	= 6,
	COMMON_WRITES_MAX = 8	/* per draw */
};

static const double warmup_s = 0.002, window_s = 0.01;

/* Runs with 1 to NODES nodes each: number 0 has one node. */
enum {
	ONE_POOL	= 0,
	LOCKS_ALONE	= NODES,	/* a pool per node */
	NODE_POOLS	= 2 * NODES,	/* and writes to a shared word */
	RUNS		= 3 * NODES
};

/* Figures of a run. */
enum { RATE, IN_LOCK, COMMON_WRITES };

/* The rate of nodes over that of one. */
#define	RATIO(runs, nodes)	{ (runs) + (nodes) - 1, RATE, (runs) }
#define	ROW(name, runs, nodes, role, v)					\
	{ name, "", RATIO(runs, nodes), NULL, REPRODUCE_##role, v, 0,	\
	    0.9 * (v), 1.1 * (v) }
#define	SAID(name, unit, said, ...)					\
	{ name, unit, __VA_ARGS__, said, REPRODUCE_PREDICTED, 0, 0, 0, 0 }

enum { WORDS = 4 };

static const struct reproduce_row rows[] = {
	ROW("one pool: 1 node", ONE_POOL, 1, INPUT, 1.),
	ROW("one pool: 2 nodes", ONE_POOL, 2, PREDICTED, 0.75),
	ROW("one pool: 3 nodes", ONE_POOL, 3, PREDICTED, 0.55),
	ROW("one pool: 4 nodes", ONE_POOL, 4, FITTED, 0.42),
	{ "one pool: in the lock at 4 nodes", "% CPU", { ONE_POOL + 3, IN_LOCK,
	    REPRODUCE_ABSOLUTE }, NULL, REPRODUCE_PREDICTED, 80, 100, 80, 100 },
	ROW("a pool per node: 1 node", NODE_POOLS, 1, INPUT, 1.),
	ROW("a pool per node: 2 nodes", NODE_POOLS, 2, PREDICTED, 2.),
	ROW("a pool per node: 3 nodes", NODE_POOLS, 3, PREDICTED, 2.4),
	ROW("a pool per node: 4 nodes", NODE_POOLS, 4, FITTED, 3.),
	SAID("left of 4 nodes", "writes a draw to a word that all nodes share",
	    "3", { NODE_POOLS, COMMON_WRITES, REPRODUCE_ABSOLUTE }),
	SAID("2 nodes, nothing in common", "by locks alone", "2",
	    RATIO(LOCKS_ALONE, 2)),
	SAID("3 nodes, nothing in common", "by locks alone", "2.4",
	    RATIO(LOCKS_ALONE, 3)),
	SAID("4 nodes, nothing in common", "by locks alone", "3",
	    RATIO(LOCKS_ALONE, 4)),
};

static const struct reproduce_fit fits[] = {
	{ PROFILE_LAT_CONG, 2, 3, RATIO(ONE_POOL, 4) },
	{ PROFILE_VALUES, COMMON_WRITES_MAX, 8, RATIO(NODE_POOLS, 4) },
};

static const char *const remarks[] = {
	"Figures are rates over that of one node, whose own is not published.",
	"Guessed: that the kernel's spin lock was a ticket lock (it may have "
	    "been an early queued one), 36 threads a node, 700 ns of hashing "
	    "under it, os.read between two draws, and that 6 lines of data "
	    "come with it.",
	"The time in the lock is that of threads which do next to nothing "
	    "else: any slow lock would take as much.",
	"Two ratios and a share, after so many guesses: that the model agrees "
	    "makes it plausible and does not validate it.",
	"A pool per node: each node's threads have a lock of their own, the "
	    "same otherwise.  Locks alone give as many times one node's rate "
	    "as there are nodes; the published pools lose a fifth at 3 and a "
	    "quarter at 4.",
	"So those rows have a second fit, of what the machine's profile does "
	    "not have: writes under the lock to a word that all nodes share, "
	    "as often as gives 3 at 4 nodes.  Two ratios then follow; that of "
	    "2 nodes is at the edge, as such a word costs from the second "
	    "node on and the published loss begins with the third.",
	"One such word would be enough; that is no proof of one.  The "
	    "patch keeps one input pool and shared counters of entropy, one "
	    "of which its second part makes per-CPU; but Linux writes those "
	    "when entropy moves, not two or three times a draw.  Not in the "
	    "model, and able to do as much: snoops that all sockets' traffic "
	    "delays, hyperthreads that share the work of a hold, clock rates "
	    "that fall when all sockets are busy.",
	NULL
};

static int
run(const struct profile *pr, unsigned number, double fitted, uint64_t seed,
    double *figures, char why[CELL_ERROR_SIZE])
{
	const unsigned nodes = number % NODES + 1;
	struct critical_section se = {
		.se_lock = "ticket",
		.se_lock_config = lock_config_default(NODE_CPUS * nodes),
		.se_threads = NODE_CPUS * nodes,
		.se_think_ns = pr->pr_value[PROFILE_OS_READ],
		.se_hold_ns = HOLD_NS,
		.se_lines = POOL_LINES,
		.se_node_locks = number >= LOCKS_ALONE,
		.se_common_writes = number >= NODE_POOLS ? fitted : 0,
		.se_warmup_s = warmup_s,
		.se_time_s = window_s,
		.se_seed = seed,
	};
	struct critical_section_outcome so;
	struct machine_config mc = { .mc_seed = seed, .mc_stop = &stop_signal };
	int error = vm_topology_make(pr, se.se_threads, nodes,
	    &mc.mc_topology, why);

	if (error != 0)
		return (error);
	vm_costs(pr, "chacha20", false, &mc.mc_costs);
	/* Interrupts are off: every waiter has a CPU. */
	se.se_lock_config.spin_polls = 0;
	if ((error = virtual_critical_section_run(&se, &mc, &so)) != 0)
		snprintf(why, CELL_ERROR_SIZE, "%u nodes: %s%s%s", nodes,
		    strerror(error), error == EDEADLK ? "; " : "",
		    error == EDEADLK ? so.so_machine.mo_stuck : "");
	free(so.so_thread);
	figures[RATE] = so.so_rate_per_s;
	figures[IN_LOCK] = 100 * (1 - so.so_rate_per_s * (se.se_think_ns +
	    se.se_hold_ns) / 1e9 / se.se_threads);
	figures[COMMON_WRITES] = se.se_common_writes;
	return (error);
}

const struct reproduction reproduce_kleen_2015 = {
	"kleen-2015", "one spin lock around Linux's pool, or one for each of "
	"1-4 sockets", "xeon-e7v3-4s-2015", .rn_run = run, .rn_runs = RUNS,
	.rn_fits = fits, .rn_fit_count = nitems(fits),
	.rn_rows = rows, .rn_word_count = WORDS, .rn_remarks = remarks,
	.rn_row_count = nitems(rows) - WORDS
};
