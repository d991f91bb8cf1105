/*
 * Hashes of several libraries, with one kind of running context.  The same
 * algorithm from two libraries is two hashes; libgcrypt's names begin with
 * "gcrypt:".  A library is started when its first hash is loaded.
 */
#pragma once

#include "lib/base/base.h"

enum {
	HASH_BYTES_MAX	= 64,	/* of an output */
	HASH_NAME_SIZE	= 64	/* of a buffer for a name */
};

/* Whether a hash can be used. */
enum hash_state {
	HASH_UNLOADED,
	HASH_READY,
	HASH_ABSENT,		/* its library, as set up here, refuses it */
	HASH_WRONG		/* it fails its known answer */
};

/* A row of hashes.tbl.  hash_load() writes what is below the line. */
struct hash {
	const char	*ha_name;	/* as users call it */
	const char	*ha_algorithm;	/* the same in all libraries */
	const char	*ha_native;	/* as its library calls it */
	bool		 ha_legacy;	/* of libcrypto's legacy provider */
	const struct hash_library *ha_library;
	const char	*ha_answer;	/* known, in hexadecimal */
	/* ---- */
	enum hash_state	 ha_state;
	const char	*ha_why;	/* it is not ready, in words */
	unsigned	 ha_bytes;	/* of its output; 0 for null only */
	unsigned	 ha_own_bytes;	/* the length in its library */
	bool		 ha_xof;	/* its output has any length */
	void		*ha_handle;	/* the library's own */
	int		 ha_id;		/* the library's own */
};

/* What a library keeps for one running hash; all zero after hash_fini(). */
union hash_context {
	void		*hc_handle;
	uint64_t	 hc_word;
};

/*
 * A library.  A context is used by one thread at a time.
 *
 * hl_load	starts the library and fills ha_handle or ha_id, ha_xof and
 *		ha_own_bytes; sets ha_why if the state is not HASH_READY.
 * hl_finish	returns false if the library failed.
 */
struct hash_library {
	const char	*hl_name;	/* as documents have it */
	const char	*(*hl_version)(void);	/* with its name */
	enum hash_state	(*hl_load)(struct hash *ha);
	void		(*hl_unload)(struct hash *ha);	/* or NULL */
	/* NULL: hl_clear() makes an empty one. */
	int		(*hl_init)(const struct hash *ha,
			    union hash_context *hc);
	void		(*hl_fini)(union hash_context *hc);	/* or NULL */
	/* Wipe; then make anew, where that is a step of its own, or NULL. */
	void		(*hl_clear)(const struct hash *ha,
			    union hash_context *hc);
	void		(*hl_start)(const struct hash *ha,
			    union hash_context *hc);
	void		(*hl_update)(const struct hash *ha,
			    union hash_context *hc, const void *data, size_t n);
	void		(*hl_copy)(union hash_context *to,
			    const union hash_context *from);
	bool		(*hl_finish)(const struct hash *ha,
			    union hash_context *hc, uint8_t *out);
};

extern const struct hash_library hash_openssl, hash_gcrypt, hash_zlib, hash_cpu;

extern const struct hash_library *const hash_libraries[];
extern const unsigned hash_library_count;

/* All hashes, 0..hash_count() - 1, library by library. */
unsigned hash_count(void);
struct hash *hash_get(unsigned i);

/* The hash called name, or NULL; SHA-256, which crypto_init() loads. */
struct hash *hash_find(const char *name);
#define	hash_sha256()		hash_find("sha256")

/*
 * A quick hash of as many bytes, HASH_READY, beside cipher_stub(): no secret,
 * and it depends on how input was split.
 */
extern const struct hash hash_stub;

/* Makes it ready and checks its known answer, before threads start. */
enum hash_state hash_load(struct hash *ha);
void hash_unload_all(void);

/* Makes an empty context of a ready hash.  Returns: 0, ENOMEM or ENOTSUP. */
static inline int
hash_init(const struct hash *ha, union hash_context *hc)
{
	int error = 0;

	if (ha->ha_library->hl_init == NULL) {
		ha->ha_library->hl_clear(ha, hc);
	} else {
		hold_begin();
		error = ha->ha_library->hl_init(ha, hc);
		hold_end();
	}
	return (error);
}

/* Wipes and releases; of a context of zero bytes too. */
static inline void
hash_fini(const struct hash *ha, union hash_context *hc)
{
	hold_begin();
	if (ha->ha_library->hl_fini != NULL)
		ha->ha_library->hl_fini(hc);
	hold_end();
	*hc = (union hash_context){ .hc_word = 0 };
}

/* Absorbs n bytes, which may be none.  Does not allocate. */
static inline void
hash_update(const struct hash *ha, union hash_context *hc, const void *data,
    size_t n)
{
	ha->ha_library->hl_update(ha, hc, data, n);
}

/* Writes zeros: crypto_fail(). */
void hash_failed(const struct hash *ha, uint8_t *out) __attribute__((cold));

/*
 * Writes ha_bytes, checksums most significant byte first; hash_clear() before
 * next use.  Does not allocate.
 */
static inline void
hash_finish(const struct hash *ha, union hash_context *hc, uint8_t *out)
{
	if (__builtin_expect(!ha->ha_library->hl_finish(ha, hc, out), 0))
		hash_failed(ha, out);
}

/* Wipes the input; hash_start() before next use.  Does not allocate. */
static inline void
hash_clear(const struct hash *ha, union hash_context *hc)
{
	hold_begin();
	ha->ha_library->hl_clear(ha, hc);
	hold_end();
}

/* Makes a cleared context an empty one.  May allocate. */
static inline void
hash_start(const struct hash *ha, union hash_context *hc)
{
	if (ha->ha_library->hl_start != NULL) {
		hold_begin();
		ha->ha_library->hl_start(ha, hc);
		hold_end();
	}
}

/* Those of sys/dev/random/hash.c are reset without an allocation. */
enum {
	DIGEST_BYTES	= 32,	/* of SHA-256 */
	DIGEST_SPARES	= 2,	/* resets without an allocation in between */
	BLAKE2S_KEY_BYTES = 32
};

/* A context in use, then started ones: libcrypto 3.0 allocates to start one. */
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

/* Makes it a copy of another of that hash.  May allocate. */
void digest_copy(struct digest *dg, const struct digest *from);

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
#define	hash_blake2s_keyed()	hash_find("gcrypt:blake2s-256")

/* Empties such a digest, and gives it a key. */
void digest_key(struct digest *dg, const uint8_t key[BLAKE2S_KEY_BYTES]);
