#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "lib/crypto/cipher.h"
#include "lib/crypto/crypto.h"
#include "lib/crypto/hash.h"
#include "lib/base/kassert.h"

/* libcrypto's variable for CPU capabilities; the value means none. */
#if defined(__aarch64__) || defined(__arm__)
#define	CAPABILITIES		"OPENSSL_armcap"
#define	NO_CAPABILITIES		"0"
#else
#define	CAPABILITIES		"OPENSSL_ia32cap"
#define	NO_CAPABILITIES		"0:0:0:0:0"
#endif

enum { CIPHERS = 2, VERSION_MAJOR_SHIFT = 28 };

const char *const crypto_mode_names[CRYPTO_CHOICES] = {
	[CRYPTO_KERNEL]	= "kernel",
	[CRYPTO_NATIVE]	= "native",
	[CRYPTO_SOURCE]	= "source",
};

/* Written once by crypto_init(), before threads start. */
static EVP_CIPHER *fetched[CIPHERS];

enum crypto_mode
crypto_mode_now(void)
{
	const char *now = getenv(CAPABILITIES);

	return (now != NULL && strcmp(now, NO_CAPABILITIES) == 0 ?
	    CRYPTO_KERNEL : CRYPTO_NATIVE);
}

int
crypto_mode_enter(enum crypto_mode mode, char *const argv[])
{
	if (mode == CRYPTO_SOURCE)
		mode = CRYPTO_KERNEL;
	/* Another setting of the user's counts as CRYPTO_NATIVE. */
	if (mode == crypto_mode_now())
		return (0);
	if ((mode == CRYPTO_NATIVE ? unsetenv(CAPABILITIES) :
	    setenv(CAPABILITIES, NO_CAPABILITIES, 1)) != 0)
		return (errno);
#if defined(__linux__)
	execv("/proc/self/exe", argv);
#endif
	execvp(argv[0], argv);
	return (errno);
}

/*
 * Keystream of a key of zero bytes at counter 1, in the order of ciphers[].  An
 * algorithm can be listed and still not be usable (FIPS, a provider lost).
 */
static const uint8_t known[][4] = {
	{ 0x52, 0x75, 0xf3, 0xd8 },
	{ 0x9f, 0x07, 0xe7, 0xbe },
};

static bool
cipher_works(unsigned i)
{
	static const uint8_t zero_key[CIPHER_KEY_BYTES];
	uint8_t block[CIPHER_BLOCK_MAX_BYTES];
	struct cipher_key ck;
	uint128_t ctr = uint128_make(0, 1);

	if (cipher_key_init(&ck, ciphers[i]) != 0)
		return (false);
	cipher_key_set(&ck, zero_key);
	cipher_keystream(&ck, &ctr, block, ciphers[i]->ci_block_bytes);
	cipher_key_fini(&ck);
	return (memcmp(block, known[i], sizeof(known[i])) == 0);
}

/* A configuration that requires FIPS may be the reason. */
static const char *
name_missing(const char *name)
{
	static char text[64];

	if (EVP_default_properties_is_fips_enabled(NULL) == 0)
		return (name);
	snprintf(text, sizeof(text), "%s with fips=yes", name);
	return (text);
}

int
crypto_init(const char **missing)
{
	*missing = "interface of " OPENSSL_VERSION_TEXT;
	if (OpenSSL_version_num() >> VERSION_MAJOR_SHIFT !=
	    OPENSSL_VERSION_MAJOR)
		return (ENOTSUP);

	cipher_allow_wide(crypto_mode_now() == CRYPTO_NATIVE);
	KASSERT(cipher_count == CIPHERS, ("%u ciphers", cipher_count));
	*missing = "SHA256";
	if (hash_load(hash_sha256()) != HASH_READY)
		goto fail;
	for (unsigned i = 0; i < cipher_count; i++) {
		*missing = ciphers[i]->ci_evp_name;
		fetched[i] = EVP_CIPHER_fetch(NULL, *missing, NULL);
		if (fetched[i] == NULL || !cipher_works(i))
			goto fail;
	}
	return (0);
fail:
	*missing = name_missing(*missing);
	crypto_fini();
	return (ENOTSUP);
}

void
crypto_fini(void)
{
	for (unsigned i = 0; i < CIPHERS; i++) {
		EVP_CIPHER_free(fetched[i]);
		fetched[i] = NULL;
	}
	hash_unload_all();
}

/* For the whole process, not for one run. */
static _Atomic(const char *) failed;

void
crypto_fail(const char *algorithm)
{
	const char *none = NULL;

	atomic_compare_exchange_strong(&failed, &none, algorithm);
}

const char *
crypto_failed(void)
{
	return (atomic_load_explicit(&failed, memory_order_acquire));
}

const EVP_CIPHER *
crypto_cipher(unsigned i)
{
	KASSERT(i < CIPHERS && fetched[i] != NULL,
	    ("cipher %u was not fetched", i));
	return (fetched[i]);
}

const char *
crypto_version(void)
{
	return (OpenSSL_version(OPENSSL_VERSION));
}
