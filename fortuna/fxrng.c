/*
 * FenestrasX: a root, and under it a buffered generator for each CPU, after
 * that of Windows 10.  The bytes are FreeBSD's, sys/dev/random/fenestrasX, with
 * ChaCha20.
 *
 * A key is replaced with every generation of output, by keystream that is drawn
 * before that output, and its counter goes on.  A CPU's key is drawn from the
 * root like any output: four come from one refill, and a reseed leaves the
 * root's buffer as it is, so that up to three CPUs take keys without the new
 * entropy.
 *
 * Departs: a callout reseeds, at its time; every event has entropy, so a
 * source's first event is its first with entropy; sources are tested, and those
 * newer than that generator are good ones if they are hardware.  With AES a
 * request is rounded up to whole blocks, and one of any length has one key.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/callout.h>
#include <sys/domainset.h>
#include <sys/fail.h>
#include <sys/kernel.h>
#include <sys/lock.h>
#include <sys/malloc.h>
#include <sys/mutex.h>
#include <sys/pcpu.h>
#include <sys/random.h>

#include <machine/atomic.h>

#include <contrib/libb2/blake2.h>

#include <dev/random/hash.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>
#include <dev/random/uint128.h>

#include <random_abi.h>

#define	FX_BUFFER	128	/* bytes; a larger read goes past it */
#define	FX_POOLS	8
#define	FX_DIGEST	BLAKE2B_OUTBYTES

#define	FX_INTERVAL_MAX	3600	/* s */
#define	FX_TURNS	3	/* of intervals, and of pools */
#define	FX_FIRST_BYTES	32	/* of a good source after a reseed: pool 0 */

CTASSERT(ENTROPYSOURCE <= 32);
CTASSERT(FX_BUFFER % RANDOM_BLOCKSIZE == 0);
CTASSERT(FX_DIGEST >= RANDOM_KEYSIZE);

struct fx_rng {
	struct mtx	fr_mtx;
	u_int		fr_generation;	/* of fr_key; 0: none */
	uint128_t	fr_counter;
	union randomdev_key fr_key;
	u_int		fr_next;	/* in the buffer; its size: empty */
	uint8_t		fr_buffer[FX_BUFFER];
};

static struct mtx fx_pools_mtx;
static blake2b_state fx_pool[FX_POOLS];
static u_int fx_active = 1;
static uint8_t fx_first[ENTROPYSOURCE];
static uint32_t fx_seen;		/* a bit for each source */
static struct callout fx_timer;
static callout_func_t fx_timer_run;
static u_int fx_interval = 1;		/* s */
static uint64_t fx_turns;		/* at the longest interval */

DPCPU_DEFINE_STATIC(struct fx_rng *, fx_cpu);
/* Its mutex comes after that of the pools and before those of CPUs. */
static struct fx_rng fx_root;
static volatile u_int fx_generation __aligned(CACHE_LINE_SIZE);

static void
fx_rng_init(struct fx_rng *fr, const char *name)
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

/* Mixes n bytes, and m more, into the root, whose mutex is owned. */
static void
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

static void
fx_timer_set(sbintime_t delay)
{
	callout_reset_sbt(&fx_timer, delay, 0, fx_timer_run, NULL, C_PREL(2));
}

/* Reseeds the root from pools 0 to n - 1; their mutex is owned. */
static void
fx_drain(u_int n)
{
	uint8_t digest[FX_POOLS * FX_DIGEST];

	mtx_assert(&fx_pools_mtx, MA_OWNED);
	for (u_int i = 0; i < n; i++) {
		blake2b_final(&fx_pool[i], digest + i * FX_DIGEST, FX_DIGEST);
		blake2b_init(&fx_pool[i], FX_DIGEST);
	}
	mtx_lock(&fx_root.fr_mtx);
	fx_reseed(digest, n * FX_DIGEST, NULL, 0);
	mtx_unlock(&fx_root.fr_mtx);
	explicit_bzero(digest, n * FX_DIGEST);
	bzero(fx_first, sizeof(fx_first));
}

/* The first to ask seeds, whatever there is. */
static bool
fx_seeded(void)
{
	bool first;

	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_seeded, {
		return (false);
	});
	if (__predict_true(atomic_load_acq_int(&fx_generation) != 0))
		return (true);
	mtx_lock(&fx_pools_mtx);
	first = atomic_load_acq_int(&fx_generation) == 0;
	if (first)
		fx_drain(1);
	mtx_unlock(&fx_pools_mtx);
	if (first) {
		randomdev_unblock();
		fx_timer_set(SBT_1S);
	}
	return (true);
}

