#include <stdio.h>

#include <openssl/crypto.h>

#include "lib/crypto/blake2.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { LONG_BYTES = 255 };

static uint8_t counting[LONG_BYTES];

static void
setup(void)
{
	support_crypto();
	for (unsigned i = 0; i < LONG_BYTES; i++)
		counting[i] = (uint8_t)i;
}

static void
check(struct blake2 *b, size_t bytes, const char *hex)
{
	uint8_t got[BLAKE2B_BYTES], want[BLAKE2B_BYTES];

	blake2_finish(b, got);
	support_unhex(hex, want, bytes);
	ATF_CHECK_MSG(memcmp(got, want, bytes) == 0,
	    "%02x%02x%02x%02x..., not %.8s...", got[0], got[1], got[2], got[3],
	    hex);
}

TEST(blake2__known_answers, "BLAKE2s and BLAKE2b of RFC 7693's examples, and "
    "the reference's own for a key, in one context again and again")
{
	struct blake2 b;

	setup();
	ATF_REQUIRE_EQ(0, blake2s_init(&b));
	for (unsigned round = 0; round < 3; round++) {
		blake2_update(&b, "a", 1);
		blake2_update(&b, "bc", 2);
		check(&b, BLAKE2S_BYTES, "508c5e8c327c14e2e1a72ba34eeb452f"
		    "37458b209ed63a294d999b4c86675982");
		blake2_restart(&b, counting);
		check(&b, BLAKE2S_BYTES, "48a8997da407876b3d79c0d92325ad3b"
		    "89cbb754d86ab71aee047ad345fd2c49");
		/* What was absorbed and not asked for is forgotten. */
		blake2_restart(&b, counting);
		blake2_update(&b, "abc", 3);
		blake2_restart(&b, counting);
		blake2_update(&b, counting, LONG_BYTES);
		check(&b, BLAKE2S_BYTES, "3fb735061abc519dfe979e54c1ee5bfa"
		    "d0a9d858b3315bad34bde999efd724dd");
		blake2_restart(&b, NULL);
	}
	blake2_fini(&b);
	ATF_REQUIRE_EQ(0, blake2b_init(&b));
	for (unsigned round = 0; round < 3; round++) {
		blake2_update(&b, "abc", 3);
		check(&b, BLAKE2B_BYTES, "ba80a53f981c4d0d6a2797b69f12f6e9"
		    "4c212f14685ac4b74b12bb6fdbffa2d1"
		    "7d87c5392aab792dc252d5de4533cc95"
		    "18d38aa8dbf1925ab92386edd4009923");
		blake2_restart(&b, NULL);
		blake2_update(&b, "abcd", 4);
		blake2_restart(&b, NULL);
	}
	blake2_fini(&b);
	blake2_fini(&b);
	crypto_fini();
}

TEST(blake2_update__allocates_nothing, "Absorbing and finishing allocate "
    "nothing, keyed or not")
{
	const volatile uint64_t *now = support_allocated();
	uint8_t out[BLAKE2B_BYTES];
	struct blake2 b;
	uint64_t before;

	setup();
	ATF_REQUIRE_EQ(0, blake2s_init(&b));
	for (unsigned i = 0; i < 4; i++) {
		before = *now;
		blake2_update(&b, counting, LONG_BYTES);
		blake2_finish(&b, out);
		ATF_CHECK_EQ(before, *now);
		blake2_restart(&b, i % 2 == 0 ? counting : NULL);
	}
	blake2_fini(&b);
	crypto_fini();
}

/* Memory that libcrypto gets and never gives back, so that all can be seen. */
enum {
	ARENA_BYTES	= 64 << 20,
	ARENA_HEAD	= 16	/* a block's size, and alignment */
};

static _Alignas(ARENA_HEAD) uint8_t arena[ARENA_BYTES];
static size_t arena_used;

static void *
arena_malloc(size_t n, const char *file, int line)
{
	uint8_t *p = arena + arena_used;

	(void)file;
	(void)line;
	ATF_REQUIRE(n < ARENA_BYTES - arena_used - 2 * ARENA_HEAD);
	memcpy(p, &n, sizeof(n));
	arena_used += ARENA_HEAD + (n + ARENA_HEAD - 1) / ARENA_HEAD *
	    ARENA_HEAD;
	return (p + ARENA_HEAD);
}

