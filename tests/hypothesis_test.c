#include <math.h>
#include <string.h>

#include <atf-c.h>

#include "bench/statistics/hypothesis.h"
#include "bench/statistics/stats.h"
#include "tests/support.h"

#define	CHECK_NEAR(want, got, share)					\
	ATF_CHECK_MSG(fabs((want) - (got)) <= (share) * fabs(want),	\
	    "want %.12g, got %.12g", (double)(want), (double)(got))

/* Sorted, as every function but Welch's wants them. */
static const double five[] = { 99.1, 99.8, 100.5, 100.9, 101.2 };
static const double four[] = { 96.1, 97.3, 98.0, 98.8 };

ATF_TC(welch__published_values);
ATF_TC_HEAD(welch__published_values, tc)
{

	atf_tc_set_md_var(tc, "descr", "p of Welch's test as SciPy 1.10 gives "
	    "it, whichever sample comes first");
}
ATF_TC_BODY(welch__published_values, tc)
{
	const double a[] = { 1, 2, 3, 4, 5, 6, 7 };
	const double b[] = { 8, 3.5, 9, 10, 2.5 };

	(void)tc;
	CHECK_NEAR(0.008677645114328154, hypothesis_welch(five, 5, four, 4),
	    1e-9);
	CHECK_NEAR(0.008677645114328154, hypothesis_welch(four, 4, five, 5),
	    1e-9);
	CHECK_NEAR(0.17851400700532036, hypothesis_welch(a, 7, b, 5), 1e-9);
}

ATF_TC(welch__without_spread);
ATF_TC_HEAD(welch__without_spread, tc)
{

	atf_tc_set_md_var(tc, "descr", "Where nothing varies there is nothing "
	    "to judge a difference by");
}
ATF_TC_BODY(welch__without_spread, tc)
{
	const double a[] = { 5, 5, 5 }, b[] = { 6, 6, 6 };
	const double c[] = { 1, 1, 1, 1.0000001 };

	(void)tc;
	ATF_CHECK_EQ(1, hypothesis_welch(a, 3, b, 3));
	ATF_CHECK_EQ(1, hypothesis_welch(a, 3, a, 3));
	/* One side is enough. */
	ATF_CHECK(hypothesis_welch(a, 3, c, 4) < 1e-12);
}

ATF_TC(mann_whitney__counted);
ATF_TC_HEAD(mann_whitney__counted, tc)
{

	atf_tc_set_md_var(tc, "descr", "Few different values: exact, 2 of the "
	    "126 orders of 5 and 4 are as far apart");
}
ATF_TC_BODY(mann_whitney__counted, tc)
{
	const double a[] = { 1, 2, 3, 4, 5, 6, 7 };
	const double b[] = { 2.5, 3.5, 8, 9, 10 };
	double long_a[20], long_b[20];
	unsigned i;

	(void)tc;
	CHECK_NEAR(2 / 126.0, hypothesis_mann_whitney(five, 5, four, 4),
	    1e-12);
	CHECK_NEAR(2 / 126.0, hypothesis_mann_whitney(four, 4, five, 5),
	    1e-12);
	CHECK_NEAR(0.20202020202020204, hypothesis_mann_whitney(a, 7, b, 5),
	    1e-12);
	for (i = 0; i < 20; i++) {
		long_a[i] = i;
		long_b[i] = i + 10.5;
	}
	CHECK_NEAR(6.91365976465362e-06, hypothesis_mann_whitney(long_a, 20,
	    long_b, 20), 1e-9);
	CHECK_NEAR(1.0, hypothesis_mann_whitney(five, 1, four, 1), 1e-12);
}

/* All ways to choose na of the ranks 1..na + nb, by their rank sum's U. */
static double
by_enumeration(unsigned na, unsigned nb, unsigned u)
{
	unsigned all = 0, below = 0, chosen, i, set, sum;

	for (set = 0; set < 1u << (na + nb); set++) {
		for (chosen = sum = i = 0; i < na + nb; i++) {
			if ((set & 1u << i) == 0)
				continue;
			chosen++;
			sum += i + 1;
		}
		if (chosen != na)
			continue;
		all++;
		below += sum - na * (na + 1) / 2 <= u;
	}
	return (fmin(1, 2.0 * below / all));
}

