/*
 * What generators are configured and profiled by, on every machine.
 */
#include <limits.h>
#include <string.h>

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

const struct failpoint_def fortuna_failpoints[FORTUNA_FAILPOINTS] = {
#define	FAILPOINT(name, where, descr)	{ #name, where, descr },
#include "fortuna/failpoint.tbl"
#undef FAILPOINT
};

struct generator_config
generator_config_default(void)
{

	return ((struct generator_config){
		.minpoolsize = RANDOM_FORTUNA_DEFPOOLSIZE,
		.pool_hash = GENERATOR_POOL_HASH,
		.block_seeded_status = false,
		.hybrid_bytes = 64,
		.batch_events = 16,
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
	{
		.tn_name = "rngsim.pool_hash",
		.tn_descr = "what pools hash with, of \"rngsim list hashes\"",
		.tn_type = TUNABLE_STRING,
		.tn_offset = offsetof(struct generator_config, pool_hash),
	},
	{
		.tn_name = "rngsim.fortuna.hybrid_bytes",
		.tn_descr = "hybrid: largest request made under the mutex",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct generator_config, hybrid_bytes),
		.tn_min = 0,
		.tn_max = RANDOM_FORTUNA_SMALL,
	},
	{
		.tn_name = "rngsim.fortuna.batch_events",
		.tn_descr = "batch: events absorbed under one acquisition",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct generator_config, batch_events),
		.tn_min = 1,
		.tn_max = GENERATOR_BATCH_MAX,
	},
};

const unsigned generator_tunable_count = sizeof(generator_tunables) /
    sizeof(generator_tunables[0]);

unsigned
generator_tunable_knob(const char *name)
{
	static const struct {
		const char	*name;
		unsigned	knob;
	} knobs[] = {
		{ "rngsim.fortuna.hybrid_bytes", RK_HYBRID_BYTES },
		{ "rngsim.fortuna.batch_events", RK_BATCH_EVENTS },
		{ "rngsim.pool_hash", RK_POOL_HASH },
	};
	unsigned i;

	for (i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
		if (strcmp(knobs[i].name, name) == 0)
			return (knobs[i].knob);
	return (0);
}
