/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Copyright (c) 2026 The rngsim authors
 */

/*
 * Fortuna with a generator for each CPU.
 *
 * The root is Fortuna (Ferguson, Schneier, Kohno: Cryptography Engineering,
 * chapter 9): 32 pools, K and C, under the reseed mutex.  Readers do not take
 * that mutex.  Each CPU has a leaf: a key, a counter, and the generation of
 * both.  A read takes the leaf of the CPU that it starts on.  The leaf's mutex
 * is contended only if a thread migrates or is preempted while it owns it.
 *
 * A read replaces the leaf's key before it answers (fast key erasure): one call
 * of the cipher makes the next key and a small answer.  A large answer is made
 * without the mutex, with a key that only this read has.  No output is stored.
 *
 * Generations.  A reseed makes K, publishes a seed for the leaves that K
 * generated, and then increments fh_generation: that store is the reseed's end.
 * A leaf whose generation differs first reseeds itself: its new key is the hash
 * of its old key and the published seed, as the root's new K is of its old K
 * and its pools.  No mutex is needed for that, so a reseed does not make all
 * CPUs wait for one.  A leaf without a key draws one from K, under the reseed
 * mutex, once.
 *
 * The rule: if fh_generation was g at any time before a read began, the key
 * that makes its output depends on the seed of generation g or a later one.
 * The read loads fh_generation after it has taken the leaf's mutex, hence after
 * it began.  A read that overlaps a reseed may use either generation.
 *
 * Two published seeds are kept, that of generation g at fh_seed[g % 2].  The
 * one for g + 1 is written while g is published, into the place of g - 1.  A
 * leaf copies one and loads fh_generation again: if it is still g, then g + 2,
 * which has the same place, was not begun when the copy was made.
 *
 * Generation 0 means unseeded.  No other word says so.
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

/* Reseeds are more than this apart. */
#define	FORTUNA_PACE		(SBT_1S / 10)
/* Bytes that one AES key makes at most. */
#define	FORTUNA_AES_MAX		(1 << 20)
/* Bytes answered until a leaf reseeds itself in any case. */
#define	FORTUNA_LEAF_MAX	(1 << 20)
/* An answer of at most this comes with the leaf's next key. */
#define	FORTUNA_SMALL		256

CTASSERT(RANDOM_KEYSIZE % RANDOM_BLOCKSIZE == 0);
CTASSERT(FORTUNA_SMALL % RANDOM_BLOCKSIZE == 0);

