#include <openssl/evp.h>

#include "lib/crypto/cipher.h"
#include "lib/crypto/crypto.h"

enum {
	AES_BLOCK	= 16,
	CHACHA_BLOCK	= 64,
	/* Counters laid out at a time: they are in the L1 cache when read. */
	AES_STRIDE	= 1024,
	/* Whole and partial blocks up to here are made in one call. */
	CHACHA_SMALL	= 512,
	ZEROS_BYTES	= 65536
};

static const uint8_t zero_key[CIPHER_KEY_BYTES];

/* Written by cipher_load(), before threads start. */
static bool wide_allowed;

/* ChaCha20's plaintext; never written, so the kernel maps one zero page. */
static uint8_t zeros[ZEROS_BYTES];

CTASSERT(AES_STRIDE % AES_BLOCK == 0);
CTASSERT(CHACHA_SMALL % CHACHA_BLOCK == 0);
CTASSERT(ZEROS_BYTES % CHACHA_BLOCK == 0);

/* libcrypto failed: the old key must not be used in place of the new one. */
static void __attribute__((noinline, cold))
refused(struct cipher_key *ck)
{
	EVP_CIPHER_CTX_reset(ck->ck_ctx);
	wipe(ck->ck_raw, sizeof(ck->ck_raw));
	crypto_fail(ck->ck_cipher->ci_evp_name);
}

static void
evp_update(struct cipher_key *ck, uint8_t *out, const uint8_t *in, size_t n)
{
	int made = 0;

	if (__builtin_expect(EVP_EncryptUpdate(ck->ck_ctx, out, &made, in,
	    (int)n) != 1 || made != (int)n, 0)) {
		wipe(out, n);
		refused(ck);
	}
}

/* AES counters are written several to a store where the CPU has wide ones. */
#if defined(__x86_64__) && defined(__has_attribute) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#if __has_attribute(target_clones)
#define	WIDE_STORES	__attribute__((target_clones("default", "avx2",	\
    "avx512f")))
#endif
#endif
#ifndef WIDE_STORES
#define	WIDE_STORES
#endif

enum { WIDE_BLOCKS = 4 };

typedef uint64_t wide_t __attribute__((vector_size(WIDE_BLOCKS * AES_BLOCK)));

/* blocks is a multiple of WIDE_BLOCKS; the low half must not wrap. */
WIDE_STORES
static void
aes_counters_wide(uint64_t lo, uint64_t hi, uint8_t *out, size_t blocks)
{
	const wide_t step = { WIDE_BLOCKS, 0, WIDE_BLOCKS, 0, WIDE_BLOCKS, 0,
	    WIDE_BLOCKS, 0 };
	wide_t c = { lo, hi, lo + 1, hi, lo + 2, hi, lo + 3, hi };

	for (size_t i = 0; i < blocks; i += WIDE_BLOCKS) {
		memcpy(out + i * AES_BLOCK, &c, sizeof(c));
		c += step;
	}
}

/* Writes n / AES_BLOCK counters and advances the counter past them. */
static void
aes_counters(uint128_t *ctr, uint8_t *out, size_t n)
{
	uint8_t *end = out + n;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	size_t wide = n / AES_BLOCK - n / AES_BLOCK % WIDE_BLOCKS;

	if (wide_allowed && wide > 0 && uint128_lo(*ctr) <= UINT64_MAX - wide) {
		aes_counters_wide(uint128_lo(*ctr), uint128_hi(*ctr), out,
		    wide);
		*ctr += wide;
		out += wide * AES_BLOCK;
	}
#endif
	for (; out < end; out += AES_BLOCK)
		uint128_encode_le(out, (*ctr)++);
}

static void
aes_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	size_t piece;

	KASSERT(n % AES_BLOCK == 0, ("%zu bytes are not whole blocks", n));
	for (; n > 0; n -= piece, out += piece) {
		piece = MIN(n, AES_STRIDE);
		aes_counters(ctr, out, piece);
		evp_update(ck, out, out, piece);
	}
}

