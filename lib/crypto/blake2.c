#include <errno.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "lib/crypto/blake2.h"
#include "lib/crypto/crypto.h"
#include "lib/crypto/stub_cipher.h"
#include "lib/base/kassert.h"

static const uint8_t zero_key[BLAKE2S_BYTES];

/* Restarts the context of that kind, which wipes its input. */
static void
start(struct blake2 *b, const uint8_t *key)
{
	int ok;

	if (key == NULL)
		ok = EVP_DigestInit_ex2(b->b_ctx, b->b_md, NULL);
	else
		ok = EVP_MAC_init(b->b_mac, key, BLAKE2S_BYTES, NULL);
	if (ok != 1)
		crypto_fail("BLAKE2");
}

static int
make(struct blake2 *b, const char *name)
{
	memset(b, 0, sizeof(*b));
	b->b_md = EVP_MD_fetch(NULL, name, NULL);
	if (b->b_md == NULL)
		return (ENOTSUP);
	b->b_ctx = EVP_MD_CTX_new();
	if (b->b_ctx == NULL)
		return (ENOMEM);
	return (EVP_DigestInit_ex2(b->b_ctx, b->b_md, NULL) == 1 ? 0 : ENOTSUP);
}

void
blake2_fini(struct blake2 *b)
{
	/* Freeing it wipes the key, but not the state made from the key. */
	if (b->b_keyed)
		start(b, zero_key);
	EVP_MAC_CTX_free(b->b_mac);
	EVP_MD_CTX_free(b->b_ctx);
	EVP_MD_free(b->b_md);
	memset(b, 0, sizeof(*b));
}

int
blake2s_init(struct blake2 *b)
{
	EVP_MAC *mac;
	int error;

	error = make(b, "BLAKE2S-256");
	if (error == 0) {
		/* The context keeps it. */
		mac = EVP_MAC_fetch(NULL, "BLAKE2SMAC", NULL);
		if (mac == NULL)
			error = ENOTSUP;
		else if ((b->b_mac = EVP_MAC_CTX_new(mac)) == NULL)
			error = ENOMEM;
		EVP_MAC_free(mac);
	}
	if (error != 0)
		blake2_fini(b);
	return (error);
}

int
blake2b_init(struct blake2 *b)
{
	int error;

	error = make(b, "BLAKE2B-512");
	if (error != 0)
		blake2_fini(b);
	return (error);
}

void
blake2_init_stub(struct blake2 *b, size_t bytes)
{
	MPASS(bytes == BLAKE2S_BYTES || bytes == BLAKE2B_BYTES);
	memset(b, 0, sizeof(*b));
	b->b_stub_bytes = bytes;
}

/*
 * libcrypto keeps the key for another start with it, so the key would stay
 * after its digest.
 */
static void
forget_key(struct blake2 *b)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY,
		    (void *)(uintptr_t)zero_key, sizeof(zero_key)),
		OSSL_PARAM_construct_end()
	};
	int ok;

	ok = EVP_MAC_CTX_set_params(b->b_mac, params);
	if (ok != 1)
		crypto_fail("BLAKE2");
}

void
blake2_restart(struct blake2 *b, const uint8_t *key)
{
	bool keyed = key != NULL;

	if (b->b_stub_bytes > 0) {
		b->b_mix = keyed ? stub_absorb(1, key, BLAKE2S_BYTES) : 0;
		return;
	}
	if (b->b_keyed != keyed)
		start(b, b->b_keyed ? zero_key : NULL);
	start(b, key);
	if (keyed)
		forget_key(b);
	b->b_keyed = keyed;
}

void
blake2_update(struct blake2 *b, const void *data, size_t n)
{
	int ok;

	if (b->b_stub_bytes > 0) {
		b->b_mix = stub_absorb(b->b_mix, data, n);
		return;
	}
	/* libcrypto would crash in a context that did not start. */
	if (crypto_failed() != NULL)
		return;
	if (b->b_keyed)
		ok = EVP_MAC_update(b->b_mac, data, n);
	else
		ok = EVP_DigestUpdate(b->b_ctx, data, n);
	if (ok != 1)
		crypto_fail("BLAKE2");
}

void
blake2_finish(struct blake2 *b, uint8_t *out)
{
	unsigned made = 0;
	size_t n = 0;
	int ok = 0;

	if (b->b_stub_bytes > 0) {
		stub_expand(b->b_mix, out, b->b_stub_bytes);
		b->b_mix = 0;
		return;
	}
	if (crypto_failed() != NULL) {
		ok = 0;
	} else if (b->b_keyed) {
		ok = EVP_MAC_final(b->b_mac, out, &n, BLAKE2S_BYTES);
	} else {
		ok = EVP_DigestFinal_ex(b->b_ctx, out, &made);
		n = made;
	}
	if (ok != 1 || (n != BLAKE2S_BYTES && n != BLAKE2B_BYTES)) {
		memset(out, 0, b->b_keyed ? BLAKE2S_BYTES :
		    (size_t)EVP_MD_get_size(b->b_md));
		crypto_fail("BLAKE2");
	}
}
