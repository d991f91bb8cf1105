#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "bench/stats/stats.h"
#include "lib/base/kassert.h"

void
paired_estimate(double *logs, unsigned n, struct paired *pd)
{
	const unsigned cut = n >= PAIRED_TRIM_MIN ? n / 5 : 0;
	const unsigned kept = n - 2 * cut;
	double error, mean, t;
	unsigned i;

	KASSERT(n >= PAIRED_MIN, ("%u pairs", n));
	gsl_sort(logs, 1, n);
	mean = gsl_stats_mean(logs + cut, 1, kept);
	/* The variance is of all, with those that were left out moved in. */
	for (i = 0; i < cut; i++) {
		logs[i] = logs[cut];
		logs[n - 1 - i] = logs[n - 1 - cut];
	}
	error = sqrt(gsl_stats_variance(logs, 1, n) * (n - 1) /
	    ((double)kept * (kept - 1)));
	t = gsl_cdf_tdist_Pinv(0.975, kept - 1);
	*pd = (struct paired){
		.pd_count = n,
		.pd_error = error,
		.pd_change = expm1(mean),
		.pd_ci95 = { expm1(mean - t * error), expm1(mean + t * error) },
		.pd_p = error > 0 ? 2 * gsl_cdf_tdist_Q(fabs(mean) / error,
		    kept - 1) : mean != 0 ? 0 : 1,
	};
}