ATF_TC(mann_whitney__every_order);
ATF_TC_HEAD(mann_whitney__every_order, tc)
{

	atf_tc_set_md_var(tc, "descr", "Counting agrees with going through "
	    "all orders, for each U of several sizes");
}
ATF_TC_BODY(mann_whitney__every_order, tc)
{
	double a[8], b[8];
	unsigned above, i, na, nb, rest, u;

	(void)tc;
	for (na = 1; na <= 6; na++) {
		for (nb = 1; nb <= 6; nb++) {
			for (u = 0; u <= na * nb / 2; u++) {
				/* b at 10, 20, ...; a above u of them in all */
				for (i = 0; i < nb; i++)
					b[i] = 10 * (i + 1.0);
				for (rest = u, i = na; i-- > 0; rest -= above) {
					above = rest < nb ? rest : nb;
					a[i] = 10.0 * above + 1 + i;
				}
				CHECK_NEAR(by_enumeration(na, nb, u),
				    hypothesis_mann_whitney(a, na, b, nb),
				    1e-12);
			}
		}
	}
}

ATF_TC(mann_whitney__ties_and_many);
ATF_TC_HEAD(mann_whitney__ties_and_many, tc)
{

	atf_tc_set_md_var(tc, "descr", "Ties, and more values than are "
	    "counted: the normal approximation as SciPy 1.10 has it");
}
ATF_TC_BODY(mann_whitney__ties_and_many, tc)
{
	const double a[] = { 1, 2, 2, 3, 4 }, b[] = { 2, 3, 3, 5, 6, 6 };
	const double same[] = { 3, 3, 3, 3 };
	double many_a[30], many_b[30];
	unsigned i;

	(void)tc;
	CHECK_NEAR(0.1130499788563229, hypothesis_mann_whitney(a, 5, b, 6),
	    1e-9);
	ATF_CHECK_EQ(1, hypothesis_mann_whitney(same, 4, same, 3));
	for (i = 0; i < 30; i++) {
		many_a[i] = i;
		many_b[i] = i + 7.5;
	}
	CHECK_NEAR(0.003670893392450653, hypothesis_mann_whitney(many_a, 30,
	    many_b, 30), 1e-9);
}

