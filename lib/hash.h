/*
 * Hashes of several libraries, behind one kind of running context.
 *
 * A library is one file lib/hash_NAME.c that ends in its struct hash_library,
 * and one line in lib/hash_library.tbl.  The same algorithm from two libraries
 * is two hashes: libcrypto's have the plain name, "sha256", and so have zlib's
 * and the CPU's, which libcrypto does not have; libgcrypt's begin with
 * "gcrypt:".  A library is started, and a module of it loaded, when the first
 * hash that needs it is.
 */
#ifndef LIB_HASH_H
#define LIB_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HASH_BYTES_MAX	= 64,	/* of an output */
	HASH_NAME_SIZE	= 64	/* of a buffer for a name */
};

/* Whether a hash can be used; all but the first are hash_load()'s answers. */
enum hash_state {
	HASH_UNLOADED,
	HASH_READY,
	HASH_ABSENT,		/* the library, as set up here, lacks it */
	HASH_FORBIDDEN,		/* it is there, and may not be used: FIPS */
	HASH_WRONG		/* it fails its known answers */
};

struct hash_library;

/* A hash.  What is below the line hash_load() writes. */
struct hash {
	const char	*ha_name;	/* as users call it */
	const char	*ha_algorithm;	/* as lib/hash_known.tbl has it */
	const char	*ha_native;	/* as its library calls it */
	bool		 ha_legacy;	/* of libcrypto's legacy provider */
	/* ---- */
	const struct hash_library *ha_library;
	enum hash_state	 ha_state;
	const char	*ha_why;	/* it is not ready, in words */
	unsigned	 ha_bytes;	/* of its output; 0 for null only */
	bool		 ha_xof;	/* gives as much as is asked for */
	void		*ha_handle;	/* the library's own */
	int		 ha_id;		/* the library's own */
};

/* A running context: whatever its hash's library keeps. */
union hash_context {
	void		*hc_handle;
	uint32_t	 hc_word;
	uint64_t	 hc_mix;
};

/*
 * What a library offers.  Contexts are used by one thread at a time; the
 * members for them are called through the functions below, which say what they
 * do.
 *
 * hl_load	starts the library if need be, and makes ha_handle or ha_id,
 *		ha_xof; a state, with ha_why where that is not HASH_READY.
 * hl_unload	releases what it made.
 * hl_others	calls each() for hashes that the library has now, and hl_hashes
 *		has not, once for each.
 */
struct hash_library {
	const char	*hl_name;	/* as documents have it */
	struct hash	*hl_hashes;
	unsigned	 hl_count;
	const char	*(*hl_version)(void);	/* with its name */
	enum hash_state	(*hl_load)(struct hash *ha);
	void		(*hl_unload)(struct hash *ha);
	void		(*hl_others)(void (*each)(const char *name, void *arg),
			    void *arg);
	int		(*hl_init)(const struct hash *ha,
			    union hash_context *hc);
	void		(*hl_fini)(const struct hash *ha,
			    union hash_context *hc);
	void		(*hl_start)(const struct hash *ha,
			    union hash_context *hc);
	void		(*hl_clear)(const struct hash *ha,
			    union hash_context *hc);
	void		(*hl_update)(const struct hash *ha,
			    union hash_context *hc, const void *data, size_t n);
	void		(*hl_finish)(const struct hash *ha,
			    union hash_context *hc, uint8_t *out);
};

#define	HASH_LIBRARY(name)	extern const struct hash_library hash_##name;
#include "lib/hash_library.tbl"
#undef HASH_LIBRARY

/* The family, in table order. */
extern const struct hash_library *const hash_libraries[];
extern const unsigned hash_library_count;

/* All libraries' hashes, 0..hash_count() - 1, library by library. */
unsigned hash_count(void);
struct hash *hash_get(unsigned i);

/* The hash called name; NULL when there is none. */
struct hash *hash_find(const char *name);

/* libcrypto's SHA-256, which crypto_init() loads. */
struct hash *hash_sha256(void);

/*
 * Makes a hash ready, with a check on its known answers; once, then it only
 * tells.  Call before threads start.
 *
 * Returns: its state.
 */
enum hash_state hash_load(struct hash *ha);

/* Releases what was loaded; hashes are as before the first hash_load(). */
void hash_unload_all(void);

/*
 * Calls each() for every hash that a library has beyond those of this family,
 * under a name in the family's spelling.  Nothing is known about them.
 */
void hash_others(void (*each)(const char *name, void *arg), void *arg);

/*
 * Makes an empty context, ready to be updated.
 *
 *   ha  in  HASH_READY
 *
 * Returns: 0, ENOMEM, or ENOTSUP when the library refuses.
 */
static inline int
hash_init(const struct hash *ha, union hash_context *hc)
{

	return (ha->ha_library->hl_init(ha, hc));
}

/* Wipes and releases; of a context of zero bytes too. */
static inline void
hash_fini(const struct hash *ha, union hash_context *hc)
{

	ha->ha_library->hl_fini(ha, hc);
}

/* Absorbs n bytes, which may be none.  Does not allocate. */
static inline void
hash_update(const struct hash *ha, union hash_context *hc, const void *data,
    size_t n)
{

	ha->ha_library->hl_update(ha, hc, data, n);
}

/*
 * The hash of all absorbed; hash_clear() before next use.  Does not allocate.
 *
 *   out  out  ha_bytes; CRCs and Adler-32 most significant byte first
 */
static inline void
hash_finish(const struct hash *ha, union hash_context *hc, uint8_t *out)
{

	ha->ha_library->hl_finish(ha, hc, out);
}

/*
 * Wipes what was absorbed; hash_start() before next use.  Does not allocate.
 */
static inline void
hash_clear(const struct hash *ha, union hash_context *hc)
{

	ha->ha_library->hl_clear(ha, hc);
}

/* Makes a cleared context an empty one.  May allocate. */
static inline void
hash_start(const struct hash *ha, union hash_context *hc)
{

	ha->ha_library->hl_start(ha, hc);
}

#endif
