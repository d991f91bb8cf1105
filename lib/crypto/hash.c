/*
 * All hashes and their known answers.
 */
#include <stdio.h>
#include <string.h>

#include "lib/crypto/crypto.h"
#include "lib/crypto/hash.h"
#include "lib/base/kassert.h"

const struct hash_library *const hash_libraries[] = {
	&hash_openssl, &hash_gcrypt, &hash_zlib, &hash_cpu
};

const unsigned hash_library_count = sizeof(hash_libraries) /
    sizeof(hash_libraries[0]);

enum { LONG_BYTES = 5000, LONG_PERIOD = 251, LONG_PIECE = 37 };

static const struct known {
	const char	*kn_algorithm;
	const char	*kn_abc;
	const char	*kn_long;
} known[] = {
#define	HASH_KNOWN(algorithm, abc, longer)	{ algorithm, abc, longer },
#include "lib/crypto/hash_known.tbl"
#undef HASH_KNOWN
};

unsigned
hash_count(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < hash_library_count; i++)
		count += hash_libraries[i]->hl_count;
	return (count);
}

struct hash *
hash_get(unsigned i)
{
	unsigned k;

	for (k = 0; i >= hash_libraries[k]->hl_count; k++) {
		i -= hash_libraries[k]->hl_count;
		KASSERT(k + 1 < hash_library_count, ("no such hash"));
	}
	return (&hash_libraries[k]->hl_hashes[i]);
}

struct hash *
hash_find(const char *name)
{
	unsigned count = hash_count();

	for (unsigned i = 0; i < count; i++)
		if (strcmp(hash_get(i)->ha_name, name) == 0)
			return (hash_get(i));
	return (NULL);
}

struct hash *
hash_sha256(void)
{
	struct hash *ha = hash_find("sha256");

	KASSERT(ha != NULL, ("no SHA-256"));
	return (ha);
}

static const struct known *
known_find(const char *algorithm)
{
	unsigned i;

	for (i = 0; strcmp(known[i].kn_algorithm, algorithm) != 0; i++)
		KASSERT(i + 1 < sizeof(known) / sizeof(known[0]),
		    ("no known answer of %s", algorithm));
	return (&known[i]);
}

static bool
answers(const struct hash *ha, union hash_context *hc, const char *want)
{
	uint8_t out[HASH_BYTES_MAX];
	char hex[2 * HASH_BYTES_MAX + 1] = "";

	hash_finish(ha, hc, out);
	for (unsigned i = 0; i < ha->ha_bytes; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", out[i]);
	return (strcmp(hex, want) == 0);
}

/* Both answers from one context, the long message in pieces. */
static bool
works(const struct hash *ha, const struct known *kn)
{
	uint8_t bytes[LONG_BYTES];
	union hash_context hc;
	unsigned n;
	bool ok;

	if (hash_init(ha, &hc) != 0)
		return (false);
	for (unsigned i = 0; i < LONG_BYTES; i++)
		bytes[i] = (uint8_t)(i % LONG_PERIOD);
	hash_update(ha, &hc, "abc", 3);
	ok = answers(ha, &hc, kn->kn_abc);
	hash_clear(ha, &hc);
	hash_start(ha, &hc);
	hash_update(ha, &hc, bytes, LONG_PIECE);
	for (unsigned done = LONG_PIECE; done < LONG_BYTES; done += n) {
		n = LONG_BYTES - done < done ? LONG_BYTES - done : done;
		hash_update(ha, &hc, bytes + done, n);
	}
	ok = answers(ha, &hc, kn->kn_long) && ok;
	hash_fini(ha, &hc);
	return (ok);
}

static void
unload(struct hash *ha)
{
	if (ha->ha_library->hl_unload != NULL)
		ha->ha_library->hl_unload(ha);
}

enum hash_state
hash_load(struct hash *ha)
{
	const struct known *kn = known_find(ha->ha_algorithm);

	if (ha->ha_state != HASH_UNLOADED)
		return (ha->ha_state);
	ha->ha_bytes = (unsigned)strlen(kn->kn_abc) / 2;
	KASSERT(ha->ha_bytes <= HASH_BYTES_MAX, ("%s is too long",
	    ha->ha_name));
	ha->ha_state = ha->ha_library->hl_load(ha);
	if (ha->ha_state != HASH_READY)
		return (ha->ha_state);
	if (!ha->ha_xof && ha->ha_own_bytes != ha->ha_bytes)
		ha->ha_why = "its output is not as long as it should be";
	else if (!works(ha, kn))
		ha->ha_why = "it fails its known answers";
	else
		return (HASH_READY);
	unload(ha);
	ha->ha_state = HASH_WRONG;
	return (HASH_WRONG);
}

void
hash_unload_all(void)
{
	unsigned count = hash_count();
	struct hash *ha;

	for (unsigned i = 0; i < count; i++) {
		ha = hash_get(i);
		if (ha->ha_state == HASH_READY)
			unload(ha);
		ha->ha_state = HASH_UNLOADED;
	}
}

void
hash_failed(const struct hash *ha, uint8_t *out)
{
	memset(out, 0, ha->ha_bytes);
	crypto_fail(ha->ha_name);
}
