/*
 * Keystreams against two slower ways to compute them: AES one block at a time
 * over counters laid out by hand, ChaCha20 from RFC 8439's description.
 */
#include <inttypes.h>

#include <openssl/evp.h>

#include "lib/crypto/cipher.h"
#include "tests/unit/crypto_test.h"

enum {
	AES_BLOCK	= 16,
	CHACHA_BLOCK	= 64,
	LONGEST		= 200001,
	GUARD		= 64,
	FILL		= 0xa5
};

static uint8_t got[GUARD + LONGEST + GUARD], want[LONGEST + CHACHA_BLOCK];

/* A counter as bytes, so that no code of ours adds to it. */
struct counter {
	uint8_t	b[UINT128_BYTES];
};

static void
counter_next(struct counter *c)
{
	for (unsigned i = 0; i < UINT128_BYTES; i++)
		if (++c->b[i] != 0)
			break;
}

static void
test_key(uint8_t key[CIPHER_KEY_BYTES], uint8_t first)
{
	for (unsigned i = 0; i < CIPHER_KEY_BYTES; i++)
		key[i] = (uint8_t)(first + 7 * i);
}

static void
reference_aes(const uint8_t *key, struct counter *c, uint8_t *out, size_t n)
{
	EVP_CIPHER_CTX *ctx;
	int made;

	ctx = EVP_CIPHER_CTX_new();
	ATF_REQUIRE(ctx != NULL);
	ATF_REQUIRE_EQ(1, EVP_EncryptInit_ex(ctx, EVP_aes_256_ecb(), NULL, key,
	    NULL));
	EVP_CIPHER_CTX_set_padding(ctx, 0);
	for (; n > 0; n -= AES_BLOCK, out += AES_BLOCK) {
		ATF_REQUIRE_EQ(1, EVP_EncryptUpdate(ctx, out, &made, c->b,
		    AES_BLOCK));
		counter_next(c);
	}
	EVP_CIPHER_CTX_free(ctx);
}

static uint32_t
word_le(const uint8_t *p)
{
	return ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	    (uint32_t)p[3] << 24);
}

static uint32_t
rotate(uint32_t x, unsigned n)
{
	return (x << n | x >> (32 - n));
}

static void
quarter_round(uint32_t *x, unsigned a, unsigned b, unsigned c, unsigned d)
{
	x[a] += x[b];
	x[d] = rotate(x[d] ^ x[a], 16);
	x[c] += x[d];
	x[b] = rotate(x[b] ^ x[c], 12);
	x[a] += x[b];
	x[d] = rotate(x[d] ^ x[a], 8);
	x[c] += x[d];
	x[b] = rotate(x[b] ^ x[c], 7);
}

/* RFC 8439, section 2.3, with all of words 12 to 15 as counter. */
static void
chacha_block(const uint8_t *key, const struct counter *c, uint8_t *out)
{
	static const char sigma[] = "expand 32-byte k";
	uint32_t in[16], x[16];

	for (unsigned i = 0; i < 4; i++) {
		in[i] = word_le((const uint8_t *)sigma + 4 * i);
		in[12 + i] = word_le(c->b + 4 * i);
	}
	for (unsigned i = 0; i < 8; i++)
		in[4 + i] = word_le(key + 4 * i);
	memcpy(x, in, sizeof(x));
	for (unsigned i = 0; i < 10; i++) {
		quarter_round(x, 0, 4, 8, 12);
		quarter_round(x, 1, 5, 9, 13);
		quarter_round(x, 2, 6, 10, 14);
		quarter_round(x, 3, 7, 11, 15);
		quarter_round(x, 0, 5, 10, 15);
		quarter_round(x, 1, 6, 11, 12);
		quarter_round(x, 2, 7, 8, 13);
		quarter_round(x, 3, 4, 9, 14);
	}
	for (unsigned i = 0; i < 16; i++) {
		uint32_t sum = x[i] + in[i];

		for (unsigned k = 0; k < 4; k++)
			out[4 * i + k] = (uint8_t)(sum >> 8 * k);
	}
}

