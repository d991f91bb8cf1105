/*
 * The root, the CPUs' generators, and reads.
 */
#include "fx.h"

struct fx_rng fx_root;
volatile u_int fx_generation __aligned(CACHE_LINE_SIZE);
DPCPU_DEFINE_STATIC(struct fx_rng *, fx_cpu);

static void
fx_init(struct fx_rng *fr, const char *name)
{
	mtx_init(&fr->fr_mtx, name, NULL, MTX_DEF);
	fr->fr_next = FX_BUFFER;
}

static void
fx_set_key(struct fx_rng *fr, uint8_t newkey[static RANDOM_KEYSIZE])
{
	randomdev_encrypt_init(&fr->fr_key, newkey);
	explicit_bzero(newkey, RANDOM_KEYSIZE);
}

void
fx_reseed(const void *data, size_t n, const void *more, size_t m)
{
	uint8_t digest[FX_DIGEST];
	blake2b_state mix;

	mtx_assert(&fx_root.fr_mtx, MA_OWNED);
	blake2b_init(&mix, FX_DIGEST);
	if (fx_root.fr_generation != 0) {
		randomdev_keystream(&fx_root.fr_key, &fx_root.fr_counter,
		    digest, RANDOM_KEYSIZE);
		blake2b_update(&mix, digest, RANDOM_KEYSIZE);
	}
	blake2b_update(&mix, data, n);
	if (m > 0)
		blake2b_update(&mix, more, m);
	blake2b_final(&mix, digest, FX_DIGEST);
	fx_set_key(&fx_root, digest);
	explicit_bzero(digest, sizeof(digest));
	fx_root.fr_generation++;
	atomic_store_rel_int(&fx_generation, fx_root.fr_generation);
}

/* Returns bytes of the buffer, and clears them there. */
static void
fx_take(struct fx_rng *fr, uint8_t *buf, size_t n)
{
	memcpy(buf, fr->fr_buffer + fr->fr_next, n);
	explicit_bzero(fr->fr_buffer + fr->fr_next, n);
	fr->fr_next += n;
}

/* With the mutex; n is less than the buffer. */
static void
fx_get(struct fx_rng *fr, uint8_t *buf, size_t n)
{
	uint8_t newkey[RANDOM_KEYSIZE];
	const size_t left = FX_BUFFER - fr->fr_next;

	mtx_assert(&fr->fr_mtx, MA_OWNED);
	if (left < n) {
		fx_take(fr, buf, left);
		randomdev_keystream(&fr->fr_key, &fr->fr_counter, newkey,
		    sizeof(newkey));
		randomdev_keystream(&fr->fr_key, &fr->fr_counter,
		    fr->fr_buffer, FX_BUFFER);
		fx_set_key(fr, newkey);
		fr->fr_next = 0;
		buf += left;
		n -= left;
	}
	fx_take(fr, buf, n);
}

/*
 * Gives fr a key of the root, whose mutex it releases.  fr's is owned, or it
 * has no other user yet.
 */
static void
fx_follow(struct fx_rng *fr)
{
	uint8_t newkey[RANDOM_KEYSIZE];

	KASSERT(fx_root.fr_generation != 0, ("read while unseeded"));
	fr->fr_generation = fx_root.fr_generation;
	fx_get(&fx_root, newkey, sizeof(newkey));
	mtx_unlock(&fx_root.fr_mtx);
	fx_set_key(fr, newkey);
	explicit_bzero(fr->fr_buffer, sizeof(fr->fr_buffer));
	fr->fr_next = FX_BUFFER;
}

/* A CPU's generator; the root where there is no memory. */
static struct fx_rng *
fx_new(void)
{
	struct fx_rng *fr = malloc_domainset(sizeof(*fr), M_ENTROPY,
	    DOMAINSET_PREF(get_pcpu()->pc_domain), M_NOWAIT | M_ZERO);

	if (fr == NULL)
		return (&fx_root);
	fx_init(fr, "fx cpu generator");
	mtx_lock(&fx_root.fr_mtx);
	fx_follow(fr);
	return (fr);
}

/* That of the CPU, made by the first of its readers that comes to an end. */
static struct fx_rng *
fx_of_cpu(struct fx_rng **at)
{
	struct fx_rng *fr = (void *)atomic_load_acq_ptr((uintptr_t *)at);
	uintptr_t other = 0;

	if (__predict_true(fr != NULL))
		return (fr);
	fr = fx_new();
	if (fr == &fx_root)
		return (fr);
	while (!atomic_fcmpset_ptr((uintptr_t *)at, &other, (uintptr_t)fr))
		if (other != 0) {
			free(fr, M_ENTROPY);
			return ((struct fx_rng *)other);
		}
	return (fr);
}

/* Generates past the buffer, without the mutex, which it releases. */
static void
fx_read_large(struct fx_rng *fr, uint8_t *buf, size_t n)
{
	uint8_t newkey[RANDOM_KEYSIZE];
	union randomdev_key copy;
	uint128_t counter;

	randomdev_keystream(&fr->fr_key, &fr->fr_counter, newkey,
	    sizeof(newkey));
	memcpy(&copy, &fr->fr_key, sizeof(copy));
	counter = fr->fr_counter;
	uint128_add64(&fr->fr_counter, howmany(n, random_chachamode ?
	    CHACHA_BLOCKLEN : RANDOM_BLOCKSIZE));
	fx_set_key(fr, newkey);
	mtx_unlock(&fr->fr_mtx);
	randomdev_keystream_cut(&copy, &counter, buf, n);
	explicit_bzero(&copy, sizeof(copy));
}

static void
fx_read_of(struct fx_rng *fr, uint8_t *buf, size_t n)
{
	mtx_lock(&fr->fr_mtx);
	/* The root's mutex comes first. */
	if (fr->fr_generation != atomic_load_acq_int(&fx_generation)) {
		mtx_unlock(&fr->fr_mtx);
		mtx_lock(&fx_root.fr_mtx);
		mtx_lock(&fr->fr_mtx);
		if (fr->fr_generation == fx_root.fr_generation)
			mtx_unlock(&fx_root.fr_mtx);
		else
			fx_follow(fr);
	}
	if (n < FX_BUFFER) {
		fx_get(fr, buf, n);
		mtx_unlock(&fr->fr_mtx);
	} else {
		fx_read_large(fr, buf, n);
	}
}

static void
fx_read(uint8_t *buf, size_t n)
{
	fx_read_of(fx_of_cpu(DPCPU_PTR(fx_cpu)), buf, n);
}

static void
fx_read_init(void *arg __unused)
{
	DPCPU_ZERO(fx_cpu);
	fx_init(&fx_root, "fx root generator");
}
SYSINIT(fx_read, SI_SUB_RANDOM, SI_ORDER_SECOND, fx_read_init, NULL);

const struct random_algorithm random_alg_context = {
	.ra_ident	= "FenestrasX",
	.ra_poolcount	= FX_POOLS,
	.ra_pre_read	= (void (*)(void))nullop,
	.ra_read	= fx_read,
	.ra_seeded	= fx_seeded,
	.ra_event_processor = fx_event,
};

/* Keys drawn from the root's buffer may be of any generation. */
RANDOM_CLAIMS(.rm_key = &fx_root.fr_key, .rm_lag = RANDOM_ANY,
    .rm_stored_bytes = FX_BUFFER, .rm_never_blocks = true,
    .rm_reseeds = &fx_root.fr_generation);
