/*
 * Reads as in the concurrent design; the pools have a mutex of their own.
 *
 * An event takes that one alone, so it never waits for a reader that draws a
 * key, nor a reader for it.  The order is pools, then K and C: a reseed holds
 * both, and what reseeds use is guarded by either.
 *
 * FreeBSD's pre_read takes the mutex to find that it is not time.  Here it
 * looks first and takes the pools' when it may be: random_fortuna_maybe_due().
 */
#include "fortuna/fortuna.h"

struct splitlock {
	struct fortuna	sl_fortuna;	/* f_mtx: K and C */
	/* The pools, the number and time of reseeds, the scratch digest. */
	struct lock	sl_pools_mtx;
};

static struct splitlock *
splitlock_of(struct generator *g)
{
	return ((struct splitlock *)(void *)g);
}

static int
gen_splitlock_init(struct generator *g, const struct generator_params *params)
{
	int error;

	error = random_fortuna_init_alg(g, params);
	if (error != 0)
		return (error);
	error = lock_init(&splitlock_of(g)->sl_pools_mtx, params->gp_lock,
	    "pools mutex", &params->gp_lock_config, params->gp_prof);
	if (error != 0)
		random_fortuna_deinit_alg(g);
	return (error);
}

static void
gen_splitlock_fini(struct generator *g)
{
	lock_fini(&splitlock_of(g)->sl_pools_mtx);
	random_fortuna_deinit_alg(g);
}

static void
gen_splitlock_pre_read(struct generator *g)
{
	struct splitlock *sl = splitlock_of(g);
	struct fortuna *f = &sl->sl_fortuna;
	struct lock_node node, pools_node;
	struct fortuna_seed fd;
	int64_t now_ns = machine_uptime_coarse_ns();
	unsigned pools;

	if (!random_fortuna_maybe_due(f, now_ns, g->g_paced))
		return;
	lock_acquire(&sl->sl_pools_mtx, &pools_node, SITE_PRE_READ);
	random_fortuna_touch_pace(f);
	pools = fortuna_state_drain(&f->f_state, now_ns, g->g_paced, &fd);
	if (pools != 0) {
		lock_resite(&sl->sl_pools_mtx, &pools_node, SITE_RESEED);
		lock_acquire(&f->f_mtx, &node, SITE_ROOT);
		fortuna_state_reseed(&f->f_state, &fd);
		random_fortuna_charge_reseed(f, pools);
		random_fortuna_publish(f);
		lock_release(&f->f_mtx, &node);
		random_fortuna_note_due(f);
	}
	lock_release(&sl->sl_pools_mtx, &pools_node);
}

static void
gen_splitlock_process_event(struct generator *g,
    const struct harvest_event *event)
{
	struct splitlock *sl = splitlock_of(g);
	struct lock_node node;

	lock_acquire(&sl->sl_pools_mtx, &node, SITE_EVENT);
	random_fortuna_absorb(&sl->sl_fortuna, event);
	random_fortuna_note_due(&sl->sl_fortuna);
	lock_release(&sl->sl_pools_mtx, &node);
}

static void
gen_splitlock_status(struct generator *g, struct generator_status *gs)
{
	struct splitlock *sl = splitlock_of(g);
	struct lock_node node;

	lock_acquire(&sl->sl_pools_mtx, &node, SITE_PRE_READ);
	random_fortuna_status(g, gs);
	lock_release(&sl->sl_pools_mtx, &node);
}

RANDOM_ALGORITHM(splitlock) = {
	.ra_ident	= "splitlock",
	.ra_descr	= "concurrent, and the pools under their own mutex",
	.ra_stands	= "No release: two mutexes in place of FreeBSD's "
	    "fs_mtx.",
	.ra_argument	= "An event may change pools while a read changes (K, "
	    "C).  A reseed holds both mutexes, pools first, so draining pools "
	    "and making K of them is one step.  Whether a reseed is due is "
	    "read without a mutex: a stale word delays a reseed by one "
	    "cache-line transfer, never K's replacement after a read.",
	.ra_flags	= RA_FORTUNA_BYTES | RA_MANY_LOCKS,
	.ra_knobs	= RK_POOL_HASH,
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_size	= sizeof(struct splitlock),
	.ra_init	= gen_splitlock_init,
	.ra_fini	= gen_splitlock_fini,
	.ra_pre_read	= gen_splitlock_pre_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_read	= random_fortuna_read_concurrent,
	.ra_event_processor = gen_splitlock_process_event,
	.ra_wait_seeded	= random_fortuna_wait_seeded,
	.ra_status	= gen_splitlock_status,
	.ra_core	= random_fortuna_core,
};
