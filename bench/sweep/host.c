#include <math.h>

#include "bench/stats/stats.h"
#include "bench/sweep/sweep.h"
#include "lib/machine/tick.h"

enum {
	CALIBRATION_ROUNDS	= 9,
	CALIBRATION_PAIRS	= 20000
};

int
host_calibrate(struct result_host *host)
{
	double cost[CALIBRATION_ROUNDS], stamp[CALIBRATION_ROUNDS];
	double bare, real;
	volatile uint64_t sink;
	int64_t start_ns;

	for (unsigned i = 0; i < CALIBRATION_ROUNDS; i++) {
		real = ENGINE(real).en_lock_pairs(CALIBRATION_PAIRS);
		bare = ENGINE(bare).en_lock_pairs(CALIBRATION_PAIRS);
		if (real < 0 || bare < 0)
			return (ENOMEM);
		cost[i] = (real - bare) / CALIBRATION_PAIRS;
		start_ns = tick_ns();
		for (unsigned k = 0; k < CALIBRATION_PAIRS; k++)
			sink = tick_cycles();
		stamp[i] = (double)(tick_ns() - start_ns) / CALIBRATION_PAIRS;
	}
	(void)sink;
	host->profile_ns = fmax(0, stats_median(cost, CALIBRATION_ROUNDS));
	host->clock_ns = stats_median(stamp, CALIBRATION_ROUNDS);
	return (0);
}
