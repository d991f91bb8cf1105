/*
 * Medians and fairness, tests of two samples, agreement of predictions.
 */
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "bench/stats/stats.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

#define	CHECK_NEAR(want, got, share)					\
	ATF_CHECK_MSG(fabs((want) - (got)) <= (share) * fabs(want),	\
	    "want %.12g, got %.12g", (double)(want), (double)(got))
#define	CHECK_SAME(want, got)						\
	ATF_CHECK_MSG(fabs((want) - (got)) < 1e-12, "want %.17g, got %.17g", \
	    (double)(want), (double)(got))

TEST(stats_median__middle, "The middle one of an odd number, the mean of the "
    "two middle ones of an even number, in any order")
{
	double even[] = { 9, 1, 4, 2 }, odd[] = { 5, 1, 3 }, one[] = { 7 };

	CHECK_SAME(3, stats_median(odd, 3));
	CHECK_SAME(3, stats_median(even, 4));
	CHECK_SAME(7, stats_median(one, 1));
}

TEST(stats_quantile__linear_between_neighbours, "Ends are the extremes; "
    "between two values the share between them counts")
{
	double v[] = { 40, 10, 30, 20, 50 };

	CHECK_SAME(10, stats_quantile(v, nitems(v), 0));
	CHECK_SAME(50, stats_quantile(v, nitems(v), 1));
	CHECK_SAME(20, stats_quantile(v, nitems(v), 0.25));
	/* 0.9 of four gaps: 3.6, so six tenths from 40 to 50. */
	CHECK_SAME(46, stats_quantile(v, nitems(v), 0.9));
}

TEST(stats_fairness__by_hand, "Figures of fairness as computed by hand from 2 "
    "and 6, of equal shares and of one that has all")
{
	const double two[] = { 2, 6 }, equal[] = { 3, 3, 3 };
	const double all[] = { 0, 0, 0, 8 }, none[] = { 0, 0 };

	CHECK_SAME(0.5, stats_cov(two, 2));	/* deviation 2 */
	CHECK_SAME(0.8, stats_jain(two, 2));	/* 8^2 / (2 (4 + 36)) */
	CHECK_SAME(1 / 3.0, stats_min_max(two, 2));
	CHECK_SAME(0, stats_cov(equal, 3));
	CHECK_SAME(1, stats_jain(equal, 3));
	CHECK_SAME(1, stats_min_max(equal, 3));
	CHECK_SAME(sqrt(3), stats_cov(all, 4));	/* sqrt(n - 1), the most */
	CHECK_SAME(0.25, stats_jain(all, 4));	/* 1/n, the least */
	CHECK_SAME(0, stats_min_max(all, 4));
	CHECK_SAME(0, stats_cov(none, 2));
	CHECK_SAME(0, stats_min_max(none, 2));
}

TEST(stats_cna__by_hand, "The busier half's share, whatever the order, and "
    "half the middle one of an odd number")
{
	static const double one[] = { 7 };
	static const double equal[] = { 5, 5, 5, 5, 5 };
	static const double two[] = { 1, 3 };
	static const double turned[] = { 3, 1 };
	static const double three[] = { 4, 1, 5 };
	static const double ties[] = { 2, 1, 2, 1 };
	static const double all[] = { 0, 0, 9, 0 };
	static const double nothing[] = { 0, 0 };

	CHECK_SAME(0.5, stats_cna(one, 1));
	CHECK_SAME(0.5, stats_cna(equal, 5));
	CHECK_SAME(0.75, stats_cna(two, 2));
	CHECK_SAME(0.75, stats_cna(turned, 2));
	CHECK_SAME(0.7, stats_cna(three, 3));	/* (5 + 4 / 2) / 10 */
	CHECK_SAME(4.0 / 6, stats_cna(ties, 4));
	CHECK_SAME(1, stats_cna(all, 4));
	CHECK_SAME(0.5, stats_cna(nothing, 2));
}

