/*
 * Linux's generator since 5.18, drivers/char/random.c, for designs that are
 * built on it: a pool, the base's key, and a key that a CPU or another owner
 * derives from it.  Functions are static, as an algorithm is one unit.
 *
 * The bytes are Linux's for the same pool, with ChaCha20.  Departs: a CPU's key
 * has a mutex where local_lock disables interrupts; the CPU's own generator is
 * a source, so that an extraction adds zeros in its place; each byte of an
 * event counts for 8 bits, and it goes into the pool at once; there is no early
 * seed at 128 bits; a callout reseeds.  With AES an erasure is four blocks,
 * counters 0 to 3.
 */
#ifndef DEV_RANDOM_CRNG_H
#define	DEV_RANDOM_CRNG_H

#include <sys/param.h>
#include <sys/systm.h>
#include <sys/callout.h>
#include <sys/fail.h>
#include <sys/kernel.h>
#include <sys/lock.h>
#include <sys/mutex.h>
#include <sys/time.h>

#include <contrib/libb2/blake2.h>

#include <dev/random/hash.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>
#include <dev/random/uint128.h>

#include <random_abi.h>

#define	POOL_READY_BITS		256
#define	CRNG_RESEED_INTERVAL	60	/* s */
#define	CRNG_RESEED_START_INTERVAL	1

static struct {
	struct mtx	lock;
	blake2s_state	hash;
	u_int		init_bits;	/* up to POOL_READY_BITS */
} input_pool;

static struct {
	struct mtx	lock;
	union randomdev_key key;
	u_long		generation;	/* 0: no key; read without the mutex */
} base_crng;

/* A key that its owner derived.  A new owner has generation 0. */
struct crng {
	struct mtx	lock;
	u_long		generation;	/* the base's */
	union randomdev_key key;
};

static uint32_t crng_reseeds;
static struct callout crng_reseed_callout;
static callout_func_t crng_reseed_due;

/* Replaces the key by half of 64 keystream bytes; out: the other half. */
static void
crng_fast_key_erasure(union randomdev_key *key, uint8_t out[RANDOM_KEYSIZE])
{
	uint8_t first[2 * RANDOM_KEYSIZE];
	uint128_t counter = UINT128_ZERO;

	randomdev_keystream(key, &counter, first, sizeof(first));
	randomdev_encrypt_init(key, first);
	memcpy(out, first + RANDOM_KEYSIZE, RANDOM_KEYSIZE);
	explicit_bzero(first, sizeof(first));
}

/* Whether a key is older than the base's. */
static bool
crng_is_old(const struct crng *crng)
{
	return (crng->generation != atomic_load_acq_long(
	    &base_crng.generation));
}

/* Derives a new key; its mutex is owned. */
static void
crng_derive(struct crng *crng)
{
	uint8_t key[RANDOM_KEYSIZE];

	mtx_lock(&base_crng.lock);
	KASSERT(base_crng.generation != 0, ("read while unseeded"));
	crng_fast_key_erasure(&base_crng.key, key);
	crng->generation = base_crng.generation;
	mtx_unlock(&base_crng.lock);
	randomdev_encrypt_init(&crng->key, key);
	explicit_bzero(key, sizeof(key));
}

/* Generates under a key of its own, without a mutex. */
static void
crng_generate(const uint8_t keybytes[RANDOM_KEYSIZE], uint128_t counter,
    uint8_t *buf, size_t n)
{
	union randomdev_key key;

	randomdev_encrypt_init(&key, keybytes);
	randomdev_keystream_cut(&key, &counter, buf, n);
	explicit_bzero(&key, sizeof(key));
}

/* A read of a CPU's key: get_random_bytes_user(). */
static void
crng_read(struct crng *crng, uint8_t *buf, size_t n)
{
	uint8_t out[RANDOM_KEYSIZE];

	mtx_lock(&crng->lock);
	if (crng_is_old(crng))
		crng_derive(crng);
	crng_fast_key_erasure(&crng->key, out);
	mtx_unlock(&crng->lock);
	if (n > sizeof(out))
		crng_generate(out, 2 * RANDOM_KEYSIZE / (random_chachamode ?
		    CHACHA_BLOCKLEN : RANDOM_BLOCKSIZE), buf, n);
	else
		memcpy(buf, out, n);
	explicit_bzero(out, sizeof(out));
}

