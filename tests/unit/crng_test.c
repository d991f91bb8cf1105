/*
 * percpu's pure core.  Its bytes are held to a model by kat_test; here is what
 * scripts cannot see.
 */
#include <inttypes.h>
#include <stdio.h>

#include "fortuna/crng.h"
#include "lib/machine/tick.h"
#include "tests/unit/crypto_test.h"

static struct harvest_event
event_make(uint8_t size, uint32_t counter)
{
	struct harvest_event he = {
		.he_somecounter = counter,
		.he_size = size,
		.he_entropy = { 1, 2, 3, 4, 5, 6, 7, 8 },
	};

	return (he);
}

CRYPTO_TEST(crng_pool_event__credit, "Each byte is worth 8 bits, the counter "
    "none; 256 are reached once")
{
	struct harvest_event he;
	struct crng_pool cp;
	unsigned ready;

	for (uint8_t size = 1; size <= HARVEST_ENTROPY_BYTES; size++) {
		ATF_REQUIRE_EQ(0, crng_pool_init(&cp, false));
		ready = 0;
		for (unsigned i = 1; i <= 2 * CRNG_READY_BYTES; i++) {
			he = event_make(size, i);
			if (crng_pool_event(&cp, &he))
				ready += i;
			ATF_CHECK(cp.cp_bits <= CRNG_READY_BITS);
		}
		ATF_CHECK_EQ_MSG((CRNG_READY_BYTES + size - 1u) / size, ready,
		    "%u bytes each: ready after %u", size, ready);
		crng_pool_fini(&cp);
	}
}

CRYPTO_TEST(crng_pool_extract__never_the_same, "Keys differ without an event "
    "in between, and depend on every one there was")
{
	uint8_t key[6][CIPHER_KEY_BYTES];
	struct harvest_event he;
	struct crng_pool cp;

	for (unsigned i = 0; i < 2; i++) {
		ATF_REQUIRE_EQ(0, crng_pool_init(&cp, false));
		he = event_make(8, i);
		crng_pool_event(&cp, &he);
		for (unsigned k = 0; k < 3; k++)
			crng_pool_extract(&cp, key[3 * i + k]);
		crng_pool_fini(&cp);
	}
	for (unsigned i = 0; i < nitems(key); i++)
		for (unsigned k = 0; k < i; k++)
			ATF_CHECK_MSG(memcmp(key[i], key[k],
			    CIPHER_KEY_BYTES) != 0, "keys %u and %u", k, i);
}

CRYPTO_TEST(crng_base_set__generations, "Each key has another generation, none "
    "of them that of a CPU that has no key; the key given is wiped")
{
	static const uint64_t expected[] = { UINT64_MAX - 1, 0, 1 };
	uint8_t key[CIPHER_KEY_BYTES];
	struct crng base;

	ATF_REQUIRE_EQ(0, crng_init(&base, ciphers[0], UINT64_MAX - 2));
	for (unsigned i = 0; i < nitems(expected); i++) {
		memset(key, 0x5a, sizeof(key));
		crng_base_set(&base, key);
		ATF_CHECK_EQ_MSG(expected[i], base.cr_generation, "%" PRIu64,
		    base.cr_generation);
		ATF_CHECK(support_all(key, sizeof(key), 0));
		ATF_CHECK(support_all(base.cr_key.ck_raw, CIPHER_KEY_BYTES,
		    0x5a));
	}
	crng_fini(&base);
}

