/*
 * profile_sample(): a Latin hypercube over the uncertain values.
 */
#include <inttypes.h>
#include <math.h>

#include "tests/unit/profile_fixture.h"
#include "tests/unit/test.h"

enum { SAMPLES = 25 };

static double
width_of(enum provenance from)
{
	return (from == PROVENANCE_GUESSED ? 0.5 : 0.15);
}

/* The part of its range, of n, that a key's value is drawn from. */
static unsigned
part_of(const struct profile *from, const struct profile *to, unsigned key,
    unsigned n)
{
	const double w = width_of(from->pr_from[key]);
	const double ratio = to->pr_value[key] / from->pr_value[key];
	const double place = (ratio - (1 - w)) / (2 * w);

	ATF_CHECK_MSG(place > -1e-9 && place < 1 + 1e-9,
	    "%s is %.17g times what it was", profile_fields[key].pf_key, ratio);
	return ((unsigned)fmin(fmax(floor(place * n), 0), n - 1));
}

/* The fixture with all provenances. */
static void
mixed(struct profile *pr)
{
	profile_fixture(pr);
	for (unsigned key = 0; key < PROFILE_VALUES; key++)
		pr->pr_from[key] = key % PROVENANCE_ABSENT;
	/* Both of a pair vary, and by the first one's width. */
	pr->pr_from[PROFILE_OS_WAKE_SAME_P50] = PROVENANCE_FITTED;
	pr->pr_from[PROFILE_OS_WAKE_SAME_P99] = PROVENANCE_FITTED;
	pr->pr_from[PROFILE_OS_WAKE_CROSS_P50] = PROVENANCE_GUESSED;
	pr->pr_from[PROFILE_OS_WAKE_CROSS_P99] = PROVENANCE_PUBLISHED;
	pr->pr_value[PROFILE_OS_WAKE_SAME_P99] = 30;
	pr->pr_value[PROFILE_OS_WAKE_CROSS_P99] = 70;
}

TEST(profile_sample__hypercube, "every value is drawn once from each part of "
    "its range, and from no other")
{
	static unsigned seen[PROFILE_VALUES][SAMPLES];
	struct profile from, to;
	unsigned varying = 0;

	mixed(&from);
	from.pr_from[PROFILE_OS_WAKE_CROSS_P99] = PROVENANCE_GUESSED;
	for (unsigned i = 0; i < SAMPLES; i++) {
		profile_sample(&from, i, SAMPLES, 1, &to);
		for (unsigned key = 0; key < PROFILE_VALUES; key++)
			if (profile_varies(&from, key))
				seen[key][part_of(&from, &to, key, SAMPLES)]++;
	}
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		if (!profile_varies(&from, key))
			continue;
		varying++;
		for (unsigned i = 0; i < SAMPLES; i++)
			ATF_CHECK_EQ_MSG(1, seen[key][i], "%s: part %u: %u",
			    profile_fields[key].pf_key, i, seen[key][i]);
	}
	ATF_CHECK(varying > PROFILE_VALUES / 2);
}

TEST(profile_sample__fixed, "measured values, the topology, switches, zeroes, "
    "texts and provenances stay")
{
	struct profile from, to;

	mixed(&from);
	from.pr_value[PROFILE_LAT_CONG] = 0;
	from.pr_from[PROFILE_LAT_CONG] = PROVENANCE_GUESSED;
	from.pr_from[PROFILE_LAT_SMT] = PROVENANCE_ABSENT;
	from.pr_from[PROFILE_TOPO_CPUS] = PROVENANCE_GUESSED;
	from.pr_from[PROFILE_OS_PREEMPT] = PROVENANCE_GUESSED;
	ATF_CHECK(!profile_varies(&from, PROFILE_LAT_CONG));
	ATF_CHECK(!profile_varies(&from, PROFILE_LAT_SMT));
	ATF_CHECK(!profile_varies(&from, PROFILE_TOPO_CPUS));
	ATF_CHECK(!profile_varies(&from, PROFILE_OS_PREEMPT));
	for (unsigned i = 0; i < SAMPLES; i++) {
		profile_sample(&from, i, SAMPLES, 1, &to);
		for (unsigned key = 0; key < PROFILE_VALUES; key++) {
			if (from.pr_from[key] == PROVENANCE_MEASURED)
				ATF_CHECK(!profile_varies(&from, key));
			ATF_CHECK_EQ_MSG(profile_varies(&from, key),
			    from.pr_value[key] != to.pr_value[key], "%s",
			    profile_fields[key].pf_key);
			ATF_CHECK_EQ(from.pr_from[key], to.pr_from[key]);
			ATF_CHECK_STREQ(from.pr_source[key],
			    to.pr_source[key]);
		}
		ATF_CHECK_STREQ(from.pr_name, to.pr_name);
	}
}

