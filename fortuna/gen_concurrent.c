/*
 * FreeBSD's default design: K and C are taken under the mutex, output is made
 * outside it.
 *
 * Stands for kern.random.fortuna.concurrent_read=1: random_fortuna_read() and
 * random_fortuna_read_concurrent() of sys/dev/random/fortuna.c, FreeBSD 13 to
 * 15, introduced by r349154 (D20313).
 */
#include "fortuna/fortuna.h"

void
random_fortuna_read_concurrent(struct generator *g, struct generator_reader *gr,
    struct uio *uio)
{
	struct fortuna *f = fortuna_of(g);
	struct fortuna_private fp;
	struct lock_node node;
	size_t n;

	lock_acquire(&f->f_mtx, &node, SITE_READ);
	random_fortuna_touch_key(f);
	KASSERT(fortuna_state_seeded(&f->f_state), ("read while unseeded"));
	fortuna_state_reserve(&f->f_state, &gr->gr_spare, uio->uio_resid, &fp);
	machine_charge(COST_REKEY, 1);
	random_fortuna_publish(f);
	lock_release(&f->f_mtx, &node);
	while (uio->uio_resid > 0) {
		n = uio_room(uio);
		fortuna_private_genbytes(&fp, uio->uio_base, n);
		machine_charge(COST_KEYSTREAM, n);
		uio_advance(uio, n);
	}
	fortuna_private_fini(&fp);
	machine_charge(COST_WIPE, 1);
}

RANDOM_ALGORITHM(concurrent) = {
	.ra_ident	= "concurrent",
	.ra_descr	= "concurrent_read=1: take K and C, generate outside",
	.ra_stands	= "FreeBSD 13 to 15 as they are, "
	    "kern.random.fortuna.concurrent_read=1.",
	.ra_argument	= "FreeBSD's own: (K, C) are reserved and K is "
	    "replaced before the mutex is dropped, so no two reads use a "
	    "counter under the same key, and each read's key is its own.  "
	    "Pages do not get keys of their own: the key stays in the reader's "
	    "memory until its read ends.  An attacker who learns it knows all "
	    "of that read; with AES, the current MiB and what follows.",
	.ra_flags	= RA_FORTUNA_BYTES,
	.ra_knobs	= RK_POOL_HASH,
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_size	= sizeof(struct fortuna),
	.ra_init	= random_fortuna_init_alg,
	.ra_fini	= random_fortuna_deinit_alg,
	.ra_pre_read	= random_fortuna_pre_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_read	= random_fortuna_read_concurrent,
	.ra_event_processor = random_fortuna_process_event,
	.ra_wait_seeded	= random_fortuna_wait_seeded,
	.ra_status	= random_fortuna_status,
	.ra_core	= random_fortuna_core,
};
