/*
 * Apple's kernel generator: Fortuna's pools, and a generator for each CPU that
 * a reseed gives another key while it answers.
 *
 * Stands for cckprng of corecrypto, as its header describes it, 2018 to 2022,
 * and read_random() of xnu's osfmk/prng: a CPU's generator has a mutex of its
 * own and answers at most 256 bytes a call; a refresh by a reader returns at
 * once if another thread refreshes.  A reseed sets the other one of a
 * generator's two keys and then swaps them.
 *
 * Departs: pools, events and the times of reseeds are FreeBSD's; seeds that
 * users write are left out.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/fail.h>
#include <sys/kernel.h>
#include <sys/limits.h>
#include <sys/lock.h>
#include <sys/mutex.h>
#include <sys/pcpu.h>
#include <sys/random.h>
#include <sys/smp.h>
#include <sys/sysctl.h>

#include <machine/atomic.h>

#include <dev/random/fortuna.h>
#include <dev/random/hash.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>
#include <dev/random/uint128.h>

#include <random_abi.h>

#define	CCKPRNG_MOST	256		/* bytes a call */
#define	CCKPRNG_PACE	(SBT_1S / 10)	/* reseeds are more than this apart */
#define	CCKPRNG_NOT_DUE	((uint64_t)INT64_MAX)
#define	CCKPRNG_AT_ONCE	((uint64_t)-1)

/* The shared state, under fs_mtx. */
static struct {
	struct cckprng_pool {			/* P_i */
		u_int	fsp_length;		/* bytes since it was emptied */
		struct randomdev_hash fsp_hash;
	} fs_pool[RANDOM_FORTUNA_NPOOLS];
	u_int		fs_reseedcount;		/* ReseedCnt */
	uint128_t	fs_counter;		/* C; 0: not seeded */
	union randomdev_key fs_key;		/* K */
	u_int		fs_minpoolsize;
	sbintime_t	fs_lasttime;		/* of the last reseed */
	mtx_t		fs_mtx;
} fortuna_state = {
	.fs_minpoolsize	= RANDOM_FORTUNA_DEFPOOLSIZE,
};

/* Written at events and reseeds; read by all CPUs. */
static struct {
	volatile uint64_t cs_due;	/* a reseed is, after this uptime */
	volatile u_int	cs_seeded;	/* all generators have keys */
} cckprng_shared __aligned(CACHE_LINE_SIZE);

/* Whether a reader refreshes. */
static volatile u_int cckprng_refreshing __aligned(CACHE_LINE_SIZE);

/* A CPU's; cg_mtx comes after fs_mtx. */
struct cckprng_gen {
	struct mtx	cg_mtx;
	/* Changes with both mutexes; the other key is the reseed's. */
	u_int		cg_used;
	uint128_t	cg_counter;
	union randomdev_key cg_key[2];
};

DPCPU_DEFINE_STATIC(struct cckprng_gen, cckprng_gen);

static bool cckprng_blocked;

RANDOM_CHECK_UINT(minpoolsize, 16, INT_MAX)

SYSCTL_BOOL(_kern_random, OID_AUTO, block_seeded_status, CTLFLAG_RWTUN,
    &cckprng_blocked, 0, "Report an unseeded generator");
SYSCTL_NODE(_kern_random, OID_AUTO, fortuna, CTLFLAG_RW | CTLFLAG_MPSAFE, 0,
    "Fortuna");
SYSCTL_PROC(_kern_random_fortuna, OID_AUTO, minpoolsize,
    CTLTYPE_UINT | CTLFLAG_RWTUN | CTLFLAG_MPSAFE,
    &fortuna_state.fs_minpoolsize, 0, random_check_uint_minpoolsize, "IU",
    "Bytes of pool 0 that a reseed needs");

static void
cckprng_init(void *arg __unused)
{
	int i;

	RANDOM_RESEED_INIT_LOCK();
	for (i = 0; i < RANDOM_FORTUNA_NPOOLS; i++)
		randomdev_hash_init(&fortuna_state.fs_pool[i].fsp_hash);
	CPU_FOREACH(i)
		mtx_init(&DPCPU_ID_PTR(i, cckprng_gen)->cg_mtx, "generator",
		    NULL, MTX_DEF);
	cckprng_shared.cs_due = CCKPRNG_NOT_DUE;
}
SYSINIT(cckprng, SI_SUB_RANDOM, SI_ORDER_SECOND, cckprng_init, NULL);

