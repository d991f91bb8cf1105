#include "bench/cell/cell.h"

const char *const program_spin_names[] = { "mtx-spin", "tas", "tas-backoff",
    "ticket", "mcs", NULL };

static const struct tunable program_tunables[] = {
	TUNABLE(program_config, spinmutex, CHOICE, "rngsim.lock.spin_mutex",
	    "the kind of a kernel's spin mutexes", .tn_choices =
	    program_spin_names),
	TUNABLE(program_config, concurrent_read, BOOL,
	    "kern.random.fortuna.concurrent_read",
	    "1 is -d concurrent, 0 is -d locked"),
	TUNABLE(program_config, use_chacha20_cipher, BOOL,
	    "kern.random.use_chacha20_cipher", "1 is -c chacha20, 0 is -c aes"),
	TUNABLE(program_config, pool_hash, STRING, "rngsim.pool_hash",
	    "digest of pools, from \"rngsim list hashes\""),
	TUNABLE(program_config, seed_timeout_ms, UINT, "rngsim.seed_timeout_ms",
	    "longest wait for the generator to be seeded",
	    TUNABLE_LIMITS(1, 3600 * 1000)),
	TUNABLE(program_config, end_timeout_ms, UINT, "rngsim.end_timeout_ms",
	    "longest wait for threads to end after the window",
	    TUNABLE_LIMITS(1, 3600 * 1000)),
	TUNABLE(program_config, controls, BOOL, "rngsim.sweep.controls",
	    "measure control cells beside a sweep's"),
	TUNABLE(program_config, virtual_threads, UINT, "rngsim.virtual.threads",
	    "simulated machines at a time; 0: one for each CPU",
	    TUNABLE_LIMITS(0, 1024)),
	TUNABLE(program_config, warmup_ms, UINT, "rngsim.warmup_ms",
	    "time run and discarded before each measurement",
	    TUNABLE_LIMITS(0, 60 * 1000)),
	{ .tn_name = NULL }
};

const struct bench_tunables bench_tunables[] = {
	{ lock_tunables, offsetof(struct bench_config, bc_lock) },
	{ harvest_tunables, offsetof(struct bench_config, bc_harvest) },
	{ program_tunables, offsetof(struct bench_config, bc_program) },
	{ NULL, 0 }
};

void
bench_config_default(struct bench_config *bc, unsigned ncpus)
{
	bc->bc_lock = lock_config_default(ncpus);
	bc->bc_harvest = harvest_config_default();
	bc->bc_settings = 0;
	bc->bc_program = (struct program_config){ .seed_timeout_ms = 5000,
	    .end_timeout_ms = 120 * 1000, .warmup_ms = 100, .controls = true,
	    .concurrent_read = true, .use_chacha20_cipher = true };
}

const struct tunable *
bench_tunable(const char *name, size_t *base)
{
	const struct bench_tunables *bt = bench_tunables;
	const struct tunable *tn = NULL;

	for (; tn == NULL && bt->btu_table != NULL; bt++) {
		tn = tunable_find(bt->btu_table, name);
		*base = bt->btu_base;
	}
	return (tn);
}

const struct tunable *
bench_config_set(struct bench_config *bc, const char *text, const char **value,
    int *error)
{
	char name[KERN_NAME_SIZE];
	const struct tunable *tn;
	size_t base, n = strcspn(text, "=");

	*value = NULL;
	if (n == 0 || text[n] == '\0' || n >= sizeof(name))
		return (NULL);
	*value = text + n + 1;
	snprintf(name, sizeof(name), "%.*s", (int)n, text);
	if ((tn = bench_tunable(name, &base)) != NULL)
		*error = tunable_set_text(tn, (char *)bc + base, *value);
	return (tn);
}
