#include "bench/cell/config.h"

static const struct tunable program_tunables[] = {
	{
		.tn_name = "kern.random.fortuna.concurrent_read",
		.tn_descr = "1 is -d concurrent, 0 is -d locked",
		.tn_type = TUNABLE_BOOL,
		.tn_offset = offsetof(struct program_config, concurrent_read),
	},
	{
		.tn_name = "kern.random.use_chacha20_cipher",
		.tn_descr = "1 is -c chacha20, 0 is -c aes",
		.tn_type = TUNABLE_BOOL,
		.tn_offset = offsetof(struct program_config,
		    use_chacha20_cipher),
	},
	{
		.tn_name = "rngsim.seed_timeout_ms",
		.tn_descr = "longest wait for the generator to be seeded",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct program_config, seed_timeout_ms),
		.tn_min = 1,
		.tn_max = 3600 * 1000,
	},
	{
		.tn_name = "rngsim.sweep.controls",
		.tn_descr = "measure control cells beside a sweep's",
		.tn_type = TUNABLE_BOOL,
		.tn_offset = offsetof(struct program_config, controls),
	},
	{
		.tn_name = "rngsim.virtual.threads",
		.tn_descr = "simulated machines at a time; 0: one for each CPU",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct program_config, virtual_threads),
		.tn_min = 0,
		.tn_max = 1024,
	},
	{
		.tn_name = "rngsim.warmup_ms",
		.tn_descr = "time run and discarded before each measurement",
		.tn_type = TUNABLE_UINT,
		.tn_offset = offsetof(struct program_config, warmup_ms),
		.tn_min = 0,
		.tn_max = 60 * 1000,
	},
};

void
bench_config_default(struct bench_config *bc, unsigned ncpus)
{

	bc->bc_lock = lock_config_default(ncpus);
	bc->bc_generator = generator_config_default();
	bc->bc_harvest = harvest_config_default();
	bc->bc_program = (struct program_config){
		.seed_timeout_ms = 5000,
		.warmup_ms = 100,
		.controls = true,
		.concurrent_read = true,
		.use_chacha20_cipher = true,
	};
}

void
bench_config_sets(struct bench_config *bc,
    struct tunable_set sets[BENCH_TUNABLE_SETS])
{

	sets[0] = (struct tunable_set){ lock_tunables, lock_tunable_count,
	    &bc->bc_lock };
	sets[1] = (struct tunable_set){ generator_tunables,
	    generator_tunable_count, &bc->bc_generator };
	sets[2] = (struct tunable_set){ harvest_tunables,
	    harvest_tunable_count, &bc->bc_harvest };
	sets[3] = (struct tunable_set){ program_tunables,
	    sizeof(program_tunables) / sizeof(program_tunables[0]),
	    &bc->bc_program };
}
