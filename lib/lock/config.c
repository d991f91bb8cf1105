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

#define	NUMBER(member, name, least, most, knob, descr)			\
	TUNABLE(lock_config, member, UINT, name, descr,			\
	    TUNABLE_LIMITS(least, most), .tn_knob = knob)

const struct tunable lock_tunables[] = {
	NUMBER(delay_base, "debug.lock.delay_base", 1, SHRT_MAX, LK_DELAY,
	    "half the pauses in a waiter's first back-off"),
	NUMBER(delay_max, "debug.lock.delay_max", 1, SHRT_MAX, LK_DELAY,
	    "pauses in a waiter's longest back-off delay"),
	NUMBER(starvation_limit, "debug.lock.delay.starvation_limit", 1,
	    INT_MAX, LK_STARVATION,
	    "pauses after which a waiter counts as starving"),
	TUNABLE(lock_config, restrict_starvation, BOOL,
	    "debug.lock.delay.restrict_starvation",
	    "a starving waiter begins again with delay_base",
	    .tn_knob = LK_STARVATION),
	TUNABLE(lock_config, prof_enable, BOOL, "debug.lock.prof.enable",
	    "profile locks; 0 runs the code without profiling"),
	NUMBER(prof_skipcount, "debug.lock.prof.skipcount", 0, 1023, 0,
	    "holds not timed for each that is; 0 times all"),
	NUMBER(spin_polls, "rngsim.lock.spin_polls", 0, INT_MAX, LK_SPIN_POLLS,
	    "polls before a spinner yields its CPU; 0: never"),
	NUMBER(ticket_pauses, "rngsim.lock.ticket_pauses", 1, SHRT_MAX,
	    LK_TICKET_PAUSES, "ticket-pb: pauses for each waiter ahead"),
	NUMBER(pass_limit, "rngsim.lock.pass_limit", 1, INT_MAX, LK_PASS_LIMIT,
	    "hand-overs within a node while another waits"),
	NUMBER(numa_threshold, "rngsim.lock.numa_threshold", 1, INT_MAX,
	    LK_NUMA_THRESHOLD,
	    "cna: hand-overs within a node while another waits"),
	NUMBER(nodes, "rngsim.lock.nodes", 0, LOCK_NODES_MAX, LK_NODES,
	    "NUMA nodes to pretend; 0: the host's"),
	{ .tn_name = NULL }
};
