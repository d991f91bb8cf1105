/*
 * Fortuna's hash, SHA-256, and its two ciphers: ChaCha20, and AES-256 of the
 * counter as it is in memory.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/endian.h>
#include <sys/sysctl.h>

#define	CHACHA_EMBED
#define	KEYSTREAM_ONLY
#define	CHACHA_NONCE0_CTR128
#include <crypto/chacha20/chacha.c>

#include <dev/random/hash.h>
#include <dev/random/randomdev.h>

/* Counters that are encrypted in one call. */
#define	HASH_AES_RUN	1024

CTASSERT(RANDOM_KEYSIZE == 2 * RANDOM_BLOCKSIZE);
CTASSERT(HASH_AES_RUN % RANDOM_BLOCKSIZE == 0);

bool random_chachamode __read_frequently = true;

SYSCTL_BOOL(_kern_random, OID_AUTO, use_chacha20_cipher, CTLFLAG_RDTUN,
    &random_chachamode, 0, "ChaCha20; 0: AES-256");

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
randomdev_encrypt_init(union randomdev_key *key, const void *data)
{
	if (random_chachamode) {
		chacha_keysetup(&key->chacha, data, RANDOM_KEYSIZE * NBBY);
	} else {
		rijndael_cipherInit(&key->cipher, MODE_ECB, NULL);
		rijndael_makeKey(&key->key, DIR_ENCRYPT, RANDOM_KEYSIZE * NBBY,
		    data);
	}
}

static void
randomdev_keystream_chacha(struct chacha_ctx *key, uint128_t *counter,
    uint8_t *out, size_t n)
{
	uint8_t le[sizeof(*counter)];
	u_int run;

	le128enc(le, *counter);
	chacha_ivsetup(key, NULL, le);
	for (; n > 0; n -= run, out += run) {
		run = MIN(n, rounddown(INT_MAX, CHACHA_BLOCKLEN));
		chacha_encrypt_bytes(key, NULL, out, run);
	}
	chacha_ctrsave(key, le);
	*counter = le128dec(le);
	explicit_bzero(le, sizeof(le));
}

void
randomdev_keystream(union randomdev_key *key, uint128_t *counter, void *out,
    size_t n)
{
	uint128_t next = *counter;
	uint8_t *p = out;
	size_t i, run;

	if (random_chachamode) {
		randomdev_keystream_chacha(&key->chacha, counter, out, n);
		return;
	}
	KASSERT(n % RANDOM_BLOCKSIZE == 0, ("%zu bytes are no whole blocks",
	    n));
	for (; n > 0; n -= run, p += run) {
		run = MIN(n, HASH_AES_RUN);
		for (i = 0; i < run; i += RANDOM_BLOCKSIZE) {
			le128enc(p + i, next);
			next++;
		}
		rijndael_blockEncrypt(&key->cipher, &key->key, p, run * NBBY,
		    p);
	}
	*counter = next;
}

void
randomdev_keystream_cut(union randomdev_key *key, uint128_t *counter,
    uint8_t *out, size_t n)
{
	const size_t odd = random_chachamode ? 0 : n % RANDOM_BLOCKSIZE;
	uint8_t block[RANDOM_BLOCKSIZE];

	randomdev_keystream(key, counter, out, n - odd);
	if (odd == 0)
		return;
	randomdev_keystream(key, counter, block, sizeof(block));
	memcpy(out + n - odd, block, odd);
	explicit_bzero(block, sizeof(block));
}

void
randomdev_getkey(union randomdev_key *key, const void **data, size_t *n)
{
	*n = RANDOM_KEYSIZE;
	*data = random_chachamode ? (const void *)&key->chacha.input[4] :
	    key->key.keyMaterial;
}