TEST(profile_sample__percentiles, "percentiles of one quantity keep their "
    "ratio, and their order where only one varies")
{
	struct profile from, to;
	unsigned least = 0, most = 0;

	mixed(&from);
	for (unsigned i = 0; i < SAMPLES; i++) {
		profile_sample(&from, i, SAMPLES, 1, &to);
		ATF_CHECK(fabs(to.pr_value[PROFILE_OS_WAKE_SAME_P99] * 7 / 30 -
		    to.pr_value[PROFILE_OS_WAKE_SAME_P50]) < 1e-9);
		ATF_CHECK(fabs(to.pr_value[PROFILE_OS_WAKE_CROSS_P99] / 10 -
		    to.pr_value[PROFILE_OS_WAKE_CROSS_P50]) < 1e-9);
	}
	from.pr_from[PROFILE_OS_WAKE_SAME_P50] = PROVENANCE_MEASURED;
	from.pr_value[PROFILE_OS_WAKE_SAME_P99] = 7.1;
	from.pr_from[PROFILE_OS_WAKE_CROSS_P99] = PROVENANCE_MEASURED;
	from.pr_value[PROFILE_OS_WAKE_CROSS_P99] = 7.1;
	for (unsigned i = 0; i < SAMPLES; i++) {
		profile_sample(&from, i, SAMPLES, 1, &to);
		ATF_CHECK_EQ(7, to.pr_value[PROFILE_OS_WAKE_SAME_P50]);
		ATF_CHECK(to.pr_value[PROFILE_OS_WAKE_SAME_P99] >= 7);
		ATF_CHECK_EQ(7.1, to.pr_value[PROFILE_OS_WAKE_CROSS_P99]);
		ATF_CHECK(to.pr_value[PROFILE_OS_WAKE_CROSS_P50] <= 7.1);
		least += to.pr_value[PROFILE_OS_WAKE_SAME_P99] == 7;
		most += to.pr_value[PROFILE_OS_WAKE_CROSS_P50] == 7.1;
	}
	ATF_CHECK(least > 0 && least < SAMPLES);
	ATF_CHECK(most > 0 && most < SAMPLES);
}

TEST(profile_sample__deterministic, "the same number, count and seed give the "
    "same bits wherever it was compiled, others give others")
{
	static const struct {
		unsigned	 i, n;
		uint64_t	 seed;
		uint64_t	 bits;	/* of lat.ccx, guessed to be 7 */
	} known[] = {
		{ 0, 1, 0, UINT64_C(0x40237dde80a60000) },
		{ 3, 10, 1, UINT64_C(0x4011532611840000) },
		{ 199, 200, UINT64_MAX, UINT64_C(0x40181701f2500000) },
	};
	struct profile a, b, from;
	uint64_t bits;

	profile_fixture(&from);
	for (size_t k = 0; k < nitems(known); k++) {
		profile_sample(&from, known[k].i, known[k].n, known[k].seed,
		    &a);
		memcpy(&bits, &a.pr_value[PROFILE_LAT_CCX], sizeof(bits));
		ATF_CHECK_EQ_MSG(known[k].bits, bits, "0x%016" PRIx64, bits);
	}
	profile_sample(&from, 3, 10, 1, &a);
	profile_sample(&from, 3, 10, 1, &b);
	ATF_CHECK(memcmp(&a, &b, sizeof(a)) == 0);
	profile_sample(&from, 3, 10, 2, &b);
	ATF_CHECK(a.pr_value[PROFILE_LAT_CCX] != b.pr_value[PROFILE_LAT_CCX]);
	profile_sample(&from, 4, 10, 1, &b);
	ATF_CHECK(a.pr_value[PROFILE_LAT_CCX] != b.pr_value[PROFILE_LAT_CCX]);
}

TEST(profile_sample__independent, "no two values are shuffled alike, but for "
    "percentiles")
{
	static unsigned part[PROFILE_VALUES][SAMPLES];
	struct profile from, to;
	unsigned alike = 0;

	profile_fixture(&from);
	for (unsigned i = 0; i < SAMPLES; i++) {
		profile_sample(&from, i, SAMPLES, 1, &to);
		for (unsigned a = 0; a < PROFILE_VALUES; a++)
			if (profile_varies(&from, a))
				part[a][i] = part_of(&from, &to, a, SAMPLES);
	}
	for (unsigned a = 0; a < PROFILE_VALUES; a++)
		for (unsigned b = 0; b < a; b++)
			alike += profile_varies(&from, a) &&
			    profile_varies(&from, b) &&
			    memcmp(part[a], part[b], sizeof(part[a])) == 0;
	ATF_CHECK_EQ(2, alike);
}

TEST(profile_sample__valid, "a sample is a valid profile, at the ends of "
    "ranges too")
{
	struct profile again, from, to;

	for (unsigned end = 0; end < 2; end++) {
		profile_fixture(&from);
		for (unsigned key = 0; key < PROFILE_VALUES; key++)
			if (profile_varies(&from, key))
				from.pr_value[key] = end == 0 ?
				    profile_fields[key].pf_least :
				    profile_fields[key].pf_most;
		for (unsigned i = 0; i < SAMPLES; i++) {
			profile_sample(&from, i, SAMPLES, 1, &to);
			profile_fixture_again(&to, &again);
		}
	}
}

TEST_PROGRAM()
