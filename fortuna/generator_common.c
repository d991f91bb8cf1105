/*
 * What all generators share on every machine: making them, tunables, names.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "fortuna/generator.h"
#include "fortuna/state.h"

CTASSERT((int)CIPHER_KEY_ALIGN == (int)MACHINE_CACHE_LINE);
CTASSERT(sizeof(struct cipher_key) <= CIPHER_KEY_ALIGN);

void *
generator_alloc(size_t bytes)
{
	void *p;

	bytes += -bytes % MACHINE_CACHE_LINE;
	p = aligned_alloc(MACHINE_CACHE_LINE, bytes);
	if (p != NULL)
		memset(p, 0, bytes);
	return (p);
}

int
generator_new(const struct random_algorithm *ra, struct generator **g,
    const struct generator_params *params)
{
	struct generator *made;
	int error;

	KASSERT(ra->ra_size >= sizeof(*made) && ra->ra_init != NULL &&
	    ra->ra_fini != NULL && ra->ra_pre_read != NULL &&
	    ra->ra_seeded != NULL && ra->ra_read != NULL &&
	    ra->ra_event_processor != NULL && ra->ra_wait_seeded != NULL &&
	    ra->ra_status != NULL, ("design %s: a member of its descriptor is "
	    "not set; see rngsim-design(7)", ra->ra_ident));
	made = generator_alloc(ra->ra_size);
	if (made == NULL)
		return (ENOMEM);
	made->g_algorithm = ra;
	made->g_cipher = params->gp_cipher;
	made->g_paced = true;
	made->g_batch_events = ra->ra_process_events == NULL ? 1 :
	    params->gp_config.batch_events;
	made->g_failpoints = params->gp_failpoints;
	error = ra->ra_init(made, params);
	if (error == 0)
		*g = made;
	else
		free(made);
	return (error);
}

void
generator_free(struct generator *g)
{
	size_t bytes;

	if (g == NULL)
		return;
	bytes = g->g_algorithm->ra_size;
	g->g_algorithm->ra_fini(g);
	wipe(g, bytes);
	free(g);
}

int
generator_reader_init(struct generator *g, struct generator_reader *gr)
{
	gr->gr_place = GENERATOR_PLACE_HERE;
	gr->gr_spare = NULL;
	if ((g->g_algorithm->ra_flags & RA_NULL) != 0)
		return (0);
	return (cipher_key_new(&gr->gr_spare, g->g_cipher));
}

void
generator_reader_fini(struct generator *g, struct generator_reader *gr)
{
	(void)g;
	cipher_key_free(gr->gr_spare);
	gr->gr_spare = NULL;
}

void (*generator_more)(void);

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
	TUNABLE(generator_config, minpoolsize, UINT,
	    "kern.random.fortuna.minpoolsize",
	    "bytes pool 0 needs before a reseed",
	    TUNABLE_LIMITS(RANDOM_FORTUNA_MINPOOLSIZE, INT_MAX)),
	TUNABLE(generator_config, block_seeded_status, BOOL,
	    "kern.random.block_seeded_status",
	    "answer \"not seeded\" whatever the state", TUNABLE_LIMITS(0, 1)),
	TUNABLE(generator_config, pool_hash, STRING, "rngsim.pool_hash",
	    "digest of the pools, from \"rngsim list hashes\"",
	    TUNABLE_LIMITS(0, TUNABLE_STRING_SIZE - 1),
	    .tn_knob = RK_POOL_HASH),
	TUNABLE(generator_config, hybrid_bytes, UINT,
	    "rngsim.fortuna.hybrid_bytes",
	    "hybrid: largest request made under the mutex",
	    TUNABLE_LIMITS(0, RANDOM_FORTUNA_SMALL),
	    .tn_knob = RK_HYBRID_BYTES),
	TUNABLE(generator_config, batch_events, UINT,
	    "rngsim.fortuna.batch_events",
	    "batch: events absorbed under one acquisition",
	    TUNABLE_LIMITS(1, GENERATOR_BATCH_MAX), .tn_knob = RK_BATCH_EVENTS),
	TUNABLE(generator_config, none_hold_ns, UINT, "rngsim.none.hold_ns",
	    "none: ns that a read holds the lock",
	    TUNABLE_LIMITS(0, 1000 * 1000 * 1000), .tn_knob = RK_HOLD),
	TUNABLE(generator_config, none_hold_drawn, BOOL,
	    "rngsim.none.hold_drawn",
	    "none: draw hold_ns, exponentially distributed with that mean",
	    TUNABLE_LIMITS(0, 1), .tn_knob = RK_HOLD),
	TUNABLE(generator_config, none_lines, UINT, "rngsim.none.lines",
	    "none: cache lines that a read writes under the lock",
	    TUNABLE_LIMITS(0, GENERATOR_LINES_MAX), .tn_knob = RK_HOLD),
};

const unsigned generator_tunable_count = sizeof(generator_tunables) /
    sizeof(generator_tunables[0]);
