#include <string.h>

#include "bench/sources/saturation.h"
#include "lib/kassert.h"

/* What counts as the same throughput. */
static const double saturation_share = 0.95;

const char *const saturation_names[SATURATION_VERDICTS] = {
	[SATURATION_UNKNOWN]		= "unknown",
	[SATURATION_NOT_REACHED]	= "not reached",
	[SATURATION_REACHED]		= "reached",
	[SATURATION_UNCLEAR]		= "unclear"
};

void
saturation_find(const struct saturation_point *points, unsigned n,
    struct saturation *sa)
{
	unsigned best = 0, first, i, least, most;

	memset(sa, 0, sizeof(*sa));
	for (i = 0; i < n; i++) {
		KASSERT(i == 0 || points[i - 1].sp_threads <
		    points[i].sp_threads, ("threads do not ascend"));
		KASSERT(points[i].sp_low <= points[i].sp_median &&
		    points[i].sp_median <= points[i].sp_high, ("interval"));
		if (points[i].sp_median > points[best].sp_median)
			best = i;
	}
	if (n < 2)
		return;
	for (first = 0; points[first].sp_median < saturation_share *
	    points[best].sp_median; first++)
		continue;
	for (least = 0; points[least].sp_high < saturation_share *
	    points[best].sp_low; least++)
		continue;
	for (most = 0; most < n && points[most].sp_low < saturation_share *
	    points[best].sp_high; most++)
		continue;
	MPASS(least <= first && first <= most && first <= best);
	sa->sa_threads = points[first].sp_threads;
	sa->sa_least = (least > 0 ? points[least - 1].sp_threads : 0) + 1;
	sa->sa_most = most < n ? points[most].sp_threads : 0;
	sa->sa_verdict = least == n - 1 ? SATURATION_NOT_REACHED :
	    most < n - 1 ? SATURATION_REACHED : SATURATION_UNCLEAR;
}
