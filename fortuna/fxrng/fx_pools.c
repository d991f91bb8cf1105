/*
 * Pools, and the task that reseeds from them.
 */
#include "fx.h"

#define	FX_INTERVAL_MAX	3600	/* s */
#define	FX_TURNS	3	/* of intervals, and of pools */
#define	FX_FIRST_BYTES	32	/* of a good source after a reseed: pool 0 */

CTASSERT(ENTROPYSOURCE <= 32);

static struct mtx fx_pools_mtx;
static blake2b_state fx_pool[FX_POOLS];
static u_int fx_active = 1;
static uint8_t fx_first[ENTROPYSOURCE];
static uint32_t fx_seen;		/* a bit for each source */
static struct timeout_task fx_timer;
static u_int fx_interval = 1;		/* s */
static uint64_t fx_turns;		/* at the longest interval */

static void
fx_timer_set(sbintime_t delay)
{
	taskqueue_enqueue_timeout_sbt(taskqueue_thread, &fx_timer, delay, 0,
	    C_PREL(2));
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
bool
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
fx_timer_run(void *context __unused, int pending __unused)
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

void
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

static void
fx_pools_init(void *arg __unused)
{
	mtx_init(&fx_pools_mtx, "fx entropy pool lock", NULL, MTX_DEF);
	for (u_int i = 0; i < FX_POOLS; i++)
		blake2b_init(&fx_pool[i], FX_DIGEST);
	TIMEOUT_TASK_INIT(taskqueue_thread, &fx_timer, 0, fx_timer_run, NULL);
}
SYSINIT(fx_pools, SI_SUB_RANDOM, SI_ORDER_SECOND, fx_pools_init, NULL);
