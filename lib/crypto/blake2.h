/*
 * BLAKE2s with a key of 32 bytes, RFC 7693, over libcrypto's EVP.
 */
#ifndef LIB_CRYPTO_BLAKE2_H
#define LIB_CRYPTO_BLAKE2_H

#include "lib/crypto/digest.h"

enum { BLAKE2S_KEY_BYTES = 32 };

/*
 * The hash, for digest_init_as() after hash_load(); a digest that is reset has
 * a key of zeros.
 */
struct hash *hash_blake2s_keyed(void);

/* Empties a digest of that hash, and gives it a key; may allocate. */
void digest_key(struct digest *dg, const uint8_t key[BLAKE2S_KEY_BYTES]);

#endif
