/*
 * What locks are configured by, on every machine.
 */
#include <limits.h>

#include "lib/lock.h"

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
	return ((struct lock_config){ .delay_base = 1, .delay_max = max,
	    .prof_enable = true });
}

const struct tunable lock_tunables[] = {
	{
		.tn_name = "debug.lock.delay_base",
		.tn_descr = "pauses in a waiter's first back-off delay",
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
		.tn_name = "debug.lock.prof.enable",
		.tn_descr = "profile locks; 0 runs the code without profiling",
		.tn_type = TUNABLE_BOOL,
		.tn_offset = offsetof(struct lock_config, prof_enable),
	},
};

const unsigned lock_tunable_count = sizeof(lock_tunables) /
    sizeof(lock_tunables[0]);
