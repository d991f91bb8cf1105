/* Fortuna's hash and its two ciphers. */
#ifndef DEV_RANDOM_HASH_H
#define	DEV_RANDOM_HASH_H

#include <sys/types.h>

#include <crypto/chacha20/_chacha.h>
#include <crypto/rijndael/rijndael-api-fst.h>
#include <crypto/sha2/sha256.h>

#include <dev/random/uint128.h>

#define	RANDOM_KEYSIZE		32	/* also of the hash's result */
#define	RANDOM_KEYSIZE_WORDS	(RANDOM_KEYSIZE / sizeof(uint32_t))
#define	RANDOM_BLOCKSIZE	16	/* AES */
#define	RANDOM_KEYS_PER_BLOCK	(RANDOM_KEYSIZE / RANDOM_BLOCKSIZE)
#define	RANDOM_ZERO_BLOCKSIZE	64	/* zeros that a reseed hashes first */

struct randomdev_hash {
	SHA256_CTX	sha;
};

union randomdev_key {
	struct {
		keyInstance	key;
		cipherInstance	cipher;
	};
	struct chacha_ctx	chacha;
};

/* ChaCha20; else AES-256 of the counter. */
extern bool random_chachamode;

void randomdev_hash_init(struct randomdev_hash *hash);
void randomdev_hash_iterate(struct randomdev_hash *hash, const void *data,
    size_t n);
/* Writes RANDOM_KEYSIZE bytes. */
void randomdev_hash_finish(struct randomdev_hash *hash, void *result);

/* data: RANDOM_KEYSIZE bytes. */
void randomdev_encrypt_init(union randomdev_key *key, const void *data);
/* AES: n is whole blocks.  Steps the counter by each block begun. */
void randomdev_keystream(union randomdev_key *key, uint128_t *counter,
    void *out, size_t n);
/* Any n; of AES the odd end is cut off a whole block. */
void randomdev_keystream_cut(union randomdev_key *key, uint128_t *counter,
    uint8_t *out, size_t n);
/* Points into the key. */
void randomdev_getkey(union randomdev_key *key, const void **data, size_t *n);

#endif
