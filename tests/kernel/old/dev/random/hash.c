#include <sys/param.h>
#include <sys/systm.h>

#include <crypto/rijndael/rijndael-api-fst.h>
#include <crypto/sha2/sha256.h>

#include <dev/random/hash.h>

void
randomdev_hash_init(struct randomdev_hash *hash)
{
	SHA256_Init(&hash->sha);
}

void
randomdev_hash_iterate(struct randomdev_hash *hash, const void *data, size_t n)
{
	SHA256_Update(&hash->sha, data, n);
}

void
randomdev_hash_finish(struct randomdev_hash *hash, void *result)
{
	SHA256_Final(result, &hash->sha);
}

void
randomdev_encrypt_init(struct randomdev_key *key, const void *data)
{
	rijndael_cipherInit(&key->cipher, MODE_ECB, NULL);
	rijndael_makeKey(&key->key, DIR_ENCRYPT, RANDOM_KEYSIZE * 8, data);
}

void
randomdev_encrypt(struct randomdev_key *key, const void *in, void *out,
    u_int n)
{
	rijndael_blockEncrypt(&key->cipher, &key->key, in, n * 8, out);
}
