#include <errno.h>
#include <string.h>

#include <openssl/evp.h>

#include "lib/blake2.h"
#include "lib/kassert.h"

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
	return (EVP_DigestInit_ex2(b->b_ctx, b->b_md, NULL) == 1 ? 0 :
	    ENOTSUP);
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
blake2_fini(struct blake2 *b)
{

	EVP_MAC_CTX_free(b->b_mac);
	EVP_MD_CTX_free(b->b_ctx);
	EVP_MD_free(b->b_md);
	memset(b, 0, sizeof(*b));
}

void
blake2_restart(struct blake2 *b, const uint8_t *key)
{
	int ok;

	/* Both cleanse what was absorbed. */
	if (key == NULL)
		ok = EVP_DigestInit_ex2(b->b_ctx, b->b_md, NULL);
	else
		ok = EVP_MAC_init(b->b_mac, key, BLAKE2S_BYTES, NULL);
	KASSERT(ok == 1, ("starting BLAKE2"));
	b->b_keyed = key != NULL;
}

void
blake2_update(struct blake2 *b, const void *data, size_t n)
{
	int ok;

	if (b->b_keyed)
		ok = EVP_MAC_update(b->b_mac, data, n);
	else
		ok = EVP_DigestUpdate(b->b_ctx, data, n);
	KASSERT(ok == 1, ("BLAKE2 of %zu bytes", n));
}

void
blake2_finish(struct blake2 *b, uint8_t *out)
{
	unsigned made = 0;
	size_t n = 0;
	int ok;

	if (b->b_keyed) {
		ok = EVP_MAC_final(b->b_mac, out, &n, BLAKE2S_BYTES);
	} else {
		ok = EVP_DigestFinal_ex(b->b_ctx, out, &made);
		n = made;
	}
	KASSERT(ok == 1 && (n == BLAKE2S_BYTES || n == BLAKE2B_BYTES),
	    ("BLAKE2 of %zu bytes", n));
}
