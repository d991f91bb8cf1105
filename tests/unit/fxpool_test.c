/*
 * fxrng's pools and timer.  Its bytes are held to a model by kat_test; here is
 * what scripts cannot see, or would be too long for.
 */
#include <inttypes.h>
#include <stdio.h>

#include "fortuna/fxpool.h"
#include "lib/machine/tick.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

static struct harvest_event
event_make(unsigned source, uint8_t size, uint8_t destination)
{
	struct harvest_event he = {
		.he_somecounter = 0x04030201,
		.he_size = size,
		.he_destination = destination,
		.he_source = (uint8_t)source,
		.he_entropy = { 11, 12, 13, 14, 15, 16, 17, 18 },
	};

	return (he);
}

TEST(fxpool_timer__intervals, "Asked ten times a second: after 1, 3, 9 seconds "
    "and so on, then every hour; pool 0 alone so far; a long absence is one "
    "reseed")
{
	static const int64_t intervals_s[] = { 1, 3, 9, 27, 81, 243, 729, 2187,
	    3600, 3600 };
	struct fxpool_timer ft = { .ft_interval_s = 0 };
	struct fxpool_seed fs;
	struct fxpool fp;
	int64_t due_ns = 7 * NS_PER_S, ns;
	unsigned i = 0;

	support_crypto();
	ATF_REQUIRE_EQ(0, fxpool_init(&fp, false));
	for (ns = due_ns; i < nitems(intervals_s); ns += NS_PER_S / 10) {
		if (!fxpool_timer_due(&ft, ns))
			continue;
		due_ns += intervals_s[i] * NS_PER_S;
		ATF_REQUIRE_MSG(ns == due_ns, "reseed %u after %" PRId64 " ns",
		    i, ns);
		fxpool_timer_drain(&ft, &fp, ns, &fs);
		ATF_CHECK_EQ_MSG(1, fs.fs_pools, "reseed %u: %u pools", i,
		    fs.fs_pools);
		ATF_CHECK_EQ(1, fp.fp_active);
		i++;
	}
	ns += 10 * 3600 * NS_PER_S;
	ATF_CHECK(fxpool_timer_due(&ft, ns));
	fxpool_timer_drain(&ft, &fp, ns, &fs);
	ATF_CHECK(!fxpool_timer_due(&ft, ns));
	ATF_CHECK(!fxpool_timer_due(&ft, ns + 3600 * NS_PER_S - 1));
	ATF_CHECK(fxpool_timer_due(&ft, ns + 3600 * NS_PER_S));
	fxpool_fini(&fp);
	crypto_fini();
}

/* The greatest power of three in n, at most the seventh. */
static unsigned
threes(unsigned n)
{
	unsigned k;

	for (k = 0; k < 7 && n % 3 == 0; k++)
		n /= 3;
	return (k);
}

TEST(fxpool_timer__turns, "Reseed n at the longest interval uses pool k if 3^k "
    "divides n, but for the first such n, with which pool k comes into use")
{
	struct fxpool_timer ft = { .ft_interval_s = FXPOOL_MAX_INTERVAL_S };
	struct fxpool_seed fs;
	struct fxpool fp;
	unsigned active = 1, want;

	support_crypto();
	ATF_REQUIRE_EQ(0, fxpool_init(&fp, false));
	for (unsigned n = 1; n <= 3 * 6561; n++) {
		ATF_REQUIRE_EQ(active, fp.fp_active);
		want = threes(n) + 1;
		fxpool_timer_drain(&ft, &fp, 0, &fs);
		if (want > active)
			want = active++;
		ATF_REQUIRE_MSG(fs.fs_pools == want && fp.fp_active == active,
		    "reseed %u: %u pools, %u active", n, fs.fs_pools,
		    fp.fp_active);
	}
	ATF_CHECK_EQ(FXPOOL_POOLS, active);
	fxpool_fini(&fp);
	crypto_fini();
}

TEST(fxpool_first_time__once, "Each source has one first event")
{
	struct harvest_event he;
	struct fxpool fp;

	support_crypto();
	ATF_REQUIRE_EQ(0, fxpool_init(&fp, false));
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < ENTROPYSOURCE; i++) {
			he = event_make(i, 1, 0);
			ATF_CHECK_EQ_MSG(round == 0,
			    fxpool_first_time(&fp, &he), "source %u", i);
		}
	}
	fxpool_fini(&fp);
	crypto_fini();
}

TEST(fxpool_event__first_bytes, "A good source's first 32 bytes after a reseed "
    "go to pool 0 where others are in use, its fifth event of seven is shared "
    "out, and timed happenings go by destination")
{
	static const unsigned used[] = { 1, 1, 1, 1, 1 | 4, 4 };
	struct harvest_event he;
	struct fxpool_seed fs;
	struct fxpool fp;
	bool good;

	support_crypto();
	ATF_REQUIRE_EQ(0, fxpool_init(&fp, false));
	for (unsigned source = 0; source < ENTROPYSOURCE; source++) {
		good = source == RANDOM_CACHED ||
		    (source >= RANDOM_PURE_TPM &&
		    source != RANDOM_PURE_RNDTEST);
		fp.fp_active = 1;
		he = event_make(source, 7, 2);
		ATF_CHECK_EQ_MSG(1, fxpool_event(&fp, &he), "source %u",
		    source);
		fp.fp_active = 3;
		for (unsigned round = 0; round < 2; round++) {
			for (unsigned i = 0; i < nitems(used); i++)
				ATF_CHECK_EQ_MSG(good ? used[i] : 4,
				    fxpool_event(&fp, &he),
				    "source %u, event %u", source, i);
			fxpool_drain(&fp, 1, &fs);
		}
	}
	fxpool_fini(&fp);
	crypto_fini();
}

TEST_PROGRAM()
