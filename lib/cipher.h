/*
 * Ciphers as counter-driven keystreams, over libcrypto's EVP.
 *
 * Stands for the cipher half of sys/dev/random/hash.c.  A keystream is a
 * function of a 32-byte key and a 128-bit counter that the caller keeps.
 */
#ifndef LIB_CIPHER_H
#define LIB_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/types.h>

#include "lib/uint128.h"

enum {
	CIPHER_KEY_BYTES	= 32,
	CIPHER_BLOCK_MAX_BYTES	= 64,
	CIPHER_KEY_ALIGN	= 64	/* cipher_key_new()'s: a cache line */
};

struct cipher_key;
struct ledger;

/* A cipher.  ci_whole_blocks: keystream lengths are multiples of ci_block. */
struct cipher {
	const char	*ci_name;	/* as -c takes it */
	const char	*ci_alias;	/* as kat scripts call it */
	const char	*ci_descr;
	const char	*ci_evp_name;	/* what libcrypto is asked for; NULL:
					   nothing, it is hollow */
	unsigned	 ci_block_bytes;
	unsigned	 ci_rekey_blocks;	/* counters a new key uses up */
	bool		 ci_whole_blocks;
	void		(*ci_keystream)(struct cipher_key *ck, uint128_t *ctr,
			    uint8_t *out, size_t n);
	/* Told of keys and keystream; NULL: nobody is. */
	struct ledger	*ci_ledger;
	const struct cipher *ci_base;	/* what it does that of; NULL: itself */
};

/*
 * AES-256 in what FreeBSD calls ICM: each block is the encryption of the
 * counter as 16 little-endian bytes.  Not CTR mode as libcrypto has it, whose
 * counter is big-endian.
 *
 * ChaCha20 with all 128 bits of input after the key as counter, word 12 the
 * least significant, no nonce; libcrypto carries only 64 of them.
 */
extern const struct cipher *const ciphers[];
extern const unsigned cipher_count;

/*
 * Whether AES counters may be laid out with the CPU's wide stores; not where
 * libcrypto must do without them.  Call before threads start.
 */
void cipher_allow_wide(bool allow);

/* The cipher called name, or known by that alias; NULL when there is none. */
const struct cipher *cipher_find(const char *name);

/*
 * A stand-in for a cipher where nobody looks at its output: the same name,
 * block and counters used, but of a keystream only CIPHER_HOLLOW_BYTES are
 * written, half of them at its end, and libcrypto is not asked.  They differ
 * for different keys and counters, and so do keys drawn from them; what it
 * generates is no secret.
 */
enum { CIPHER_HOLLOW_BYTES = 128 };

const struct cipher *cipher_hollow(const struct cipher *cipher);

/* Whether it is such a stand-in: then hashes beside it may be too. */
static inline bool
cipher_is_hollow(const struct cipher *cipher)
{

	return (cipher->ci_evp_name == NULL);
}

/*
 * The same cipher, hollow or not, and the ledger is told of all keys that are
 * set with it and all keystream that is made.  The ledger has it, and lives
 * longer than any of its keys.
 */
const struct cipher *cipher_ledgered(const struct cipher *cipher,
    struct ledger *lg);

/*
 * A cipher with a key set: union randomdev_key.  Not shared between threads
 * without a lock.
 */
struct cipher_key {
	const struct cipher *ck_cipher;
	EVP_CIPHER_CTX	*ck_ctx;	/* NULL: hollow */
	/* ChaCha20: what ck_ctx counts next; low half 0: that is not known. */
	uint128_t	 ck_position;
	uint8_t		 ck_raw[CIPHER_KEY_BYTES];
};

/*
 * Makes an unkeyed cipher; crypto_init() has been called.
 *
 * Returns: 0, ENOMEM, or ENOTSUP when libcrypto refuses the cipher.
 */
int cipher_key_init(struct cipher_key *ck, const struct cipher *cipher);

/* Wipes and releases. */
void cipher_key_fini(struct cipher_key *ck);

/*
 * The same for one in memory of its own, which shares no cache line with
 * another: each thread writes to its own with every read.
 *
 *   ck  out  NULL when it fails
 */
int cipher_key_new(struct cipher_key **ck, const struct cipher *cipher);

/* Wipes and releases; of NULL nothing. */
void cipher_key_free(struct cipher_key *ck);

/*
 * Sets the key; the old one is gone.  Does not allocate.  Where libcrypto
 * refuses, here and in what follows, the key is gone and output is zeros:
 * crypto_fail().
 *
 * Source: randomdev_encrypt_init().
 */
void cipher_key_set(struct cipher_key *ck, const uint8_t key[CIPHER_KEY_BYTES]);

/* Erases the key from the object and from libcrypto's schedule. */
void cipher_key_wipe(struct cipher_key *ck);

/*
 * Writes n bytes of keystream and advances the counter by one for each block
 * begun.
 *
 *   ctr  in/out  modulo 2^128
 *   out  out     n bytes, any alignment
 *   n    in      any for ChaCha20, where the rest of a last partial block is
 *                thrown away; a multiple of 16 for AES
 *
 * Wipes: nothing is left on the stack.  Does not allocate.
 * Source: randomdev_keystream().
 */
static inline void
cipher_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{

	ck->ck_cipher->ci_keystream(ck, ctr, out, n);
}

/*
 * The same for any n, also with a cipher that makes whole blocks only: the rest
 * of its last block is thrown away.
 */
void cipher_keystream_cut(struct cipher_key *ck, uint128_t *ctr, uint8_t *out,
    size_t n);

#endif