/* Writes whole blocks: up to 63 bytes more than n. */
static void
reference_chacha(const uint8_t *key, struct counter *c, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i += CHACHA_BLOCK) {
		chacha_block(key, c, out + i);
		counter_next(c);
	}
}

typedef void reference(const uint8_t *, struct counter *, uint8_t *, size_t);

/* One call, its bytes, its neighbourhood and its counter. */
static void
check_call(struct cipher_key *ck, const uint8_t *key, reference *compute,
    uint128_t *ctr, size_t n, size_t offset)
{
	uint8_t *out = got + GUARD + offset;
	struct counter c;
	uint128_t start = *ctr;
	size_t at;

	uint128_encode_le(c.b, *ctr);
	compute(key, &c, want, n);
	memset(got, FILL, sizeof(got));
	cipher_keystream(ck, ctr, out, n);
	at = support_mismatch(out, want, n);
	ATF_CHECK_MSG(at == n, "%s, counter %#" PRIx64 ":%016" PRIx64
	    ", %zu bytes: differ at %zu", ck->ck_cipher->ci_name,
	    uint128_hi(start), uint128_lo(start), n, at);
	ATF_CHECK_MSG(support_all(got, GUARD + offset, FILL) &&
	    support_all(out + n, (size_t)(got + sizeof(got) - out) - n, FILL),
	    "%s, %zu bytes: wrote outside of them", ck->ck_cipher->ci_name, n);
	ATF_CHECK_MSG(*ctr == uint128_decode_le(c.b),
	    "%s, counter %#" PRIx64 ":%016" PRIx64 ", %zu bytes: now %#" PRIx64
	    ":%016" PRIx64, ck->ck_cipher->ci_name, uint128_hi(start),
	    uint128_lo(start), n, uint128_hi(*ctr), uint128_lo(*ctr));
}

static void
key_make(struct cipher_key *ck, const char *name)
{
	const struct cipher *cipher;

	cipher = cipher_find(name);
	ATF_REQUIRE_MSG(cipher != NULL, "there is no %s", name);
	ATF_REQUIRE_EQ(0, cipher_key_init(ck, cipher));
}

/* Where a run of counters starts: before each boundary it may have to cross. */
static const struct {
	uint64_t	hi;
	uint64_t	lo;
} starts[] = {
	{ 0, 0 },
	{ 0, 1 },
	{ 0, UINT32_MAX },			/* 2^32 */
	{ 0, UINT32_MAX - 6 },
	{ 0, UINT32_MAX - 1025 },
	{ 0, UINT64_MAX },			/* 2^64 */
	{ 0, UINT64_MAX - 3 },
	{ 0, UINT64_MAX - 4 },
	{ 0, UINT64_MAX - 6 },
	{ 0, UINT64_MAX - 63 },
	{ 0, UINT64_MAX - 64 },
	{ 0, UINT64_MAX - 1022 },
	{ 0, UINT64_MAX - 1023 },		/* ends a long run exactly */
	{ 0, UINT64_MAX - 1024 },
	{ 0, UINT64_MAX - 1500 },
	{ UINT32_MAX, UINT64_MAX },		/* 2^96 */
	{ UINT32_MAX, UINT64_MAX - 6 },
	{ UINT32_MAX, UINT64_MAX - 1500 },
	{ UINT64_MAX, UINT64_MAX },		/* 2^128 */
	{ UINT64_MAX, UINT64_MAX - 6 },
	{ UINT64_MAX, UINT64_MAX - 1500 },
	{ UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210) },
};

