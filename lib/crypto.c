#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "lib/cipher.h"
#include "lib/crypto.h"
#include "lib/digest.h"
#include "lib/kassert.h"

/*
 * The variable in which libcrypto looks for CPU capabilities, and the value
 * that leaves it none beyond the base instruction set.
 */
#if defined(__aarch64__) || defined(__arm__)
#define	CAPABILITIES		"OPENSSL_armcap"
#define	NO_CAPABILITIES		"0"
#else
#define	CAPABILITIES		"OPENSSL_ia32cap"
#define	NO_CAPABILITIES		"0:0:0:0:0"
#endif

enum { CIPHERS_MAX = 8 };

const char *const crypto_mode_names[CRYPTO_MODES] = {
	[CRYPTO_KERNEL]	= "kernel",
	[CRYPTO_NATIVE]	= "native",
};

/* Written once by crypto_init(), before threads start. */
static EVP_CIPHER *fetched[CIPHERS_MAX];
static EVP_MD *sha256;

int
crypto_mode_enter(enum crypto_mode mode, char *const argv[])
{
	const char *now = getenv(CAPABILITIES);

	if (mode == CRYPTO_NATIVE) {
		/* A user's own setting is part of what libcrypto "finds". */
		if (now == NULL || strcmp(now, NO_CAPABILITIES) != 0)
			return (0);
		unsetenv(CAPABILITIES);
	} else {
		if (now != NULL && strcmp(now, NO_CAPABILITIES) == 0)
			return (0);
		setenv(CAPABILITIES, NO_CAPABILITIES, 1);
	}
#if defined(__linux__)
	execv("/proc/self/exe", argv);
#endif
	execvp(argv[0], argv);
	return (errno);
}

/*
 * Known answers, key of zero bytes: keystream at counter 1, first four bytes.
 * An algorithm can be listed and still not be usable (FIPS, a provider lost).
 */
static const struct {
	const char	*ka_cipher;
	uint8_t		 ka_head[4];
} known[] = {
	{ "aes",	{ 0x52, 0x75, 0xf3, 0xd8 } },
	{ "chacha20",	{ 0x9f, 0x07, 0xe7, 0xbe } },
};

static bool
cipher_works(unsigned i)
{
	static const uint8_t zero_key[CIPHER_KEY_BYTES];
	struct cipher_key ck;
	uint128_t ctr = uint128_make(0, 1);
	uint8_t block[CIPHER_BLOCK_MAX_BYTES];
	unsigned k;

	if (cipher_key_init(&ck, ciphers[i]) != 0)
		return (false);
	cipher_key_set(&ck, zero_key);
	cipher_keystream(&ck, &ctr, block, ciphers[i]->ci_block_bytes);
	cipher_key_fini(&ck);
	for (k = 0; k < sizeof(known) / sizeof(known[0]); k++)
		if (strcmp(known[k].ka_cipher, ciphers[i]->ci_name) == 0)
			return (memcmp(block, known[k].ka_head, 4) == 0);
	return (true);
}

static bool
sha256_works(void)
{
	/* SHA-256 of no bytes, FIPS 180-4. */
	static const uint8_t head[4] = { 0xe3, 0xb0, 0xc4, 0x42 };
	uint8_t out[DIGEST_BYTES];
	struct digest dg;

	if (digest_init(&dg) != 0)
		return (false);
	digest_finish(&dg, out);
	digest_fini(&dg);
	return (memcmp(out, head, sizeof(head)) == 0);
}

int
crypto_init(const char **missing)
{
	const char *capabilities = getenv(CAPABILITIES);
	unsigned i;

	cipher_allow_wide(capabilities == NULL ||
	    strcmp(capabilities, NO_CAPABILITIES) != 0);
	KASSERT(cipher_count <= CIPHERS_MAX, ("%u ciphers", cipher_count));
	*missing = "SHA256";
	sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	if (sha256 == NULL || !sha256_works())
		goto fail;
	for (i = 0; i < cipher_count; i++) {
		*missing = ciphers[i]->ci_evp_name;
		fetched[i] = EVP_CIPHER_fetch(NULL, *missing, NULL);
		if (fetched[i] == NULL || !cipher_works(i))
			goto fail;
	}
	*missing = NULL;
	return (0);
fail:
	crypto_fini();
	return (ENOTSUP);
}

void
crypto_fini(void)
{
	unsigned i;

	for (i = 0; i < CIPHERS_MAX; i++) {
		EVP_CIPHER_free(fetched[i]);
		fetched[i] = NULL;
	}
	EVP_MD_free(sha256);
	sha256 = NULL;
}

const EVP_CIPHER *
crypto_cipher(unsigned i)
{

	KASSERT(i < CIPHERS_MAX && fetched[i] != NULL,
	    ("cipher %u was not fetched", i));
	return (fetched[i]);
}

const EVP_MD *
crypto_sha256(void)
{

	KASSERT(sha256 != NULL, ("SHA-256 was not fetched"));
	return (sha256);
}

const char *
crypto_version(void)
{

	return (OpenSSL_version(OPENSSL_VERSION));
}