/* When the next reseed is due. */
static void
cckprng_note_due(void)
{
	uint64_t due;

	RANDOM_RESEED_ASSERT_LOCK_OWNED();
	if (fortuna_state.fs_pool[0].fsp_length < fortuna_state.fs_minpoolsize)
		due = CCKPRNG_NOT_DUE;
	else if (fortuna_state.fs_reseedcount == 0)
		due = CCKPRNG_AT_ONCE;
	else
		due = (uint64_t)(fortuna_state.fs_lasttime + CCKPRNG_PACE);
	/* The line is all readers': it is written if it changes. */
	if (due != atomic_load_64(&cckprng_shared.cs_due))
		atomic_store_64(&cckprng_shared.cs_due, due);
}

/* FS&K, AddRandomEvent. */
static void
cckprng_process_event(struct harvest_event *event)
{
	struct cckprng_pool *pool;
	u_int n;

	RANDOM_RESEED_LOCK();
	if (random_harvest_healthtest(event)) {
		/* A machine that was cloned is to reseed soon. */
		pool = &fortuna_state.fs_pool[
		    event->he_source == RANDOM_PURE_VMGENID ? 0 :
		    event->he_destination % RANDOM_FORTUNA_NPOOLS];
		randomdev_hash_iterate(&pool->fsp_hash, &event->he_somecounter,
		    sizeof(event->he_somecounter));
		randomdev_hash_iterate(&pool->fsp_hash, event->he_entropy,
		    event->he_size);
		n = sizeof(event->he_somecounter) + event->he_size;
		pool->fsp_length += MIN(n, INT_MAX - pool->fsp_length);
		cckprng_note_due();
	}
	RANDOM_RESEED_UNLOCK();
}

/* K = Hd(K | s), without the first K, and C = C + 1: FS&K, Reseed. */
static void
cckprng_mix(const uint8_t *s, u_int pools)
{
	struct randomdev_hash hash;
	uint8_t digest[RANDOM_KEYSIZE];
	const void *key;
	size_t n;

	randomdev_hash_init(&hash);
	randomdev_hash_iterate(&hash, zero_region, RANDOM_ZERO_BLOCKSIZE);
	if (!uint128_is_zero(fortuna_state.fs_counter)) {
		randomdev_getkey(&fortuna_state.fs_key, &key, &n);
		randomdev_hash_iterate(&hash, key, n);
	}
	randomdev_hash_iterate(&hash, s, pools * RANDOM_KEYSIZE);
	randomdev_hash_finish(&hash, digest);
	randomdev_hash_init(&hash);
	randomdev_hash_iterate(&hash, digest, sizeof(digest));
	randomdev_hash_finish(&hash, digest);
	randomdev_encrypt_init(&fortuna_state.fs_key, digest);
	explicit_bzero(digest, sizeof(digest));
	uint128_increment(&fortuna_state.fs_counter);
}

/* Gives a generator a key of K; its readers wait for the swap alone. */
static void
cckprng_rekey(struct cckprng_gen *cg)
{
	const u_int old = cg->cg_used;
	uint8_t newkey[2][RANDOM_KEYSIZE];

	/* The second one is K's own. */
	randomdev_keystream(&fortuna_state.fs_key, &fortuna_state.fs_counter,
	    newkey[0], RANDOM_KEYSIZE);
	randomdev_keystream(&fortuna_state.fs_key, &fortuna_state.fs_counter,
	    newkey[1], RANDOM_KEYSIZE);
	randomdev_encrypt_init(&fortuna_state.fs_key, newkey[1]);
	randomdev_encrypt_init(&cg->cg_key[old ^ 1], newkey[0]);
	explicit_bzero(newkey, sizeof(newkey));
	mtx_lock(&cg->cg_mtx);
	cg->cg_used = old ^ 1;
	cg->cg_counter = UINT128_ZERO;
	mtx_unlock(&cg->cg_mtx);
	explicit_bzero(&cg->cg_key[old], sizeof(cg->cg_key[old]));
}