/* Calls of all lengths from each start: all there, or one after the other. */
static void
check_starts(const char *name, reference *compute, bool sequence,
    const size_t *lengths, size_t count)
{
	uint8_t key[CIPHER_KEY_BYTES];
	struct cipher_key ck;
	uint128_t ctr, elsewhere;

	key_make(&ck, name);
	test_key(key, 1);
	cipher_key_set(&ck, key);
	for (size_t s = 0; s < nitems(starts); s++) {
		for (size_t i = 0; i < count; i++) {
			if (i == 0 || !sequence)
				ctr = uint128_make(starts[s].hi, starts[s].lo);
			check_call(&ck, key, compute, &ctr, lengths[i],
			    (s + i) % 3);
			/* A call for another counter must not derail it. */
			if (!sequence || i % 3 != 2)
				continue;
			elsewhere = uint128_make(5, i);
			check_call(&ck, key, compute, &elsewhere, 64, 0);
		}
	}
	cipher_key_fini(&ck);
}

CRYPTO_TEST(aes__fips_197, "The AES-256 example of FIPS-197, appendix C.3, "
    "with its plaintext as counter")
{
	uint8_t answer[AES_BLOCK], block[AES_BLOCK], key[CIPHER_KEY_BYTES];
	struct cipher_key ck;
	uint128_t ctr;

	for (uint8_t i = 0; i < CIPHER_KEY_BYTES; i++)
		key[i] = i;
	support_unhex("00112233445566778899aabbccddeeff", block, AES_BLOCK);
	support_unhex("8ea2b7ca516745bfeafc49904b496089", answer, AES_BLOCK);
	ctr = uint128_decode_le(block);
	key_make(&ck, "aes");
	cipher_key_set(&ck, key);
	cipher_keystream(&ck, &ctr, block, AES_BLOCK);
	ATF_CHECK_EQ(0, memcmp(block, answer, AES_BLOCK));
	/* The counter's bytes are little-endian: 00 became 01. */
	ATF_CHECK_EQ(UINT64_C(0x7766554433221101), uint128_lo(ctr));
	cipher_key_fini(&ck);
}

CRYPTO_TEST(aes__block_by_block, "Long runs, over the strides in which "
    "counters are laid out, and carries in the middle of them")
{
	static const size_t lengths[] = { 0, 16, 32, 48, 64, 80, 112, 1024 - 16,
	    1024, 1024 + 16, 2048 + 32, 4096, 16384 - 16, 16384, 16384 + 16,
	    32768 - 16, 32768 + 16, 65536 + 16 };

	check_starts("aes", reference_aes, false, lengths, nitems(lengths));
}

static void
draw_part(void *arg)
{
	uint128_t ctr = uint128_make(0, 1);

	cipher_keystream(arg, &ctr, got, AES_BLOCK + 1);
}

CRYPTO_TEST(aes__refuses_partial_blocks, "A length that is no multiple of 16 "
    "breaks the contract and must not pass silently")
{
	struct cipher_key ck;

	key_make(&ck, "aes");
	cipher_key_wipe(&ck);
	ATF_CHECK(support_asserts(draw_part, &ck));
	cipher_key_fini(&ck);
}

CRYPTO_TEST(chacha20__rfc_8439, "The block of RFC 8439, section 2.3.2, with "
    "its counter and nonce as one counter: the cipher's and the reference's")
{
	uint8_t answer[CHACHA_BLOCK], block[CHACHA_BLOCK];
	uint8_t key[CIPHER_KEY_BYTES];
	struct cipher_key ck;
	struct counter c;
	uint128_t ctr;

	for (uint8_t i = 0; i < CIPHER_KEY_BYTES; i++)
		key[i] = i;
	support_unhex("10f1e7e4d13b5915500fdd1fa32071c4"
	    "c7d1f4c733c068030422aa9ac3d46c4e"
	    "d2826446079faa0914c2d705d98b02a2"
	    "b5129cd1de164eb9cbd083e8a2503c4e", answer, CHACHA_BLOCK);
	support_unhex("01000000000000090000004a00000000", c.b, UINT128_BYTES);
	chacha_block(key, &c, block);
	ATF_REQUIRE_EQ(0, memcmp(block, answer, CHACHA_BLOCK));
	ctr = uint128_decode_le(c.b);
	key_make(&ck, "chacha20");
	cipher_key_set(&ck, key);
	cipher_keystream(&ck, &ctr, block, CHACHA_BLOCK);
	ATF_CHECK_EQ(0, memcmp(block, answer, CHACHA_BLOCK));
	cipher_key_fini(&ck);
}