TEST(stats_ci95_median__same_seed_same_interval, "A result computed again "
    "from its samples and seed is the same result")
{
	double v[] = { 9.5, 1.25, 7, 3, 5.5, 2, 8, 4.75, 6, 10 };
	double ci95[3][2], seen[nitems(v)];
	unsigned differ = 0;

	stats_ci95_median(v, nitems(v), 1, ci95[0]);
	stats_ci95_median(v, nitems(v), 1, ci95[1]);
	ATF_CHECK_EQ(ci95[0][0], ci95[1][0]);
	ATF_CHECK_EQ(ci95[0][1], ci95[1][1]);
	/* In another order they are the same values. */
	for (unsigned i = 0; i < nitems(v); i++)
		seen[i] = v[nitems(v) - 1 - i];
	stats_ci95_median(seen, nitems(v), 1, ci95[1]);
	ATF_CHECK_EQ(ci95[0][0], ci95[1][0]);
	ATF_CHECK_EQ(ci95[0][1], ci95[1][1]);
	ATF_CHECK(ci95[0][0] >= 1.25 && ci95[0][0] <= 5.75);
	ATF_CHECK(ci95[0][1] >= 5.75 && ci95[0][1] <= 10);
	/* All 64 bits of a seed count; which draws differ is up to them. */
	for (unsigned i = 0; i < 64; i++) {
		stats_ci95_median(v, nitems(v), UINT64_C(1) << i, ci95[2]);
		differ += memcmp(ci95[2], ci95[0], sizeof(ci95[0])) != 0;
	}
	ATF_CHECK(differ > 0);
}

TEST(stats_ci95_median__one_value, "One value has no spread; equal values "
    "have one of 0")
{
	double v[] = { 4.5, 4.5, 4.5 };
	double ci95[2] = { 0 };

	stats_ci95_median(v, 1, 3, ci95);
	ATF_CHECK_EQ(4.5, ci95[0]);
	ATF_CHECK_EQ(4.5, ci95[1]);
	stats_ci95_median(v, 3, 3, ci95);
	ATF_CHECK_EQ(4.5, ci95[0]);
	ATF_CHECK_EQ(4.5, ci95[1]);
}

/*
 * Two values: a resample's median is the lower, the mean or the higher one
 * with probabilities 1/4, 1/2, 1/4, all far above 2.5 %, so the ends are the
 * values themselves.
 */
TEST(stats_ci95_median__two_values, "The interval of two values spans both")
{
	double ci95[2] = { 0 };

	for (uint64_t seed = 0; seed < 20; seed++) {
		double v[] = { 30, 10 };

		stats_ci95_median(v, 2, seed, ci95);
		ATF_CHECK_EQ(10, ci95[0]);
		ATF_CHECK_EQ(30, ci95[1]);
	}
}

/* Sorted, as every function but Welch's needs them. */
static const double five[] = { 99.1, 99.8, 100.5, 100.9, 101.2 };
static const double four[] = { 96.1, 97.3, 98.0, 98.8 };

TEST(welch__published_values, "p of Welch's test as SciPy 1.10 gives it, "
    "whichever sample comes first")
{
	const double a[] = { 1, 2, 3, 4, 5, 6, 7 };
	const double b[] = { 8, 3.5, 9, 10, 2.5 };

	CHECK_NEAR(0.008677645114328154, hypothesis_welch(five, 5, four, 4),
	    1e-9);
	CHECK_NEAR(0.008677645114328154, hypothesis_welch(four, 4, five, 5),
	    1e-9);
	CHECK_NEAR(0.17851400700532036, hypothesis_welch(a, 7, b, 5), 1e-9);
}

TEST(welch__without_spread, "Where nothing varies there is nothing to judge a "
    "difference by")
{
	const double a[] = { 5, 5, 5 }, b[] = { 6, 6, 6 };
	const double c[] = { 1, 1, 1, 1.0000001 };

	ATF_CHECK_EQ(1, hypothesis_welch(a, 3, b, 3));
	ATF_CHECK_EQ(1, hypothesis_welch(a, 3, a, 3));
	/* One side is enough. */
	ATF_CHECK(hypothesis_welch(a, 3, c, 4) < 1e-12);
}

