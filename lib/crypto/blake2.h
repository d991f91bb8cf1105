/*
 * BLAKE2 over libcrypto's EVP: BLAKE2s with 32 bytes of digest, keyed or not,
 * and BLAKE2b with 64, unkeyed.
 *
 * Stands for the kernels' blake2s() and blake2b(), RFC 7693.  Starting a
 * context may allocate, so a read must not do it.
 */
#ifndef LIB_CRYPTO_BLAKE2_H
#define LIB_CRYPTO_BLAKE2_H

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
	size_t		 b_stub_bytes;	/* 0: a real one */
	uint64_t	 b_mix;			/* of a stub one */
	EVP_MD		*b_md;
	EVP_MD_CTX	*b_ctx;		/* where there is no key */
	EVP_MAC_CTX	*b_mac;		/* where there is one; NULL: BLAKE2b */
	bool		 b_keyed;
};

/* Makes an empty, unkeyed context.  Returns: 0, ENOMEM or ENOTSUP. */
int blake2s_init(struct blake2 *b);
int blake2b_init(struct blake2 *b);

/* The same of the stub, with a digest of that many bytes. */
void blake2_init_stub(struct blake2 *b, size_t bytes);

/* Wipes and releases; also what was only zeroed. */
void blake2_fini(struct blake2 *b);

/* Wipes and empties the context.  key: BLAKE2S_BYTES, or NULL for none. */
void blake2_restart(struct blake2 *b, const uint8_t *key);

/* Absorbs n bytes.  Does not allocate. */
void blake2_update(struct blake2 *b, const void *data, size_t n);

/* Writes the digest and wipes input and key; restart before next use. */
void blake2_finish(struct blake2 *b, uint8_t *out);

#endif
