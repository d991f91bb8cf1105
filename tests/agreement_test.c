#include <math.h>

#include "bench/statistics/agreement.h"
#include "tests/support.h"

#define	CHECK_NEAR(want, got)						\
	ATF_CHECK_MSG(fabs((want) - (got)) < 1e-9, "%s is %.12g, not %.12g", \
	    #got, (double)(got), (double)(want))

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

ATF_TC(errors__planted);
ATF_TC_HEAD(errors__planted, tc)
{

	atf_tc_set_md_var(tc, "descr", "errors of planted predictions");
}
ATF_TC_BODY(errors__planted, tc)
{
	static const double m[] = { 100, 200, 50 };
	static const double p[] = { 110, 160, 50 };
	struct agreement ag;

	agreement_of(m, p, 3, &ag);
	ATF_CHECK_EQ(3, ag.ag_count);
	CHECK_NEAR(0.1, ag.ag_mape);
	CHECK_NEAR(-0.2, ag.ag_worst);
	ATF_CHECK_EQ(1, ag.ag_worst_at);
	CHECK_NEAR(cbrt(1.1 * 0.8), ag.ag_bias);
}

ATF_TC(errors__edges);
ATF_TC_HEAD(errors__edges, tc)
{

	atf_tc_set_md_var(tc, "descr", "nothing, one pair, a prediction of 0");
}
ATF_TC_BODY(errors__edges, tc)
{
	static const double m[] = { 4, 8 }, p[] = { 0, 8 };
	struct agreement ag;

	agreement_of(m, p, 0, &ag);
	ATF_CHECK_EQ(0, ag.ag_count);
	CHECK_NEAR(0, ag.ag_mape);
	CHECK_NEAR(0, ag.ag_bias);
	agreement_of(&m[1], &p[1], 1, &ag);
	CHECK_NEAR(0, ag.ag_mape);
	CHECK_NEAR(1, ag.ag_bias);
	agreement_of(m, p, 2, &ag);
	CHECK_NEAR(0.5, ag.ag_mape);
	CHECK_NEAR(-1, ag.ag_worst);
	CHECK_NEAR(0, ag.ag_bias);
}

ATF_TC(distance__planted);
ATF_TC_HEAD(distance__planted, tc)
{

	atf_tc_set_md_var(tc, "descr", "distances, their sign, and none");
}
ATF_TC_BODY(distance__planted, tc)
{
	static const double m[] = { 0, 10, -3 }, p[] = { 1, 4, -1 };
	struct agreement_distance ad;

	agreement_distance(m, p, 3, &ad);
	ATF_CHECK_EQ(3, ad.ad_count);
	CHECK_NEAR(3, ad.ad_mean);
	CHECK_NEAR(-6, ad.ad_worst);
	ATF_CHECK_EQ(1, ad.ad_worst_at);
	agreement_distance(m, p, 0, &ad);
	ATF_CHECK_EQ(0, ad.ad_count);
	CHECK_NEAR(0, ad.ad_mean);
}

ATF_TC(tau__orders);
ATF_TC_HEAD(tau__orders, tc)
{

	atf_tc_set_md_var(tc, "descr", "the same order, the opposite one, and "
	    "one between, which Kendall's tau has too");
}
ATF_TC_BODY(tau__orders, tc)
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
		memset(&ar, 0, sizeof(ar));
		agreement_rank(items, 4, &ar);
		ATF_CHECK_EQ(6, ar.ar_pairs);
		ATF_CHECK_EQ(6, ar.ar_told);
		CHECK_NEAR(wanted[k], agreement_tau(&ar));
	}
}

ATF_TC(tau__ties);
ATF_TC_HEAD(tau__ties, tc)
{

	atf_tc_set_md_var(tc, "descr", "what the measurement does not tell "
	    "apart asks for nothing; what only the prediction ties is neither "
	    "right nor wrong");
}
ATF_TC_BODY(tau__ties, tc)
{
	/* The first two overlap, and the last two are alike within 1 %. */
	const struct agreement_item items[] = { item(100, 20, 9),
	    item(110, 20, 8), item(500, 1, 20), item(503, 1, 10) };
	const struct agreement_item tied[] = { item(100, 1, 7),
	    item(200, 1, 7), item(300, 1, 8) };
	struct agreement_item wide[] = { item(100, 1, 7), item(200, 1, 8) };
	struct agreement_ranks ar = { 0 };

	agreement_rank(items, 4, &ar);
	ATF_CHECK_EQ(6, ar.ar_pairs);
	ATF_CHECK_EQ(4, ar.ar_told);
	CHECK_NEAR(1, agreement_tau(&ar));
	memset(&ar, 0, sizeof(ar));
	agreement_rank(tied, 3, &ar);
	ATF_CHECK_EQ(3, ar.ar_told);
	ATF_CHECK_EQ(2, ar.ar_same);
	ATF_CHECK_EQ(0, ar.ar_opposite);
	CHECK_NEAR(2.0 / 3, agreement_tau(&ar));
	/* A prediction's own spread ties it. */
	wide[0].ai_predicted = around(7, 2);
	memset(&ar, 0, sizeof(ar));
	agreement_rank(wide, 2, &ar);
	CHECK_NEAR(0, agreement_tau(&ar));
}

ATF_TC(tau__nothing);
ATF_TC_HEAD(tau__nothing, tc)
{

	atf_tc_set_md_var(tc, "descr", "no items, one item, and groups that "
	    "add up");
}
ATF_TC_BODY(tau__nothing, tc)
{
	const struct agreement_item items[] = { item(1, 0, 1), item(2, 0, 2) };
	const struct agreement_item wrong[] = { item(1, 0, 2), item(2, 0, 1) };
	struct agreement_ranks ar = { 0 };

	agreement_rank(items, 0, &ar);
	agreement_rank(items, 1, &ar);
	ATF_CHECK_EQ(0, ar.ar_pairs);
	CHECK_NEAR(0, agreement_tau(&ar));
	agreement_rank(items, 2, &ar);
	CHECK_NEAR(1, agreement_tau(&ar));
	agreement_rank(wrong, 2, &ar);
	ATF_CHECK_EQ(2, ar.ar_told);
	CHECK_NEAR(0, agreement_tau(&ar));
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, errors__planted);
	ATF_TP_ADD_TC(tp, errors__edges);
	ATF_TP_ADD_TC(tp, distance__planted);
	ATF_TP_ADD_TC(tp, tau__orders);
	ATF_TP_ADD_TC(tp, tau__ties);
	ATF_TP_ADD_TC(tp, tau__nothing);
	return (atf_no_error());
}
