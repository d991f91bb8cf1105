#include <errno.h>

#include <openssl/evp.h>

#include "lib/crypto.h"
#include "lib/digest.h"
#include "lib/kassert.h"

int
digest_init(struct digest *dg)
{

	dg->dg_ctx = EVP_MD_CTX_new();
	if (dg->dg_ctx == NULL)
		return (ENOMEM);
	if (EVP_DigestInit_ex2(dg->dg_ctx, crypto_sha256(), NULL) != 1) {
		EVP_MD_CTX_free(dg->dg_ctx);
		dg->dg_ctx = NULL;
		return (ENOTSUP);
	}
	return (0);
}

void
digest_fini(struct digest *dg)
{

	EVP_MD_CTX_free(dg->dg_ctx);
	dg->dg_ctx = NULL;
}

void
digest_reset(struct digest *dg)
{
	int ok;

	ok = EVP_DigestInit_ex2(dg->dg_ctx, NULL, NULL);
	KASSERT(ok == 1, ("resetting SHA-256"));
}

void
digest_update(struct digest *dg, const void *data, size_t n)
{
	int ok;

	ok = EVP_DigestUpdate(dg->dg_ctx, data, n);
	KASSERT(ok == 1, ("SHA-256 of %zu bytes", n));
}

void
digest_finish(struct digest *dg, uint8_t out[DIGEST_BYTES])
{
	unsigned n = 0;
	int ok;

	ok = EVP_DigestFinal_ex(dg->dg_ctx, out, &n);
	KASSERT(ok == 1 && n == DIGEST_BYTES, ("SHA-256 of %u bytes", n));
}
