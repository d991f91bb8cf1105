/*
 * Reads as in the concurrent design; the harvest thread takes the mutex once
 * for several events.
 *
 * FreeBSD takes it for each event: random_fortuna_process_event() of
 * sys/dev/random/fortuna.c, once for each turn of random_harvestq_kthread()'s
 * loop.  Here a turn's events are handed over together, in their order.
 */
#include "fortuna/fortuna.h"

static void
gen_batch_process_events(struct generator *g,
    const struct harvest_event *events, unsigned n)
{
	struct fortuna *f = fortuna_of(g);
	struct lock_node node;

	lock_acquire(&f->f_mtx, &node, SITE_EVENT);
	for (unsigned i = 0; i < n; i++)
		random_fortuna_absorb(f, &events[i]);
	lock_release(&f->f_mtx, &node);
}

RANDOM_ALGORITHM(batch) = {
	.ra_ident	= "batch",
	.ra_descr	= "concurrent, and the mutex once for several events",
	.ra_stands	= "No release: a loop in FreeBSD's "
	    "random_fortuna_process_event().",
	.ra_argument	= "Events reach the same pools in the same order, at "
	    "most one pass of the harvest thread later.  Until then they lie "
	    "in its buffer instead of in a hash, and a reseed in between does "
	    "not include them.  Readers wait while a whole batch is hashed.",
	.ra_flags	= RA_FORTUNA_BYTES,
	.ra_knobs	= RK_BATCH_EVENTS | RK_POOL_HASH,
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_size	= sizeof(struct fortuna),
	.ra_init	= random_fortuna_init_alg,
	.ra_fini	= random_fortuna_deinit_alg,
	.ra_pre_read	= random_fortuna_pre_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_read	= random_fortuna_read_concurrent,
	.ra_event_processor = random_fortuna_process_event,
	.ra_process_events = gen_batch_process_events,
	.ra_wait_seeded	= random_fortuna_wait_seeded,
	.ra_status	= random_fortuna_status,
	.ra_core	= random_fortuna_core,
};
