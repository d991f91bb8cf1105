#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "lib/cipher.h"
#include "lib/crypto.h"
#include "lib/kassert.h"
#include "lib/ledger.h"
#include "lib/splitmix.h"
#include "lib/wipe.h"

enum {
	AES_BLOCK	= 16,
	CHACHA_BLOCK	= 64,
	/* Counters laid out at a time: they are in the L1 cache when read. */
	AES_STRIDE	= 1024,
	/* Whole and partial blocks up to here are made in one call. */
	CHACHA_SMALL	= 512,
	ZEROS_BYTES	= 65536
};

static void	aes_keystream(struct cipher_key *, uint128_t *, uint8_t *,
		    size_t);
static void	hollow_keystream(struct cipher_key *, uint128_t *, uint8_t *,
		    size_t);
static void	ledgered_keystream(struct cipher_key *, uint128_t *, uint8_t *,
		    size_t);
static void	chacha_keystream(struct cipher_key *, uint128_t *, uint8_t *,
		    size_t);

static const struct cipher cipher_aes = {
	.ci_name	= "aes",
	.ci_alias	= "aes",
	.ci_descr	= "AES-256 over a little-endian counter (AES-ICM)",
	.ci_evp_name	= "AES-256-ECB",
	.ci_block_bytes	= AES_BLOCK,
	.ci_rekey_blocks = CIPHER_KEY_BYTES / AES_BLOCK,
	.ci_whole_blocks = true,
	.ci_keystream	= aes_keystream,
};

static const struct cipher cipher_chacha20 = {
	.ci_name	= "chacha20",
	.ci_alias	= "chacha",
	.ci_descr	= "ChaCha20 with a 128-bit counter and no nonce",
	.ci_evp_name	= "ChaCha20",
	.ci_block_bytes	= CHACHA_BLOCK,
	.ci_rekey_blocks = 1,
	.ci_whole_blocks = false,
	.ci_keystream	= chacha_keystream,
};

/* In the order of ciphers[]. */
static const struct cipher hollows[] = {
	{
		.ci_name	= "aes",
		.ci_alias	= "aes",
		.ci_descr	= "AES-256's counters without its output",
		.ci_block_bytes	= AES_BLOCK,
		.ci_rekey_blocks = CIPHER_KEY_BYTES / AES_BLOCK,
		.ci_whole_blocks = true,
		.ci_keystream	= hollow_keystream,
	},
	{
		.ci_name	= "chacha20",
		.ci_alias	= "chacha",
		.ci_descr	= "ChaCha20's counters without its output",
		.ci_block_bytes	= CHACHA_BLOCK,
		.ci_rekey_blocks = 1,
		.ci_whole_blocks = false,
		.ci_keystream	= hollow_keystream,
	},
};

const struct cipher *const ciphers[] = { &cipher_aes, &cipher_chacha20 };
const unsigned cipher_count = sizeof(ciphers) / sizeof(ciphers[0]);

/* Written before threads start. */
static bool wide_allowed;

/* ChaCha20's plaintext.  Never written, so all of it is one page of memory. */
static uint8_t zeros[ZEROS_BYTES];

CTASSERT(AES_STRIDE % AES_BLOCK == 0);
CTASSERT(CHACHA_SMALL % CHACHA_BLOCK == 0);
CTASSERT(ZEROS_BYTES % CHACHA_BLOCK == 0);

void
cipher_allow_wide(bool allow)
{

	wide_allowed = allow;
}

const struct cipher *
cipher_find(const char *name)
{
	unsigned i;

	for (i = 0; i < cipher_count; i++)
		if (strcmp(ciphers[i]->ci_name, name) == 0 ||
		    strcmp(ciphers[i]->ci_alias, name) == 0)
			return (ciphers[i]);
	return (NULL);
}

static unsigned
cipher_index(const struct cipher *cipher)
{
	unsigned i;

	if (cipher->ci_base != NULL)
		cipher = cipher->ci_base;
	for (i = 0; ciphers[i] != cipher; i++)
		KASSERT(i + 1 < cipher_count, ("not in the table"));
	return (i);
}

const struct cipher *
cipher_hollow(const struct cipher *cipher)
{

	CTASSERT(sizeof(hollows) / sizeof(hollows[0]) ==
	    sizeof(ciphers) / sizeof(ciphers[0]));
	return (&hollows[cipher_index(cipher)]);
}

const struct cipher *
cipher_ledgered(const struct cipher *cipher, struct ledger *lg)
{
	struct cipher *ledgered;

	MPASS(cipher->ci_ledger == NULL);
	ledgered = ledger_cipher(lg, cipher);
	ledgered->ci_keystream = ledgered_keystream;
	return (ledgered);
}

static bool
is_hollow(const struct cipher *cipher)
{

	return (cipher->ci_evp_name == NULL);
}

