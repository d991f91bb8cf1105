/*
 * OpenBSD's generator: one ChaCha context with a buffer, under one mutex; a
 * large request gets a context of its own.
 *
 * Stands for _rs_rekey(), _rs_random_buf() and randomread() of
 * sys/dev/rnd.c, OpenBSD 7.  A refill of 1024 bytes replaces key and nonce by
 * its first 40; the others are answers.
 *
 * Departs: entropy and the times of reseeds are gen_percpu.c's, where OpenBSD
 * has a pool of 2048 words, SHA-512, and a timer of 10 minutes.  A new context
 * is drawn from the base there.
 */
#include "fortuna/percpu.h"

enum {
	PRIVCTX_BUFFER	= 1024,
	PRIVCTX_NONCE	= 8,
	PRIVCTX_SEED	= CIPHER_KEY_BYTES + PRIVCTX_NONCE,
	PRIVCTX_LARGE	= 2048,		/* more gets its own context */
	PRIVCTX_STIR	= 1600000	/* bytes until a reseed in any case */
};

CTASSERT(PRIVCTX_BUFFER % CIPHER_STUB_BYTES == 0);

struct privctx {
	struct percpu	 px_kernel;	/* first; p_cpu[0] is the context */
	/* Under its pc_mtx. */
	uint64_t	 px_lineage;	/* of the buffer, for the ledger */
	uint64_t	 px_nonce;
	size_t		 px_next;	/* in the buffer; its size: empty */
	uint64_t	 px_left;	/* until a reseed */
	uint8_t		 px_buffer[PRIVCTX_BUFFER];
	/* Set under it; the read that clears it reseeds. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 px_stir;
};

static inline struct privctx *
privctx_of(struct generator *g)
{
	return ((struct privctx *)(void *)g);
}

static int
gen_privctx_init(struct generator *g, const struct generator_params *params)
{
	struct generator_params one = *params;
	struct privctx *px = privctx_of(g);

	one.gp_places = 1;
	px->px_next = PRIVCTX_BUFFER;
	atomic_init_32(&px->px_stir, 0);
	return (percpu_init(g, &one));
}

/* A nonce is the upper half of the counter. */
static uint128_t
privctx_counter(const uint8_t nonce[PRIVCTX_NONCE])
{
	uint64_t hi;

	memcpy(&hi, nonce, sizeof(hi));
	return (uint128_make(hi, 0));
}

/* Makes a buffer, and the next key and nonce of its first bytes. */
static void
privctx_refill(struct privctx *px, struct cipher_key *ck)
{
	/* Stubs write no more in one call. */
	const size_t piece = cipher_is_stub(ck->ck_cipher) ?
	    CIPHER_STUB_BYTES : PRIVCTX_BUFFER;
	uint128_t ctr = uint128_make(px->px_nonce, 0);

	for (size_t at = 0; at < PRIVCTX_BUFFER; at += piece)
		cipher_keystream(ck, &ctr, px->px_buffer + at, piece);
	machine_charge(COST_KEYSTREAM, PRIVCTX_BUFFER);
	px->px_lineage = ledger_lineage(ledger_of(ck->ck_cipher));
	cipher_key_set(ck, px->px_buffer);
	machine_charge(COST_KEY_SET, 1);
	px->px_nonce = uint128_hi(privctx_counter(px->px_buffer +
	    CIPHER_KEY_BYTES));
	wipe(px->px_buffer, PRIVCTX_SEED);
	px->px_next = PRIVCTX_SEED;
}

/* Moves all that uio lacks; the mutex is owned. */
static void
privctx_take(struct privctx *px, struct cipher_key *ck, struct uio *uio)
{
	size_t n;

	for (; uio->uio_resid > 0; px->px_next += n) {
		if (px->px_next == PRIVCTX_BUFFER)
			privctx_refill(px, ck);
		else
			ledger_set_lineage(ledger_of(ck->ck_cipher),
			    px->px_lineage);
		n = PRIVCTX_BUFFER - px->px_next;
		n = uio->uio_resid < n ? (size_t)uio->uio_resid : n;
		uio_move(uio, px->px_buffer + px->px_next, n);
	}
}

/* A context of the base's generation; what is left in the buffer is dropped. */
static void
privctx_follow(struct privctx *px, struct percpu_cpu *pc)
{
	percpu_derive(&px->px_kernel, pc);
	wipe(px->px_buffer, PRIVCTX_BUFFER);
	px->px_next = PRIVCTX_BUFFER;
	px->px_nonce = 0;
	px->px_left = PRIVCTX_STIR;
}

static void
gen_privctx_read(struct generator *g, struct generator_reader *gr,
    struct uio *uio)
{
	struct privctx *px = privctx_of(g);
	struct percpu_cpu *pc = px->px_kernel.p_cpu;
	const bool large = uio->uio_resid > PRIVCTX_LARGE;
	uint8_t seed[PRIVCTX_SEED];
	struct uio own = uio_buffer(seed, sizeof(seed));
	struct uio *from = large ? &own : uio;
	struct lock_node node;

	if (atomic_load_32(&px->px_stir) != 0 &&
	    atomic_cmpset_acq_32(&px->px_stir, 1, 0))
		percpu_reseed(&px->px_kernel);
	lock_acquire(&pc->pc_mtx, &node, SITE_READ);
	machine_touch(&pc->pc_crng, PERCPU_KEY_LINES);
	machine_touch(px->px_buffer, 1);
	if (pc->pc_crng.cr_generation !=
	    atomic_load_64(&px->px_kernel.p_generation))
		privctx_follow(px, pc);
	if (px->px_left > from->uio_resid)
		px->px_left -= from->uio_resid;
	else
		atomic_store_32(&px->px_stir, 1);
	privctx_take(px, &pc->pc_crng.cr_key, from);
	lock_release(&pc->pc_mtx, &node);
	if (!large)
		return;
	percpu_generate(gr->gr_spare, seed,
	    privctx_counter(seed + CIPHER_KEY_BYTES), uio);
	wipe(seed, sizeof(seed));
}

RANDOM_ALGORITHM(privctx) = {
	.ra_ident	= "privctx",
	.ra_descr	= "OpenBSD: one buffer; a context for each large read",
	.ra_stands	= "OpenBSD's arc4random in the kernel, "
	    "sys/dev/rnd.c.",
	.ra_argument	= "Up to 984 bytes of future output of all CPUs, and "
	    "the key of what follows, lie in one buffer; an attacker who reads "
	    "it can follow all readers until the next reseed.  Returned bytes "
	    "are wiped, and each refill replaces the key, so earlier output is "
	    "safe.  A read of more than 2048 bytes takes 40 bytes as a key of "
	    "its own and generates without the mutex; it is as good as what "
	    "it was drawn from.  All entropy goes through one pool: nothing "
	    "is held back as in Fortuna's.",
	.ra_flags	= RA_MANY_LOCKS | RA_UNCOUNTED,
	.ra_poolcount	= 1,
	.ra_lag		= 1,
	.ra_stored_bytes = PRIVCTX_BUFFER - PRIVCTX_SEED,
	.ra_size	= sizeof(struct privctx),
	.ra_init	= gen_privctx_init,
	.ra_fini	= percpu_fini,
	.ra_pre_read	= percpu_pre_read,
	.ra_seeded	= percpu_seeded,
	.ra_read	= gen_privctx_read,
	.ra_event_processor = percpu_event,
	.ra_timer	= percpu_timer,
	.ra_wait_seeded	= percpu_wait_seeded,
	.ra_status	= percpu_status,
};