/* Sets libcrypto's counter, unless it is there already. */
static void
chacha_seek(struct cipher_key *ck, uint128_t ctr)
{
	uint8_t iv[UINT128_BYTES];

	if (uint128_lo(ctr) != 0 && ck->ck_position == ctr)
		return;
	uint128_encode_le(iv, ctr);
	if (__builtin_expect(EVP_EncryptInit_ex2(ck->ck_ctx, NULL, NULL, iv,
	    NULL) != 1, 0))
		refused(ck);
	wipe(iv, sizeof(iv));
}

/* Whole blocks; the low half of the counter must not wrap inside them. */
static void
chacha_blocks(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	chacha_seek(ck, *ctr);
	evp_update(ck, out, zeros, n);
	*ctr += n / CHACHA_BLOCK;
	/* At a wrap libcrypto loses the carry: chacha_seek() sets it again. */
	ck->ck_position = *ctr;
}

/* Whole blocks, up to ZEROS_BYTES. */
static void
chacha_run(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	const uint64_t to_wrap = -uint128_lo(*ctr);	/* blocks; 0: 2^64 */
	size_t first;

	if (to_wrap != 0 && to_wrap < n / CHACHA_BLOCK) {
		first = (size_t)to_wrap * CHACHA_BLOCK;
		chacha_blocks(ck, ctr, out, first);
		out += first;
		n -= first;
	}
	chacha_blocks(ck, ctr, out, n);
}

static void
chacha_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	uint8_t scratch[CHACHA_SMALL];
	size_t piece, whole;

	for (; n >= CHACHA_SMALL; n -= piece, out += piece) {
		piece = n < ZEROS_BYTES ? n - n % CHACHA_BLOCK : ZEROS_BYTES;
		chacha_run(ck, ctr, out, piece);
	}
	if (n % CHACHA_BLOCK == 0) {
		if (n > 0)
			chacha_run(ck, ctr, out, n);
		return;
	}
	whole = n + CHACHA_BLOCK - n % CHACHA_BLOCK;
	chacha_run(ck, ctr, scratch, whole);
	memcpy(out, scratch, n);
	wipe(scratch, whole);
}

/* Words that count up from v; none stays on the stack. */
static inline void
stub_words(uint64_t *v, uint8_t *out, size_t n)
{
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word), out += sizeof(word)) {
		word = *v += SPLITMIX_STEP;
		memcpy(out, &word, sizeof(word));
	}
	if (n == 0)
		return;
	word = *v += SPLITMIX_STEP;
	memcpy(out, &word, n);
}

static inline uint64_t
key_word(const struct cipher_key *ck, unsigned i)
{
	uint64_t word;

	memcpy(&word, ck->ck_raw + i * sizeof(word), sizeof(word));
	return (word);
}

/* Writes the first and last bytes, by key and counter: keys are taken there. */
static void
stub_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	const size_t block = ck->ck_cipher->ci_block_bytes;
	const size_t half = CIPHER_STUB_BYTES / 2;
	uint64_t v;

	KASSERT(!ck->ck_cipher->ci_whole_blocks || n % block == 0,
	    ("%zu bytes are not whole blocks", n));
	/* Odd factors keep keys that were made here different. */
	v = splitmix_out(SPLITMIX_STEP * key_word(ck, 0) +
	    UINT64_C(0xd1342543de82ef95) * key_word(ck, 1) +
	    UINT64_C(0xaf251af3b0f025b5) * key_word(ck, 2) +
	    UINT64_C(0xb564ef22ec7aece4) * key_word(ck, 3) +
	    UINT64_C(0xf7c2ebc08f67f2b5) * uint128_lo(*ctr) +
	    UINT64_C(0x8ea24bd1c2a6b193) * uint128_hi(*ctr));
	if (n <= CIPHER_STUB_BYTES) {
		stub_words(&v, out, n);
	} else {
		stub_words(&v, out, half);
		stub_words(&v, out + n - half, half);
	}
	*ctr += (n + block - 1) / block;
}

#define	AES(evp, keystream)						\
	{ .ci_index = INDEX_AES, .ci_name = "aes", .ci_alias = "aes",	\
	    .ci_descr = "AES-256 over a little-endian counter (AES-ICM)", \
	    .ci_evp_name = evp, .ci_block_bytes = AES_BLOCK,		\
	    .ci_whole_blocks = true, .ci_keystream = keystream }
