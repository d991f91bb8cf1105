/*
 * Running BLAKE2 contexts, over libcrypto's EVP: BLAKE2s with a digest of 32
 * bytes, which may be keyed, and BLAKE2b with one of 64, which may not.
 *
 * Stands for the kernels' blake2s() and blake2b(), RFC 7693.  Starting a
 * context may allocate, so it has no place on the way of a read.
 */
#ifndef LIB_BLAKE2_H
#define LIB_BLAKE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/types.h>

enum {
	BLAKE2S_BYTES	= 32,	/* of digests, and of keys */
	BLAKE2B_BYTES	= 64
};

/* A context in use. */
struct blake2 {
	size_t		 b_hollow_bytes;	/* 0: a real one */
	uint64_t	 b_mix;			/* of a hollow one */
	EVP_MD		*b_md;
	EVP_MD_CTX	*b_ctx;		/* where there is no key */
	EVP_MAC_CTX	*b_mac;		/* where there is one; NULL: BLAKE2b */
	bool		 b_keyed;
};

/*
 * Makes an empty, unkeyed context.
 *
 * Returns: 0, ENOMEM, or ENOTSUP when libcrypto refuses, as a FIPS provider
 * does.
 */
int blake2s_init(struct blake2 *b);
int blake2b_init(struct blake2 *b);

/*
 * Makes an empty context of the stand-in of lib/hollow.h, with digests of so
 * many bytes.
 */
void blake2_init_hollow(struct blake2 *b, size_t bytes);

/* Wipes and releases; also what was only zeroed. */
void blake2_fini(struct blake2 *b);

/*
 * Empties the context, wiping what it held.
 *
 *   key  in  of BLAKE2S_BYTES, or NULL for none
 */
void blake2_restart(struct blake2 *b, const uint8_t *key);

/* Absorbs n bytes.  Does not allocate. */
void blake2_update(struct blake2 *b, const void *data, size_t n);

/*
 * The digest of all absorbed since the last restart; restart before next use.
 * Wipes what was absorbed, the key too.
 *
 *   out  out  BLAKE2S_BYTES or BLAKE2B_BYTES
 */
void blake2_finish(struct blake2 *b, uint8_t *out);

#endif
