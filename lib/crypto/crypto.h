/* Starts libcrypto: algorithms it must have, instructions it may use. */
#pragma once

enum crypto_mode {
	CRYPTO_KERNEL,	/* no AES, SHA or wide-vector instructions */
	CRYPTO_NATIVE,	/* whatever libcrypto finds */
	CRYPTO_MODES,
	/* As CRYPTO_KERNEL; kernel sources have ciphers of their own. */
	CRYPTO_SOURCE	= CRYPTO_MODES,
	CRYPTO_CHOICES
};

/* The modes' names, as --crypto takes them. */
extern const char *const crypto_mode_names[CRYPTO_CHOICES];

/*
 * Sets the mode.  libcrypto reads it from the environment when it is loaded, so
 * a change executes the program again, with argv, and does not return.  Returns
 * 0 when the mode holds; else the errno value of execv(2).
 */
int crypto_mode_enter(enum crypto_mode mode, char *const argv[]);

/* The mode that libcrypto was loaded in. */
enum crypto_mode crypto_mode_now(void);

/*
 * Fetches the ciphers and SHA-256 and checks their known answers.  Returns: 0,
 * or ENOTSUP, and what is absent or wrong.
 */
int crypto_init(const char **missing);

/* Releases what crypto_init() fetched, and all hashes. */
void crypto_fini(void);

/*
 * Reports, for the rest of the process, that a library failed after it had
 * passed its checks.  The caller wipes its output and goes on with zeros.  Code
 * that returns random bytes checks crypto_failed() first and returns none then.
 */
void crypto_fail(const char *algorithm) __attribute__((cold));

/* The first algorithm that failed, or NULL. */
const char *crypto_failed(void);

/* libcrypto's own version string. */
const char *crypto_version(void);
