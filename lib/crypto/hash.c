#include "lib/crypto/crypto.h"
#include "lib/crypto/digest.h"

const struct hash_library *const hash_libraries[] = { &hash_openssl,
    &hash_gcrypt, &hash_zlib, &hash_cpu };

const unsigned hash_library_count = nitems(hash_libraries);

enum { LONG_BYTES = 5000, LONG_PERIOD = 251, LONG_PIECE = 37 };

/* Each library's hashes; ha_native is NULL where it does not have one. */
static struct hash rows[] = {
#define	ROW(library, prefix, name, native, legacy, answer)		\
	{ .ha_name = prefix name, .ha_algorithm = name,			\
	    .ha_native = native, .ha_legacy = legacy,			\
	    .ha_library = &library, .ha_answer = answer },
#define	HASH(name, crypto, gcrypt, answer)				\
	ROW(hash_openssl, "", name, crypto, false, answer)
#define	LEGACY(name, crypto, gcrypt, answer)				\
	ROW(hash_openssl, "", name, crypto, true, answer)
#define	WORD(...)
#include "lib/crypto/hashes.tbl"
#undef HASH
#undef LEGACY
#define	HASH(name, crypto, gcrypt, answer)				\
	ROW(hash_gcrypt, "gcrypt:", name, gcrypt, false, answer)
#define	LEGACY	HASH
#include "lib/crypto/hashes.tbl"
#undef HASH
#undef WORD
#define	HASH(...)
#define	WORD(library, name, answer)					\
	ROW(hash_##library, "", name, name, false, answer)
#include "lib/crypto/hashes.tbl"
};

unsigned
hash_count(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < nitems(rows); i++)
		count += rows[i].ha_native != NULL;
	return (count);
}

struct hash *
hash_get(unsigned i)
{
	unsigned k;

	for (k = 0; rows[k].ha_native == NULL || i-- > 0; k++)
		KASSERT(k + 1 < nitems(rows), ("no such hash"));
	return (&rows[k]);
}

struct hash *
hash_find(const char *name)
{
	for (unsigned i = 0; i < nitems(rows); i++)
		if (rows[i].ha_native != NULL &&
		    strcmp(rows[i].ha_name, name) == 0)
			return (&rows[i]);
	return (NULL);
}

/* The answer of one context, the long message in pieces. */
static bool
works(const struct hash *ha)
{
	char hex[2 * HASH_BYTES_MAX + 1] = "";
	uint8_t bytes[LONG_BYTES], out[HASH_BYTES_MAX];
	union hash_context hc;
	unsigned n;

	if (hash_init(ha, &hc) != 0)
		return (false);
	for (unsigned i = 0; i < LONG_BYTES; i++)
		bytes[i] = (uint8_t)(i % LONG_PERIOD);
	hash_update(ha, &hc, "abc", 3);
	hash_finish(ha, &hc, out);
	hash_clear(ha, &hc);
	hash_start(ha, &hc);
	hash_update(ha, &hc, out, ha->ha_bytes);
	hash_update(ha, &hc, bytes, LONG_PIECE);
	for (unsigned done = LONG_PIECE; done < LONG_BYTES; done += n) {
		n = LONG_BYTES - done < done ? LONG_BYTES - done : done;
		hash_update(ha, &hc, bytes + done, n);
	}
	hash_finish(ha, &hc, out);
	hash_fini(ha, &hc);
	for (unsigned i = 0; i < ha->ha_bytes; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", out[i]);
	return (strcmp(hex, ha->ha_answer) == 0);
}

enum hash_state
hash_load(struct hash *ha)
{
	if (ha->ha_state != HASH_UNLOADED)
		return (ha->ha_state);
	ha->ha_bytes = (unsigned)strlen(ha->ha_answer) / 2;
	KASSERT(ha->ha_bytes <= HASH_BYTES_MAX, ("%s is too long",
	    ha->ha_name));
	ha->ha_state = ha->ha_library->hl_load(ha);
	if (ha->ha_state != HASH_READY)
		return (ha->ha_state);
	if (!ha->ha_xof && ha->ha_own_bytes != ha->ha_bytes)
		ha->ha_why = "its output is not as long as it should be";
	else if (!works(ha))
		ha->ha_why = "it fails its known answer";
	else
		return (HASH_READY);
	if (ha->ha_library->hl_unload != NULL)
		ha->ha_library->hl_unload(ha);
	return (ha->ha_state = HASH_WRONG);
}

void
hash_unload_all(void)
{
	for (unsigned i = 0; i < nitems(rows); i++) {
		if (rows[i].ha_state == HASH_READY &&
		    rows[i].ha_library->hl_unload != NULL)
			rows[i].ha_library->hl_unload(&rows[i]);
		rows[i].ha_state = HASH_UNLOADED;
	}
}

void
hash_failed(const struct hash *ha, uint8_t *out)
{
	memset(out, 0, ha->ha_bytes);
	crypto_fail(ha->ha_name);
}

enum { CONTEXTS = DIGEST_SPARES + 1 };

int
digest_init(struct digest *dg, const struct hash *hash)
{
	int error;

	memset(dg, 0, sizeof(*dg));
	dg->dg_hash = hash;
	for (unsigned i = 0; i < CONTEXTS; i++)
		if ((error = hash_init(hash, &dg->dg_ctx[i])) != 0) {
			digest_fini(dg);
			return (error);
		}
	dg->dg_fresh = DIGEST_SPARES;
	return (0);
}

void
digest_fini(struct digest *dg)
{
	/* One that was never made, among others that were, has no hash. */
	for (unsigned i = 0; i < CONTEXTS && dg->dg_hash != NULL; i++)
		hash_fini(dg->dg_hash, &dg->dg_ctx[i]);
	memset(dg, 0, sizeof(*dg));
}

void
digest_prepare(struct digest *dg)
{
	for (; dg->dg_fresh < DIGEST_SPARES; dg->dg_fresh++)
		hash_start(dg->dg_hash, &dg->dg_ctx[(dg->dg_current +
		    dg->dg_fresh + 1) % CONTEXTS]);
}

void
digest_reset(struct digest *dg)
{
	if (dg->dg_fresh == 0)
		digest_prepare(dg);
	hash_clear(dg->dg_hash, &dg->dg_ctx[dg->dg_current]);
	dg->dg_current = (dg->dg_current + 1) % CONTEXTS;
	dg->dg_fresh--;
}

void
digest_copy(struct digest *dg, const struct digest *from)
{
	digest_reset(dg);
	hold_begin();
	dg->dg_hash->ha_library->hl_copy(&dg->dg_ctx[dg->dg_current],
	    &from->dg_ctx[from->dg_current]);
	hold_end();
}
