/*
 * Running SHA-256 contexts, over libcrypto's EVP.
 *
 * Stands for randomdev_hash_init(), _iterate() and _finish() in
 * sys/dev/random/hash.c.
 */
#ifndef LIB_DIGEST_H
#define LIB_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include <openssl/types.h>

enum { DIGEST_BYTES = 32 };

struct digest {
	EVP_MD_CTX	*dg_ctx;
};

/*
 * Makes an empty context; crypto_init() has been called.
 *
 * Returns: 0, ENOMEM, or ENOTSUP when libcrypto refuses.
 */
int digest_init(struct digest *dg);

/* Wipes and releases. */
void digest_fini(struct digest *dg);

/* Empties the context, wiping what it held.  Does not allocate. */
void digest_reset(struct digest *dg);

/* Absorbs n bytes.  Does not allocate. */
void digest_update(struct digest *dg, const void *data, size_t n);

/* The digest of all absorbed since the last reset; reset before next use. */
void digest_finish(struct digest *dg, uint8_t out[DIGEST_BYTES]);

#endif
