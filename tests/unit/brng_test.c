/*
 * fxrng's buffered generator.  Its bytes are held to a model by kat_test; here
 * is what scripts cannot see.
 */
#include <stdio.h>

#include "fortuna/brng.h"
#include "tests/unit/crypto_test.h"

static const struct cipher *cipher;
static struct blake2 mix;
static struct brng root, cpu;

static void
make(unsigned c)
{
	cipher = ciphers[c];
	ATF_REQUIRE_EQ(0, blake2b_init(&mix));
	ATF_REQUIRE_EQ(0, brng_init(&root, cipher));
	ATF_REQUIRE_EQ(0, brng_init(&cpu, cipher));
	brng_reseed(&root, &mix, "seed", 4);
}

static void
unmake(void)
{
	brng_fini(&root);
	brng_fini(&cpu);
	blake2_fini(&mix);
}

/* Counters that n bytes use up. */
static uint64_t
blocks(size_t n)
{
	return ((n + cipher->ci_block_bytes - 1) / cipher->ci_block_bytes);
}

static void
follow(void)
{
	uint8_t key[CIPHER_KEY_BYTES];

	brng_get(&root, key, sizeof(key));
	brng_follow(&cpu, key, root.b_generation);
	ATF_CHECK(support_all(key, sizeof(key), 0));
}

CRYPTO_TEST(brng_get__erases, "What is handed out is gone from the buffer, and "
    "the key that made it from the generator; counters go on over a new key")
{
	uint8_t key[CIPHER_KEY_BYTES], out[BRNG_BUFFER_BYTES];
	uint64_t ctr;

	for (unsigned c = 0; c < cipher_count; c++) {
		make(c);
		follow();
		ctr = 0;
		for (unsigned i = 0; i < 9; i++) {
			memcpy(key, cpu.b_key->ck_raw, sizeof(key));
			/* 48 bytes: the third needs the buffer filled. */
			ATF_CHECK_EQ(i % 8 == 0 || i % 8 == 2 || i % 8 == 5,
			    brng_get(&cpu, out, 48));
			if (memcmp(key, cpu.b_key->ck_raw, sizeof(key)) != 0)
				ctr += blocks(CIPHER_KEY_BYTES) +
				    blocks(BRNG_BUFFER_BYTES);
			ATF_CHECK_EQ(ctr, uint128_lo(cpu.b_counter));
			ATF_CHECK_EQ(48 * (i + 1) % BRNG_BUFFER_BYTES,
			    cpu.b_next % BRNG_BUFFER_BYTES);
			ATF_CHECK(support_all(cpu.b_buffer, cpu.b_next, 0));
			ATF_CHECK(!support_all(out, 48, 0));
		}
		follow();
		ATF_CHECK_EQ(BRNG_BUFFER_BYTES, cpu.b_next);
		ATF_CHECK(support_all(cpu.b_buffer, BRNG_BUFFER_BYTES, 0));
		ATF_CHECK_EQ(ctr, uint128_lo(cpu.b_counter));
		ATF_CHECK(!brng_get(&cpu, out, 0));
		unmake();
	}
}

CRYPTO_TEST(brng_take__detached, "What a request has taken does not change "
    "with what the generator does next, and is wiped; the buffer is none of "
    "its business")
{
	static const size_t sizes[] = { 128, 129, 1000, 4096 };
	uint8_t large[4096], small[100], want[CIPHER_KEY_BYTES + 4096 + 64];
	struct cipher_key copy, *spare;
	struct brng_private bp;
	uint128_t ctr;
	size_t n;

	for (unsigned c = 0; c < cipher_count; c++) {
		make(c);
		follow();
		ATF_REQUIRE_EQ(0, cipher_key_init(&copy, cipher));
		ATF_REQUIRE_EQ(0, cipher_key_new(&spare, cipher));
		brng_get(&cpu, small, 28);
		for (size_t i = 0; i < nitems(sizes); i++) {
			n = sizes[i];
			/* A key first, then the bytes. */
			cipher_key_set(&copy, cpu.b_key->ck_raw);
			ctr = cpu.b_counter;
			cipher_keystream(&copy, &ctr, want, CIPHER_KEY_BYTES);
			cipher_keystream_cut(&copy, &ctr,
			    want + CIPHER_KEY_BYTES, n);
			brng_take(&cpu, &spare, n, &bp);
			ATF_CHECK(uint128_equals(ctr, cpu.b_counter));
			ATF_CHECK(memcmp(cpu.b_key->ck_raw, want,
			    CIPHER_KEY_BYTES) == 0);
			ATF_CHECK(!brng_get(&cpu, small, 20));
			brng_private_genbytes(&bp, large, n);
			brng_private_fini(&bp);
			ATF_CHECK_MSG(memcmp(large, want + CIPHER_KEY_BYTES,
			    n) == 0, "%s, %zu bytes", cipher->ci_name, n);
			ATF_CHECK(support_all(spare->ck_raw,
			    CIPHER_KEY_BYTES, 0));
		}
		cipher_key_free(spare);
		cipher_key_fini(&copy);
		unmake();
	}
}

CRYPTO_TEST(brng_reseed__depends, "A root's key depends on the key before and "
    "on the input; of its buffer the rest survives, as in the kernel")
{
	static const char *const inputs[4][2] = { { "a", "c" }, { "b", "c" },
	    { "a", "d" }, { "a", "" } };
	uint8_t key[4][CIPHER_KEY_BYTES], rest[3][CIPHER_KEY_BYTES];
	unsigned c, i, k;

	for (c = 0; c < cipher_count; c++) {
		for (i = 0; i < nitems(inputs); i++) {
			make(c);
			brng_reseed(&root, &mix, inputs[i][0], 1);
			brng_reseed(&root, &mix, inputs[i][1],
			    strlen(inputs[i][1]));
			ATF_CHECK_EQ(3, root.b_generation);
			ATF_CHECK_EQ(2 * blocks(CIPHER_KEY_BYTES),
			    uint128_lo(root.b_counter));
			memcpy(key[i], root.b_key->ck_raw, CIPHER_KEY_BYTES);
			for (k = 0; k < i; k++)
				ATF_CHECK_MSG(memcmp(key[i], key[k],
				    CIPHER_KEY_BYTES) != 0, "%u and %u", i, k);
			unmake();
		}
		make(c);
		brng_get(&root, rest[0], CIPHER_KEY_BYTES);
		memcpy(rest[1], root.b_buffer + root.b_next, CIPHER_KEY_BYTES);
		brng_reseed(&root, &mix, "more", 4);
		ATF_CHECK(!brng_get(&root, rest[2], CIPHER_KEY_BYTES));
		ATF_CHECK(memcmp(rest[1], rest[2], CIPHER_KEY_BYTES) == 0);
		unmake();
	}
}

TEST_PROGRAM()