/* Reseeds K, and then all generators, if that is due. */
static void
cckprng_reseed(sbintime_t now)
{
	uint8_t s[RANDOM_FORTUNA_NPOOLS][RANDOM_KEYSIZE];
	const bool first = uint128_is_zero(fortuna_state.fs_counter);
	struct randomdev_hash hash;
	struct cckprng_pool *pool;
	int cpu;
	u_int i;

	RANDOM_RESEED_ASSERT_LOCK_OWNED();
	if (fortuna_state.fs_pool[0].fsp_length < fortuna_state.fs_minpoolsize)
		return;
	if (!first && now - fortuna_state.fs_lasttime <= CCKPRNG_PACE)
		return;
	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_pre_read, {
		return;
	});
	fortuna_state.fs_lasttime = now;
	fortuna_state.fs_reseedcount++;
	for (i = 0; i < RANDOM_FORTUNA_NPOOLS &&
	    fortuna_state.fs_reseedcount % (1U << i) == 0; i++) {
		pool = &fortuna_state.fs_pool[i];
		randomdev_hash_finish(&pool->fsp_hash, s[i]);
		randomdev_hash_init(&pool->fsp_hash);
		pool->fsp_length = 0;
		randomdev_hash_init(&hash);
		randomdev_hash_iterate(&hash, s[i], RANDOM_KEYSIZE);
		randomdev_hash_finish(&hash, s[i]);
	}
	cckprng_mix(s[0], i);
	explicit_bzero(s, sizeof(s));
	CPU_FOREACH(cpu)
		cckprng_rekey(DPCPU_ID_PTR(cpu, cckprng_gen));
	cckprng_note_due();
	if (first) {
		atomic_store_rel_int(&cckprng_shared.cs_seeded, 1);
		randomdev_unblock();
	}
}

static bool
cckprng_has_keys(void)
{
	return (atomic_load_acq_int(&cckprng_shared.cs_seeded) != 0);
}

/* One reader refreshes; until the first reseed, others wait for it. */
static void
cckprng_pre_read(void)
{
	const sbintime_t now = getsbinuptime();

	if (now <= (sbintime_t)atomic_load_64(&cckprng_shared.cs_due) ||
	    (!atomic_cmpset_acq_int(&cckprng_refreshing, 0, 1) &&
	    cckprng_has_keys()))
		return;
	RANDOM_RESEED_LOCK();
	cckprng_reseed(now);
	RANDOM_RESEED_UNLOCK();
	atomic_store_rel_int(&cckprng_refreshing, 0);
}

static bool
cckprng_seeded(void)
{
	if (cckprng_blocked)
		return (false);
	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_seeded, {
		return (false);
	});
	if (!cckprng_has_keys())
		cckprng_pre_read();
	return (cckprng_has_keys());
}

/* One call: n bytes, and the key that replaces this one. */
static void
cckprng_generate(struct cckprng_gen *cg, uint8_t *buf, size_t n)
{
	const size_t whole = roundup2(n, random_chachamode ? CHACHA_BLOCKLEN :
	    RANDOM_BLOCKSIZE);
	uint8_t out[CCKPRNG_MOST + RANDOM_KEYSIZE];
	union randomdev_key *key;

	mtx_lock(&cg->cg_mtx);
	key = &cg->cg_key[cg->cg_used];
	randomdev_keystream(key, &cg->cg_counter, out, whole + RANDOM_KEYSIZE);
	randomdev_encrypt_init(key, out + whole);
	mtx_unlock(&cg->cg_mtx);
	memcpy(buf, out, n);
	explicit_bzero(out, whole + RANDOM_KEYSIZE);
}

static void
cckprng_read(uint8_t *buf, size_t n)
{
	size_t run;

	for (; n > 0; n -= run, buf += run) {
		run = MIN(n, CCKPRNG_MOST);
		cckprng_generate(DPCPU_PTR(cckprng_gen), buf, run);
	}
}

const struct random_algorithm random_alg_context = {
	.ra_ident	= "cckprng",
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_pre_read	= cckprng_pre_read,
	.ra_read	= cckprng_read,
	.ra_seeded	= cckprng_seeded,
	.ra_event_processor = cckprng_process_event,
};

/* Until its generator is reached, a read uses the key before. */
RANDOM_CLAIMS(.rm_key = &fortuna_state.fs_key, .rm_lag = 1,
    .rm_reseeds = &fortuna_state.fs_reseedcount);