CRYPTO_TEST(chacha20__block_by_block, "All 128 bits count: carries that "
    "libcrypto does not make, at each length where the code forks")
{
	static const size_t lengths[] = { 0, 1, 31, 32, 63, 64, 65, 127, 128,
	    511, 512, 513, 575, 576, 4096, 65536, 65537, LONGEST };

	check_starts("chacha20", reference_chacha, false, lengths,
	    nitems(lengths));
}

CRYPTO_TEST(keystream__calls_continue, "Each call begins where its counter "
    "says, after the last call or anywhere else")
{
	static const size_t aes[] = { 16, 64, 0, 32, 16400, 16, 4096, 48 };
	static const size_t chacha[] = { 64, 64, 1, 0, 63, 512, 64, 4096, 33,
	    65537, 32, 128, 65536, 64 };

	check_starts("aes", reference_aes, true, aes, nitems(aes));
	check_starts("chacha20", reference_chacha, true, chacha,
	    nitems(chacha));
}

CRYPTO_TEST(cipher_key_set__after_use, "A new key takes effect at once and "
    "nothing of the old one or its position remains")
{
	static const struct {
		const char	*name;
		reference	*compute;
	} rows[] = {
		{ "aes", reference_aes },
		{ "chacha20", reference_chacha },
	};
	uint8_t key[CIPHER_KEY_BYTES];
	struct cipher_key a, b;
	uint128_t ctr;

	for (size_t i = 0; i < nitems(rows); i++) {
		key_make(&a, rows[i].name);
		key_make(&b, rows[i].name);
		/* The counter goes on over the change, as in a re-key. */
		ctr = uint128_make(0, UINT64_MAX - 20);
		for (uint8_t k = 0; k < 8; k++) {
			test_key(key, k);
			cipher_key_set(&a, key);
			check_call(&a, key, rows[i].compute, &ctr, 128, 0);
			check_call(&a, key, rows[i].compute, &ctr, 576, 0);
		}
		/* The same counter again, under another key. */
		for (uint8_t k = 0; k < 8; k++) {
			test_key(key, k);
			cipher_key_set(&b, key);
			ctr = uint128_make(0, 3);
			check_call(&b, key, rows[i].compute, &ctr, 64, 0);
		}
		/* Meanwhile the other object kept its own. */
		test_key(key, 7);
		check_call(&a, key, rows[i].compute, &ctr, 640, 0);
		cipher_key_fini(&a);
		cipher_key_fini(&b);
	}
}

CRYPTO_TEST(cipher_key_wipe__changes_keystream, "A wiped object cannot repeat "
    "what its key produced: raw key and schedule are both gone")
{
	uint8_t after[1024], before[1024], key[CIPHER_KEY_BYTES];
	struct cipher_key ck;
	uint128_t ctr;

	test_key(key, 3);
	for (unsigned i = 0; i < cipher_count; i++) {
		ATF_REQUIRE_EQ(0, cipher_key_init(&ck, ciphers[i]));
		cipher_key_set(&ck, key);
		ctr = uint128_make(0, 8);
		cipher_keystream(&ck, &ctr, before, sizeof(before));
		ctr = uint128_make(0, 8);
		cipher_keystream(&ck, &ctr, after, sizeof(after));
		/* Repeatable while the key is there, or wiping proves nil. */
		ATF_REQUIRE_EQ_MSG(0, memcmp(before, after, sizeof(before)),
		    "%s", ciphers[i]->ci_name);
		cipher_key_wipe(&ck);
		ATF_CHECK_MSG(support_all(ck.ck_raw, sizeof(ck.ck_raw), 0),
		    "%s: the raw key is still there", ciphers[i]->ci_name);
		ctr = uint128_make(0, 8);
		cipher_keystream(&ck, &ctr, after, sizeof(after));
		ATF_CHECK_MSG(memcmp(before, after, sizeof(before)) != 0,
		    "%s: still the same keystream", ciphers[i]->ci_name);
		/* Nor when libcrypto need not seek. */
		cipher_key_set(&ck, key);
		ctr = uint128_make(0, 7);
		cipher_keystream(&ck, &ctr, after, ciphers[i]->ci_block_bytes);
		cipher_key_wipe(&ck);
		cipher_keystream(&ck, &ctr, after, sizeof(after));
		ATF_CHECK_MSG(memcmp(before, after, sizeof(before)) != 0,
		    "%s: still the same keystream, in sequence",
		    ciphers[i]->ci_name);
		cipher_key_fini(&ck);
	}
}