CRYPTO_TEST(crng_erase__halves, "The key becomes the first half of 64 bytes "
    "from counter 0, the second is handed out, and the counter goes on after "
    "them")
{
	/* RFC 8439, A.1, the first vector. */
	static const char *const chacha =
	    "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
	    "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586";
	uint8_t key[CIPHER_KEY_BYTES], out[CIPHER_KEY_BYTES], want[64];
	struct cipher_key ck;
	struct crng base, cpu;
	uint128_t ctr;
	unsigned c;

	for (c = 0; c < cipher_count; c++) {
		memset(key, 0, sizeof(key));
		ATF_REQUIRE_EQ(0, cipher_key_init(&ck, ciphers[c]));
		cipher_key_set(&ck, key);
		ctr = uint128_make(0, 0);
		cipher_keystream(&ck, &ctr, want, sizeof(want));
		cipher_key_fini(&ck);
		if (!ciphers[c]->ci_whole_blocks)
			support_unhex(chacha, want, sizeof(want));
		ATF_REQUIRE_EQ(0, crng_init(&base, ciphers[c], 41));
		ATF_REQUIRE_EQ(0, crng_init(&cpu, ciphers[c],
		    CRNG_NO_GENERATION));
		crng_base_set(&base, key);
		crng_erase(&base, out);
		ATF_CHECK(memcmp(base.cr_key.ck_raw, want, 32) == 0);
		ATF_CHECK(memcmp(out, want + 32, 32) == 0);
		ATF_CHECK(uint128_equals(ctr, crng_counter(ciphers[c])));
		memset(key, 0, sizeof(key));
		crng_base_set(&base, key);
		crng_derive(&cpu, &base);
		ATF_CHECK(memcmp(base.cr_key.ck_raw, want, 32) == 0);
		ATF_CHECK(memcmp(cpu.cr_key.ck_raw, want + 32, 32) == 0);
		ATF_CHECK_EQ(43, cpu.cr_generation);
		crng_fini(&base);
		crng_fini(&cpu);
	}
}

TEST(crng_interval_ns__early, "Half the uptime in whole seconds, not below "
    "one; after two minutes always one minute")
{
	static const struct {
		int64_t	uptime_ms;
		int64_t	interval_s;
	} rows[] = { { 0, 1 }, { 1000, 1 }, { 3999, 1 }, { 4000, 2 },
	    { 5999, 2 }, { 6000, 3 }, { 60000, 30 }, { 119999, 59 },
	    { 120000, 60 }, { 1000000000, 60 } };
	size_t i;

	for (i = 0; i < nitems(rows); i++)
		ATF_CHECK_EQ_MSG(rows[i].interval_s * NS_PER_S,
		    crng_interval_ns(rows[i].uptime_ms * NS_PER_MS),
		    "after %" PRId64 " ms: %" PRId64 " ns", rows[i].uptime_ms,
		    crng_interval_ns(rows[i].uptime_ms * NS_PER_MS));
}

TEST(crng_timer_due__schedule, "Asked ten times a second from the start, and "
    "from late on; a long absence is one reseed")
{
	static const int64_t expected_s[] = { 1, 2, 3, 4, 6, 9, 13, 19, 28, 42,
	    63, 94, 141, 201, 261 };
	struct crng_timer ct = { .ct_armed = false };
	unsigned count = 0;
	int64_t ms;

	for (ms = 0; ms < 300 * 1000; ms += 100) {
		if (!crng_timer_due(&ct, ms * NS_PER_MS))
			continue;
		ATF_REQUIRE_MSG(count < nitems(expected_s) &&
		    ms == 1000 * expected_s[count], "reseed %u after %" PRId64
		    " ms", count, ms);
		count++;
	}
	ATF_CHECK_EQ_MSG(nitems(expected_s), count, "%u reseeds", count);
	ATF_CHECK(crng_timer_due(&ct, 5000 * NS_PER_S));
	ATF_CHECK(!crng_timer_due(&ct, 5000 * NS_PER_S));
	ATF_CHECK(!crng_timer_due(&ct, 5060 * NS_PER_S - 1));
	ATF_CHECK(crng_timer_due(&ct, 5060 * NS_PER_S));
	ct.ct_armed = false;
	ATF_CHECK(!crng_timer_due(&ct, 9000 * NS_PER_S));
}

TEST_PROGRAM()