static void *
arena_realloc(void *p, size_t n, const char *file, int line)
{
	uint8_t *grown = arena_malloc(n, file, line);
	size_t before = 0;

	if (p != NULL)
		memcpy(&before, (uint8_t *)p - ARENA_HEAD, sizeof(before));
	if (before > 0)
		memcpy(grown, p, before < n ? before : n);
	return (grown);
}

static void
arena_free(void *p, const char *file, int line)
{
	(void)p;
	(void)file;
	(void)line;
}

/* In how many places of it half of the secret is. */
static unsigned
arena_holds(const uint8_t secret[BLAKE2S_BYTES])
{
	unsigned found = 0;

	for (size_t i = 0; i + BLAKE2S_BYTES / 2 <= arena_used; i++)
		found += memcmp(arena + i, secret, BLAKE2S_BYTES / 2) == 0;
	return (found);
}

TEST(blake2_finish__wipes, "A key and what was absorbed with it are in no "
    "memory after finishing, nor after a restart of either kind")
{
	uint8_t out[BLAKE2S_BYTES], secret[BLAKE2S_BYTES];
	struct blake2 b;
	unsigned held = 0;

	ATF_REQUIRE_EQ(1, CRYPTO_set_mem_functions(arena_malloc, arena_realloc,
	    arena_free));
	setup();
	for (unsigned i = 0; i < BLAKE2S_BYTES; i++)
		secret[i] = (uint8_t)(0xa5 ^ 7 * i);
	ATF_REQUIRE_EQ(0, blake2s_init(&b));
	for (unsigned way = 0; way < 6; way++) {
		blake2_restart(&b, way % 2 == 0 ? secret : NULL);
		if (way % 2 != 0)
			blake2_update(&b, secret, sizeof(secret));
		held += arena_holds(secret);
		if (way < 2)
			blake2_finish(&b, out);
		else
			blake2_restart(&b, way < 4 ? NULL : counting);
		ATF_CHECK_EQ_MSG(0, arena_holds(secret), "way %u", way);
	}
	/* There was something to be found each time. */
	ATF_CHECK_MSG(held >= 6, "%u", held);
	blake2_restart(&b, secret);
	blake2_fini(&b);
	ATF_CHECK_EQ(0, arena_holds(secret));
	crypto_fini();
}

TEST(blake2_init_stub, "The stub's digest depends on key and input, and a "
    "restart clears both")
{
	uint8_t out[4][BLAKE2B_BYTES] = { { 0 } };
	struct blake2 b;

	setup();
	blake2_init_stub(&b, BLAKE2S_BYTES);
	blake2_update(&b, counting, 1);
	blake2_finish(&b, out[0]);
	blake2_restart(&b, counting);
	blake2_update(&b, counting, 1);
	blake2_finish(&b, out[1]);
	blake2_restart(&b, counting + 1);
	blake2_update(&b, counting, 1);
	blake2_finish(&b, out[2]);
	for (unsigned i = 0; i < nitems(out); i++)
		for (unsigned k = 0; k < i; k++)
			ATF_CHECK(memcmp(out[i], out[k], BLAKE2S_BYTES) != 0);
	ATF_CHECK(support_all(out[0] + BLAKE2S_BYTES, BLAKE2S_BYTES, 0));
	blake2_restart(&b, NULL);
	blake2_update(&b, counting, 1);
	blake2_finish(&b, out[3]);
	ATF_CHECK(memcmp(out[0], out[3], BLAKE2S_BYTES) == 0);
	blake2_fini(&b);
	blake2_init_stub(&b, BLAKE2B_BYTES);
	blake2_update(&b, counting, 1);
	blake2_finish(&b, out[3]);
	ATF_CHECK(!support_all(out[3] + BLAKE2S_BYTES, BLAKE2S_BYTES, 0));
	blake2_fini(&b);
	crypto_fini();
}

TEST_PROGRAM()