TEST(mann_whitney__counted, "Few different values: exact, 2 of the 126 orders "
    "of 5 and 4 are as far apart")
{
	const double a[] = { 1, 2, 3, 4, 5, 6, 7 };
	const double b[] = { 2.5, 3.5, 8, 9, 10 };
	double long_a[20], long_b[20];

	CHECK_NEAR(2 / 126.0, hypothesis_mann_whitney(five, 5, four, 4), 1e-12);
	CHECK_NEAR(2 / 126.0, hypothesis_mann_whitney(four, 4, five, 5), 1e-12);
	CHECK_NEAR(0.20202020202020204, hypothesis_mann_whitney(a, 7, b, 5),
	    1e-12);
	for (unsigned i = 0; i < 20; i++) {
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
	unsigned all = 0, below = 0, chosen, i, sum;

	for (unsigned set = 0; set < 1u << (na + nb); set++) {
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

TEST(mann_whitney__every_order, "Counting agrees with going through all "
    "orders, for each U of several sizes")
{
	double a[8], b[8];
	unsigned above, i, rest;

	for (unsigned na = 1; na <= 6; na++) {
		for (unsigned nb = 1; nb <= 6; nb++) {
			for (unsigned u = 0; u <= na * nb / 2; u++) {
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

TEST(mann_whitney__ties_and_many, "Ties, and more values than are counted: "
    "the normal approximation as SciPy 1.10 has it")
{
	const double a[] = { 1, 2, 2, 3, 4 }, b[] = { 2, 3, 3, 5, 6, 6 };
	const double same[] = { 3, 3, 3, 3 };
	double many_a[30], many_b[30];

	CHECK_NEAR(0.1130499788563229, hypothesis_mann_whitney(a, 5, b, 6),
	    1e-9);
	ATF_CHECK_EQ(1, hypothesis_mann_whitney(same, 4, same, 3));
	for (unsigned i = 0; i < 30; i++) {
		many_a[i] = i;
		many_b[i] = i + 7.5;
	}
	CHECK_NEAR(0.003670893392450653, hypothesis_mann_whitney(many_a, 30,
	    many_b, 30), 1e-9);
}

TEST(trend__by_hand, "Mann and Kendall's test from S and its variance, with "
    "ties, in any order; nothing to see in a constant")
{
	const double x[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	const double y[] = {
		3, 1, 4, 1.5, 5, 9, 2, 6, 5.3, 5.8, 9.7, 9.3
	};
	const double tied[] = { 1, 1, 2, 2, 2, 3, 4, 4 };
	const double back[] = { 7, 6, 5, 4, 3, 2, 1, 0 };
	const double flat[] = { 4, 4, 4, 4, 4, 4, 4, 4 };

	/* S = 40 of 66 pairs, variance 638 / 3. */
	CHECK_NEAR(0.0074878868151490845, hypothesis_trend(x, y, 12), 1e-9);
	/* S = 23, variance 59 2/3. */
	CHECK_NEAR(0.004397968961524267, hypothesis_trend(x, tied, 8), 1e-9);
	CHECK_NEAR(0.004397968961524267, hypothesis_trend(back, tied, 8), 1e-9);
	ATF_CHECK_EQ(1, hypothesis_trend(x, flat, 8));
	ATF_CHECK_EQ(1, hypothesis_trend(x, y, 1));
}

/* S of the orders of 1..n that swapping from place k on makes, and beyond s. */
static void
count_orders(double *y, unsigned k, unsigned n, double s, unsigned *beyond,
    unsigned *all)
{
	double of = 0, swap;

	if (k == n) {
		for (unsigned i = 0; i < n; i++)
			for (unsigned j = 0; j < i; j++)
				of += y[i] > y[j] ? 1 : -1;
		*all += 1;
		*beyond += fabs(of) >= fabs(s);
		return;
	}
	for (unsigned i = k; i < n; i++) {
		swap = y[k], y[k] = y[i], y[i] = swap;
		count_orders(y, k + 1, n, s, beyond, all);
		swap = y[k], y[k] = y[i], y[i] = swap;
	}
}

TEST(trend__counted, "Few different values: exact, 2 of the 120 orders of 5 "
    "only rise or only fall; agrees with going through all orders; 10 values "
    "as SciPy 1.10 has them")
{
	const double x[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	const double rising[] = { 1, 2, 3, 4, 5 };
	const double ten[] = { 2, 1, 3, 5, 4, 6, 9, 7, 10, 8 };
	double order[] = { 1, 2, 3, 4, 5, 6 }, s;
	unsigned all, beyond;

	CHECK_NEAR(2 / 120.0, hypothesis_trend(x, rising, 5), 1e-12);
	CHECK_NEAR(2 / 24.0, hypothesis_trend(x, rising, 4), 1e-12);
	ATF_CHECK_EQ(1, hypothesis_trend(x, rising, 2));
	/* 10! orders, of which 1717 have at most the 5 inversions of this. */
	CHECK_NEAR(2 * 1717.0 / 3628800, hypothesis_trend(x, ten, 10), 1e-12);
	for (unsigned n = 2; n <= 6; n++) {
		/* Its first k values fall, and the others rise. */
		for (unsigned k = 0; k <= n; k++) {
			for (unsigned i = 0; i < n; i++)
				order[i] = i < k ? k - i : i + 1;
			s = n * (n - 1) / 2.0 - k * (k > 0 ? k - 1.0 : 0);
			all = beyond = 0;
			count_orders(order, 0, n, s, &beyond, &all);
			CHECK_NEAR((double)beyond / all, hypothesis_trend(x,
			    order, n), 1e-12);
		}
	}
}

TEST(holm__by_hand, "The smallest times n, the next times n - 1, none below "
    "its forerunner or above 1")
{
	const double want[] = { 0.03, 0.06, 0.06, 0.02 };
	double large[] = { 0.6, 0.5 }, p[] = { 0.01, 0.04, 0.03, 0.005 };

	hypothesis_holm(p, nitems(p));
	for (unsigned i = 0; i < nitems(p); i++)
		CHECK_NEAR(want[i], p[i], 1e-12);
	hypothesis_holm(large, 2);
	ATF_CHECK(large[0] == 1 && large[1] == 1);
	hypothesis_holm(NULL, 0);
}

TEST(resample__medians_of_draws, "Medians lie among the values, the draws are "
    "those of the seed, and how often each value is the median of 3 is what "
    "counting says")
{
	const double three[] = { 1, 2, 4 }, two[] = { 1, 3 };
	double again[HYPOTHESIS_RESAMPLES], v[HYPOTHESIS_RESAMPLES];
	struct resample rs = { .rsm_n = 0 };
	unsigned count[5] = { 0 }, i;

	resample_init(&rs, 3, 7);
	resample_medians(&rs, three, v);
	for (i = 0; i < nitems(v); i++) {
		ATF_REQUIRE(v[i] == 1 || v[i] == 2 || v[i] == 4);
		count[(unsigned)v[i]]++;
	}
	/* 7, 13 and 7 of 27; five standard deviations are 112. */
	ATF_CHECK(fabs(count[1] - 2000 * 7 / 27.0) < 112);
	ATF_CHECK(fabs(count[2] - 2000 * 13 / 27.0) < 112);
	ATF_CHECK(fabs(count[4] - 2000 * 7 / 27.0) < 112);
	free(rs.rs_middle);
	resample_init(&rs, 3, 7);
	resample_medians(&rs, three, again);
	ATF_CHECK(memcmp(v, again, sizeof(v)) == 0);
	free(rs.rs_middle);
	/* An even number: the mean of the middle two, often the same one. */
	resample_init(&rs, 2, 7);
	resample_medians(&rs, two, v);
	for (i = count[2] = 0; i < nitems(v); i++) {
		ATF_REQUIRE(v[i] == 1 || v[i] == 2 || v[i] == 3);
		count[2] += v[i] == 2;
	}
	/* Half of them, +- five standard deviations. */
	ATF_CHECK(count[2] > 888 && count[2] < 1112);
	free(rs.rs_middle);
}

TEST(resample__interval, "The quantiles 0.025 and 0.975 of all, as sorting "
    "gives them; the median's interval is that of the table")
{
	double ci95[2], sorted[HYPOTHESIS_RESAMPLES], values[25], want[2];
	double v[HYPOTHESIS_RESAMPLES];
	struct resample rs = { .rsm_n = 0 };
	uint64_t state = 11;

	for (unsigned i = 0; i < nitems(v); i++)
		v[i] = (double)(support_draw(&state) >> 40);
	memcpy(sorted, v, sizeof(v));
	resample_interval(v, ci95);
	CHECK_NEAR(stats_quantile(sorted, nitems(v), 0.025), ci95[0], 1e-12);
	CHECK_NEAR(stats_quantile(sorted, nitems(v), 0.975), ci95[1], 1e-12);

	for (unsigned i = 0; i < nitems(values); i++)
		values[i] = 1000 + i;
	stats_ci95_median(values, nitems(values), 5, want);
	resample_init(&rs, nitems(values), 5);
	resample_medians(&rs, values, v);
	resample_interval(v, ci95);
	CHECK_NEAR(want[0], ci95[0], 0.002);
	CHECK_NEAR(want[1], ci95[1], 0.002);
	free(rs.rs_middle);
}

/* A value whose interval reaches so far to both sides. */
static struct agreement_value
around(double v, double half)
{
	return ((struct agreement_value){ v - half, v, v + half });
}

static struct agreement_item
item(double measured, double half, double predicted)
{
	return ((struct agreement_item){ around(measured, half),
	    around(predicted, 0) });
}

/* Adds predictions; each stands for its measurement. */
static struct agreement
added(const double *m, const double *p, unsigned n, bool share)
{
	struct agreement ag = { 0 };

	for (unsigned i = 0; i < n; i++)
		agreement_add(&ag, m[i], p[i], share, &m[i]);
	ATF_CHECK_EQ(n, ag.ag_count);
	return (ag);
}

TEST(errors__planted, "errors of planted predictions, as shares: nothing, one "
    "pair and a prediction of 0, too")
{
	static const struct {
		double	 m[3], p[3];
		unsigned n;
		double	 mean, worst, bias;
		int	 at;
	} cases[] = {
		{ { 100, 200, 50 }, { 110, 160, 50 }, 3, 0.1, -0.2, 0, 1 },
		{ { 0 }, { 0 }, 0, 0, 0, 0, -1 },
		{ { 8 }, { 8 }, 1, 0, 0, 1, 0 },
		{ { 4, 8 }, { 0, 8 }, 2, 0.5, -1, 0, 0 },
	};
	struct agreement ag;

	for (unsigned i = 0; i < nitems(cases); i++) {
		ag = added(cases[i].m, cases[i].p, cases[i].n, true);
		CHECK_SAME(cases[i].mean, agreement_mean(&ag));
		CHECK_SAME(cases[i].worst, ag.ag_worst);
		CHECK_SAME(i == 0 ? cbrt(1.1 * 0.8) : cases[i].bias,
		    agreement_bias(&ag));
		ATF_CHECK(ag.ag_worst_of == (cases[i].at < 0 ? NULL :
		    &cases[i].m[cases[i].at]));
	}
}

TEST(distance__planted, "distances and their sign")
{
	static const double m[] = { 0, 10, -3 }, p[] = { 1, 4, -1 };
	struct agreement ag = added(m, p, 3, false);

	CHECK_SAME(3, agreement_mean(&ag));
	CHECK_SAME(-6, ag.ag_worst);
	ATF_CHECK(ag.ag_worst_of == &m[1]);
}

/* The ranks of all pairs among n items. */
static struct agreement_ranks
ranked(const struct agreement_item *items, unsigned n)
{
	struct agreement_ranks ar = { 0 };

	for (unsigned a = 0; a < n; a++)
		for (unsigned b = a + 1; b < n; b++)
			agreement_rank(items[a], items[b], &ar);
	return (ar);
}

TEST(tau__orders, "the same order, the opposite one, and one between, which "
    "Kendall's tau has too")
{
	static const double wanted[] = { 1, -1, 1.0 / 3 };
	static const double orders[3][4] = {
	    { 1, 2, 3, 4 }, { 4, 3, 2, 1 }, { 2, 1, 4, 3 } };
	struct agreement_item items[4];
	struct agreement_ranks ar;
	unsigned i, k;

	for (k = 0; k < 3; k++) {
		for (i = 0; i < 4; i++)
			items[i] = item(100 * (i + 1), 1, orders[k][i]);
		ar = ranked(items, 4);
		ATF_CHECK_EQ(6, ar.agr_told);
		CHECK_SAME(wanted[k], agreement_tau(&ar));
	}
}

TEST(tau__ties, "what the measurement ties is not judged; what only the "
    "prediction ties is neither right nor wrong")
{
	/* The first two overlap, and the last two are alike within 1 %. */
	const struct agreement_item items[] = { item(100, 20, 9),
	    item(110, 20, 8), item(500, 1, 20), item(503, 1, 10) };
	const struct agreement_item tied[] = { item(100, 1, 7),
	    item(200, 1, 7), item(300, 1, 8) };
	struct agreement_item wide[] = { item(100, 1, 7), item(200, 1, 8) };
	struct agreement_ranks ar = ranked(items, 4);

	ATF_CHECK_EQ(4, ar.agr_told);
	CHECK_SAME(1, agreement_tau(&ar));
	ar = ranked(tied, 3);
	ATF_CHECK_EQ(3, ar.agr_told);
	ATF_CHECK_EQ(2, ar.agr_same);
	ATF_CHECK_EQ(0, ar.agr_opposite);
	CHECK_SAME(2.0 / 3, agreement_tau(&ar));
	/* A prediction's own spread ties it. */
	wide[0].ai_predicted = around(7, 2);
	ar = ranked(wide, 2);
	CHECK_SAME(0, agreement_tau(&ar));
}

TEST(tau__adds_up, "no pairs; groups of pairs are added")
{
	const struct agreement_item items[] = { item(1, 0, 1), item(2, 0, 2) };
	const struct agreement_item wrong[] = { item(1, 0, 2), item(2, 0, 1) };
	struct agreement_ranks ar = { 0 };

	CHECK_SAME(0, agreement_tau(&ar));
	agreement_rank(items[0], items[1], &ar);
	CHECK_SAME(1, agreement_tau(&ar));
	agreement_rank(wrong[0], wrong[1], &ar);
	ATF_CHECK_EQ(2, ar.agr_told);
	CHECK_SAME(0, agreement_tau(&ar));
}

TEST(paired__by_hand, "Student's interval of few pairs; of ten the two largest "
    "and smallest are left out, whatever they are")
{
	double few[] = { 0.01, 0.03, 0.02, 0.02 };
	double ten[] = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, -1e9, 1e9 };
	double equal[] = { 0.5, 0.5, 0.5 }, none[] = { 0, 0, 0 };
	struct paired pd;

	paired_estimate(few, nitems(few), &pd);
	CHECK_NEAR(expm1(0.02), pd.prd_change, 1e-9);
	/* Deviation sqrt(2e-4 / 3), over 2; t of 3 degrees of freedom. */
	CHECK_NEAR(sqrt(2e-4 / 12), pd.prd_error, 1e-9);
	CHECK_NEAR(expm1(0.02 - 3.182446 * sqrt(2e-4 / 12)), pd.prd_ci95[0],
	    1e-6);
	CHECK_NEAR(0.0163, pd.prd_p, 0.01);
	paired_estimate(ten, nitems(ten), &pd);
	/* The mean of 0.2 to 0.7; 0.2 and 0.7 stand for those left out. */
	CHECK_NEAR(expm1(0.45), pd.prd_change, 1e-9);
	CHECK_NEAR(sqrt((6 * 0.0625 + 2 * 0.0225 + 2 * 0.0025) / (6 * 5)),
	    pd.prd_error, 1e-9);
	paired_estimate(equal, 3, &pd);
	CHECK_SAME(0, pd.prd_p);
	CHECK_SAME(expm1(0.5), pd.prd_ci95[1]);
	paired_estimate(none, 3, &pd);
	CHECK_SAME(1, pd.prd_p);
}

TEST(paired__error_rate, "No difference, one value in four disturbed: the "
    "interval misses 0 in at most 5 % of 2000 draws, and p agrees with it")
{
	double logs[25];
	uint64_t state = 1;
	struct paired pd;
	unsigned i, wrong;

	for (unsigned n = 5; n <= nitems(logs); n += 10) {
		for (wrong = i = 0; i < 2000; i++) {
			for (unsigned k = 0; k < n; k++) {
				double v = (double)(support_draw(&state) >>
				    11) * 0x1p-53 - 0.5;

				logs[k] = support_draw(&state) % 4 == 0 ?
				    20 * v : v;
			}
			paired_estimate(logs, n, &pd);
			ATF_REQUIRE_EQ(pd.prd_p < 0.05, pd.prd_ci95[0] > 0 ||
			    pd.prd_ci95[1] < 0);
			wrong += pd.prd_p < 0.05;
		}
		ATF_CHECK_MSG(wrong <= 120, "%u of 2000, %u values", wrong, n);
	}
}

TEST_PROGRAM()
