/*
 * Ciphers as counter-driven keystreams, over libcrypto's EVP: a function of a
 * 32-byte key and a 128-bit counter that the caller keeps.  Stands for the
 * cipher half of sys/dev/random/hash.c.
 */
#pragma once

#include <openssl/types.h>

#include "lib/crypto/uint128.h"

enum {
	CIPHER_KEY_BYTES	= 32,
	CIPHER_BLOCK_MAX_BYTES	= 64,
	CIPHER_KEY_ALIGN	= 64	/* a cache line */
};

struct cipher_key;

/* ci_whole_blocks: keystream lengths are multiples of ci_block_bytes. */
struct cipher {
	unsigned	 ci_index;	/* in ciphers[], of a stub also */
	const char	*ci_name;	/* as -c takes it */
	const char	*ci_alias;	/* as kat scripts call it */
	const char	*ci_descr;
	const char	*ci_evp_name;	/* for libcrypto; NULL: a stub */
	unsigned	 ci_block_bytes;
	bool		 ci_whole_blocks;
	void		(*ci_keystream)(struct cipher_key *ck, uint128_t *ctr,
			    uint8_t *out, size_t n);
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
 * Fetches the ciphers of libcrypto and checks their known answers, before
 * threads start.  Returns: NULL, or the name of one that is absent or wrong.
 */
const char *cipher_load(void);
void cipher_unload(void);

/* By name or alias; NULL when there is none. */
const struct cipher *cipher_find(const char *name);

/*
 * A stub of a cipher, for runs that do not look at output: the same name, block
 * and counters, but only CIPHER_STUB_BYTES of a keystream are written, half
 * of them at its end.  They differ by key and counter and are no secret.
 */
enum { CIPHER_STUB_BYTES = 128 };

const struct cipher *cipher_stub(const struct cipher *cipher);

/* Whether it is a stub; then hashes beside it are stubs too. */
static inline bool
cipher_is_stub(const struct cipher *cipher)
{
	return (cipher->ci_evp_name == NULL);
}

/* A cipher with a key, as union randomdev_key; used under a lock. */
struct cipher_key {
	_Alignas(CIPHER_KEY_ALIGN)
	const struct cipher *ck_cipher;
	EVP_CIPHER_CTX	*ck_ctx;	/* NULL: stub */
	/* ChaCha20: what ck_ctx counts next; low half 0: that is not known. */
	uint128_t	 ck_position;
	/* Of explore: its last keystream ended there; calls in a row. */
	const uint8_t	*ck_end;
	unsigned	 ck_calls;
	bool		 ck_loop;	/* so many that they are no choices */
	uint8_t		 ck_raw[CIPHER_KEY_BYTES];
};

/* Makes an unkeyed cipher, after crypto_init().  0, ENOMEM, or ENOTSUP. */
int cipher_key_init(struct cipher_key *ck, const struct cipher *cipher);

/* Wipes and releases; of zero bytes too. */
void cipher_key_fini(struct cipher_key *ck);

/*
 * Replaces the key, as randomdev_encrypt_init().  Does not allocate.  Where
 * libcrypto fails, crypto_fail() is told, the key wiped and output zeros.
 */
void cipher_key_set(struct cipher_key *ck, const uint8_t key[CIPHER_KEY_BYTES]);

/* Erases the key from the object and from libcrypto's schedule. */
void cipher_key_wipe(struct cipher_key *ck);

/*
 * Writes n bytes of keystream and advances the counter by one for each block
 * begun, as randomdev_keystream().  n is a multiple of 16 for AES; of ChaCha20
 * the rest of a last partial block is thrown away.  Leaves nothing on the
 * stack, and does not allocate.
 */
static inline void
cipher_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	ck->ck_cipher->ci_keystream(ck, ctr, out, n);
}
