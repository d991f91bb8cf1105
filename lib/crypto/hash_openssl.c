/*
 * libcrypto's hashes, of its default and legacy providers.
 *
 * Departs: SHAKE128 and SHAKE256 give 32 and 64 bytes, not 16 and 32, so that
 * outputs resist collisions as well as states do.
 */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "lib/crypto/crypto.h"
#include "lib/crypto/digest.h"

/* The legacy provider; NULL: not loaded yet, or not installed. */
static OSSL_PROVIDER *legacy;

static enum hash_state
load(struct hash *ha)
{
	EVP_MD *any, *md = NULL;

	ERR_set_mark();
	if (ha->ha_legacy && legacy == NULL)
		legacy = OSSL_PROVIDER_try_load(NULL, "legacy", 1);
	if (!ha->ha_legacy || legacy != NULL)
		md = EVP_MD_fetch(NULL, ha->ha_native, NULL);
	if (md == NULL) {
		/* Ignores a configuration that requires approved algorithms. */
		any = EVP_MD_fetch(NULL, ha->ha_native, "-fips");
		ha->ha_why = any != NULL ?
		    "libcrypto's default_properties forbid it" :
		    ha->ha_legacy && legacy == NULL ?
		    "libcrypto's legacy provider is not installed" :
		    "libcrypto's active providers do not offer it";
		EVP_MD_free(any);
	} else {
		ha->ha_xof = (EVP_MD_get_flags(md) & EVP_MD_FLAG_XOF) != 0;
		ha->ha_own_bytes = (unsigned)EVP_MD_get_size(md);
	}
	ha->ha_handle = md;
	ERR_pop_to_mark();
	return (md == NULL ? HASH_ABSENT : HASH_READY);
}

static void
unload(struct hash *ha)
{
	EVP_MD_free(ha->ha_handle);
	ha->ha_handle = NULL;
}

static int
init(const struct hash *ha, union hash_context *hc)
{
	if ((hc->hc_handle = EVP_MD_CTX_new()) == NULL)
		return (ENOMEM);
	if (EVP_DigestInit_ex2(hc->hc_handle, ha->ha_handle, NULL) == 1)
		return (0);
	EVP_MD_CTX_free(hc->hc_handle);
	hc->hc_handle = NULL;
	return (ENOTSUP);
}

static void
fini(union hash_context *hc)
{
	EVP_MD_CTX_free(hc->hc_handle);
}

static void
clear(const struct hash *ha __unused, union hash_context *hc)
{
	/* Frees and cleanses. */
	EVP_MD_CTX_reset(hc->hc_handle);
}

static void
start(const struct hash *ha, union hash_context *hc)
{
	if (__builtin_expect(EVP_DigestInit_ex2(hc->hc_handle, ha->ha_handle,
	    NULL) != 1, 0))
		crypto_fail(ha->ha_name);
}

static void
update(const struct hash *ha, union hash_context *hc, const void *data,
    size_t n)
{
	/* libcrypto would crash in a context that did not start. */
	if (__builtin_expect(crypto_failed() == NULL &&
	    EVP_DigestUpdate(hc->hc_handle, data, n) != 1, 0))
		crypto_fail(ha->ha_name);
}

static void
copy(union hash_context *to, const union hash_context *from)
{
	if (EVP_MD_CTX_copy_ex(to->hc_handle, from->hc_handle) != 1)
		crypto_fail("a copied hash");
}

static bool
finish(const struct hash *ha, union hash_context *hc, uint8_t *out)
{
	unsigned n = ha->ha_bytes;
	int ok = 0;

	if (crypto_failed() == NULL)
		ok = ha->ha_xof ? EVP_DigestFinalXOF(hc->hc_handle, out, n) :
		    EVP_DigestFinal_ex(hc->hc_handle, out, &n);
	return (ok == 1 && n == ha->ha_bytes);
}

const struct hash_library hash_openssl = { .hl_name = "libcrypto",
    .hl_version = crypto_version, .hl_load = load, .hl_unload = unload,
    .hl_init = init, .hl_fini = fini, .hl_clear = clear, .hl_start = start,
    .hl_update = update, .hl_copy = copy, .hl_finish = finish };
