/*
 * Small reads share a block that is kept, and two that look at it at once get
 * the same part: it is marked as taken in another critical section.
 */
#define	MUTANT	mutant_cache_shared
#include "tests/mutants/mutant.h"

#include <string.h>

#include "fortuna/fortuna.h"
#include "lib/crypto/wipe.h"

enum {
	PART	= 16,
	PARTS	= 4
};

struct cached {
	struct fortuna	c_fortuna;	/* first */
	uint8_t		c_part[PARTS][PART];
	unsigned	c_left;
};

static void
fill(struct cached *c)
{
	uint8_t scratch[FORTUNA_SMALL_SCRATCH_BYTES];
	size_t used;

	used = fortuna_state_small(&c->c_fortuna.f_state, scratch,
	    sizeof(c->c_part));
	memcpy(c->c_part, scratch, sizeof(c->c_part));
	wipe(scratch, used);
	random_fortuna_publish(&c->c_fortuna);
	c->c_left = PARTS;
}

static void
cached_read(struct generator *g, struct generator_reader *gr, struct uio *uio)
{
	struct cached *c = (struct cached *)fortuna_of(g);
	struct lock_node node;
	unsigned part;

	if (uio->uio_resid != PART) {
		random_fortuna_read_concurrent(g, gr, uio);
		return;
	}
	lock_acquire(&c->c_fortuna.f_mtx, &node, SITE_READ);
	if (c->c_left == 0)
		fill(c);
	part = c->c_left - 1;
	memcpy(uio->uio_base, c->c_part[part], PART);
	lock_release(&c->c_fortuna.f_mtx, &node);
	uio_advance(uio, PART);
	lock_acquire(&c->c_fortuna.f_mtx, &node, SITE_READ);
	wipe(c->c_part[part], PART);
	c->c_left = part;
	lock_release(&c->c_fortuna.f_mtx, &node);
}

RANDOM_ALGORITHM(concurrent) = {
	.ra_ident	= "concurrent",
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_stored_bytes = PARTS * PART,
	.ra_size	= sizeof(struct cached),
	.ra_init	= random_fortuna_init_alg,
	.ra_fini	= random_fortuna_deinit_alg,
	.ra_pre_read	= random_fortuna_pre_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_read	= cached_read,
	.ra_event_processor = random_fortuna_process_event,
	.ra_wait_seeded	= random_fortuna_wait_seeded,
	.ra_status	= random_fortuna_status,
	.ra_core	= random_fortuna_core,
};
