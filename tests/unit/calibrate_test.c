#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/predict/calibrate.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { DRAWN = 2000 };

#define	CHECK_NEAR(want, got, tolerance)				\
	ATF_CHECK_MSG(fabs((want) - (got)) <= (tolerance),		\
	    "want %.6g, got %.6g", (double)(want), (double)(got))

static double drawn[DRAWN];

/* About normal, of deviation 1: Irwin and Hall. */
static double
normal(uint64_t *state)
{
	double sum = -6;

	for (unsigned i = 0; i < 12; i++)
		sum += (double)(support_draw(state) >> 11) / 0x1p53;
	return (sum);
}

TEST(spread__tail, "A 99th percentile that a disturbance made is cut to what "
    "median and 95th percentile allow, no other")
{
	/* Of a sigma of 1: exp(1.645), exp(2.326). */
	struct calibrate_spread qs = { .spr_p50 = 10, .spr_p95 = 51.80 };

	qs.spr_p99 = 5000;
	CHECK_NEAR(102.4, calibrate_tail(&qs, 0), 0.1);
	qs.spr_p99 = 100;
	CHECK_NEAR(100, calibrate_tail(&qs, 0), 1e-9);
	/* The part that is not the delay's counts in none of the three. */
	qs = (struct calibrate_spread){ .spr_p50 = 110, .spr_p95 = 151.80,
	    .spr_p99 = 5100 };
	CHECK_NEAR(102.4, calibrate_tail(&qs, 100), 0.1);
	/* Nothing is left of the median: the tail is as it was. */
	CHECK_NEAR(4900, calibrate_tail(&qs, 200), 1e-9);
}

TEST(spread__lognormal, "Mean and variation of a lognormal distribution; none "
    "without a tail")
{
	double cv, mean;

	calibrate_lognormal(10, 51.80, &mean, &cv);
	CHECK_NEAR(16.49, mean, 0.01);
	CHECK_NEAR(1.311, cv, 0.001);
	calibrate_lognormal(10, 9, &mean, &cv);
	CHECK_NEAR(10, mean, 0);
	CHECK_NEAR(0, cv, 0);
}

TEST(spread__quantiles, "Quantiles of 0..100 in any order; the deviation of a "
    "normal distribution, outliers in it or not")
{
	struct calibrate_spread qs;
	uint64_t state = 9;
	double v[101];

	for (unsigned i = 0; i < nitems(v); i++)
		v[i] = i * 37 % 101;
	qs = calibrate_spread(v, nitems(v));
	CHECK_NEAR(5, qs.spr_p5, 1e-9);
	CHECK_NEAR(50, qs.spr_p50, 1e-9);
	CHECK_NEAR(95, qs.spr_p95, 1e-9);
	CHECK_NEAR(99, qs.spr_p99, 1e-9);
	CHECK_NEAR(50, qs.spr_mean, 1e-9);
	ATF_CHECK_EQ(nitems(v), qs.spr_count);
	ATF_CHECK_EQ(0, calibrate_spread(v, 0).spr_count);
	/* The slower fifth counts in the mean, the slowest of all does not. */
	for (unsigned i = 0; i < nitems(v); i++)
		v[i] = i == 100 ? 1e9 : i >= 80 ? 2 : 1;
	qs = calibrate_spread(v, nitems(v));
	CHECK_NEAR(1, qs.spr_p50, 1e-9);
	CHECK_NEAR((75 + 2 * 16) / 91.0, qs.spr_mean, 1e-9);
	for (unsigned i = 0; i < DRAWN; i++)
		drawn[i] = i % 50 == 0 ? 1e7 : 1000 + 20 * normal(&state);
	CHECK_NEAR(0.02, calibrate_cv(drawn, DRAWN), 0.002);
	memset(drawn, 0, sizeof(drawn));
	CHECK_NEAR(0, calibrate_cv(drawn, DRAWN), 0);
}

/* Planted conditions, and words of the objections. */
static const struct {
	struct calibrate_conditions cc;
	unsigned	 count;
	const char	*words;
} conditions[] = {
	{ { .cc_load = 5 }, 0, "" },
	{ { .cc_others = 0.3, .cc_steal = 0.01, .cc_disturbed = 0.05,
	    .cc_drift = -0.05 }, 0, "" },
	{ { .cc_others = 0.31 }, 1, "other programs" },
	{ { .cc_steal = 0.011 }, 1, "hypervisor" },
	{ { .cc_disturbed = 0.06 }, 1, "batches" },
	{ { .cc_quota = 1.5 }, 1, "1.5 CPUs" },
	{ { .cc_drift = 0.06 }, 1, "slower" },
	{ { .cc_drift = -0.06 }, 1, "faster" },
	{ { .cc_unbound = true }, 1, "bound" },
	{ { .cc_others = 1, .cc_steal = 1, .cc_disturbed = 1, .cc_quota = 1,
	    .cc_drift = 1, .cc_unbound = true }, 6, "; " },
};

static double
next_number(void *arg)
{
	return (++*(double *)arg);
}

TEST(samples__leave_room, "Samples end at the probe's limit, and those of a "
    "further pair of CPUs follow them")
{
	static struct calibration cb;
	double pair[2] = { 0, 1000 };

	cb.cb_switches = true;
	cb.cb_error = -1;
	cb.cb_most = CALIBRATE_SAMPLES_MAX / 2;
	ATF_CHECK_EQ(CALIBRATE_SAMPLES_MAX / 2, calibrate_samples(&cb, 0,
	    next_number, &pair[0], 60 * NS_PER_S));
	cb.cb_most = CALIBRATE_SAMPLES_MAX;
	ATF_CHECK_EQ(CALIBRATE_SAMPLES_MAX, calibrate_samples(&cb,
	    CALIBRATE_SAMPLES_MAX / 2, next_number, &pair[1],
	    60 * NS_PER_S));
	ATF_CHECK_EQ(1, cb.cb_samples[0]);
	ATF_CHECK_EQ(1001, cb.cb_samples[CALIBRATE_SAMPLES_MAX / 2]);
	ATF_CHECK_EQ(-1, cb.cb_error);
}

