#include <errno.h>
#include <string.h>

#include <openssl/evp.h>

#include "lib/crypto.h"
#include "lib/digest.h"
#include "lib/kassert.h"

enum { CONTEXTS = DIGEST_SPARES + 1 };

int
digest_init(struct digest *dg)
{
	unsigned i;

	memset(dg, 0, sizeof(*dg));
	for (i = 0; i < CONTEXTS; i++) {
		dg->dg_ctx[i] = EVP_MD_CTX_new();
		if (dg->dg_ctx[i] == NULL || EVP_DigestInit_ex2(dg->dg_ctx[i],
		    crypto_sha256(), NULL) != 1) {
			int error = dg->dg_ctx[i] == NULL ? ENOMEM : ENOTSUP;

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
	unsigned i;

	for (i = 0; i < CONTEXTS; i++)
		EVP_MD_CTX_free(dg->dg_ctx[i]);
	memset(dg, 0, sizeof(*dg));
}

void
digest_prepare(struct digest *dg)
{
	unsigned i;
	int ok;

	for (; dg->dg_fresh < DIGEST_SPARES; dg->dg_fresh++) {
		i = (dg->dg_current + dg->dg_fresh + 1) % CONTEXTS;
		ok = EVP_DigestInit_ex2(dg->dg_ctx[i], crypto_sha256(), NULL);
		KASSERT(ok == 1, ("starting SHA-256"));
	}
}

void
digest_reset(struct digest *dg)
{

	if (dg->dg_fresh == 0)
		digest_prepare(dg);
	/* Frees and cleanses what was absorbed. */
	EVP_MD_CTX_reset(dg->dg_ctx[dg->dg_current]);
	dg->dg_current = (dg->dg_current + 1) % CONTEXTS;
	dg->dg_fresh--;
}

void
digest_update(struct digest *dg, const void *data, size_t n)
{
	int ok;

	ok = EVP_DigestUpdate(dg->dg_ctx[dg->dg_current], data, n);
	KASSERT(ok == 1, ("SHA-256 of %zu bytes", n));
}

void
digest_finish(struct digest *dg, uint8_t out[DIGEST_BYTES])
{
	unsigned n = 0;
	int ok;

	ok = EVP_DigestFinal_ex(dg->dg_ctx[dg->dg_current], out, &n);
	KASSERT(ok == 1 && n == DIGEST_BYTES, ("SHA-256 of %u bytes", n));
}
