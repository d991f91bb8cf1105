#include <errno.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "lib/crypto/blake2.h"
#include "lib/crypto/crypto.h"

static const uint8_t no_key[BLAKE2S_KEY_BYTES];

static enum hash_state
load(struct hash *ha)
{
	ha->ha_handle = EVP_MAC_fetch(NULL, ha->ha_native, NULL);
	ha->ha_own_bytes = ha->ha_bytes;
	return (ha->ha_handle == NULL ? HASH_ABSENT : HASH_READY);
}

static void
unload(struct hash *ha)
{
	EVP_MAC_free(ha->ha_handle);
	ha->ha_handle = NULL;
}

static int
init(const struct hash *ha, union hash_context *hc)
{
	hc->hc_handle = EVP_MAC_CTX_new(ha->ha_handle);
	if (hc->hc_handle == NULL)
		return (ENOMEM);
	if (EVP_MAC_init(hc->hc_handle, no_key, sizeof(no_key), NULL) == 1)
		return (0);
	EVP_MAC_CTX_free(hc->hc_handle);
	hc->hc_handle = NULL;
	return (ENOTSUP);
}

static void
fini(union hash_context *hc)
{
	/* libcrypto does not wipe what it frees; a new start does. */
	if (hc->hc_handle != NULL)
		(void)EVP_MAC_init(hc->hc_handle, no_key, sizeof(no_key), NULL);
	EVP_MAC_CTX_free(hc->hc_handle);
}

static void
start(const struct hash *ha, union hash_context *hc)
{
	if (EVP_MAC_init(hc->hc_handle, no_key, sizeof(no_key), NULL) != 1)
		crypto_fail(ha->ha_name);
}

static void
update(const struct hash *ha, union hash_context *hc, const void *data,
    size_t n)
{
	/* libcrypto would crash in a context that did not start. */
	if (crypto_failed() == NULL &&
	    EVP_MAC_update(hc->hc_handle, data, n) != 1)
		crypto_fail(ha->ha_name);
}

static bool
finish(const struct hash *ha, union hash_context *hc, uint8_t *out)
{
	size_t n = 0;

	return (crypto_failed() == NULL && EVP_MAC_final(hc->hc_handle, out, &n,
	    ha->ha_bytes) == 1 && n == ha->ha_bytes);
}

static const struct hash_library library = {
	.hl_name	= "libcrypto",
	.hl_version	= crypto_version,
	.hl_load	= load,
	.hl_unload	= unload,
	.hl_init	= init,
	.hl_fini	= fini,
	/* Starting anew wipes what was there. */
	.hl_clear	= start,
	.hl_update	= update,
	.hl_finish	= finish,
};

/* In no table, as no user chooses it by name. */
static struct hash keyed = {
	.ha_name	= "blake2s-256 with a key",
	.ha_native	= "BLAKE2SMAC",
	.ha_library	= &library,
	/* As others', with a key of zeros. */
	.ha_answer	= "0ea0415d910e9407dbb2bbafb657b90d"
	    "4d3f10430a37beb246a3460bb9d2f71c",
};

struct hash *
hash_blake2s_keyed(void)
{
	return (&keyed);
}

/*
 * libcrypto keeps the key for another start with it, so the key would stay
 * after its digest.
 */
static bool
forget_key(EVP_MAC_CTX *mac)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY,
		    (void *)(uintptr_t)no_key, sizeof(no_key)),
		OSSL_PARAM_construct_end()
	};

	return (EVP_MAC_CTX_set_params(mac, params) == 1);
}

void
digest_key(struct digest *dg, const uint8_t key[BLAKE2S_KEY_BYTES])
{
	EVP_MAC_CTX *mac;

	digest_reset(dg);
	mac = dg->dg_ctx[dg->dg_current].hc_handle;
	if (EVP_MAC_init(mac, key, BLAKE2S_KEY_BYTES, NULL) != 1 ||
	    !forget_key(mac))
		crypto_fail(dg->dg_hash->ha_name);
}
