/*
 * Linux's design since 5.18: a key for each CPU, which only reads on that CPU
 * use, and a base key that gives each of them a new one after a reseed.
 *
 * Stands for crng_make_state(), get_random_bytes_user(), crng_reseed(),
 * mix_pool_bytes() and credit_init_bits() of drivers/char/random.c; the bytes
 * are fortuna/crng.h's.
 *
 * Departs: a CPU's key has a lock of the chosen kind, where the kernel's
 * local_lock switches interrupts off, which a program cannot; hence two readers
 * may meet there when one moves to another CPU between choosing the key and
 * locking it.  The kernel reseeds from a work item, here the harvest thread
 * does; its vDSO and its batches of integers are left out.
 */
#include "fortuna/percpu.h"

void
percpu_pre_read(struct generator *g)
{
	(void)g;
}

/* With ChaCha20 one block holds the key and the second half. */
static void
charge_erasure(const struct cipher *cipher)
{
	const size_t key_bytes = (size_t)cipher->ci_rekey_blocks *
	    cipher->ci_block_bytes;

	machine_charge(COST_REKEY, 1);
	if (key_bytes < CRNG_ERASURE_BYTES)
		machine_charge(COST_KEYSTREAM_MORE, CRNG_ERASURE_BYTES -
		    key_bytes);
}

void
percpu_derive(struct percpu *p, struct percpu_cpu *pc)
{
	struct lock_node node;

	lock_acquire(&p->p_base_mtx, &node, SITE_ROOT);
	machine_touch(&p->p_base, PERCPU_KEY_LINES);
	KASSERT(p->p_reseeds > 0, ("read while unseeded"));
	crng_derive(&pc->pc_crng, &p->p_base);
	charge_erasure(p->p_generator.g_cipher);
	machine_charge(COST_WIPE, 1);
	lock_release(&p->p_base_mtx, &node);
}

void
percpu_generate(struct cipher_key *ck, const uint8_t key[CIPHER_KEY_BYTES],
    uint128_t ctr, struct uio *uio)
{
	size_t n;

	cipher_key_set(ck, key);
	machine_charge(COST_WIPE, 1);
	while (uio->uio_resid > 0) {
		n = uio_room(uio);
		cipher_keystream_cut(ck, &ctr, uio->uio_base, n);
		machine_charge(COST_KEYSTREAM, n);
		uio_advance(uio, n);
	}
	cipher_key_wipe(ck);
	machine_charge(COST_WIPE, 1);
}

void
percpu_read(struct generator *g, struct generator_reader *gr,
    struct uio *uio)
{
	struct percpu *p = percpu_of(g);
	struct percpu_cpu *pc = &p->p_cpu[generator_place(gr, p->p_places)];
	uint8_t out[CIPHER_KEY_BYTES];
	struct lock_node node;
	size_t n;

	lock_acquire(&pc->pc_mtx, &node, SITE_READ);
	machine_touch(&pc->pc_crng, PERCPU_KEY_LINES);
	if (pc->pc_crng.cr_generation != atomic_load_64(&p->p_generation))
		percpu_derive(p, pc);
	crng_erase(&pc->pc_crng, out);
	charge_erasure(p->p_generator.g_cipher);
	lock_release(&pc->pc_mtx, &node);
	if (uio->uio_resid > CRNG_INLINE_BYTES) {
		percpu_generate(gr->gr_spare, out,
		    crng_counter(p->p_generator.g_cipher), uio);
	} else if (uio->uio_resid > 0) {
		n = (size_t)uio->uio_resid;
		memcpy(uio->uio_base, out, n);
		uio_advance(uio, n);
	}
	wipe(out, sizeof(out));
}

void
percpu_reseed(struct percpu *p)
{
	uint8_t key[CIPHER_KEY_BYTES];
	struct lock_node node;

	lock_acquire(&p->p_pool_mtx, &node, SITE_RESEED);
	machine_touch(&p->p_pool, PERCPU_POOL_LINES);
	crng_pool_extract(&p->p_pool, key);
	machine_charge(COST_DIGEST, 1);
	lock_release(&p->p_pool_mtx, &node);

	lock_acquire(&p->p_base_mtx, &node, SITE_ROOT);
	machine_touch(&p->p_base, PERCPU_KEY_LINES);
	crng_base_set(&p->p_base, key);
	p->p_reseeds++;
	atomic_store_64(&p->p_generation, p->p_base.cr_generation);
	if (atomic_load_32(&p->p_ready) == 0) {
		atomic_store_rel_32(&p->p_ready, 1);
		machine_wake_32(&p->p_ready);
	}
	lock_release(&p->p_base_mtx, &node);
}

void
percpu_event(struct generator *g, const struct harvest_event *event)
{
	struct percpu *p = percpu_of(g);
	struct lock_node node;
	bool ready = false;

	lock_acquire(&p->p_pool_mtx, &node, SITE_EVENT);
	if (generator_accepts(g, event)) {
		machine_touch(&p->p_pool, PERCPU_POOL_LINES);
		ready = crng_pool_event(&p->p_pool, event);
		machine_charge(COST_ABSORB, sizeof(event->he_somecounter) +
		    event->he_size);
	}
	lock_release(&p->p_pool_mtx, &node);
	if (ready)
		percpu_reseed(p);
}

void
percpu_timer(struct generator *g, int64_t now_ns)
{
	struct percpu *p = percpu_of(g);

	if (atomic_load_acq_32(&p->p_ready) != 0 &&
	    crng_timer_due(&p->p_timer, now_ns))
		percpu_reseed(p);
}

RANDOM_ALGORITHM(percpu) = {
	.ra_ident	= "percpu",
	.ra_descr	= "Linux since 5.18: a base key and one for each CPU",
	.ra_stands	= "Linux since 5.18, drivers/char/random.c.",
	.ra_argument	= "A CPU's output depends on that CPU's key alone.  "
	    "Each read replaces the key before it answers, so later state does "
	    "not reveal earlier output; two readers on one CPU, one of which "
	    "has just migrated, get different keys under its lock.  An "
	    "attacker who learns a CPU's key can follow that CPU until the "
	    "base key's next generation and the CPU's next read.  All entropy "
	    "goes through one pool into one key every 60 seconds: unlike "
	    "Fortuna, no pools are held back against an attacker who knows "
	    "most of the sources.  After each reseed every CPU takes the "
	    "base's lock once, all at about the same time.",
	.ra_flags	= RA_MANY_LOCKS | RA_UNCOUNTED,
	.ra_poolcount	= 1,
	/* p_generation is written after the base's key. */
	.ra_lag		= 1,
	.ra_size	= sizeof(struct percpu),
	.ra_init	= percpu_init,
	.ra_fini	= percpu_fini,
	.ra_pre_read	= percpu_pre_read,
	.ra_seeded	= percpu_seeded,
	.ra_read	= percpu_read,
	.ra_event_processor = percpu_event,
	.ra_timer	= percpu_timer,
	.ra_wait_seeded	= percpu_wait_seeded,
	.ra_status	= percpu_status,
};