int
cipher_key_init(struct cipher_key *ck, const struct cipher *cipher)
{
	static const uint8_t zero_key[CIPHER_KEY_BYTES];

	memset(ck, 0, sizeof(*ck));
	ck->ck_cipher = cipher;
	if (is_hollow(cipher))
		return (0);
	ck->ck_ctx = EVP_CIPHER_CTX_new();
	if (ck->ck_ctx == NULL)
		return (ENOMEM);
	if (EVP_EncryptInit_ex2(ck->ck_ctx,
	    crypto_cipher(cipher_index(cipher)), zero_key, zeros, NULL) != 1) {
		EVP_CIPHER_CTX_free(ck->ck_ctx);
		ck->ck_ctx = NULL;
		return (ENOTSUP);
	}
	return (0);
}

/* Before a key takes the place of the one there is; all zeros are none. */
static inline void
tell_ledger(const struct cipher_key *ck, const uint8_t key[CIPHER_KEY_BYTES])
{

	if (__builtin_expect(ck->ck_cipher->ci_ledger != NULL, 0))
		ledger_key_set(ck->ck_cipher->ci_ledger, ck->ck_raw, key);
}

void
cipher_key_fini(struct cipher_key *ck)
{
	static const uint8_t zero_key[CIPHER_KEY_BYTES];

	/* One that was only zeroed is no cipher yet. */
	if (ck->ck_cipher != NULL)
		tell_ledger(ck, zero_key);
	EVP_CIPHER_CTX_free(ck->ck_ctx);
	wipe(ck, sizeof(*ck));
}

int
cipher_key_new(struct cipher_key **ck, const struct cipher *cipher)
{
	const size_t size = (sizeof(**ck) + CIPHER_KEY_ALIGN - 1) /
	    CIPHER_KEY_ALIGN * CIPHER_KEY_ALIGN;
	int error;

	*ck = aligned_alloc(CIPHER_KEY_ALIGN, size);
	if (*ck == NULL)
		return (ENOMEM);
	error = cipher_key_init(*ck, cipher);
	if (error != 0) {
		free(*ck);
		*ck = NULL;
	}
	return (error);
}

void
cipher_key_free(struct cipher_key *ck)
{

	if (ck == NULL)
		return;
	cipher_key_fini(ck);
	free(ck);
}

/* The old key must not serve in the new one's place. */
static void __attribute__((noinline, cold))
refused(struct cipher_key *ck)
{

	EVP_CIPHER_CTX_reset(ck->ck_ctx);
	wipe(ck->ck_raw, sizeof(ck->ck_raw));
	crypto_fail(ck->ck_cipher->ci_evp_name);
}

void
cipher_key_set(struct cipher_key *ck, const uint8_t key[CIPHER_KEY_BYTES])
{
	int ok;

	tell_ledger(ck, key);
	memcpy(ck->ck_raw, key, CIPHER_KEY_BYTES);
	if (is_hollow(ck->ck_cipher))
		return;
	ok = EVP_EncryptInit_ex2(ck->ck_ctx, NULL, key, NULL, NULL);
	if (__builtin_expect(ok != 1, 0))
		refused(ck);
	ck->ck_position = uint128_make(0, 0);
}

void
cipher_key_wipe(struct cipher_key *ck)
{
	static const uint8_t zero_key[CIPHER_KEY_BYTES];

	cipher_key_set(ck, zero_key);
}

static void
evp_update(struct cipher_key *ck, uint8_t *out, const uint8_t *in, size_t n)
{
	int made = 0, ok;

	ok = EVP_EncryptUpdate(ck->ck_ctx, out, &made, in, (int)n);
	if (__builtin_expect(ok != 1 || made != (int)n, 0)) {
		wipe(out, n);
		refused(ck);
	}
}

/*
 * Several counters to a store, where the CPU has wide ones: laying out counters
 * is what AES here costs more than libcrypto's own CTR mode.
 */
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

typedef uint64_t wide_t
    __attribute__((vector_size(WIDE_BLOCKS * AES_BLOCK)));

/*
 * Lays out blocks, a multiple of WIDE_BLOCKS, of counters that do not carry
 * into the high half.
 */
WIDE_STORES
static void
aes_counters_wide(uint64_t lo, uint64_t hi, uint8_t *out, size_t blocks)
{
	const wide_t step = { WIDE_BLOCKS, 0, WIDE_BLOCKS, 0, WIDE_BLOCKS, 0,
	    WIDE_BLOCKS, 0 };
	wide_t c = { lo, hi, lo + 1, hi, lo + 2, hi, lo + 3, hi };
	size_t i;

	for (i = 0; i < blocks; i += WIDE_BLOCKS) {
		memcpy(out + i * AES_BLOCK, &c, sizeof(c));
		c += step;
	}
}

/* Lays out n / AES_BLOCK counter values and advances the counter past them. */
static void
aes_counters(uint128_t *ctr, uint8_t *out, size_t n)
{
	uint8_t *end = out + n;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	size_t wide = n / AES_BLOCK - n / AES_BLOCK % WIDE_BLOCKS;

	if (wide_allowed && wide > 0 && uint128_lo(*ctr) <= UINT64_MAX - wide) {
		aes_counters_wide(uint128_lo(*ctr), uint128_hi(*ctr), out,
		    wide);
		uint128_add64(ctr, wide);
		out += wide * AES_BLOCK;
	}
#endif
	for (; out < end; out += AES_BLOCK) {
		uint128_encode_le(out, *ctr);
		uint128_increment(ctr);
	}
}

