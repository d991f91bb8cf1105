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
		.model = HARVEST_MODEL_swap,
		.rate_hz = HARVEST_RATE_HZ,
		.boot_entropy_bytes = BOOT_ENTROPY_BYTES,
		.interrupt_rate_hz = INTERRUPT_RATE_HZ,
		.ondemand_pass = ONDEMAND_PASS,
		.sources = "rdrand,interrupt",
	});
}

const struct tunable harvest_tunables[] = {
	TUNABLE(harvest_config, mask, UINT, "kern.random.harvest.mask",
	    "sources to harvest; it changes no pure ones, NET_ETHER and UMA",
	    TUNABLE_LIMITS(0, MASK_ALL)),
	TUNABLE(harvest_config, nist_healthtest_enabled, BOOL,
	    "kern.random.nist_healthtest_enabled",
	    "test sources as SP 800-90B says", TUNABLE_LIMITS(0, 1)),
	TUNABLE(harvest_config, nist_healthtest_ondemand, UINT,
	    NIST_HEALTHTEST_ONDEMAND,
	    "sources whose tests are started anew during the run",
	    TUNABLE_LIMITS(0, MASK_ALL)),
	TUNABLE(harvest_config, ondemand_pass, UINT,
	    "rngsim.harvest.ondemand_pass",
	    "before which pass of the harvest thread that is",
	    TUNABLE_LIMITS(1, ONDEMAND_PASS_MAX)),
	TUNABLE(harvest_config, model, CHOICE, "rngsim.harvest.model",
	    "random_harvestq.c of which FreeBSD",
	    .tn_choices = harvest_model_names),
	TUNABLE(harvest_config, rate_hz, UINT, "rngsim.harvest.rate_hz",
	    "passes of the harvest thread per second",
	    TUNABLE_LIMITS(HARVEST_RATE_MIN_HZ, HARVEST_RATE_MAX_HZ)),
	TUNABLE(harvest_config, sources, STRING, "rngsim.harvest.sources",
	    "entropy sources, comma separated",
	    TUNABLE_LIMITS(0, TUNABLE_STRING_SIZE - 1)),
	TUNABLE(harvest_config, boot_entropy_bytes, UINT,
	    "rngsim.harvest.boot_entropy_bytes",
	    "bytes of the loader's boot_entropy_cache",
	    TUNABLE_LIMITS(0, BOOT_ENTROPY_MAX_BYTES)),
	TUNABLE(harvest_config, record_file, STRING, "rngsim.harvest.record",
	    "file to write the harvested events to, for replay",
	    TUNABLE_LIMITS(0, TUNABLE_STRING_SIZE - 1)),
	TUNABLE(harvest_config, interrupt_rate_hz, UINT,
	    "rngsim.source.interrupt.rate_hz",
	    "events per second of the interrupt source",
	    TUNABLE_LIMITS(INTERRUPT_RATE_MIN_HZ, INTERRUPT_RATE_MAX_HZ)),
	TUNABLE(harvest_config, replay_file, STRING,
	    "rngsim.source.replay.file",
	    "recorded events that the replay source delivers",
	    TUNABLE_LIMITS(0, TUNABLE_STRING_SIZE - 1)),
};

const unsigned harvest_tunable_count = sizeof(harvest_tunables) /
    sizeof(harvest_tunables[0]);