CRYPTO_TEST(keystream__allocates_nothing, "Keystreams, new keys and wiping "
    "never enter the allocator, from the first call on")
{
	static const size_t lengths[] = { 64, 32, 512, 65536, 16 };
	const volatile uint64_t *allocated = support_allocated();
	uint8_t key[CIPHER_KEY_BYTES];
	struct cipher_key ck;
	uint64_t before;
	uint128_t ctr;

	for (unsigned c = 0; c < cipher_count; c++) {
		ATF_REQUIRE_EQ(0, cipher_key_init(&ck, ciphers[c]));
		ctr = uint128_make(0, 1);
		before = *allocated;
		for (unsigned i = 0; i < 4 * nitems(lengths); i++) {
			test_key(key, (uint8_t)i);
			cipher_key_set(&ck, key);
			cipher_keystream(&ck, &ctr, got,
			    lengths[i % nitems(lengths)]);
			cipher_keystream(&ck, &ctr, got, 128);
		}
		cipher_key_wipe(&ck);
		ATF_CHECK_MSG(*allocated == before, "%s: %" PRIu64 " bytes",
		    ciphers[c]->ci_name, *allocated - before);
		cipher_key_fini(&ck);
	}
}

TEST(cipher_find__names, "Every cipher is found by its name and by its "
    "alias, and nothing else is")
{
	ATF_REQUIRE(cipher_count >= 2);
	for (unsigned i = 0; i < cipher_count; i++) {
		ATF_CHECK_EQ_MSG(ciphers[i], cipher_find(ciphers[i]->ci_name),
		    "%s", ciphers[i]->ci_name);
		ATF_CHECK_EQ_MSG(ciphers[i], cipher_find(ciphers[i]->ci_alias),
		    "%s", ciphers[i]->ci_alias);
	}
	ATF_CHECK_EQ(cipher_find("chacha20"), cipher_find("chacha"));
	ATF_CHECK_EQ(NULL, cipher_find(""));
	ATF_CHECK_EQ(NULL, cipher_find("AES"));
	ATF_CHECK_EQ(NULL, cipher_find("des"));
}

/* Both ends of n bytes are written, no more than that, and no key is none. */
static void
check_stub(const uint8_t *bytes, size_t n)
{
	const size_t half = CIPHER_STUB_BYTES / 2;

	ATF_CHECK(support_all(bytes + n, GUARD, FILL));
	if (n < CIPHER_KEY_BYTES)
		return;
	ATF_CHECK(!support_all(bytes, CIPHER_KEY_BYTES, FILL));
	ATF_CHECK(!support_all(bytes, CIPHER_KEY_BYTES, 0));
	ATF_CHECK(!support_all(bytes + n - CIPHER_KEY_BYTES, CIPHER_KEY_BYTES,
	    FILL));
	if (n > CIPHER_STUB_BYTES)
		ATF_CHECK(support_all(bytes + half, n - 2 * half, FILL));
}

