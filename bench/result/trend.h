/*
 * Whether a cell's throughput moved while it was measured.
 */
#ifndef BENCH_TREND_H
#define BENCH_TREND_H

#include <stdbool.h>

#include "bench/result/result.h"

/* Four that only rise are no rarer than one in twelve. */
enum { TREND_REPEATS_MIN = 5 };

struct trend {
	/*
	 * From the first repeat to the last, along a line through all of them
	 * in the order of measuring, as a share of the median: 0.05 is 5 %
	 * more.
	 */
	double	tr_change;
	double	tr_p;	/* of such a trend by chance, 0..1 */
	bool	tr_drift;	/* p below 0.02, and 5 % or more of change */
};

/*
 * The trend of a cell's total; none with fewer than TREND_REPEATS_MIN repeats,
 * where their order is not known, and on a simulated machine.
 *
 *   tr  out  untouched on failure
 *
 * Returns: 0 or ENOMEM.
 */
int trend_of_cell(const struct result_cell *cell, struct trend *tr);

#endif
