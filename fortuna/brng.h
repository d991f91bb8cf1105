/*
 * A buffered generator: the pure core of fxrng, of its root and of each CPU's.
 *
 * It takes no lock and allocates only in brng_init(); the caller excludes
 * others throughout.  The key is replaced with every generation of output, by
 * keystream drawn before that output, and the counter is never set back.
 *
 * Stands for fx_brng.c and fx_rng.c of sys/dev/random/fenestrasX, FreeBSD 13.
 * With ChaCha20 the bytes are the kernel's.  Decided where the descriptions
 * differ, from those files:
 *
 * - a CPU's key is drawn from the root like any output, so from its buffer, and
 *   four of them come from one refill;
 * - a reseed of the root mixes in 32 bytes of plain keystream, before which no
 *   new key is drawn, and leaves the root's buffer as it is: up to three CPUs'
 *   keys are still made from that buffer, without the new entropy.
 *
 * With AES a key is two blocks, a buffer eight, a request is rounded up to
 * whole blocks, and a request of any length has one key.
 */
#ifndef FORTUNA_BRNG_H
#define FORTUNA_BRNG_H

#include "lib/crypto/blake2.h"
#include "lib/crypto/cipher.h"

/* Requests of this size or more bypass the buffer. */
enum { BRNG_BUFFER_BYTES = 128 };

struct brng {
	struct cipher_key *b_key;
	uint128_t	 b_counter;
	uint64_t	 b_generation;	/* the root's; 0: no key yet */
	unsigned	 b_next;	/* in the buffer; its size: empty */
	uint8_t		 b_buffer[BRNG_BUFFER_BYTES];
	/* For the ledger that its cipher may have. */
	unsigned	 b_core;	/* a root's */
	uint64_t	 b_lineage;	/* of what is in the buffer */
};

/* Returns: 0, or an errno value of lib/crypto/cipher.h. */
int brng_init(struct brng *b, const struct cipher *cipher);

/* Wipes and releases; also what was only zeroed. */
void brng_fini(struct brng *b);

/*
 * Makes a new key for the root from the old one, if any, and the input, and
 * increments its generation.
 *
 *   scratch  in/out  BLAKE2b
 *
 * Source: fxrng_rng_reseed_internal().
 */
void brng_reseed(struct brng *root, struct blake2 *scratch, const void *input,
    size_t n);

/*
 * Gives a CPU's generator a key of that generation.  Its counter continues, its
 * buffer is empty.
 *
 *   key  in/out  wiped
 */
void brng_follow(struct brng *b, uint8_t key[CIPHER_KEY_BYTES],
    uint64_t generation);

/*
 * Returns bytes of the buffer and wipes them there; refills it when they are
 * not enough.
 *
 *   n  in  less than BRNG_BUFFER_BYTES
 *
 * Returns: whether it was refilled: a key and BRNG_BUFFER_BYTES were generated.
 * Source: fxrng_brng_getbytes_internal().
 */
bool brng_get(struct brng *b, uint8_t *out, size_t n);

/* The key and counters of one large request. */
struct brng_private {
	struct cipher_key *bp_key;
	uint128_t	 bp_counter;
};

/*
 * Takes key and counters for n bytes and re-keys.
 *
 *   spare  in/out  an unkeyed cipher of the same kind; on return it holds the
 *                  new key in the generator, and *spare is the former one,
 *                  which bp uses
 *
 * Source: fxrng_rng_genrandom_internal(), its critical section.
 */
void brng_take(struct brng *b, struct cipher_key **spare, uint64_t n,
    struct brng_private *bp);

/*
 * The next n bytes of a large request; needs no exclusion.
 *
 *   n  in  all that are left, or a multiple of CIPHER_BLOCK_MAX_BYTES
 */
void brng_private_genbytes(struct brng_private *bp, uint8_t *out, size_t n);

/* Wipes it, its key included. */
void brng_private_fini(struct brng_private *bp);

#endif