TEST(objections__by_threshold, "Each condition is objected to above its "
    "threshold, not at it; a past load average is not")
{
	char text[CALIBRATE_TEXT_SIZE], small[20];
	unsigned n;

	for (unsigned i = 0; i < nitems(conditions); i++) {
		n = calibrate_objections(&conditions[i].cc, text,
		    sizeof(text));
		ATF_CHECK_MSG(n == conditions[i].count, "%u: %u: %s", i, n,
		    text);
		ATF_CHECK_MSG((n == 0) == (text[0] == '\0'), "%u: %s", i,
		    text);
		ATF_CHECK_MSG(strstr(text, conditions[i].words) != NULL,
		    "%u: no \"%s\" in %s", i, conditions[i].words, text);
		n = calibrate_objections(&conditions[i].cc, small,
		    sizeof(small));
		ATF_CHECK_EQ(conditions[i].count, n);
		ATF_CHECK(strlen(small) < sizeof(small));
	}
}

static struct calibration cb;

/* Values of some keys. */
struct planted {
	enum profile_key key;
	double		 value;
};

/* Readings as of some machine: all but what one node and no SMT leave out. */
static void
plant_readings(void)
{
	static const struct planted machine[] = { { PROFILE_TOPO_CPUS, 4 },
	    { PROFILE_TOPO_CCX, 4 }, { PROFILE_TOPO_SMT, 1 },
	    { PROFILE_TOPO_NODES, 1 }, { PROFILE_LINE_SERVICE, 0.25 },
	    { PROFILE_OS_PREEMPT, 1 }, { PROFILE_JITTER_CV, 0.02 },
	    { PROFILE_JITTER_GAP, 1 } };
	static const enum profile_key absent[] = { PROFILE_LAT_SMT,
	    PROFILE_LAT_SOCK, PROFILE_LAT_REMOTE, PROFILE_LAT_CONG,
	    PROFILE_LINE_INVALIDATE, PROFILE_LINE_KEEP, PROFILE_LINE_LOCAL,
	    PROFILE_LINE_AHEAD, PROFILE_LINE_SHARED, PROFILE_LINE_STRICT,
	    PROFILE_CPU_STORES };
	static const struct calibrate_spread qs = { .spr_p5 = 9, .spr_p50 = 10,
	    .spr_p95 = 12, .spr_count = 100 };
	unsigned i;

	memset(&cb, 0, sizeof(cb));
	for (i = 0; i < PROFILE_VALUES; i++)
		calibrate_enter(&cb, i, &qs, 1, 0, "note %u", i);
	for (i = 0; i < nitems(absent); i++)
		cb.cb_profile.pr_from[absent[i]] = PROVENANCE_ABSENT;
	for (i = 0; i < nitems(machine); i++)
		cb.cb_profile.pr_value[machine[i].key] = machine[i].value;
}

TEST(profile__is_loadable, "A profile of readings is one that parses, with "
    "their values and sources, any bytes in a note; that the machine was "
    "busy is marked")
{
	char error[PROFILE_ERROR_SIZE] = "", *text = NULL;
	static const char nasty[] = "\"\\\n\x01 and so much that it is cut: "
	    "more and more and more and more and more and more and more";
	struct profile read;
	size_t len = 0;
	FILE *out;

	ATF_REQUIRE(cpu_init() == 0);
	plant_readings();
	calibrate_enter(&cb, PROFILE_LAT_HIT, &(struct calibrate_spread){
	    .spr_p50 = 10 }, 1, 0, "%s", nasty);
	calibrate_describe(&cb, "busy");
	ATF_CHECK(strstr(cb.cb_profile.pr_descr, "BUSY") != NULL);
	out = open_memstream(&text, &len);
	ATF_REQUIRE(out != NULL);
	profile_write(out, &cb.cb_profile);
	fclose(out);
	ATF_REQUIRE_MSG(profile_parse(&read, "planted", text, error) == 0,
	    "%s in\n%s", error, text);
	CHECK_NEAR(4, read.pr_value[PROFILE_TOPO_CPUS], 0);
	CHECK_NEAR(10, read.pr_value[PROFILE_CPU_PAUSE], 1e-9);
	ATF_CHECK_EQ(PROVENANCE_MEASURED, read.pr_from[PROFILE_CPU_PAUSE]);
	ATF_CHECK(strstr(read.pr_source[PROFILE_CPU_PAUSE],
	    "; n 100, 9..12") != NULL);
	free(text);
	calibrate_describe(&cb, "");
	ATF_CHECK(strstr(cb.cb_profile.pr_descr, "BUSY") == NULL);
	cpu_fini();
}

TEST(cpu_cache__holds_cores, "Threads of a core are behind one cache and of "
    "one node")
{
	ATF_REQUIRE(cpu_init() == 0);
	for (unsigned a = 0; a < cpu_count(); a++)
		for (unsigned b = 0; b < cpu_count(); b++) {
			if (cpu_core(a) != cpu_core(b))
				continue;
			ATF_CHECK_EQ(cpu_cache(a), cpu_cache(b));
			ATF_CHECK_EQ(cpu_node(cpu_os_index(a)),
			    cpu_node(cpu_os_index(b)));
		}
	cpu_fini();
}

TEST_PROGRAM()
