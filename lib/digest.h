/*
 * Running hashes that are reset without an allocation, SHA-256 if nothing else
 * is asked for.
 *
 * Stands for randomdev_hash_init(), _iterate() and _finish() in
 * sys/dev/random/hash.c.
 */
#ifndef LIB_DIGEST_H
#define LIB_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "lib/hash.h"

enum {
	DIGEST_BYTES	= 32,	/* of SHA-256 */
	DIGEST_SPARES	= 2	/* resets without an allocation in between */
};

/*
 * A context in use and empty ones to follow it.  libcrypto 3.0 allocates when
 * it starts a context, so they are started ahead, where that does no harm.
 */
struct digest {
	const struct hash *dg_hash;
	union hash_context dg_ctx[DIGEST_SPARES + 1];
	unsigned	 dg_current;	/* the one in use */
	unsigned	 dg_fresh;	/* empty ones after it, in a ring */
};

/*
 * Makes an empty context of SHA-256, fully prepared; crypto_init() has been
 * called.
 *
 * Returns: 0, ENOMEM, or ENOTSUP when the library refuses.
 */
int digest_init(struct digest *dg);

/*
 * The same of another hash.
 *
 *   hash  in  HASH_READY
 */
int digest_init_as(struct digest *dg, const struct hash *hash);

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

/* The length of its output: DIGEST_BYTES, or another hash's. */
static inline unsigned
digest_bytes(const struct digest *dg)
{

	return (dg->dg_hash->ha_bytes);
}

/* Absorbs n bytes.  Does not allocate. */
static inline void
digest_update(struct digest *dg, const void *data, size_t n)
{

	hash_update(dg->dg_hash, &dg->dg_ctx[dg->dg_current], data, n);
}

/*
 * The digest of all absorbed since the last reset; reset before next use.  Does
 * not allocate.
 *
 *   out  out  digest_bytes()
 */
static inline void
digest_finish(struct digest *dg, uint8_t *out)
{

	hash_finish(dg->dg_hash, &dg->dg_ctx[dg->dg_current], out);
}

#endif