#define	CHACHA(evp, keystream)						\
	{ .ci_index = INDEX_CHACHA, .ci_name = "chacha20",		\
	    .ci_descr = "ChaCha20 with a 128-bit counter and no nonce",	\
	    .ci_alias = "chacha", .ci_evp_name = evp,			\
	    .ci_block_bytes = CHACHA_BLOCK, .ci_keystream = keystream }

enum { INDEX_AES, INDEX_CHACHA, CIPHERS };

static const struct cipher real[CIPHERS] = { AES("AES-256-ECB", aes_keystream),
    CHACHA("ChaCha20", chacha_keystream) };
static const struct cipher stubs[CIPHERS] = { AES(NULL, stub_keystream),
    CHACHA(NULL, stub_keystream) };

const struct cipher *const ciphers[] = { &real[0], &real[1] };
const unsigned cipher_count = CIPHERS;

/* Written by cipher_load(), before threads start. */
static EVP_CIPHER *fetched[CIPHERS];

const struct cipher *
cipher_find(const char *name)
{
	for (unsigned i = 0; i < cipher_count; i++)
		if (strcmp(ciphers[i]->ci_name, name) == 0 ||
		    strcmp(ciphers[i]->ci_alias, name) == 0)
			return (ciphers[i]);
	return (NULL);
}

const struct cipher *
cipher_stub(const struct cipher *cipher)
{
	return (&stubs[cipher->ci_index]);
}

const char *
cipher_load(void)
{
	/* Key 0, counter 1.  An algorithm that is listed may be unusable. */
	static const uint8_t known[CIPHERS][4] = {
		{ 0x52, 0x75, 0xf3, 0xd8 }, { 0x9f, 0x07, 0xe7, 0xbe }
	};
	uint8_t block[CIPHER_BLOCK_MAX_BYTES];
	struct cipher_key ck;
	uint128_t ctr;

	wide_allowed = crypto_mode_now() == CRYPTO_NATIVE;
	for (unsigned i = 0; i < CIPHERS; i++) {
		fetched[i] = EVP_CIPHER_fetch(NULL, real[i].ci_evp_name, NULL);
		if (fetched[i] == NULL || cipher_key_init(&ck, &real[i]) != 0)
			return (real[i].ci_evp_name);
		cipher_key_wipe(&ck);
		ctr = 1;
		cipher_keystream(&ck, &ctr, block, real[i].ci_block_bytes);
		cipher_key_fini(&ck);
		if (memcmp(block, known[i], sizeof(known[i])) != 0)
			return (real[i].ci_evp_name);
	}
	return (NULL);
}

void
cipher_unload(void)
{
	for (unsigned i = 0; i < CIPHERS; i++) {
		EVP_CIPHER_free(fetched[i]);
		fetched[i] = NULL;
	}
}

int
cipher_key_init(struct cipher_key *ck, const struct cipher *cipher)
{
	const EVP_CIPHER *evp;
	int error = 0;

	memset(ck, 0, sizeof(*ck));
	ck->ck_cipher = cipher;
	if (cipher_is_stub(cipher))
		return (0);
	evp = fetched[cipher->ci_index];
	KASSERT(evp != NULL, ("%s was not fetched", cipher->ci_name));
	hold_begin();
	if ((ck->ck_ctx = EVP_CIPHER_CTX_new()) == NULL)
		error = ENOMEM;
	else if (EVP_EncryptInit_ex2(ck->ck_ctx, evp, zero_key, zeros,
	    NULL) != 1)
		error = ENOTSUP;
	if (error != 0)
		cipher_key_fini(ck);
	hold_end();
	return (error);
}

void
cipher_key_fini(struct cipher_key *ck)
{
	EVP_CIPHER_CTX_free(ck->ck_ctx);
	wipe(ck, sizeof(*ck));
}

void
cipher_key_set(struct cipher_key *ck, const uint8_t key[CIPHER_KEY_BYTES])
{
	memcpy(ck->ck_raw, key, CIPHER_KEY_BYTES);
	if (cipher_is_stub(ck->ck_cipher))
		return;
	if (__builtin_expect(EVP_EncryptInit_ex2(ck->ck_ctx, NULL, key, NULL,
	    NULL) != 1, 0))
		refused(ck);
	ck->ck_position = 0;
}

void
cipher_key_wipe(struct cipher_key *ck)
{
	cipher_key_set(ck, zero_key);
}
