/*
 * The null design: a fixed pattern, no state, and the lock around nothing, once
 * for each read and each event.
 *
 * What it measures is the lock alone; with lock "none" the harness: the reader
 * loop, the time stamps, the writing of n bytes.
 */
#include <string.h>

#include "fortuna/generator.h"

struct none {
	struct generator n_generator;	/* first: the two are one pointer */
	struct lock	 n_mtx;
};

static struct none *
none_of(struct generator *g)
{

	return ((struct none *)(void *)g);
}

static int
gen_none_init(struct generator *g, const struct generator_params *params)
{

	return (lock_init(&none_of(g)->n_mtx, params->gp_lock, "reseed mutex",
	    &params->gp_lock_config, params->gp_prof));
}

static void
gen_none_fini(struct generator *g)
{

	lock_fini(&none_of(g)->n_mtx);
}

static void
gen_none_pre_read(struct generator *g)
{

	(void)g;
}

static bool
gen_none_seeded(struct generator *g)
{

	(void)g;
	return (true);
}

static void
gen_none_read(struct generator *g, struct generator_reader *gr, struct uio *uio)
{
	struct lock_node node;
	size_t n;

	(void)gr;
	lock_acquire(&none_of(g)->n_mtx, &node, SITE_READ);
	lock_release(&none_of(g)->n_mtx, &node);
	while (uio->uio_resid > 0) {
		n = uio_room(uio);
		memset(uio->uio_base, 0x5a, n);
		uio_advance(uio, n);
	}
}

static void
gen_none_event(struct generator *g, const struct harvest_event *event)
{
	struct lock_node node;

	lock_acquire(&none_of(g)->n_mtx, &node, SITE_EVENT);
	(void)generator_accepts(g, event);
	lock_release(&none_of(g)->n_mtx, &node);
}

static void
gen_none_wait_seeded(struct generator *g, int64_t timeout_ns)
{

	(void)g;
	(void)timeout_ns;
}

static void
gen_none_status(struct generator *g, struct generator_status *gs)
{

	(void)g;
	memset(gs, 0, sizeof(*gs));
	gs->gs_seeded = true;
}

RANDOM_ALGORITHM(none) = {
	.ra_ident	= "none",
	.ra_descr	= "a fixed pattern, and the lock around nothing",
	.ra_stands	= "Nothing: it measures the lock alone, and the "
	    "harness.",
	.ra_argument	= "None: it makes no random numbers.",
	.ra_flags	= RA_NULL,
	.ra_poolcount	= 0,
	.ra_stored_bytes = GENERATOR_STORED_ANY,
	.ra_size	= sizeof(struct none),
	.ra_init	= gen_none_init,
	.ra_fini	= gen_none_fini,
	.ra_pre_read	= gen_none_pre_read,
	.ra_seeded	= gen_none_seeded,
	.ra_read	= gen_none_read,
	.ra_event_processor = gen_none_event,
	.ra_wait_seeded	= gen_none_wait_seeded,
	.ra_status	= gen_none_status,
};
