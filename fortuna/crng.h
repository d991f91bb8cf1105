/*
 * Linux's generator, 5.18 and later: the pure core of percpu.
 *
 * A pool of BLAKE2s, keys that are erased with each use, and the times of
 * reseeds.  It takes no lock, reads no clock and does not allocate during a
 * read; the caller excludes other threads.
 *
 * Stands for drivers/char/random.c: extract_entropy(), crng_reseed(),
 * crng_fast_key_erasure(), crng_reseed_interval() and the part of
 * get_random_bytes_user() that follows the lock.  With ChaCha20 the bytes are
 * those of the kernel for the same pool, with these departures:
 *
 * - the words of a CPU instruction that the kernel adds to an extraction are
 *   zero: here such instructions are sources, whose output comes as events;
 * - an event goes into the pool at once, 4 bytes of counter and then its own;
 *   the kernel gathers interrupts in a word for each CPU first;
 * - every byte of an event counts for 8 bits, from any source;
 * - the kernel's early seed at 128 bits, for reads before it is ready, is left
 *   out: here such reads wait.
 *
 * The machine is charged for BLAKE2s what it is for SHA-256: COST_ABSORB and
 * COST_DIGEST of one pool.
 *
 * With AES an erasure is four blocks, counters 0 to 3, and what follows goes on
 * at 4; a read of any length has one key.
 */
#ifndef FORTUNA_CRNG_H
#define FORTUNA_CRNG_H

#include "fortuna/event.h"
#include "fortuna/failpoint.h"
#include "lib/crypto/blake2.h"
#include "lib/crypto/cipher.h"

struct ledger;

enum {
	CRNG_READY_BITS		= 256,
	CRNG_READY_BYTES	= CRNG_READY_BITS / 8,
	CRNG_INTERVAL_S		= 60,
	CRNG_START_INTERVAL_S	= 1,
	CRNG_ERASURE_BYTES	= 2 * CIPHER_KEY_BYTES,	/* of keystream */
	/* A read of at most this is answered by the erasure itself. */
	CRNG_INLINE_BYTES	= CIPHER_KEY_BYTES
};

/* Of a key that was never set. */
#define	CRNG_NO_GENERATION	UINT64_MAX

/* The input pool. */
struct crng_pool {
	struct blake2	cp_hash;
	struct blake2	cp_scratch;	/* of extractions; empty between */
	uint32_t	cp_bits;	/* credited, up to CRNG_READY_BITS */
	struct ledger	*cp_ledger;	/* monitors events, or NULL */
	unsigned	cp_core;
	struct failpoint *cp_failpoints;	/* the owner's, or NULL */
};

/*
 *   stub  in  use the stub of lib/crypto/stub_cipher.h
 *
 * Returns: 0, or an errno value of lib/crypto/blake2.h.
 */
int crng_pool_init(struct crng_pool *cp, bool stub);

/* Wipes and releases; accepts a zeroed structure. */
void crng_pool_fini(struct crng_pool *cp);

/*
 * Absorbs and credits an event.
 *
 * Returns: whether this event brings the pool to CRNG_READY_BITS.
 */
bool crng_pool_event(struct crng_pool *cp, const struct harvest_event *event);

/*
 * Draws a key from the pool, which restarts under another key.
 *
 *   key  out  CIPHER_KEY_BYTES
 *
 * Source: extract_entropy().
 */
void crng_pool_extract(struct crng_pool *cp, uint8_t key[CIPHER_KEY_BYTES]);

/* The base key or a CPU's key, and the base's generation it comes from. */
struct crng {
	struct cipher_key cr_key;
	uint64_t	 cr_generation;
	unsigned	 cr_core;	/* a base's, of the ledger */
};

/* Returns: 0, or an errno value of lib/crypto/cipher.h. */
int crng_init(struct crng *cr, const struct cipher *cipher,
    uint64_t generation);

/* Wipes and releases; also what was only zeroed. */
void crng_fini(struct crng *cr);

/*
 * Sets the base's key and increments its generation, skipping
 * CRNG_NO_GENERATION.
 *
 *   key  in/out  wiped
 */
void crng_base_set(struct crng *base, uint8_t key[CIPHER_KEY_BYTES]);

/*
 * Replaces the key by the first half of its first 64 bytes of keystream.
 *
 *   out  out  the second half
 *
 * Source: crng_fast_key_erasure().
 */
void crng_erase(struct crng *cr, uint8_t out[CIPHER_KEY_BYTES]);

/* Gives a CPU a key of the base's generation, erasing the base's. */
void crng_derive(struct crng *cpu, struct crng *base);

/* The counter at which keystream under an erasure's second half begins. */
uint128_t crng_counter(const struct cipher *cipher);

/* When the base is to be reseeded. */
struct crng_timer {
	int64_t		ct_due_ns;
	bool		ct_armed;
	struct failpoint *ct_failpoints;	/* the owner's, or NULL */
};

/* Registers both, which are new, with the ledger of the base's cipher. */
void crng_watch(struct crng_pool *cp, struct crng *base);

/*
 * The interval to the next reseed: half of the uptime, at least
 * CRNG_START_INTERVAL_S; CRNG_INTERVAL_S from twice that uptime on.  In whole
 * seconds, as in the kernel.
 *
 * Source: crng_reseed_interval().
 */
int64_t crng_interval_ns(int64_t uptime_ns);

/*
 * Whether a reseed is due at uptime_ns; if so, the timer is set for the next.
 * The first call only starts the timer and returns false: call it as soon as
 * the base has a key.
 */
bool crng_timer_due(struct crng_timer *ct, int64_t uptime_ns);

#endif
