#include <math.h>

#include "bench/stats/stats.h"
#include "lib/base/kassert.h"

void
agreement_add(struct agreement *ag, double measured, double predicted,
    bool share, const void *of)
{
	double error = predicted - measured;

	if (share) {
		KASSERT(measured > 0, ("measured %g", measured));
		KASSERT(predicted >= 0, ("predicted %g", predicted));
		error = predicted / measured - 1;
		ag->ag_logs += log(predicted / measured);
	}
	ag->ag_count++;
	ag->ag_sum += fabs(error);
	if (ag->ag_worst_of == NULL || fabs(error) > fabs(ag->ag_worst)) {
		ag->ag_worst = error;
		ag->ag_worst_of = of;
	}
}

double
agreement_mean(const struct agreement *ag)
{
	return (ag->ag_count == 0 ? 0 : ag->ag_sum / ag->ag_count);
}

double
agreement_bias(const struct agreement *ag)
{
	return (ag->ag_count == 0 ? 0 : exp(ag->ag_logs / ag->ag_count));
}

/* 1 when a is above b, -1 below, 0 when they are tied. */
static int
order(const struct agreement_value *a, const struct agreement_value *b,
    double margin)
{
	if (fabs(a->av_value - b->av_value) <= margin *
	    fmax(a->av_value, b->av_value))
		return (0);
	if (a->av_low > b->av_high)
		return (1);
	return (b->av_low > a->av_high ? -1 : 0);
}

void
agreement_rank(const struct agreement_item *a, const struct agreement_item *b,
    struct agreement_ranks *ar)
{
	const int was = order(&a->ai_measured, &b->ai_measured,
	    AGREEMENT_MARGIN);
	const int predicted = order(&a->ai_predicted, &b->ai_predicted, 0);

	ar->ar_pairs++;
	ar->ar_told += was != 0;
	ar->ar_same += was != 0 && predicted == was;
	ar->ar_opposite += was != 0 && predicted == -was;
}

double
agreement_tau(const struct agreement_ranks *ar)
{
	if (ar->ar_told == 0)
		return (0);
	return (((double)ar->ar_same - ar->ar_opposite) / ar->ar_told);
}