/* Keys that are drawn one of the other, and at neighbouring counters. */
static void
check_stub_keys(struct cipher_key *stub)
{
	enum { KEYS = 1000 };
	static uint8_t key[KEYS][CIPHER_KEY_BYTES];
	uint8_t drawn[CIPHER_STUB_BYTES];
	uint128_t ctr = uint128_make(0, 0), same;

	for (unsigned i = 0; i < KEYS; i += 2) {
		same = ctr;
		cipher_keystream(stub, &ctr, drawn, sizeof(drawn));
		memcpy(key[i], drawn + 96, sizeof(key[i]));
		cipher_key_set(stub, drawn);
		cipher_keystream(stub, &same, key[i + 1], sizeof(key[i]));
	}
	for (unsigned i = 0; i < KEYS; i++)
		for (unsigned k = 0; k < i; k++)
			ATF_REQUIRE(memcmp(key[i], key[k],
			    sizeof(key[i])) != 0);
}

/*
 * A key drawn of a key at the same counter, again and again, as a design does
 * that begins each key's counters anew: none comes back soon.
 */
static void
check_stub_chain(struct cipher_key *stub)
{
	enum { CHAIN = 1 << 20 };
	uint8_t drawn[CIPHER_KEY_BYTES], mark[CIPHER_KEY_BYTES] = { 0 };
	uint128_t ctr;

	for (unsigned i = 0; i < CHAIN; i++) {
		ctr = uint128_make(0, 0);
		cipher_keystream(stub, &ctr, drawn, sizeof(drawn));
		ATF_REQUIRE_MSG(memcmp(drawn, mark, sizeof(mark)) != 0,
		    "a key is back after at most %u", i);
		if ((i & (i - 1)) == 0)
			memcpy(mark, drawn, sizeof(mark));
		cipher_key_set(stub, drawn);
	}
}

CRYPTO_TEST(cipher_stub__counts_alike, "A stub cipher uses up the counters of "
    "the one it stands for, writes what keys are drawn from, which is never "
    "the same, and little else")
{
	static const size_t sizes[] = { 0, 16, 32, 48, 64, 80, 4096, 65536 };
	static const uint8_t key[CIPHER_KEY_BYTES] = { 1 };
	struct cipher_key stub, real;
	uint128_t hc, rc;

	for (unsigned c = 0; c < cipher_count; c++) {
		const struct cipher *stand = cipher_stub(ciphers[c]);

		ATF_CHECK_STREQ(ciphers[c]->ci_name, stand->ci_name);
		ATF_CHECK_EQ(ciphers[c]->ci_block_bytes, stand->ci_block_bytes);
		ATF_CHECK_EQ(ciphers[c]->ci_whole_blocks,
		    stand->ci_whole_blocks);
		ATF_REQUIRE_EQ(0, cipher_key_init(&real, ciphers[c]));
		ATF_REQUIRE_EQ(0, cipher_key_init(&stub, stand));
		cipher_key_set(&real, key);
		cipher_key_set(&stub, key);
		ATF_CHECK(memcmp(stub.ck_raw, key, sizeof(key)) == 0);
		hc = rc = uint128_make(3, UINT64_MAX - 5);
		for (unsigned i = 0; i < 2 * nitems(sizes); i++) {
			size_t n = sizes[i / 2];

			if (!stand->ci_whole_blocks)
				n += i % 2 * 13;
			memset(got, FILL, sizeof(got));
			cipher_keystream(&stub, &hc, got, n);
			cipher_keystream(&real, &rc, want, n);
			ATF_CHECK_MSG(hc == rc, "%s: %zu bytes",
			    stand->ci_name, n);
			check_stub(got, n);
		}
		check_stub_keys(&stub);
		check_stub_chain(&stub);
		cipher_key_wipe(&stub);
		ATF_CHECK(support_all(stub.ck_raw, CIPHER_KEY_BYTES, 0));
		cipher_key_fini(&stub);
		cipher_key_fini(&real);
	}
}

TEST_PROGRAM()
