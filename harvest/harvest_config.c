#include <string.h>

#include "harvest/harvest_config.h"
#include "harvest/harvestq.h"
#include "harvest/mask.h"

const char *const harvest_model_names[HARVEST_MODELS + 1] = {
#define	HARVEST_MODEL(name, word)	word,
#include "harvest/harvest_model.tbl"
#undef HARVEST_MODEL
	NULL
};

const char *const harvest_site_names[HARVEST_SITES] = {
	[HARVEST_QUEUE]	= "queue",
	[HARVEST_DRAIN]	= "drain",
};

const struct failpoint_def harvest_failpoints[HARVEST_FAILPOINTS] = {
#define	FAILPOINT(name, where, descr)	{ #name, where, descr },
#include "harvest/failpoint.tbl"
#undef FAILPOINT
};

struct harvest_config
harvest_config_default(void)
{

	return ((struct harvest_config){
		.mask = MASK_DEFAULT,
		.model = HARVEST_MODEL_ring,
		.rate_hz = HARVEST_RATE_HZ,
		.boot_entropy_bytes = BOOT_ENTROPY_BYTES,
		.interrupt_rate_hz = INTERRUPT_RATE_HZ,
		.ondemand_pass = ONDEMAND_PASS,
		.sources = "rdrand,interrupt",
	});
}

const struct tunable harvest_tunables[] = {
	{
		.tn_name = "kern.random.harvest.mask",
		.tn_descr = "sources to harvest; pure ones and NET_ETHER, UMA "
		    "are not changed by it",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct harvest_config, mask),
		.tn_min = 0,
		.tn_max = MASK_ALL,
	},
	{
		.tn_name = "kern.random.nist_healthtest_enabled",
		.tn_descr = "test sources as SP 800-90B says",
		.tn_type = TUNABLE_BOOL,
		.tn_offset = offsetof(struct harvest_config,
		    nist_healthtest_enabled),
	},
	{
		.tn_name = NIST_HEALTHTEST_ONDEMAND,
		.tn_descr = "sources whose tests are started anew during the "
		    "run",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct harvest_config,
		    nist_healthtest_ondemand),
		.tn_min = 0,
		.tn_max = MASK_ALL,
	},
	{
		.tn_name = "rngsim.harvest.ondemand_pass",
		.tn_descr = "before which pass of the harvest thread that is",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct harvest_config, ondemand_pass),
		.tn_min = 1,
		.tn_max = ONDEMAND_PASS_MAX,
	},
	{
		.tn_name = "rngsim.harvest.model",
		.tn_descr = "random_harvestq.c of which FreeBSD",
		.tn_type = TUNABLE_CHOICE,
		.tn_offset = offsetof(struct harvest_config, model),
		.tn_choices = harvest_model_names,
	},
	{
		.tn_name = "rngsim.harvest.rate_hz",
		.tn_descr = "passes of the harvest thread per second",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct harvest_config, rate_hz),
		.tn_min = HARVEST_RATE_MIN_HZ,
		.tn_max = HARVEST_RATE_MAX_HZ,
	},
	{
		.tn_name = "rngsim.harvest.sources",
		.tn_descr = "entropy sources, comma separated",
		.tn_type = TUNABLE_STRING,
		.tn_offset = offsetof(struct harvest_config, sources),
	},
	{
		.tn_name = "rngsim.harvest.boot_entropy_bytes",
		.tn_descr = "bytes of the loader's boot_entropy_cache",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct harvest_config,
		    boot_entropy_bytes),
		.tn_min = 0,
		.tn_max = BOOT_ENTROPY_MAX_BYTES,
	},
	{
		.tn_name = "rngsim.harvest.record",
		.tn_descr = "file to write the harvested events to, for replay",
		.tn_type = TUNABLE_STRING,
		.tn_offset = offsetof(struct harvest_config, record_file),
	},
	{
		.tn_name = "rngsim.source.interrupt.rate_hz",
		.tn_descr = "events per second of the interrupt source",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct harvest_config,
		    interrupt_rate_hz),
		.tn_min = INTERRUPT_RATE_MIN_HZ,
		.tn_max = INTERRUPT_RATE_MAX_HZ,
	},
	{
		.tn_name = "rngsim.source.replay.file",
		.tn_descr = "recorded events that the replay source delivers",
		.tn_type = TUNABLE_STRING,
		.tn_offset = offsetof(struct harvest_config, replay_file),
	},
};

const unsigned harvest_tunable_count = sizeof(harvest_tunables) /
    sizeof(harvest_tunables[0]);