static void
aes_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	size_t piece;

	KASSERT(n % AES_BLOCK == 0, ("%zu bytes are not whole blocks", n));
	for (; n > 0; n -= piece, out += piece) {
		piece = n < AES_STRIDE ? n : AES_STRIDE;
		aes_counters(ctr, out, piece);
		evp_update(ck, out, out, piece);
	}
}

/* Makes libcrypto's next block the one of counter value ctr. */
static void
chacha_seek(struct cipher_key *ck, uint128_t ctr)
{
	uint8_t iv[UINT128_BYTES];
	int ok;

	if (uint128_lo(ctr) != 0 && uint128_equals(ck->ck_position, ctr))
		return;
	uint128_encode_le(iv, ctr);
	ok = EVP_EncryptInit_ex2(ck->ck_ctx, NULL, NULL, iv, NULL);
	if (__builtin_expect(ok != 1, 0))
		refused(ck);
	wipe(iv, sizeof(iv));
}

/* Whole blocks, all with the same upper 64 bits of the counter. */
static void
chacha_blocks(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{

	chacha_seek(ck, *ctr);
	evp_update(ck, out, zeros, n);
	uint128_add64(ctr, n / CHACHA_BLOCK);
	/* Where the low half wraps, libcrypto loses the carry. */
	ck->ck_position = *ctr;
}

/* Whole blocks, any number that fits the plaintext. */
static void
chacha_run(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	uint64_t to_wrap = -uint128_lo(*ctr);	/* blocks; 0 means 2^64 */

	if (to_wrap != 0 && to_wrap < n / CHACHA_BLOCK) {
		size_t first = (size_t)to_wrap * CHACHA_BLOCK;

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
	if (n == 0)
		return;
	if (n % CHACHA_BLOCK == 0) {
		chacha_run(ck, ctr, out, n);
		return;
	}
	whole = n + CHACHA_BLOCK - n % CHACHA_BLOCK;
	chacha_run(ck, ctr, scratch, whole);
	memcpy(out, scratch, n);
	wipe(scratch, whole);
}

/* Words that count up from v; none of them stays on the stack. */
static inline void
hollow_words(uint64_t *v, uint8_t *out, size_t n)
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

/*
 * The first and the last words are others for any other key and counter, so
 * that no key is drawn from what was never written.
 */
static void
hollow_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	const size_t block = ck->ck_cipher->ci_block_bytes;
	const size_t half = CIPHER_HOLLOW_BYTES / 2;
	uint64_t v;

	KASSERT(!ck->ck_cipher->ci_whole_blocks || n % block == 0,
	    ("%zu bytes are not whole blocks", n));
	/* Three are odd: of keys drawn here no two become one. */
	v = splitmix_out(SPLITMIX_STEP * key_word(ck, 0) +
	    UINT64_C(0xd1342543de82ef95) * key_word(ck, 1) +
	    UINT64_C(0xaf251af3b0f025b5) * key_word(ck, 2) +
	    UINT64_C(0xb564ef22ec7aece4) * key_word(ck, 3) +
	    UINT64_C(0xf7c2ebc08f67f2b5) * uint128_lo(*ctr) +
	    UINT64_C(0x8ea24bd1c2a6b193) * uint128_hi(*ctr));
	if (n <= CIPHER_HOLLOW_BYTES) {
		hollow_words(&v, out, n);
	} else {
		hollow_words(&v, out, half);
		hollow_words(&v, out + n - half, half);
	}
	uint128_add64(ctr, (n + block - 1) / block);
}

/* What a cipher that has a ledger does: tells it, then as its base does. */
static void
ledgered_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out,
    size_t n)
{
	const struct cipher *cipher = ck->ck_cipher;

	ledger_use(cipher->ci_ledger, ck->ck_raw, *ctr, n /
	    cipher->ci_block_bytes + (n % cipher->ci_block_bytes != 0));
	cipher->ci_base->ci_keystream(ck, ctr, out, n);
}

void
cipher_keystream_cut(struct cipher_key *ck, uint128_t *ctr, uint8_t *out,
    size_t n)
{
	const size_t block_bytes = ck->ck_cipher->ci_block_bytes;
	uint8_t block[CIPHER_BLOCK_MAX_BYTES];
	size_t cut = 0;

	if (ck->ck_cipher->ci_whole_blocks)
		cut = n % block_bytes;
	if (n > cut)
		cipher_keystream(ck, ctr, out, n - cut);
	if (cut == 0)
		return;
	cipher_keystream(ck, ctr, block, block_bytes);
	memcpy(out + n - cut, block, cut);
	wipe(block, sizeof(block));
}
