/*
 * Starting libcrypto: which algorithms it must have, and which instructions it
 * may use.
 */
#ifndef LIB_CRYPTO_H
#define LIB_CRYPTO_H

#include <openssl/types.h>

enum crypto_mode {
	CRYPTO_KERNEL,	/* no AES, SHA or wide-vector instructions */
	CRYPTO_NATIVE,	/* whatever libcrypto finds */
	CRYPTO_MODES
};

/* The modes' names, as --crypto takes them. */
extern const char *const crypto_mode_names[CRYPTO_MODES];

/*
 * Makes libcrypto compute as mode says.  It reads its CPU capabilities from the
 * environment once, when it is loaded, so unless the environment already says
 * the same the program is executed anew and this does not return.
 *
 *   argv  in  the program's own
 *
 * Returns: 0 when the mode holds; else the errno value of execv(2).
 */
int crypto_mode_enter(enum crypto_mode mode, char *const argv[]);

/* The mode that libcrypto was loaded in. */
enum crypto_mode crypto_mode_now(void);

/*
 * Fetches the ciphers and SHA-256 once and checks each on known answers.
 *
 *   missing  out  on failure, the name of the algorithm that is not there or
 *                 computes wrongly, or of the libcrypto that this was built for
 *
 * Returns: 0, or ENOTSUP.
 */
int crypto_init(const char **missing);

/* Releases what crypto_init() fetched, and all hashes. */
void crypto_fini(void);

/* The fetched cipher of lib/cipher.h's i-th table entry. */
const EVP_CIPHER *crypto_cipher(unsigned i);

/*
 * Libraries that compute were asked at the start and answered; if one refuses
 * later, nothing that rests on it can be trusted.  So whoever calls one says
 * so, wipes what was to be output and goes on with zeros, without further calls
 * where those could not be survived; and whoever hands out looks here first,
 * and hands out nothing.  There is no way back: it holds for
 * the process, as the library does.
 *
 *   algorithm  in  what could not be computed; stays
 */
void crypto_fail(const char *algorithm) __attribute__((cold));

/* What could not be computed, the first time; NULL: nothing was refused. */
const char *crypto_failed(void);

/* libcrypto's own version string. */
const char *crypto_version(void);

#endif
