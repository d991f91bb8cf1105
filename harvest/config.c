#include "harvest/harvest.h"

struct harvest_config
harvest_config_default(void)
{
	return ((struct harvest_config){
		.queue = HARVEST_MODEL_newest,
		.boot_entropy_bytes = BOOT_ENTROPY_BYTES,
		.interrupt_rate_hz = 1000,
		.sources = "rdrand,interrupt",
	});
}

const struct tunable harvest_tunables[] = {
	TUNABLE(harvest_config, queue, CHOICE, "rngsim.harvest.model",
	    "random_harvestq.c of which FreeBSD",
	    .tn_choices = design_queue_names),
	TUNABLE(harvest_config, rate_hz, UINT, "rngsim.harvest.rate_hz",
	    "passes of the harvest thread per second; 0: as it sleeps",
	    TUNABLE_LIMITS(0, HARVEST_RATE_MAX_HZ)),
	TUNABLE(harvest_config, sources, STRING, "rngsim.harvest.sources",
	    "entropy sources, comma separated"),
	TUNABLE(harvest_config, boot_entropy_bytes, UINT,
	    "rngsim.harvest.boot_entropy_bytes",
	    "bytes of the loader's boot_entropy_cache",
	    TUNABLE_LIMITS(0, 1 << 20)),
	TUNABLE(harvest_config, record_file, STRING, "rngsim.harvest.record",
	    "file to write the harvested events to"),
	TUNABLE(harvest_config, interrupt_rate_hz, UINT,
	    "rngsim.source.interrupt.rate_hz",
	    "events per second of the interrupt source",
	    TUNABLE_LIMITS(1, INTERRUPT_RATE_MAX_HZ)),
	{ .tn_name = NULL }
};
