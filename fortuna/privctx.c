/*
 * OpenBSD's generator: one ChaCha context with a buffer, under one mutex; a
 * large read gets a context of its own.
 *
 * Stands for _rs_rekey(), _rs_random_buf() and randomread() of sys/dev/rnd.c,
 * OpenBSD 7.  A refill of 1024 bytes replaces key and nonce by its first 40;
 * the others are answers.  A nonce is the upper half of the counter.
 *
 * Departs: entropy and the times of reseeds are dev/random/crng.h's, where
 * OpenBSD has a pool of 2048 words, SHA-512, and a timer of 10 minutes.  A new
 * context is drawn from the base there.
 */
#include <dev/random/crng.h>

#define	PRIVCTX_BUFFER	1024
#define	PRIVCTX_NONCE	8
#define	PRIVCTX_SEED	(RANDOM_KEYSIZE + PRIVCTX_NONCE)
#define	PRIVCTX_LARGE	2048	/* bytes; more gets its own context */
#define	PRIVCTX_STIR	1600000	/* bytes until a reseed in any case */

/* All but pc_stir under pc_crng's mutex. */
static struct {
	/* What each read uses is on one line. */
	size_t		pc_next;	/* in the buffer; its size: empty */
	size_t		pc_left;	/* until a reseed */
	uint64_t	pc_nonce;
	struct crng	pc_crng;
	uint8_t		pc_buffer[PRIVCTX_BUFFER];
	/* The read that clears it reseeds. */
	volatile u_int	pc_stir __aligned(CACHE_LINE_SIZE);
} privctx = { .pc_next = PRIVCTX_BUFFER };

static void
privctx_init(void *arg __unused)
{
	mtx_init(&privctx.pc_crng.lock, "rndlock", NULL, MTX_DEF);
}
SYSINIT(random_privctx, SI_SUB_RANDOM, SI_ORDER_SECOND, privctx_init, NULL);

/* Makes a buffer, and the next key and nonce of its first bytes. */
static void
privctx_refill(void)
{
	uint128_t counter = (uint128_t)privctx.pc_nonce << 64;

	randomdev_keystream(&privctx.pc_crng.key, &counter, privctx.pc_buffer,
	    PRIVCTX_BUFFER);
	randomdev_encrypt_init(&privctx.pc_crng.key, privctx.pc_buffer);
	privctx.pc_nonce = le64dec(privctx.pc_buffer + RANDOM_KEYSIZE);
	explicit_bzero(privctx.pc_buffer, PRIVCTX_SEED);
	privctx.pc_next = PRIVCTX_SEED;
}

/* Returns bytes of the buffer, and clears them there. */
static void
privctx_take(uint8_t *buf, size_t n)
{
	size_t run;

	mtx_lock(&privctx.pc_crng.lock);
	/* Of the base's generation; what is left in the buffer is dropped. */
	if (crng_is_old(&privctx.pc_crng)) {
		crng_derive(&privctx.pc_crng);
		explicit_bzero(privctx.pc_buffer, PRIVCTX_BUFFER);
		privctx.pc_next = PRIVCTX_BUFFER;
		privctx.pc_nonce = 0;
		privctx.pc_left = PRIVCTX_STIR;
	}
	if (privctx.pc_left > n)
		privctx.pc_left -= n;
	else
		atomic_store_int(&privctx.pc_stir, 1);
	for (; n > 0; n -= run, buf += run) {
		if (privctx.pc_next == PRIVCTX_BUFFER)
			privctx_refill();
		run = MIN(n, PRIVCTX_BUFFER - privctx.pc_next);
		memcpy(buf, privctx.pc_buffer + privctx.pc_next, run);
		explicit_bzero(privctx.pc_buffer + privctx.pc_next, run);
		privctx.pc_next += run;
	}
	mtx_unlock(&privctx.pc_crng.lock);
}

static void
privctx_read(uint8_t *buf, size_t n)
{
	uint8_t seed[PRIVCTX_SEED];

	if (atomic_load_int(&privctx.pc_stir) != 0 &&
	    atomic_cmpset_acq_int(&privctx.pc_stir, 1, 0))
		crng_reseed();
	if (n <= PRIVCTX_LARGE) {
		privctx_take(buf, n);
		return;
	}
	privctx_take(seed, sizeof(seed));
	crng_generate(seed, (uint128_t)le64dec(seed + RANDOM_KEYSIZE) << 64,
	    buf, n);
	explicit_bzero(seed, sizeof(seed));
}

const struct random_algorithm random_alg_context = {
	.ra_ident	= "OpenBSD",
	.ra_poolcount	= 1,
	.ra_pre_read	= crng_pre_read,
	.ra_read	= privctx_read,
	.ra_seeded	= crng_ready,
	.ra_event_processor = crng_process_event,
};

RANDOM_CLAIMS(.rm_key = &base_crng.key, .rm_lag = 1,
    .rm_stored_bytes = PRIVCTX_BUFFER - PRIVCTX_SEED,
    .rm_reseeds = &crng_reseeds);
