/*
 * The scaling law fitted to one curve, with intervals.
 */
#ifndef BENCH_REPORT_USL_CURVE_H
#define BENCH_REPORT_USL_CURVE_H

#include "bench/report/curve.h"
#include "bench/stats/stats.h"

enum {
	/* Nothing is claimed beyond this many times the most readers fitted. */
	USL_REACH	= 4,
	/* With fewer numbers of readers oversubscribed cells are used too. */
	USL_FITTING	= 4,
	/* With a larger error the law does not describe the curve. */
	USL_POOR_PERCENT = 10
};

/* What became of a cell. */
enum usl_use {
	USL_USED,
	USL_GATED,
	USL_OVERSUBSCRIBED,	/* another regime than the cells used */
	USL_NOTHING		/* its total is 0 or out of range */
};

/* What is fitted, each with a 95 % interval. */
enum usl_figure {
	USL_GAMMA,
	USL_SIGMA,
	USL_KAPPA,
	USL_FIGURES
};

struct usl_curve {
	bool		 uc_over;	/* oversubscribed cells are used too */
	unsigned	 uc_points;	/* cells used */
	unsigned	 uc_readers;	/* different numbers of them */
	unsigned	 uc_least;	/* readers, of those used */
	unsigned	 uc_most;
	unsigned	 uc_reach;	/* nothing is claimed beyond */
	/* All below only when the law was fitted; else 0. */
	bool		 uc_fitted;
	struct usl_law	 uc_law;
	double		 uc_off;	/* largest relative error, 0.. */
	bool		 uc_holds;	/* off by no more than is allowed */
	double		 uc_peak;	/* usl_peak() */
	unsigned	 uc_knee;	/* usl_knee() within reach */
	/* Whether there are intervals: each cell used has enough repeats. */
	bool		 uc_sure;
	double		 uc_ci95[USL_FIGURES][2];
};

/* What became of one of the curve's cells. */
enum usl_use usl_curve_use(const struct usl_curve *uc,
    const struct result_cell *c);

/*
 * Where the total falls: from the used cell with the largest total to the first
 * cell with more readers whose total may be ranked below it.
 *
 * Returns: false when it does not fall.
 */
bool usl_curve_falls(const struct curve *cu, const struct usl_curve *uc,
    const struct result_cell **from, const struct result_cell **to);

/*
 * Fits the law to a curve, if it has enough points.
 *
 *   seed       in  of the intervals' bootstrap over repeats; the same seed
 *                  gives the same intervals
 *   intervals  in  find them too
 */
void usl_curve_fit(const struct curve *cu, uint64_t seed, bool intervals,
    struct usl_curve *uc);

#endif
