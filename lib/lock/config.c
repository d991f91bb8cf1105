/* Configuration of locks. */
#include "lib/lock/lock.h"

enum {
	/* A few us: longer than handing over takes, and short of a slice. */
	SPIN_POLLS	= 64,
	/* About what handing over a lock takes. */
	TICKET_PAUSES	= 8,
	/* As in the cohorts of LiTL, to the next power of two. */
	PASS_LIMIT	= 64,
	/* Linux's default of numa_spinlock_threshold. */
	NUMA_THRESHOLD	= 1 << 16
};

struct lock_config
lock_config_default(unsigned ncpus)
{
	unsigned max = 1;

	KASSERT(ncpus > 0, ("a machine without CPUs"));
	while (max <= ncpus && max < SHRT_MAX)
		max *= 2;
	max *= 256;
	max = MIN(max, SHRT_MAX);
	return ((struct lock_config){ .delay_base = 1, .delay_max = max,
	    .starvation_limit = 131072, .spin_polls = SPIN_POLLS,
	    .ticket_pauses = TICKET_PAUSES, .pass_limit = PASS_LIMIT,
	    .numa_threshold = NUMA_THRESHOLD,
	    .threads = LOCK_THREADS_DEFAULT, .prof_enable = true });
}

const struct tunable lock_tunables[] = {
	TUNABLE(lock_config, delay_base, UINT, "debug.lock.delay_base",
	    "half the pauses in a waiter's first back-off",
	    TUNABLE_LIMITS(1, SHRT_MAX), .tn_knob = LK_DELAY),
	TUNABLE(lock_config, delay_max, UINT, "debug.lock.delay_max",
	    "pauses in a waiter's longest back-off delay",
	    TUNABLE_LIMITS(1, SHRT_MAX), .tn_knob = LK_DELAY),
	TUNABLE(lock_config, starvation_limit, UINT,
	    "debug.lock.delay.starvation_limit",
	    "pauses after which a waiter counts as starving",
	    TUNABLE_LIMITS(1, INT_MAX), .tn_knob = LK_STARVATION),
	TUNABLE(lock_config, restrict_starvation, BOOL,
	    "debug.lock.delay.restrict_starvation",
	    "a starving waiter begins again with delay_base",
	    .tn_knob = LK_STARVATION),
	TUNABLE(lock_config, prof_enable, BOOL, "debug.lock.prof.enable",
	    "profile locks; 0 runs the code without profiling"),
	TUNABLE(lock_config, prof_skipcount, UINT, "debug.lock.prof.skipcount",
	    "holds not timed for each that is; 0 times all",
	    TUNABLE_LIMITS(0, 1023)),
	TUNABLE(lock_config, spin_polls, UINT, "rngsim.lock.spin_polls",
	    "polls before a spinner yields its CPU; 0: never",
	    TUNABLE_LIMITS(0, INT_MAX), .tn_knob = LK_SPIN_POLLS),
	TUNABLE(lock_config, ticket_pauses, UINT, "rngsim.lock.ticket_pauses",
	    "ticket-pb: pauses for each waiter ahead",
	    TUNABLE_LIMITS(1, SHRT_MAX), .tn_knob = LK_TICKET_PAUSES),
	TUNABLE(lock_config, pass_limit, UINT, "rngsim.lock.pass_limit",
	    "hand-overs within a node while another waits",
	    TUNABLE_LIMITS(1, INT_MAX), .tn_knob = LK_PASS_LIMIT),
	TUNABLE(lock_config, numa_threshold, UINT, "rngsim.lock.numa_threshold",
	    "cna: hand-overs within a node while another waits",
	    TUNABLE_LIMITS(1, INT_MAX), .tn_knob = LK_NUMA_THRESHOLD),
	TUNABLE(lock_config, nodes, UINT, "rngsim.lock.nodes",
	    "NUMA nodes to pretend; 0: the host's",
	    TUNABLE_LIMITS(0, LOCK_NODES_MAX), .tn_knob = LK_NODES),
};

const unsigned lock_tunable_count = nitems(lock_tunables);
