/*
 * Apple's kernel generator: Fortuna's pools, and a generator for each CPU that
 * a reseed gives another key while it answers.
 *
 * Stands for cckprng of corecrypto, as its header describes it, 2018 to 2022,
 * and read_random() of xnu's osfmk/prng: a CPU's generator has a lock of its
 * own and answers at most 256 bytes a call; a refresh by a reader returns at
 * once if another thread has the lock of the shared state.  A reseed sets the
 * other one of a generator's two keys and then swaps them.
 *
 * Departs: pools, events and the times of reseeds are FreeBSD's; seeds that
 * users write are left out.
 */
#include <errno.h>
#include <stdlib.h>

#include "fortuna/fortuna.h"

enum {
	CCKPRNG_MOST	= 256,		/* bytes a call */
	CCKPRNG_LINES	= 1		/* of a key, as the lock's own */
};

/* A CPU's, on lines of its own. */
struct cckprng_gen {
	struct lock	 cg_mtx;
	/* Under it; the other key is the reseed's. */
	unsigned	 cg_used;
	uint128_t	 cg_counter;
	struct cipher_key *cg_key[2];
};

struct cckprng {
	struct fortuna	 cc_fortuna;	/* first; f_mtx: the shared state */
	unsigned	 cc_places;
	struct cckprng_gen *cc_gen;	/* [cc_places] */
	/* Whether a reader refreshes. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 cc_refreshing;
};

static inline struct cckprng *
cckprng_of(struct generator *g)
{
	return ((struct cckprng *)(void *)g);
}

static void
gen_cckprng_fini(struct generator *g)
{
	struct cckprng *cc = cckprng_of(g);

	for (unsigned i = 0; i < cc->cc_places; i++) {
		lock_fini(&cc->cc_gen[i].cg_mtx);
		cipher_key_free(cc->cc_gen[i].cg_key[0]);
		cipher_key_free(cc->cc_gen[i].cg_key[1]);
	}
	free(cc->cc_gen);
	random_fortuna_deinit_alg(g);
}

static int
gen_cckprng_init(struct generator *g, const struct generator_params *params)
{
	const unsigned places = generator_places(params);
	struct cckprng *cc = cckprng_of(g);
	int error = random_fortuna_init_alg(g, params);

	if (error != 0)
		return (error);
	atomic_init_32(&cc->cc_refreshing, 0);
	cc->cc_gen = generator_alloc(places * sizeof(*cc->cc_gen));
	if (cc->cc_gen == NULL)
		error = ENOMEM;
	while (error == 0 && cc->cc_places < places) {
		struct cckprng_gen *cg = &cc->cc_gen[cc->cc_places];

		error = lock_init(&cg->cg_mtx, params->gp_lock, "generator",
		    &params->gp_lock_config, params->gp_prof);
		if (error != 0)
			break;
		cc->cc_places++;
		for (unsigned k = 0; k < 2 && error == 0; k++)
			error = cipher_key_new(&cg->cg_key[k],
			    params->gp_cipher);
	}
	if (error != 0)
		gen_cckprng_fini(g);
	return (error);
}

/* Gives a generator a key of K; answers wait for the swap alone. */
static void
cckprng_rekey(struct cckprng *cc, struct cckprng_gen *cg)
{
	struct fortuna_state *fs = &cc->cc_fortuna.f_state;
	/* Only a thread with f_mtx changes cg_used. */
	struct cipher_key *old = cg->cg_key[cg->cg_used];
	uint8_t key[CIPHER_KEY_BYTES];
	struct lock_node node;

	fortuna_state_genbytes(fs, key, sizeof(key));
	machine_charge(COST_KEYSTREAM, sizeof(key));
	machine_charge(COST_REKEY, 1);
	cipher_key_set(cg->cg_key[cg->cg_used ^ 1], key);
	machine_charge(COST_WIPE, 1);
	wipe(key, sizeof(key));
	lock_acquire(&cg->cg_mtx, &node, SITE_ROOT);
	cg->cg_used ^= 1;
	cg->cg_counter = uint128_make(0, 0);
	lock_release(&cg->cg_mtx, &node);
	cipher_key_wipe(old);
	machine_charge(COST_WIPE, 1);
}

static void
gen_cckprng_pre_read(struct generator *g)
{
	struct cckprng *cc = cckprng_of(g);
	struct fortuna *f = &cc->cc_fortuna;
	const int64_t now_ns = machine_uptime_coarse_ns();
	struct lock_node node;
	unsigned pools;

	/* Until the first reseed, readers wait for it. */
	if (!random_fortuna_maybe_due(f, now_ns, g->g_paced) ||
	    (!atomic_cmpset_acq_32(&cc->cc_refreshing, 0, 1) &&
	    atomic_load_acq_32(&f->f_seeded) != 0))
		return;
	lock_acquire(&f->f_mtx, &node, SITE_PRE_READ);
	pools = fortuna_state_pre_read(&f->f_state, now_ns, g->g_paced);
	if (pools != 0) {
		lock_resite(&f->f_mtx, &node, SITE_RESEED);
		random_fortuna_charge_reseed(f, pools);
		for (unsigned i = 0; i < cc->cc_places; i++)
			cckprng_rekey(cc, &cc->cc_gen[i]);
		random_fortuna_publish(f);
		random_fortuna_note_due(f);
	}
	lock_release(&f->f_mtx, &node);
	atomic_store_rel_32(&cc->cc_refreshing, 0);
}

/* One call: n bytes, and the key that replaces this one. */
static void
cckprng_generate(struct cckprng_gen *cg, struct uio *uio, size_t n)
{
	uint8_t out[CCKPRNG_MOST + CIPHER_BLOCK_MAX_BYTES];
	struct cipher_key *key;
	struct lock_node node;
	size_t block, whole;

	lock_acquire(&cg->cg_mtx, &node, SITE_READ);
	machine_touch(&cg->cg_counter, CCKPRNG_LINES);
	key = cg->cg_key[cg->cg_used];
	block = key->ck_cipher->ci_block_bytes;
	whole = (n + block - 1) / block * block;
	cipher_keystream(key, &cg->cg_counter, out, whole + CIPHER_KEY_BYTES);
	cipher_key_set(key, out + whole);
	machine_charge(COST_KEYSTREAM_MORE, n);
	machine_charge(COST_REKEY, 1);
	lock_release(&cg->cg_mtx, &node);
	uio_move(uio, out, n);
	wipe(out + n, whole + CIPHER_KEY_BYTES - n);
}

static void
gen_cckprng_read(struct generator *g, struct generator_reader *gr,
    struct uio *uio)
{
	struct cckprng *cc = cckprng_of(g);
	struct cckprng_gen *cg;

