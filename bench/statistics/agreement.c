#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "bench/statistics/agreement.h"
#include "lib/kassert.h"

void
agreement_of(const double *measured, const double *predicted, unsigned n,
    struct agreement *ag)
{
	double error, logs = 0, sum = 0;
	unsigned i;

	memset(ag, 0, sizeof(*ag));
	for (i = 0; i < n; i++) {
		KASSERT(measured[i] > 0, ("measured %g", measured[i]));
		KASSERT(predicted[i] >= 0, ("predicted %g", predicted[i]));
		error = predicted[i] / measured[i] - 1;
		sum += fabs(error);
		logs += log(predicted[i] / measured[i]);
		if (i == 0 || fabs(error) > fabs(ag->ag_worst)) {
			ag->ag_worst = error;
			ag->ag_worst_at = i;
		}
	}
	if (n == 0)
		return;
	ag->ag_count = n;
	ag->ag_mape = sum / n;
	ag->ag_bias = exp(logs / n);
}

void
agreement_distance(const double *measured, const double *predicted, unsigned n,
    struct agreement_distance *ad)
{
	double off, sum = 0;
	unsigned i;

	memset(ad, 0, sizeof(*ad));
	for (i = 0; i < n; i++) {
		off = predicted[i] - measured[i];
		sum += fabs(off);
		if (i == 0 || fabs(off) > fabs(ad->ad_worst)) {
			ad->ad_worst = off;
			ad->ad_worst_at = i;
		}
	}
	ad->ad_count = n;
	ad->ad_mean = n == 0 ? 0 : sum / n;
}

/* 1 when a is above b, -1 below, 0 when they cannot be told apart. */
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
agreement_rank(const struct agreement_item *items, unsigned n,
    struct agreement_ranks *ar)
{
	unsigned a, b;
	int said, was;

	for (a = 0; a < n; a++) {
		for (b = a + 1; b < n; b++) {
			ar->ar_pairs++;
			was = order(&items[a].ai_measured,
			    &items[b].ai_measured, AGREEMENT_MARGIN);
			if (was == 0)
				continue;
			said = order(&items[a].ai_predicted,
			    &items[b].ai_predicted, 0);
			ar->ar_told++;
			ar->ar_same += said == was;
			ar->ar_opposite += said == -was;
		}
	}
}

double
agreement_tau(const struct agreement_ranks *ar)
{

	if (ar->ar_told == 0)
		return (0);
	return (((double)ar->ar_same - ar->ar_opposite) / ar->ar_told);
}
