/*
 * A hash and AES, of whole blocks.
 */
#ifndef DEV_RANDOM_HASH_H
#define	DEV_RANDOM_HASH_H

#define	RANDOM_KEYSIZE		32
#define	RANDOM_KEYSIZE_WORDS	(RANDOM_KEYSIZE / sizeof(uint32_t))
#define	RANDOM_BLOCKSIZE	16
#define	RANDOM_KEYS_PER_BLOCK	(RANDOM_KEYSIZE / RANDOM_BLOCKSIZE)
#define	RANDOM_ZERO_BLOCKSIZE	64

struct randomdev_hash {
	SHA256_CTX	sha;
};

struct randomdev_key {
	keyInstance	key;
	cipherInstance	cipher;
};

void randomdev_hash_init(struct randomdev_hash *);
void randomdev_hash_iterate(struct randomdev_hash *, const void *, size_t);
void randomdev_hash_finish(struct randomdev_hash *, void *);
void randomdev_encrypt_init(struct randomdev_key *, const void *);
void randomdev_encrypt(struct randomdev_key *, const void *, void *, u_int);

#endif
