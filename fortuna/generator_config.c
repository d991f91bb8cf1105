/*
 * What generators are configured and profiled by, on every machine.
 */
#include <limits.h>

#include "fortuna/generator.h"
#include "fortuna/state.h"

const char *const generator_site_names[GENERATOR_SITES] = {
	[SITE_PRE_READ]	= "pre_read",
	[SITE_RESEED]	= "reseed",
	[SITE_READ]	= "read",
	[SITE_CHUNK]	= "read_chunk",
	[SITE_EVENT]	= "process_event",
	[SITE_ROOT]	= "root",
};

struct generator_config
generator_config_default(void)
{

	return ((struct generator_config){
		.minpoolsize = RANDOM_FORTUNA_DEFPOOLSIZE,
		.block_seeded_status = false,
	});
}

const struct tunable generator_tunables[] = {
	{
		.tn_name = "kern.random.fortuna.minpoolsize",
		.tn_descr = "bytes pool 0 needs before a reseed",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct generator_config, minpoolsize),
		.tn_min = RANDOM_FORTUNA_MINPOOLSIZE,
		.tn_max = INT_MAX,
	},
	{
		.tn_name = "kern.random.block_seeded_status",
		.tn_descr = "answer \"not seeded\" whatever the state",
		.tn_type = TUNABLE_BOOL,
		.tn_offset = offsetof(struct generator_config,
		    block_seeded_status),
	},
};

const unsigned generator_tunable_count = sizeof(generator_tunables) /
    sizeof(generator_tunables[0]);