/* The root, under fs_mtx. */
static struct fortuna_state {
	struct fs_pool {			/* P_i */
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

/* Written at reseeds, under fs_mtx but for fh_due; read by all CPUs. */
static struct fortuna_shared {
	/* A reseed is due after this uptime.  Who clears it tries one. */
	volatile uint64_t fh_due;
	volatile u_int	fh_generation;		/* 0: not seeded */
	uint8_t		fh_seed[2][RANDOM_KEYSIZE];
} fortuna_shared __aligned(CACHE_LINE_SIZE);

#define	FORTUNA_NOT_DUE		((uint64_t)INT64_MAX)
#define	FORTUNA_AT_ONCE		((uint64_t)-1)

/* A CPU's, under fl_mtx, which comes before fs_mtx. */
struct fortuna_leaf {
	struct mtx	fl_mtx;
	u_int		fl_generation;		/* of fl_key; 0: no key */
	u_int		fl_made;		/* bytes since it reseeded */
	uint128_t	fl_counter;
	union randomdev_key fl_key;
};

DPCPU_DEFINE_STATIC(struct fortuna_leaf, fortuna_leaf);

static bool fortuna_blocked;

static void random_fortuna_pre_read(void);

RANDOM_CHECK_UINT(minpoolsize, 16, INT_MAX)

SYSCTL_BOOL(_kern_random, OID_AUTO, block_seeded_status, CTLFLAG_RWTUN,
    &fortuna_blocked, 0, "Report an unseeded generator");
SYSCTL_NODE(_kern_random, OID_AUTO, fortuna, CTLFLAG_RW | CTLFLAG_MPSAFE, 0,
    "Fortuna");
SYSCTL_PROC(_kern_random_fortuna, OID_AUTO, minpoolsize,
    CTLTYPE_UINT | CTLFLAG_RWTUN | CTLFLAG_MPSAFE,
    &fortuna_state.fs_minpoolsize, 0, random_check_uint_minpoolsize, "IU",
    "Bytes of pool 0 that a reseed needs");

static void
random_fortuna_init(void *arg __unused)
{
	int i;

	mtx_init(&fortuna_state.fs_mtx, "reseed mutex", NULL, MTX_DEF);
	for (i = 0; i < RANDOM_FORTUNA_NPOOLS; i++)
		randomdev_hash_init(&fortuna_state.fs_pool[i].fsp_hash);
	CPU_FOREACH(i)
		mtx_init(&DPCPU_ID_PTR(i, fortuna_leaf)->fl_mtx,
		    "random leaf", NULL, MTX_DEF);
	fortuna_shared.fh_due = FORTUNA_NOT_DUE;
}
SYSINIT(random_fortuna, SI_SUB_RANDOM, SI_ORDER_SECOND, random_fortuna_init,
    NULL);

/* K = the first bytes of what K generates. */
static void
random_fortuna_rekey(union randomdev_key *key, uint128_t *counter)
{
	uint8_t newkey[RANDOM_KEYSIZE];

	randomdev_keystream(key, counter, newkey, sizeof(newkey));
	randomdev_encrypt_init(key, newkey);
	explicit_bzero(newkey, sizeof(newkey));
}

/* K = Hd(K || s), without the first K if there is none: FS&K, Reseed. */
static void
random_fortuna_mix(union randomdev_key *key, bool keyed, const uint8_t *s,
    size_t n)
{
	static const uint8_t zeros[RANDOM_ZERO_BLOCKSIZE];
	uint8_t digest[RANDOM_KEYSIZE];
	struct randomdev_hash hash;
	const void *old;
	size_t size;

	randomdev_hash_init(&hash);
	randomdev_hash_iterate(&hash, zeros, sizeof(zeros));
	if (keyed) {
		randomdev_getkey(key, &old, &size);
		KASSERT(size == RANDOM_KEYSIZE, ("a key of %zu bytes", size));
		randomdev_hash_iterate(&hash, old, size);
	}
	randomdev_hash_iterate(&hash, s, n);
	randomdev_hash_finish(&hash, digest);
	randomdev_hash_init(&hash);
	randomdev_hash_iterate(&hash, digest, sizeof(digest));
	randomdev_hash_finish(&hash, digest);
	randomdev_encrypt_init(key, digest);
	explicit_bzero(digest, sizeof(digest));
}

/* Generates n bytes under a key of this answer's own. */
static void
random_fortuna_generate(union randomdev_key *key, uint8_t *buf, size_t n)
{
	uint8_t block[RANDOM_BLOCKSIZE];
	uint128_t counter = UINT128_ZERO;
	size_t tail;

	if (random_chachamode) {
		randomdev_keystream(key, &counter, buf, n);
		return;
	}
	for (; n > FORTUNA_AES_MAX; n -= FORTUNA_AES_MAX) {
		randomdev_keystream(key, &counter, buf, FORTUNA_AES_MAX);
		random_fortuna_rekey(key, &counter);
		buf += FORTUNA_AES_MAX;
	}
	tail = n % RANDOM_BLOCKSIZE;
	randomdev_keystream(key, &counter, buf, n - tail);
	if (tail == 0)
		return;
	randomdev_keystream(key, &counter, block, sizeof(block));
	memcpy(buf + n - tail, block, tail);
	explicit_bzero(block, sizeof(block));
}

/* When the next reseed is due. */
static uint64_t
random_fortuna_due(void)
{
	RANDOM_RESEED_ASSERT_LOCK_OWNED();
	if (fortuna_state.fs_pool[0].fsp_length < fortuna_state.fs_minpoolsize)
		return (FORTUNA_NOT_DUE);
	if (fortuna_state.fs_reseedcount == 0)
		return (FORTUNA_AT_ONCE);
	return ((uint64_t)(fortuna_state.fs_lasttime + FORTUNA_PACE));
}

/*
 * Publishes a seed for the leaves, generated by the new K, and then its
 * generation.
 */
static void
random_fortuna_publish(void)
{
	u_int generation = fortuna_shared.fh_generation + 1;

	RANDOM_RESEED_ASSERT_LOCK_OWNED();
	/* Not 0, but of its parity. */
	if (generation == 0)
		generation = 2;
	/* The generation before is visible before its place's next seed is. */
	atomic_thread_fence_rel();
	randomdev_keystream(&fortuna_state.fs_key, &fortuna_state.fs_counter,
	    fortuna_shared.fh_seed[generation % 2], RANDOM_KEYSIZE);
	random_fortuna_rekey(&fortuna_state.fs_key, &fortuna_state.fs_counter);
	atomic_store_rel_int(&fortuna_shared.fh_generation, generation);
}

/* Reseeds the root if that is due: FS&K, RandomData. */
static void
random_fortuna_reseed(sbintime_t now)
{
	uint8_t s[RANDOM_FORTUNA_NPOOLS][RANDOM_KEYSIZE];
	const bool first = uint128_is_zero(fortuna_state.fs_counter);
	struct randomdev_hash hash;
	struct fs_pool *pool;
	u_int i;

	RANDOM_RESEED_ASSERT_LOCK_OWNED();
	if (fortuna_state.fs_pool[0].fsp_length < fortuna_state.fs_minpoolsize)
		return;
	if (fortuna_state.fs_reseedcount != 0 &&
	    now - fortuna_state.fs_lasttime <= FORTUNA_PACE)
		return;
	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_pre_read, {
		if (RETURN_VALUE != 0)
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
	random_fortuna_mix(&fortuna_state.fs_key, !first, s[0],
	    i * RANDOM_KEYSIZE);
	uint128_increment(&fortuna_state.fs_counter);
	explicit_bzero(s, sizeof(s));
	random_fortuna_publish();
	if (first)
		randomdev_unblock();
}

static void
random_fortuna_try(void)
{
	RANDOM_RESEED_LOCK();
	random_fortuna_reseed(getsbinuptime());
	atomic_store_64(&fortuna_shared.fh_due, random_fortuna_due());
	RANDOM_RESEED_UNLOCK();
}

/* One of the readers that find a reseed due does it; the others go on. */
static void
random_fortuna_pre_read(void)
{
	uint64_t due = atomic_load_64(&fortuna_shared.fh_due);

	if (getsbinuptime() > (sbintime_t)due &&
	    atomic_cmpset_64(&fortuna_shared.fh_due, due, FORTUNA_NOT_DUE))
		random_fortuna_try();
}

static bool
random_fortuna_seeded(void)
{
	if (fortuna_blocked)
		return (false);
	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_seeded, {
		return (false);
	});
	/* Waits for a first reseed that another thread has begun. */
	if (__predict_false(atomic_load_int(
	    &fortuna_shared.fh_generation) == 0))
		random_fortuna_try();
	return (atomic_load_int(&fortuna_shared.fh_generation) != 0);
}

/* A leaf's first key. */
static void
random_fortuna_draw(struct fortuna_leaf *leaf)
{
	uint8_t newkey[RANDOM_KEYSIZE];

	RANDOM_RESEED_LOCK();
	KASSERT(fortuna_shared.fh_generation != 0, ("read while unseeded"));
	randomdev_keystream(&fortuna_state.fs_key, &fortuna_state.fs_counter,
	    newkey, sizeof(newkey));
	random_fortuna_rekey(&fortuna_state.fs_key, &fortuna_state.fs_counter);
	leaf->fl_generation = fortuna_shared.fh_generation;
	RANDOM_RESEED_UNLOCK();
	randomdev_encrypt_init(&leaf->fl_key, newkey);
	explicit_bzero(newkey, sizeof(newkey));
}

/* Reseeds a leaf from the root's generation; see "Generations". */
static void __noinline
random_fortuna_follow(struct fortuna_leaf *leaf)
{
	uint8_t seed[RANDOM_KEYSIZE];
	u_int generation;

	mtx_assert(&leaf->fl_mtx, MA_OWNED);
	leaf->fl_made = 0;
	if (leaf->fl_generation == 0) {
		random_fortuna_draw(leaf);
		return;
	}
	do {
		generation = atomic_load_acq_int(&fortuna_shared.fh_generation);
		memcpy(seed, fortuna_shared.fh_seed[generation % 2],
		    sizeof(seed));
		atomic_thread_fence_acq();
	} while (generation != atomic_load_int(&fortuna_shared.fh_generation));
	random_fortuna_mix(&leaf->fl_key, true, seed, sizeof(seed));
	leaf->fl_generation = generation;
	explicit_bzero(seed, sizeof(seed));
}

/* Owns the leaf of this CPU on return, with a key of the last generation. */
static struct fortuna_leaf *
random_fortuna_leaf(size_t n)
{
	struct fortuna_leaf *leaf = DPCPU_PTR(fortuna_leaf);

	mtx_lock(&leaf->fl_mtx);
	if (__predict_false(leaf->fl_made >= FORTUNA_LEAF_MAX ||
	    leaf->fl_generation == 0 || leaf->fl_generation !=
	    atomic_load_int(&fortuna_shared.fh_generation)))
		random_fortuna_follow(leaf);
	leaf->fl_made += MIN(n, FORTUNA_LEAF_MAX);
	return (leaf);
}

static void
random_fortuna_read(uint8_t *buf, size_t n)
{
	uint8_t out[RANDOM_KEYSIZE + FORTUNA_SMALL];
	union randomdev_key key;
	struct fortuna_leaf *leaf;
	const bool small = n <= FORTUNA_SMALL;
	const size_t used = RANDOM_KEYSIZE + (small ?
	    roundup2(n, RANDOM_BLOCKSIZE) : RANDOM_KEYSIZE);

	leaf = random_fortuna_leaf(n);
	randomdev_keystream(&leaf->fl_key, &leaf->fl_counter, out, used);
	randomdev_encrypt_init(&leaf->fl_key, out);
	mtx_unlock(&leaf->fl_mtx);
	if (small) {
		memcpy(buf, out + RANDOM_KEYSIZE, n);
	} else {
		randomdev_encrypt_init(&key, out + RANDOM_KEYSIZE);
		random_fortuna_generate(&key, buf, n);
		explicit_bzero(&key, sizeof(key));
	}
	explicit_bzero(out, used);
}

/* FS&K, AddRandomEvent. */
static void
random_fortuna_absorb(const struct harvest_event *event)
{
	u_int i = event->he_destination % RANDOM_FORTUNA_NPOOLS;
	struct fs_pool *pool;
	u_int n;

	KASSERT(event->he_size >= 1 &&
	    event->he_size <= sizeof(event->he_entropy),
	    ("an event of %u bytes", event->he_size));
	/* A cloned machine is to reseed soon. */
	if (event->he_source == RANDOM_PURE_VMGENID)
		i = 0;
	pool = &fortuna_state.fs_pool[i];
	randomdev_hash_iterate(&pool->fsp_hash, &event->he_somecounter,
	    sizeof(event->he_somecounter));
	randomdev_hash_iterate(&pool->fsp_hash, event->he_entropy,
	    event->he_size);
	n = sizeof(event->he_somecounter) + event->he_size;
	pool->fsp_length += MIN(n, INT_MAX - pool->fsp_length);
}

static void
random_fortuna_process_event(struct harvest_event *event)
{
	uint64_t due;

	RANDOM_RESEED_LOCK();
	if (random_harvest_healthtest(event)) {
		random_fortuna_absorb(event);
		due = random_fortuna_due();
		/* The line is all readers': it is written if it changes. */
		if (due != atomic_load_64(&fortuna_shared.fh_due))
			atomic_store_64(&fortuna_shared.fh_due, due);
	}
	RANDOM_RESEED_UNLOCK();
}

const struct random_algorithm random_alg_context = {
	.ra_ident	= "Fortuna, a generator for each CPU",
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_pre_read	= random_fortuna_pre_read,
	.ra_read	= random_fortuna_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_event_processor = random_fortuna_process_event,
};

RANDOM_CLAIMS(.rm_key = &fortuna_state.fs_key,
    .rm_reseeds = &fortuna_state.fs_reseedcount);
