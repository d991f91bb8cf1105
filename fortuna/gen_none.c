/*
 * The null design: a fixed pattern, no state, no lock.
 *
 * What it measures is the harness: the reader loop, the time stamps, the
 * writing of n bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fortuna/generator.h"

static int
gen_none_init(struct generator **g, const struct generator_params *params)
{

	(void)params;
	*g = calloc(1, sizeof(**g));
	if (*g == NULL)
		return (ENOMEM);
	(*g)->g_algorithm = &FLAVOURED(gen_none);
	return (0);
}

static void
gen_none_fini(struct generator *g)
{

	free(g);
}

static int
gen_none_reader_init(struct generator *g, struct generator_reader *gr)
{

	(void)g;
	gr->gr_spare = NULL;
	return (0);
}

static void
gen_none_reader_fini(struct generator *g, struct generator_reader *gr)
{

	(void)g;
	(void)gr;
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
	size_t n;

	(void)g;
	(void)gr;
	while (uio->uio_resid > 0) {
		n = uio_room(uio);
		memset(uio->uio_base, 0x5a, n);
		uio_advance(uio, n);
	}
}

static void
gen_none_event(struct generator *g, const struct harvest_event *event)
{

	(void)g;
	(void)event;
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
	.ra_descr	= "a fixed pattern: measures the harness",
	.ra_flags	= RA_NULL,
	.ra_poolcount	= 0,
	.ra_init	= gen_none_init,
	.ra_fini	= gen_none_fini,
	.ra_reader_init	= gen_none_reader_init,
	.ra_reader_fini	= gen_none_reader_fini,
	.ra_pre_read	= gen_none_pre_read,
	.ra_seeded	= gen_none_seeded,
	.ra_read	= gen_none_read,
	.ra_event_processor = gen_none_event,
	.ra_wait_seeded	= gen_none_wait_seeded,
	.ra_status	= gen_none_status,
};
