/*
 * The null design: a fixed pattern, no state, and the lock around nothing, once
 * for each read and each event; or around work, whose length and lines tunables
 * set.
 *
 * What it measures is the lock alone; with lock "none" the harness: the reader
 * loop, the time stamps, the writing of n bytes.
 */
#include "fortuna/generator.h"
#include "lib/base/splitmix.h"
#include "lib/machine/work.h"

struct none_line {
	_Alignas(MACHINE_CACHE_LINE)
	struct m64	nl_value;
};

struct none {
	struct generator n_generator;	/* first: the two are one pointer */
	struct lock	 n_mtx;
	struct generator_config n_config;
	struct m64	 n_draw;	/* state of drawn holds; under n_mtx */
	struct none_line n_lines[GENERATOR_LINES_MAX];
};

static struct none *
none_of(struct generator *g)
{
	return ((struct none *)(void *)g);
}

static int
gen_none_init(struct generator *g, const struct generator_params *params)
{
	none_of(g)->n_config = params->gp_config;
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

/*
 * What a read does under the lock.  Words are written by notes, as some locks
 * exclude no thread; the lines are charged for as one.
 */
static void
gen_none_hold(struct none *n)
{
	const unsigned lines = n->n_config.none_lines;
	uint64_t draw, ns = n->n_config.none_hold_ns;

	if (lines > 0)
		machine_touch(n->n_lines, lines);
	for (unsigned i = 0; i < lines; i++)
		machine_note_store_64(&n->n_lines[i].nl_value, i + 1);
	if (ns > 0 && n->n_config.none_hold_drawn) {
		draw = machine_note_load_64(&n->n_draw);
		ns = (uint64_t)((double)ns * splitmix_exponential(&draw));
		machine_note_store_64(&n->n_draw, draw);
	}
	machine_work(ns);
}

static void
gen_none_read(struct generator *g, struct generator_reader *gr, struct uio *uio)
{
	struct lock_node node;
	size_t n;

	(void)gr;
	lock_acquire(&none_of(g)->n_mtx, &node, SITE_READ);
	gen_none_hold(none_of(g));
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
	.ra_knobs	= RK_HOLD,
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
