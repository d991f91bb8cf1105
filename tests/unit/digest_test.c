#include <inttypes.h>
#include <stdio.h>

#include "lib/crypto/digest.h"
#include "lib/crypto/stub_cipher.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

/* FIPS 180-4's examples, and no bytes at all. */
static const struct {
	const char	*text;
	unsigned	 repeat;
	const char	*digest;
} known[] = {
	{ "", 1, "e3b0c44298fc1c149afbf4c8996fb924"
	    "27ae41e4649b934ca495991b7852b855" },
	{ "abc", 1, "ba7816bf8f01cfea414140de5dae2223"
	    "b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	    "248d6a61d20638b8e5c026930c3e6039"
	    "a33ce45964ff2167f6ecedd419db06c1" },
	{ "a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67"
	    "f1809a48a497200e046d39ccc7112cd0" },
};

static void
check_digest(struct digest *dg, const char *hex, const char *what)
{
	uint8_t got[DIGEST_BYTES], want[DIGEST_BYTES];

	digest_finish(dg, got);
	support_unhex(hex, want, sizeof(want));
	ATF_CHECK_MSG(memcmp(got, want, sizeof(want)) == 0,
	    "%s: %02x%02x%02x%02x..., not %.8s...", what, got[0], got[1],
	    got[2], got[3], hex);
}

static void
absorb(struct digest *dg, size_t row)
{
	for (unsigned r = 0; r < known[row].repeat; r++)
		digest_update(dg, known[row].text, strlen(known[row].text));
}

TEST(digest__known_answers, "It is SHA-256: the examples of FIPS 180-4, each "
    "in a new context")
{
	struct digest dg;

	support_crypto();
	for (size_t i = 0; i < nitems(known); i++) {
		ATF_REQUIRE_EQ(0, digest_init(&dg));
		absorb(&dg, i);
		check_digest(&dg, known[i].digest, known[i].text);
		digest_fini(&dg);
	}
	crypto_fini();
}

TEST(digest_reset__reuse, "A context is as new after a reset, whether it was "
    "finished or not")
{
	struct digest dg;

	support_crypto();
	ATF_REQUIRE_EQ(0, digest_init(&dg));
	for (size_t round = 0; round < 3; round++) {
		for (size_t i = 0; i < nitems(known); i++) {
			absorb(&dg, i);
			check_digest(&dg, known[i].digest, "after finish");
			digest_reset(&dg);
			/* Absorbed and thrown away: nothing of it stays. */
			digest_update(&dg, "discarded", 9);
			digest_reset(&dg);
		}
	}
	digest_fini(&dg);
	crypto_fini();
}

TEST(digest_update__any_split, "Pools absorb in small parts; where they are "
    "cut must not matter, nor empty parts")
{
	const char *text = known[2].text;
	struct digest dg;
	size_t n = strlen(text);
	char what[32];

	support_crypto();
	ATF_REQUIRE_EQ(0, digest_init(&dg));
	for (size_t cut = 0; cut <= n; cut++) {
		digest_update(&dg, text, cut);
		digest_update(&dg, text + cut, 0);
		digest_update(&dg, text + cut, n - cut);
		snprintf(what, sizeof(what), "cut at %zu", cut);
		check_digest(&dg, known[2].digest, what);
		digest_reset(&dg);
	}
	digest_fini(&dg);
	crypto_fini();
}

TEST(digest__contexts_are_apart, "32 pools run at once; one must not see "
    "another's bytes")
{
	struct digest abc, empty;

	support_crypto();
	ATF_REQUIRE_EQ(0, digest_init(&abc));
	ATF_REQUIRE_EQ(0, digest_init(&empty));
	digest_update(&abc, "a", 1);
	digest_update(&empty, "x", 1);
	digest_update(&abc, "b", 1);
	digest_reset(&empty);
	digest_update(&abc, "c", 1);
	check_digest(&empty, known[0].digest, "empty");
	check_digest(&abc, known[1].digest, "abc");
	digest_fini(&empty);
	digest_fini(&abc);
	crypto_fini();
}

TEST(digest_reset__allocates_nothing, "Absorbing, finishing and resetting "
    "happen under the mutex and must not enter the allocator")
{
	const volatile uint64_t *allocated = support_allocated();
	uint64_t absorbed, before, finished, reset;
	uint8_t out[DIGEST_BYTES];
	struct digest dg;

	support_crypto();
	ATF_REQUIRE_EQ(0, digest_init(&dg));
	absorbed = finished = reset = 0;
	for (unsigned i = 0; i < 20; i++) {
		before = *allocated;
		digest_update(&dg, known[2].text, strlen(known[2].text));
		absorbed += *allocated - before;
		before = *allocated;
		digest_finish(&dg, out);
		finished += *allocated - before;
		before = *allocated;
		digest_reset(&dg);
		reset += *allocated - before;
		if (i % DIGEST_SPARES == DIGEST_SPARES - 1)
			digest_prepare(&dg);
	}
	ATF_CHECK_MSG(absorbed == 0 && finished == 0 && reset == 0,
	    "20 times: update %" PRIu64 ", finish %" PRIu64 ", reset %" PRIu64
	    " bytes", absorbed, finished, reset);
	digest_fini(&dg);
	crypto_fini();
}

TEST(digest__stub, "The stand-in differs for different input of any "
    "length, forgets at a reset and allocates nothing")
{
	static uint8_t input[64], out[2 * sizeof(input)][DIGEST_BYTES];
	const volatile uint64_t *allocated;
	struct digest dg;
	uint64_t before;

	allocated = support_allocated();
	before = *allocated;
	ATF_REQUIRE_EQ(0, digest_init_as(&dg, hash_stub()));
	ATF_REQUIRE_EQ(DIGEST_BYTES, digest_bytes(&dg));
	for (unsigned i = 0; i < nitems(out); i++) {
		/* Zeros of each length; then one bit in each byte. */
		if (i >= sizeof(input))
			input[i - sizeof(input)] ^= 1;
		digest_update(&dg, input, i < sizeof(input) ? i :
		    sizeof(input));
		digest_finish(&dg, out[i]);
		digest_reset(&dg);
		for (unsigned k = 0; k < i; k++)
			ATF_CHECK_MSG(memcmp(out[i], out[k],
			    sizeof(out[i])) != 0, "%u and %u", i, k);
	}
	digest_finish(&dg, out[1]);
	ATF_CHECK(memcmp(out[0], out[1], sizeof(out[0])) == 0);
	digest_fini(&dg);
	ATF_CHECK_EQ(before, *allocated);
}

TEST_PROGRAM()
