#include <string.h>

#include "lib/crypto/digest.h"

enum { CONTEXTS = DIGEST_SPARES + 1 };

int
digest_init(struct digest *dg)
{
	return (digest_init_as(dg, hash_sha256()));
}

int
digest_init_as(struct digest *dg, const struct hash *hash)
{
	int error;

	memset(dg, 0, sizeof(*dg));
	dg->dg_hash = hash;
	for (unsigned i = 0; i < CONTEXTS; i++) {
		error = hash_init(hash, &dg->dg_ctx[i]);
		if (error != 0) {
			digest_fini(dg);
			return (error);
		}
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
