#include <math.h>
#include <string.h>

#include <atf-c.h>

#include "bench/statistics/stats.h"

#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

#define	CHECK_NEAR(want, got)						\
	ATF_CHECK_MSG(fabs((want) - (got)) < 1e-12, "want %.17g, got %.17g", \
	    (double)(want), (double)(got))

ATF_TC(stats_median__middle);
ATF_TC_HEAD(stats_median__middle, tc)
{

	atf_tc_set_md_var(tc, "descr", "The middle one of an odd number, the "
	    "mean of the two middle ones of an even number, in any order");
}
ATF_TC_BODY(stats_median__middle, tc)
{
	double even[] = { 9, 1, 4, 2 }, odd[] = { 5, 1, 3 }, one[] = { 7 };

	(void)tc;
	CHECK_NEAR(3, stats_median(odd, 3));
	CHECK_NEAR(3, stats_median(even, 4));
	CHECK_NEAR(7, stats_median(one, 1));
}

ATF_TC(stats_quantile__linear_between_neighbours);
ATF_TC_HEAD(stats_quantile__linear_between_neighbours, tc)
{

	atf_tc_set_md_var(tc, "descr", "Ends are the extremes; between two "
	    "values the share between them counts");
}
ATF_TC_BODY(stats_quantile__linear_between_neighbours, tc)
{
	double v[] = { 40, 10, 30, 20, 50 };

	(void)tc;
	CHECK_NEAR(10, stats_quantile(v, nitems(v), 0));
	CHECK_NEAR(50, stats_quantile(v, nitems(v), 1));
	CHECK_NEAR(20, stats_quantile(v, nitems(v), 0.25));
	/* 0.9 of four gaps: 3.6, so six tenths from 40 to 50. */
	CHECK_NEAR(46, stats_quantile(v, nitems(v), 0.9));
}

ATF_TC(stats_fairness__by_hand);
ATF_TC_HEAD(stats_fairness__by_hand, tc)
{

	atf_tc_set_md_var(tc, "descr", "Figures of fairness as computed by "
	    "hand from 2 and 6, of equal shares and of one who got all");
}
ATF_TC_BODY(stats_fairness__by_hand, tc)
{
	const double two[] = { 2, 6 }, equal[] = { 3, 3, 3 };
	const double all[] = { 0, 0, 0, 8 }, none[] = { 0, 0 };

	(void)tc;
	CHECK_NEAR(4, stats_mean(two, 2));
	CHECK_NEAR(0.5, stats_cov(two, 2));	/* deviation 2 */
	CHECK_NEAR(0.8, stats_jain(two, 2));	/* 8^2 / (2 (4 + 36)) */
	CHECK_NEAR(1 / 3.0, stats_min_max(two, 2));
	CHECK_NEAR(0, stats_cov(equal, 3));
	CHECK_NEAR(1, stats_jain(equal, 3));
	CHECK_NEAR(1, stats_min_max(equal, 3));
	CHECK_NEAR(sqrt(3), stats_cov(all, 4));	/* sqrt(n - 1), the most */
	CHECK_NEAR(0.25, stats_jain(all, 4));	/* 1/n, the least */
	CHECK_NEAR(0, stats_min_max(all, 4));
	CHECK_NEAR(0, stats_cov(none, 2));
	CHECK_NEAR(0, stats_min_max(none, 2));
}

ATF_TC(stats_cna__by_hand);
ATF_TC_HEAD(stats_cna__by_hand, tc)
{

	atf_tc_set_md_var(tc, "descr", "The busier half's share, whatever the "
	    "order, and half the middle one of an odd number");
}
ATF_TC_BODY(stats_cna__by_hand, tc)
{
	static const double one[] = { 7 };
	static const double equal[] = { 5, 5, 5, 5, 5 };
	static const double two[] = { 1, 3 };
	static const double turned[] = { 3, 1 };
	static const double three[] = { 4, 1, 5 };
	static const double ties[] = { 2, 1, 2, 1 };
	static const double all[] = { 0, 0, 9, 0 };
	static const double nothing[] = { 0, 0 };

	CHECK_NEAR(0.5, stats_cna(one, 1));
	CHECK_NEAR(0.5, stats_cna(equal, 5));
	CHECK_NEAR(0.75, stats_cna(two, 2));
	CHECK_NEAR(0.75, stats_cna(turned, 2));
	CHECK_NEAR(0.7, stats_cna(three, 3));	/* (5 + 4 / 2) / 10 */
	CHECK_NEAR(4.0 / 6, stats_cna(ties, 4));
	CHECK_NEAR(1, stats_cna(all, 4));
	CHECK_NEAR(0.5, stats_cna(nothing, 2));
}

