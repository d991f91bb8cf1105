/*
 * Small requests are generated under the mutex together with the new key, large
 * ones outside it.
 *
 * A small concurrent read sets two keys, the new K and the wiped one it took,
 * and asks for keystream twice; here one run of keystream gives the output and
 * the new K, and no key object changes hands.  A pre_read looks before it
 * locks, random_fortuna_maybe_due(), so that a small request takes the mutex
 * once.
 *
 * FreeBSD has no such mode; what is read is what
 * kern.random.fortuna.concurrent_read=1 gives.
 */
#include "fortuna/fortuna.h"

static void
gen_hybrid_pre_read(struct generator *g)
{
	struct fortuna *f = fortuna_of(g);

	if (random_fortuna_maybe_due(f, machine_uptime_coarse_ns(),
	    g->g_paced))
		random_fortuna_reseed_due(f, g->g_paced);
}

static void
gen_hybrid_read(struct generator *g, struct generator_reader *gr,
    struct uio *uio)
{
	uint8_t scratch[FORTUNA_SMALL_SCRATCH_BYTES];
	struct fortuna *f = fortuna_of(g);
	struct lock_node node;
	size_t n, used;

	if (uio->uio_resid > f->f_config.hybrid_bytes) {
		random_fortuna_read_concurrent(g, gr, uio);
		return;
	}
	lock_acquire(&f->f_mtx, &node, SITE_READ);
	random_fortuna_touch_key(f);
	KASSERT(fortuna_state_seeded(&f->f_state), ("read while unseeded"));
	used = fortuna_state_small(&f->f_state, scratch,
	    (size_t)uio->uio_resid);
	machine_charge(COST_KEYSTREAM_MORE, (size_t)uio->uio_resid);
	machine_charge(COST_REKEY, 1);
	random_fortuna_publish(f);
	lock_release(&f->f_mtx, &node);
	for (size_t at = 0; uio->uio_resid > 0; at += n) {
		n = uio_room(uio);
		memcpy(uio->uio_base, scratch + at, n);
		uio_advance(uio, n);
	}
	wipe(scratch, used);
}

RANDOM_ALGORITHM(hybrid) = {
	.ra_ident	= "hybrid",
	.ra_descr	= "small reads under the mutex, large ones outside",
	.ra_stands	= "No release: one more branch in FreeBSD's "
	    "random_fortuna_read().",
	.ra_argument	= "The bytes are FreeBSD's: output and next K are one "
	    "run of keystream of K from C, and K is gone when the mutex is "
	    "dropped.  New: other threads wait while up to "
	    "rngsim.fortuna.hybrid_bytes are generated; the next K lies in a "
	    "buffer beside output until it is set and wiped; a reseed may be "
	    "late by one cache-line transfer.",
	.ra_flags	= RA_FORTUNA_BYTES,
	.ra_knobs	= RK_HYBRID_BYTES | RK_POOL_HASH,
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_size	= sizeof(struct fortuna),
	.ra_init	= random_fortuna_init_alg,
	.ra_fini	= random_fortuna_deinit_alg,
	.ra_pre_read	= gen_hybrid_pre_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_read	= gen_hybrid_read,
	.ra_event_processor = random_fortuna_process_noted,
	.ra_wait_seeded	= random_fortuna_wait_seeded,
	.ra_status	= random_fortuna_status,
	.ra_core	= random_fortuna_core,
};
