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

enum {
	DIGEST_BYTES	= 32,
	DIGEST_SPARES	= 2	/* resets without an allocation in between */
};

/*
 * A context in use and empty ones to follow it.  libcrypto 3.0 allocates when
 * it starts a context, so they are started ahead, where that does no harm.
 */
struct digest {
	EVP_MD_CTX	*dg_ctx[DIGEST_SPARES + 1];
	unsigned	 dg_current;	/* the one in use */
	unsigned	 dg_fresh;	/* empty ones after it, in a ring */
};

/*
 * Makes an empty context, fully prepared; crypto_init() has been called.
 *
 * Returns: 0, ENOMEM, or ENOTSUP when libcrypto refuses.
 */
int digest_init(struct digest *dg);

/* Wipes and releases. */
void digest_fini(struct digest *dg);

/*
 * Makes sure that the next DIGEST_SPARES resets do not allocate.  Allocates if
 * any were used up since the last call.
 */
void digest_prepare(struct digest *dg);

/*
 * Empties the context, wiping what it held.  Allocates only if not prepared.
 */
void digest_reset(struct digest *dg);

/* Absorbs n bytes.  Does not allocate. */
void digest_update(struct digest *dg, const void *data, size_t n);

/*
 * The digest of all absorbed since the last reset; reset before next use.  Does
 * not allocate.
 */
void digest_finish(struct digest *dg, uint8_t out[DIGEST_BYTES]);

#endif