/* out = BLAKE2s(seed, RDSEED, number). */
static void
crng_expand(const uint8_t seed[BLAKE2S_OUTBYTES], uint64_t number,
    uint8_t out[BLAKE2S_OUTBYTES])
{
	struct {
		uint64_t	rdseed[4], counter;
	} block = { .counter = number };
	blake2s_state hash;

	blake2s_init_key(&hash, BLAKE2S_OUTBYTES, seed, BLAKE2S_OUTBYTES);
	blake2s_update(&hash, &block, sizeof(block));
	blake2s_final(&hash, out, BLAKE2S_OUTBYTES);
}

/* Draws a key from the pool, which begins anew under another key. */
static void
extract_entropy(uint8_t key[RANDOM_KEYSIZE])
{
	uint8_t next[BLAKE2S_OUTBYTES], seed[BLAKE2S_OUTBYTES];

	mtx_lock(&input_pool.lock);
	blake2s_final(&input_pool.hash, seed, sizeof(seed));
	crng_expand(seed, 0, next);
	blake2s_init_key(&input_pool.hash, sizeof(next), next, sizeof(next));
	crng_expand(seed, 1, key);
	mtx_unlock(&input_pool.lock);
	explicit_bzero(next, sizeof(next));
	explicit_bzero(seed, sizeof(seed));
}

/* Half of the uptime, up to CRNG_RESEED_INTERVAL, in whole seconds. */
static sbintime_t
crng_reseed_interval(void)
{
	const time_t uptime = time_uptime;

	if (uptime >= 2 * CRNG_RESEED_INTERVAL)
		return (CRNG_RESEED_INTERVAL * SBT_1S);
	return (MAX(uptime / 2, CRNG_RESEED_START_INTERVAL) * SBT_1S);
}

static void
crng_reseed(void)
{
	uint8_t key[RANDOM_KEYSIZE];
	bool first;

	callout_reset_sbt(&crng_reseed_callout, crng_reseed_interval(), 0,
	    crng_reseed_due, NULL, C_PREL(1));
	extract_entropy(key);
	mtx_lock(&base_crng.lock);
	randomdev_encrypt_init(&base_crng.key, key);
	first = base_crng.generation == 0;
	atomic_store_rel_long(&base_crng.generation, base_crng.generation + 1);
	crng_reseeds++;
	mtx_unlock(&base_crng.lock);
	explicit_bzero(key, sizeof(key));
	if (first)
		randomdev_unblock();
}

static void
crng_reseed_due(void *context __unused)
{
	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_pre_read, {
		callout_reset_sbt(&crng_reseed_callout, SBT_1NS, 0,
		    crng_reseed_due, NULL, C_PREL(1));
		return;
	});
	crng_reseed();
}

/* Adds what a source gave; the pool's mutex is owned. */
static bool
credit_init_bits(u_int bits)
{
	if (input_pool.init_bits == POOL_READY_BITS)
		return (false);
	/* What is not credited is asked for again with the next event. */
	if (input_pool.init_bits + bits >= POOL_READY_BITS)
		KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_pre_read, {
			return (false);
		});
	input_pool.init_bits = MIN(input_pool.init_bits + bits,
	    POOL_READY_BITS);
	return (input_pool.init_bits == POOL_READY_BITS);
}

static void
crng_process_event(struct harvest_event *event)
{
	bool ready = false;

	mtx_lock(&input_pool.lock);
	if (random_harvest_healthtest(event)) {
		blake2s_update(&input_pool.hash, &event->he_somecounter,
		    sizeof(event->he_somecounter));
		blake2s_update(&input_pool.hash, event->he_entropy,
		    event->he_size);
		ready = credit_init_bits(event->he_size * NBBY);
	}
	mtx_unlock(&input_pool.lock);
	if (ready)
		crng_reseed();
}

static bool
crng_ready(void)
{
	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_seeded, {
		return (false);
	});
	return (atomic_load_acq_long(&base_crng.generation) != 0);
}

static void
crng_pre_read(void)
{
}

static void
crng_init(void *arg __unused)
{
	mtx_init(&input_pool.lock, "input_pool.lock", NULL, MTX_DEF);
	mtx_init(&base_crng.lock, "base_crng.lock", NULL, MTX_DEF);
	blake2s_init(&input_pool.hash, BLAKE2S_OUTBYTES);
	callout_init(&crng_reseed_callout, 1);
}
SYSINIT(random_crng, SI_SUB_RANDOM, SI_ORDER_SECOND, crng_init, NULL);

#endif