	while (uio->uio_resid > 0) {
		cg = &cc->cc_gen[generator_place(gr, cc->cc_places)];
		cckprng_generate(cg, uio, uio->uio_resid < CCKPRNG_MOST ?
		    (size_t)uio->uio_resid : CCKPRNG_MOST);
	}
}

RANDOM_ALGORITHM(cckprng) = {
	.ra_ident	= "cckprng",
	.ra_descr	= "Apple: Fortuna's pools, two keys for each CPU",
	.ra_stands	= "Apple's kernel generator, cckprng of corecrypto, as "
	    "its header describes it.",
	.ra_argument	= "A CPU's output depends on that CPU's key alone, "
	    "which each call of at most 256 bytes replaces.  An attacker who "
	    "learns it can follow that CPU until the next reseed, which draws "
	    "a new key from K for every CPU, idle or not.  The reader that "
	    "reseeds does so for all, in time that grows with the CPUs; until "
	    "it reaches a CPU, reads there use the old key, also reads that "
	    "began after K was made.  A large read has as many keys as it has "
	    "pieces, and may be of several generations.",
	.ra_flags	= RA_MANY_LOCKS | RA_UNCOUNTED,
	.ra_knobs	= RK_POOL_HASH,
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_lag		= 1,
	.ra_size	= sizeof(struct cckprng),
	.ra_init	= gen_cckprng_init,
	.ra_fini	= gen_cckprng_fini,
	.ra_pre_read	= gen_cckprng_pre_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_read	= gen_cckprng_read,
	.ra_event_processor = random_fortuna_process_noted,
	.ra_wait_seeded	= random_fortuna_wait_seeded,
	.ra_status	= random_fortuna_status,
};
