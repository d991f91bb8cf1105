/*
 * What locks are configured by, on every machine.
 */
#include <limits.h>
#include <string.h>

#include "lib/lock.h"

enum {
	/*
	 * A few us: longer than handing over takes, and nothing to a time
	 * slice.  Where every thread has a CPU a yield returns at once.
	 */
	SPIN_POLLS	= 64,
	/* About what handing over a lock takes. */
	TICKET_PAUSES	= 8,
	/* As in the cohorts of LiTL, to the next power of two. */
	PASS_LIMIT	= 64
};

struct lock_config
lock_config_default(unsigned ncpus)
{
	unsigned max = 1;

	KASSERT(ncpus > 0, ("a machine without CPUs"));
	while (max <= ncpus && max < SHRT_MAX)
		max *= 2;
	max *= 256;
	if (max > SHRT_MAX)
		max = SHRT_MAX;
	return ((struct lock_config){
		.delay_base = 1,
		.delay_max = max,
		.starvation_limit = 131072,
		.spin_polls = SPIN_POLLS,
		.ticket_pauses = TICKET_PAUSES,
		.pass_limit = PASS_LIMIT,
		.threads = LOCK_THREADS_DEFAULT,
		.prof_enable = true,
	});
}

const struct tunable lock_tunables[] = {
	{
		.tn_name = "debug.lock.delay_base",
		.tn_descr = "half the pauses in a waiter's first back-off",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct lock_config, delay_base),
		.tn_min = 1,
		.tn_max = SHRT_MAX,
	},
	{
		.tn_name = "debug.lock.delay_max",
		.tn_descr = "pauses in a waiter's longest back-off delay",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct lock_config, delay_max),
		.tn_min = 1,
		.tn_max = SHRT_MAX,
	},
	{
		.tn_name = "debug.lock.delay.starvation_limit",
		.tn_descr = "pauses after which a waiter counts as starving",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct lock_config, starvation_limit),
		.tn_min = 1,
		.tn_max = INT_MAX,
	},
	{
		.tn_name = "debug.lock.delay.restrict_starvation",
		.tn_descr = "a starving waiter begins again with delay_base",
		.tn_type = TUNABLE_BOOL,
		.tn_offset = offsetof(struct lock_config, restrict_starvation),
	},
	{
		.tn_name = "debug.lock.prof.enable",
		.tn_descr = "profile locks; 0 runs the code without profiling",
		.tn_type = TUNABLE_BOOL,
		.tn_offset = offsetof(struct lock_config, prof_enable),
	},
	{
		.tn_name = "debug.lock.prof.skipcount",
		.tn_descr = "holds not timed for each that is; 0 times all",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct lock_config, prof_skipcount),
		.tn_min = 0,
		.tn_max = 1023,
	},
	{
		.tn_name = "rngsim.lock.spin_polls",
		.tn_descr = "polls before a spinner yields its CPU; 0: never",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct lock_config, spin_polls),
		.tn_min = 0,
		.tn_max = INT_MAX,
	},
	{
		.tn_name = "rngsim.lock.ticket_pauses",
		.tn_descr = "ticket-pb: pauses for each waiter ahead",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct lock_config, ticket_pauses),
		.tn_min = 1,
		.tn_max = SHRT_MAX,
	},
	{
		.tn_name = "rngsim.lock.pass_limit",
		.tn_descr = "hand-overs within a node while another waits",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct lock_config, pass_limit),
		.tn_min = 1,
		.tn_max = INT_MAX,
	},
	{
		.tn_name = "rngsim.lock.nodes",
		.tn_descr = "NUMA nodes to pretend; 0: the host's",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct lock_config, nodes),
		.tn_min = 0,
		.tn_max = LOCK_NODES_MAX,
	},
};

const unsigned lock_tunable_count = sizeof(lock_tunables) /
    sizeof(lock_tunables[0]);

unsigned
lock_tunable_knob(const char *name)
{
	static const struct {
		const char	*name;
		unsigned	knob;
	} knobs[] = {
		{ "debug.lock.delay_base", LK_DELAY },
		{ "debug.lock.delay_max", LK_DELAY },
		{ "debug.lock.delay.starvation_limit", LK_STARVATION },
		{ "debug.lock.delay.restrict_starvation", LK_STARVATION },
		{ "rngsim.lock.spin_polls", LK_SPIN_POLLS },
		{ "rngsim.lock.ticket_pauses", LK_TICKET_PAUSES },
		{ "rngsim.lock.pass_limit", LK_PASS_LIMIT },
		{ "rngsim.lock.nodes", LK_NODES },
	};
	unsigned i;

	for (i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
		if (strcmp(knobs[i].name, name) == 0)
			return (knobs[i].knob);
	return (0);
}
