/* Hashes of sys/dev/random/hash.c, reset without an allocation. */
#pragma once

#include "lib/crypto/hash.h"

enum {
	DIGEST_BYTES	= 32,	/* of SHA-256 */
	DIGEST_SPARES	= 2,	/* resets without an allocation in between */
	BLAKE2S_KEY_BYTES = 32
};

/* The one in use, and started ones: libcrypto 3.0 allocates at a start. */
struct digest {
	const struct hash *dg_hash;
	union hash_context dg_ctx[DIGEST_SPARES + 1];
	unsigned	 dg_current;	/* the one in use */
	unsigned	 dg_fresh;	/* empty ones after it, in a ring */
};

/* Makes a prepared digest of a hash that is ready: 0, ENOMEM or ENOTSUP. */
int digest_init(struct digest *dg, const struct hash *hash);

/* Wipes and releases. */
void digest_fini(struct digest *dg);

/* Prepares the next DIGEST_SPARES resets; may allocate. */
void digest_prepare(struct digest *dg);

/* Wipes and empties the context.  Allocates only if not prepared. */
void digest_reset(struct digest *dg);

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

/* Writes digest_bytes(); reset before next use.  Does not allocate. */
static inline void
digest_finish(struct digest *dg, uint8_t *out)
{
	hash_finish(dg->dg_hash, &dg->dg_ctx[dg->dg_current], out);
}

/* BLAKE2s that can have a key; without one it is BLAKE2s. */
struct hash *hash_blake2s_keyed(void);

/* Empties such a digest, and gives it a key. */
void digest_key(struct digest *dg, const uint8_t key[BLAKE2S_KEY_BYTES]);