/*
 * At the longest interval: how many pools take part.  Every 3^k-th reseed has
 * pools 0 to k; if k is not active yet, it becomes so after that reseed.
 */
static u_int
fx_turn(void)
{
	uint64_t k = ++fx_turns;
	u_int n;

	for (n = 1; n < MIN(fx_active + 1, FX_POOLS) && k % FX_TURNS == 0; n++)
		k /= FX_TURNS;
	return (n);
}

static void
fx_timer_run(void *context __unused)
{
	u_int n = 1;

	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_pre_read, {
		fx_timer_set(SBT_1NS);
		return;
	});
	mtx_lock(&fx_pools_mtx);
	if (fx_interval == FX_INTERVAL_MAX)
		n = fx_turn();
	fx_drain(MIN(n, fx_active));
	fx_active = MAX(n, fx_active);
	mtx_unlock(&fx_pools_mtx);
	fx_interval = MIN(fx_interval * FX_TURNS, FX_INTERVAL_MAX);
	fx_timer_set(fx_interval * SBT_1S);
}

static bool
fx_good(u_int source)
{
	return (source == RANDOM_CACHED || (source >= RANDOM_PURE_START &&
	    source != RANDOM_PURE_RNDTEST));
}

/*
 * A source's first event goes to the root, as soon as that has a key.  The
 * pools' mutex, which it releases, keeps others from seeding without it.
 */
static void
fx_event_first(const struct harvest_event *event)
{
	mtx_lock(&fx_root.fr_mtx);
	if (fx_root.fr_generation != 0) {
		mtx_unlock(&fx_pools_mtx);
		fx_reseed(&event->he_somecounter, sizeof(event->he_somecounter),
		    event->he_entropy, event->he_size);
		mtx_unlock(&fx_root.fr_mtx);
		return;
	}
	mtx_unlock(&fx_root.fr_mtx);
	blake2b_update(&fx_pool[0], &event->he_somecounter,
	    sizeof(event->he_somecounter));
	blake2b_update(&fx_pool[0], event->he_entropy, event->he_size);
	mtx_unlock(&fx_pools_mtx);
}

/* Of an event that is split, its last bytes go to pool 0. */
static void
fx_event_later(const struct harvest_event *event)
{
	const u_int source = event->he_source;
	u_int first = 0, pool, rest;

	if (fx_active > 1 && fx_good(source))
		first = MIN(FX_FIRST_BYTES - fx_first[source], event->he_size);
	fx_first[source] += first;
	rest = event->he_size - first;
	pool = rest == 0 ? 0 : event->he_destination % fx_active;
	if (first > 0)
		blake2b_update(&fx_pool[0],
		    (const uint8_t *)event->he_entropy + rest, first);
	if (rest > 0)
		blake2b_update(&fx_pool[pool], event->he_entropy, rest);
	blake2b_update(&fx_pool[pool], &event->he_somecounter,
	    sizeof(event->he_somecounter));
}

static void
fx_event(struct harvest_event *event)
{
	const uint32_t bit = 1u << event->he_source;

	mtx_lock(&fx_pools_mtx);
	if (!random_harvest_healthtest(event)) {
		mtx_unlock(&fx_pools_mtx);
	} else if ((fx_seen & bit) == 0) {
		fx_seen |= bit;
		fx_event_first(event);
	} else {
		fx_event_later(event);
		mtx_unlock(&fx_pools_mtx);
	}
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
	fx_rng_init(fr, "fx cpu generator");
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
	while (!atomic_fcmpset_rel_ptr((uintptr_t *)at, &other, (uintptr_t)fr))
		if (other != 0) {
			zfree(fr, M_ENTROPY);
			return ((void *)atomic_load_acq_ptr((uintptr_t *)at));
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
fx_init(void *arg __unused)
{
	DPCPU_ZERO(fx_cpu);
	fx_rng_init(&fx_root, "fx root generator");
	mtx_init(&fx_pools_mtx, "fx entropy pool lock", NULL, MTX_DEF);
	for (u_int i = 0; i < FX_POOLS; i++)
		blake2b_init(&fx_pool[i], FX_DIGEST);
	callout_init(&fx_timer, 1);
}
SYSINIT(fx, SI_SUB_RANDOM, SI_ORDER_SECOND, fx_init, NULL);

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
