#include <stdatomic.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "lib/crypto/cipher.h"
#include "lib/crypto/crypto.h"
#include "lib/crypto/digest.h"

/* libcrypto's variable for CPU capabilities; the value means none. */
#if defined(__aarch64__) || defined(__arm__)
#define	CAPABILITIES		"OPENSSL_armcap"
#define	NO_CAPABILITIES		"0"
#else
#define	CAPABILITIES		"OPENSSL_ia32cap"
#define	NO_CAPABILITIES		"0:0:0:0:0"
#endif

enum { VERSION_MAJOR_SHIFT = 28 };

const char *const crypto_mode_names[CRYPTO_CHOICES] = {
	[CRYPTO_KERNEL] = "kernel", [CRYPTO_NATIVE] = "native",
	[CRYPTO_SOURCE] = "source"
};

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

int
crypto_init(const char **missing)
{
	static char text[64];

	*missing = "interface of " OPENSSL_VERSION_TEXT;
	if (OpenSSL_version_num() >> VERSION_MAJOR_SHIFT !=
	    OPENSSL_VERSION_MAJOR)
		return (ENOTSUP);
	*missing = "SHA256";
	if (hash_load(hash_sha256()) == HASH_READY)
		*missing = cipher_load();
	if (*missing == NULL)
		return (0);
	/* A configuration that requires FIPS may be the reason. */
	if (EVP_default_properties_is_fips_enabled(NULL) != 0) {
		snprintf(text, sizeof(text), "%s with fips=yes", *missing);
		*missing = text;
	}
	crypto_fini();
	return (ENOTSUP);
}

void
crypto_fini(void)
{
	cipher_unload();
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

const char *
crypto_version(void)
{
	return (OpenSSL_version(OPENSSL_VERSION));
}