ATF_TC(trend__by_hand);
ATF_TC_HEAD(trend__by_hand, tc)
{

	atf_tc_set_md_var(tc, "descr", "Mann and Kendall's test from S and its "
	    "variance, with ties, in any order; nothing to see in a constant");
}
ATF_TC_BODY(trend__by_hand, tc)
{
	const double x[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	const double y[] = {
		3, 1, 4, 1.5, 5, 9, 2, 6, 5.3, 5.8, 9.7, 9.3
	};
	const double tied[] = { 1, 1, 2, 2, 2, 3, 4, 4 };
	const double back[] = { 7, 6, 5, 4, 3, 2, 1, 0 };
	const double flat[] = { 4, 4, 4, 4, 4, 4, 4, 4 };

	(void)tc;
	/* S = 40 of 66 pairs, variance 638 / 3. */
	CHECK_NEAR(0.0074878868151490845, hypothesis_trend(x, y, 12), 1e-9);
	/* S = 23, variance 59 2/3. */
	CHECK_NEAR(0.004397968961524267, hypothesis_trend(x, tied, 8), 1e-9);
	CHECK_NEAR(0.004397968961524267, hypothesis_trend(back, tied, 8),
	    1e-9);
	ATF_CHECK_EQ(1, hypothesis_trend(x, flat, 8));
	ATF_CHECK_EQ(1, hypothesis_trend(x, y, 1));
}

/* S of the orders of 1..n that swapping from place k on makes, and beyond s. */
static void
count_orders(double *y, unsigned k, unsigned n, double s, unsigned *beyond,
    unsigned *all)
{
	unsigned i, j;
	double of = 0, swap;

	if (k == n) {
		for (i = 0; i < n; i++)
			for (j = 0; j < i; j++)
				of += y[i] > y[j] ? 1 : -1;
		*all += 1;
		*beyond += fabs(of) >= fabs(s);
		return;
	}
	for (i = k; i < n; i++) {
		swap = y[k], y[k] = y[i], y[i] = swap;
		count_orders(y, k + 1, n, s, beyond, all);
		swap = y[k], y[k] = y[i], y[i] = swap;
	}
}

ATF_TC(trend__counted);
ATF_TC_HEAD(trend__counted, tc)
{

	atf_tc_set_md_var(tc, "descr", "Few different values: exact, 2 of the "
	    "120 orders of 5 only rise or only fall; agrees with going "
	    "through all orders; 10 values as SciPy 1.10 has them");
}
ATF_TC_BODY(trend__counted, tc)
{
	const double x[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	const double rising[] = { 1, 2, 3, 4, 5 };
	const double ten[] = { 2, 1, 3, 5, 4, 6, 9, 7, 10, 8 };
	double order[] = { 1, 2, 3, 4, 5, 6 }, s;
	unsigned all, beyond, i, k, n;

	(void)tc;
	CHECK_NEAR(2 / 120.0, hypothesis_trend(x, rising, 5), 1e-12);
	CHECK_NEAR(2 / 24.0, hypothesis_trend(x, rising, 4), 1e-12);
	ATF_CHECK_EQ(1, hypothesis_trend(x, rising, 2));
	/* 10! orders, of which 1717 have at most the 5 inversions of this. */
	CHECK_NEAR(2 * 1717.0 / 3628800, hypothesis_trend(x, ten, 10), 1e-12);
	for (n = 2; n <= 6; n++) {
		/* Its first k values fall, and the others rise. */
		for (k = 0; k <= n; k++) {
			for (i = 0; i < n; i++)
				order[i] = i < k ? k - i : i + 1;
			s = n * (n - 1) / 2.0 - k * (k > 0 ? k - 1.0 : 0);
			all = beyond = 0;
			count_orders(order, 0, n, s, &beyond, &all);
			CHECK_NEAR((double)beyond / all, hypothesis_trend(x,
			    order, n), 1e-12);
		}
	}
}

ATF_TC(holm__by_hand);
ATF_TC_HEAD(holm__by_hand, tc)
{

	atf_tc_set_md_var(tc, "descr", "The smallest times n, the next times "
	    "n - 1, none below its forerunner or above 1");
}
ATF_TC_BODY(holm__by_hand, tc)
{
	const double want[] = { 0.03, 0.06, 0.06, 0.02 };
	double large[] = { 0.6, 0.5 }, p[] = { 0.01, 0.04, 0.03, 0.005 };
	unsigned i;

	(void)tc;
	ATF_REQUIRE_EQ(0, hypothesis_holm(p, nitems(p)));
	for (i = 0; i < nitems(p); i++)
		CHECK_NEAR(want[i], p[i], 1e-12);
	ATF_REQUIRE_EQ(0, hypothesis_holm(large, 2));
	ATF_CHECK(large[0] == 1 && large[1] == 1);
	ATF_CHECK_EQ(0, hypothesis_holm(NULL, 0));
}

ATF_TC(student__as_ministat);
ATF_TC_HEAD(student__as_ministat, tc)
{

	atf_tc_set_md_var(tc, "descr", "ministat(1) of the same two files: "
	    "-2.75 +/- 1.56711, pooled s = 0.987783");
}
ATF_TC_BODY(student__as_ministat, tc)
{
	struct hypothesis_student hs;

	(void)tc;
	hypothesis_student(five, 5, four, 4, &hs);
	CHECK_NEAR(-2.75, hs.hs_difference, 1e-12);
	CHECK_NEAR(0.987783, hs.hs_pooled_sd, 1e-6);
	/* Its table of t has three decimals: 2.365 for 2.36462. */
	CHECK_NEAR(1.56711, hs.hs_half_width, 2e-4);
	CHECK_NEAR(1.566858319890037, hs.hs_half_width, 1e-9);
}

ATF_TC(resample__medians_of_draws);
ATF_TC_HEAD(resample__medians_of_draws, tc)
{

	atf_tc_set_md_var(tc, "descr", "Medians lie among the values, the "
	    "draws are those of the seed, and how often each value is the "
	    "median of 3 is what counting says");
}
ATF_TC_BODY(resample__medians_of_draws, tc)
{
	const double three[] = { 1, 2, 4 }, two[] = { 1, 3 };
	double again[HYPOTHESIS_RESAMPLES], v[HYPOTHESIS_RESAMPLES];
	struct resample rs = { .rs_n = 0 };
	unsigned count[5] = { 0 }, i;

	(void)tc;
	ATF_REQUIRE_EQ(0, resample_init(&rs, 3, 7));
	resample_medians(&rs, three, v);
	for (i = 0; i < nitems(v); i++) {
		ATF_REQUIRE(v[i] == 1 || v[i] == 2 || v[i] == 4);
		count[(unsigned)v[i]]++;
	}
	/* 7, 13 and 7 of 27; five standard deviations are 112. */
	ATF_CHECK(fabs(count[1] - 2000 * 7 / 27.0) < 112);
	ATF_CHECK(fabs(count[2] - 2000 * 13 / 27.0) < 112);
	ATF_CHECK(fabs(count[4] - 2000 * 7 / 27.0) < 112);
	resample_fini(&rs);
	ATF_REQUIRE_EQ(0, resample_init(&rs, 3, 7));
	resample_medians(&rs, three, again);
	ATF_CHECK(memcmp(v, again, sizeof(v)) == 0);
	resample_fini(&rs);
	/* An even number: the mean of the middle two, often the same one. */
	ATF_REQUIRE_EQ(0, resample_init(&rs, 2, 7));
	resample_medians(&rs, two, v);
	for (i = count[2] = 0; i < nitems(v); i++) {
		ATF_REQUIRE(v[i] == 1 || v[i] == 2 || v[i] == 3);
		count[2] += v[i] == 2;
	}
	/* Half of them, +- five standard deviations. */
	ATF_CHECK(count[2] > 888 && count[2] < 1112);
	resample_fini(&rs);
}

ATF_TC(resample__interval);
ATF_TC_HEAD(resample__interval, tc)
{

	atf_tc_set_md_var(tc, "descr", "The quantiles 0.025 and 0.975 of all, "
	    "as sorting gives them; the median's interval is that of the "
	    "table");
}
ATF_TC_BODY(resample__interval, tc)
{
	double high, low, sorted[HYPOTHESIS_RESAMPLES];
	double v[HYPOTHESIS_RESAMPLES], values[25], want_high, want_low;
	struct resample rs = { .rs_n = 0 };
	uint64_t state = 11;
	unsigned i;

	(void)tc;
	for (i = 0; i < nitems(v); i++)
		v[i] = (double)(support_draw(&state) >> 40);
	memcpy(sorted, v, sizeof(v));
	resample_interval(v, &low, &high);
	CHECK_NEAR(stats_quantile(sorted, nitems(v), 0.025), low, 1e-12);
	CHECK_NEAR(stats_quantile(sorted, nitems(v), 0.975), high, 1e-12);

	for (i = 0; i < nitems(values); i++)
		values[i] = 1000 + i;
	ATF_REQUIRE_EQ(0, stats_ci95_median(values, nitems(values), 5,
	    &want_low, &want_high));
	ATF_REQUIRE_EQ(0, resample_init(&rs, nitems(values), 5));
	resample_medians(&rs, values, v);
	resample_interval(v, &low, &high);
	CHECK_NEAR(want_low, low, 0.002);
	CHECK_NEAR(want_high, high, 0.002);
	resample_fini(&rs);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, welch__published_values);
	ATF_TP_ADD_TC(tp, welch__without_spread);
	ATF_TP_ADD_TC(tp, mann_whitney__counted);
	ATF_TP_ADD_TC(tp, mann_whitney__every_order);
	ATF_TP_ADD_TC(tp, mann_whitney__ties_and_many);
	ATF_TP_ADD_TC(tp, trend__by_hand);
	ATF_TP_ADD_TC(tp, trend__counted);
	ATF_TP_ADD_TC(tp, holm__by_hand);
	ATF_TP_ADD_TC(tp, student__as_ministat);
	ATF_TP_ADD_TC(tp, resample__medians_of_draws);
	ATF_TP_ADD_TC(tp, resample__interval);
	return (atf_no_error());
}
