/*
 * The canonical design: K and C stay under the mutex while output is made.
 *
 * Stands for kern.random.fortuna.concurrent_read=0: random_fortuna_read() and
 * random_fortuna_genbytes() of sys/dev/random/fortuna.c, FreeBSD 13 to 15.  The
 * mutex is held for a page at a time; between pages it is dropped, after K was
 * replaced, so that others get their turn.
 */
#include "fortuna/fortuna.h"

static void
gen_locked_read(struct generator *g, struct generator_reader *gr,
    struct uio *uio)
{
	struct fortuna *f = fortuna_of(g);
	const struct cipher *cipher;
	struct lock_node node;
	size_t n;

	(void)gr;
	lock_acquire(&f->f_mtx, &node, SITE_READ);
	random_fortuna_touch_key(f);
	KASSERT(fortuna_state_seeded(&f->f_state), ("read while unseeded"));
	cipher = f->f_state.fs_key->ck_cipher;
	if (uio->uio_resid == 0)
		fortuna_state_rekey(&f->f_state);
	while (uio->uio_resid > 0) {
		n = fortuna_piece(cipher, uio->uio_resid);
		MPASS(n <= uio_room(uio));
		fortuna_state_genbytes(&f->f_state, uio->uio_base, n);
		machine_charge(COST_KEYSTREAM, n);
		machine_charge(COST_REKEY, 1);
		if (uio->uio_resid == n)
			break;
		lock_release(&f->f_mtx, &node);
		uio_advance(uio, n);
		lock_acquire(&f->f_mtx, &node, SITE_CHUNK);
		random_fortuna_touch_key(f);
	}
	random_fortuna_publish(f);
	lock_release(&f->f_mtx, &node);
	uio_advance(uio, (size_t)uio->uio_resid);
}

RANDOM_ALGORITHM(locked) = {
	.ra_ident	= "locked",
	.ra_descr	= "concurrent_read=0: generate under the mutex",
	.ra_stands	= "FreeBSD 13 to 15 with "
	    "kern.random.fortuna.concurrent_read=0.",
	.ra_argument	= "None needed: it is FreeBSD's original argument.  "
	    "Other threads wait while output is generated.",
	.ra_flags	= RA_FORTUNA_BYTES,
	.ra_knobs	= RK_POOL_HASH,
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_size	= sizeof(struct fortuna),
	.ra_init	= random_fortuna_init_alg,
	.ra_fini	= random_fortuna_deinit_alg,
	.ra_pre_read	= random_fortuna_pre_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_read	= gen_locked_read,
	.ra_event_processor = random_fortuna_process_event,
	.ra_wait_seeded	= random_fortuna_wait_seeded,
	.ra_status	= random_fortuna_status,
	.ra_core	= random_fortuna_core,
};