ATF_TC(stats_ci95_median__same_seed_same_interval);
ATF_TC_HEAD(stats_ci95_median__same_seed_same_interval, tc)
{

	atf_tc_set_md_var(tc, "descr", "A result computed again from its "
	    "samples and seed is the same result");
}
ATF_TC_BODY(stats_ci95_median__same_seed_same_interval, tc)
{
	const double v[] = { 9.5, 1.25, 7, 3, 5.5, 2, 8, 4.75, 6, 10 };
	double high[3], low[3], seen[nitems(v)];
	unsigned differ = 0, i;

	(void)tc;
	memcpy(seen, v, sizeof(v));
	ATF_REQUIRE_EQ(0, stats_ci95_median(v, nitems(v), 1, &low[0],
	    &high[0]));
	ATF_REQUIRE_EQ(0, stats_ci95_median(v, nitems(v), 1, &low[1],
	    &high[1]));
	ATF_CHECK_EQ(low[0], low[1]);
	ATF_CHECK_EQ(high[0], high[1]);
	ATF_CHECK(memcmp(seen, v, sizeof(v)) == 0);
	/* In another order they are the same values. */
	for (i = 0; i < nitems(v); i++)
		seen[i] = v[nitems(v) - 1 - i];
	ATF_REQUIRE_EQ(0, stats_ci95_median(seen, nitems(v), 1, &low[1],
	    &high[1]));
	ATF_CHECK_EQ(low[0], low[1]);
	ATF_CHECK_EQ(high[0], high[1]);
	ATF_CHECK(low[0] >= 1.25 && low[0] <= 5.75);
	ATF_CHECK(high[0] >= 5.75 && high[0] <= 10);
	/* All 64 bits of a seed count; which draws differ is up to them. */
	for (i = 0; i < 64; i++) {
		ATF_REQUIRE_EQ(0, stats_ci95_median(v, nitems(v),
		    UINT64_C(1) << i, &low[2], &high[2]));
		differ += low[2] != low[0] || high[2] != high[0];
	}
	ATF_CHECK(differ > 0);
}

ATF_TC(stats_ci95_median__one_value);
ATF_TC_HEAD(stats_ci95_median__one_value, tc)
{

	atf_tc_set_md_var(tc, "descr", "One value has no spread; equal values "
	    "have one of 0");
}
ATF_TC_BODY(stats_ci95_median__one_value, tc)
{
	const double v[] = { 4.5, 4.5, 4.5 };
	double high = 0, low = 0;

	(void)tc;
	ATF_REQUIRE_EQ(0, stats_ci95_median(v, 1, 3, &low, &high));
	ATF_CHECK_EQ(4.5, low);
	ATF_CHECK_EQ(4.5, high);
	ATF_REQUIRE_EQ(0, stats_ci95_median(v, 3, 3, &low, &high));
	ATF_CHECK_EQ(4.5, low);
	ATF_CHECK_EQ(4.5, high);
}

/*
 * Two values: a resample's median is the lower, the mean or the higher one
 * with probabilities 1/4, 1/2, 1/4, all far above 2.5 %, so the ends are the
 * values themselves.
 */
ATF_TC(stats_ci95_median__two_values);
ATF_TC_HEAD(stats_ci95_median__two_values, tc)
{

	atf_tc_set_md_var(tc, "descr", "The interval of two values spans both");
}
ATF_TC_BODY(stats_ci95_median__two_values, tc)
{
	const double v[] = { 30, 10 };
	double high = 0, low = 0;
	uint64_t seed;

	(void)tc;
	for (seed = 0; seed < 20; seed++) {
		ATF_REQUIRE_EQ(0, stats_ci95_median(v, 2, seed, &low, &high));
		ATF_CHECK_EQ(10, low);
		ATF_CHECK_EQ(30, high);
	}
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, stats_median__middle);
	ATF_TP_ADD_TC(tp, stats_quantile__linear_between_neighbours);
	ATF_TP_ADD_TC(tp, stats_fairness__by_hand);
	ATF_TP_ADD_TC(tp, stats_cna__by_hand);
	ATF_TP_ADD_TC(tp, stats_ci95_median__same_seed_same_interval);
	ATF_TP_ADD_TC(tp, stats_ci95_median__one_value);
	ATF_TP_ADD_TC(tp, stats_ci95_median__two_values);
	return (atf_no_error());
}
