/*
 * Linux's generator, 5.18 and later: the pure core of percpu.
 *
 * A pool of BLAKE2s, keys that are erased with each use, and the times of
 * reseeds.  It takes no lock, reads no clock and allocates on no way of a read;
 * the caller excludes others throughout.
 *
 * Stands for drivers/char/random.c: extract_entropy(), crng_reseed(),
 * crng_fast_key_erasure(), crng_reseed_interval() and the part of
 * get_random_bytes_user() that follows the lock.  With ChaCha20 the bytes are
 * those of the kernel for the same pool, with these departures:
 *
 * - the words that the kernel asks the CPU for when it extracts are zero here,
 *   as instructions are sources like others and come as events;
 * - an event goes into the pool at once, 4 bytes of counter and then its own;
 *   the kernel gathers interrupts in a word for each CPU first;
 * - every byte of an event counts for 8 bits, whoever credits it;
 * - the seed that the kernel takes at 128 bits, for what may be read before it
 *   is ready, is left out: here nothing may.
 *
 * The machine is charged for BLAKE2s what it is for SHA-256: COST_EVENT and
 * COST_RESEED of one pool.
 *
 * With AES an erasure is four blocks, counters 0 to 3, and what follows goes on
 * at 4; a read of any length has one key.
 */
#ifndef FORTUNA_CRNG_H
#define FORTUNA_CRNG_H

#include <stdbool.h>
#include <stdint.h>

#include "fortuna/event.h"
#include "fortuna/failpoint.h"
#include "lib/blake2.h"
#include "lib/cipher.h"

struct ledger;

enum {
	CRNG_READY_BITS		= 256,
	CRNG_READY_BYTES	= CRNG_READY_BITS / 8,
	CRNG_INTERVAL_S		= 60,
	CRNG_START_INTERVAL_S	= 1,
	CRNG_ERASURE_BYTES	= 2 * CIPHER_KEY_BYTES,	/* of keystream */
	/* A read up to here is answered by the erasure itself. */
	CRNG_INLINE_BYTES	= CIPHER_KEY_BYTES
};

/* What no base generation ever is: a key that was never set. */
#define	CRNG_NO_GENERATION	UINT64_MAX

/* The input pool. */
struct crng_pool {
	struct blake2	cp_hash;
	struct blake2	cp_scratch;	/* of extractions; empty between */
	uint32_t	cp_bits;	/* credited, up to CRNG_READY_BITS */
	struct ledger	*cp_ledger;	/* told of events; NULL at first */
	unsigned	cp_core;
	struct failpoint *cp_failpoints;	/* the owner's, or NULL */
};

/*
 *   hollow  in  with the stand-in of lib/hollow.h
 *
 * Returns: 0, or an errno value of lib/blake2.h.
 */
int crng_pool_init(struct crng_pool *cp, bool hollow);

/* Wipes and releases; also what was only zeroed. */
void crng_pool_fini(struct crng_pool *cp);

/*
 * Absorbs and credits an event.
 *
 * Returns: whether with it the pool has CRNG_READY_BITS, and had not before.
 */
bool crng_pool_event(struct crng_pool *cp, const struct harvest_event *event);

/*
 * Draws a key from the pool, which begins anew, keyed with another.
 *
 *   key  out  CIPHER_KEY_BYTES
 *
 * Source: extract_entropy().
 */
void crng_pool_extract(struct crng_pool *cp, uint8_t key[CIPHER_KEY_BYTES]);

/* A key, the base's or a CPU's, and the base's generation that it is of. */
struct crng {
	struct cipher_key cr_key;
	uint64_t	 cr_generation;
	unsigned	 cr_core;	/* a base's, of the ledger */
};

/* Returns: 0, or an errno value of lib/cipher.h. */
int crng_init(struct crng *cr, const struct cipher *cipher,
    uint64_t generation);

/* Wipes and releases; also what was only zeroed. */
void crng_fini(struct crng *cr);

/*
 * Sets the base's key and moves it to the next generation, which is never
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

/*
 * Tells the ledger of the base's cipher, if it has one, of both from now on;
 * they are new.
 */
void crng_watch(struct crng_pool *cp, struct crng *base);

/*
 * How long after this time since boot the next reseed is due: half of it, but
 * not less than CRNG_START_INTERVAL_S; CRNG_INTERVAL_S once twice that is over.
 * In whole seconds, as the kernel counts.
 *
 * Source: crng_reseed_interval().
 */
int64_t crng_interval_ns(int64_t uptime_ns);

/*
 * Whether a reseed is due at uptime_ns; then it counts as done.  The first call
 * only sets the timer going: make it when the base is keyed.
 */
bool crng_timer_due(struct crng_timer *ct, int64_t uptime_ns);

#endif
