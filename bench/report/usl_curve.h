/*
 * The scaling law of one curve: what it is fitted to, and how sure it is.
 */
#ifndef BENCH_USL_CURVE_H
#define BENCH_USL_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/report/curve.h"
#include "bench/statistics/hypothesis.h"
#include "bench/statistics/usl_fit.h"

enum {
	/* Nothing is claimed beyond this many times the most readers fitted. */
	USL_REACH	= 4,
	/* Without oversubscribed cells so many points must remain. */
	USL_FITTING	= 4,
	/* A curve from which the law is off by more has another shape. */
	USL_POOR_PERCENT = 10,
	USL_RESAMPLES	= HYPOTHESIS_RESAMPLES
};

/* What became of a cell. */
enum usl_use {
	USL_USED,
	USL_GATED,		/* its gate says why */
	USL_OVERSUBSCRIBED,	/* another regime than the cells used */
	USL_NOTHING		/* a total of 0, or one that nothing has */
};

struct usl_interval {
	double	ui_low;
	double	ui_high;
};

struct usl_curve {
	enum usl_use	*uc_use;	/* one for each cell of the curve */
	unsigned	 uc_points;	/* cells used */
	unsigned	 uc_readers;	/* different numbers of them */
	unsigned	 uc_least;	/* readers, of those used */
	unsigned	 uc_most;
	bool		 uc_regimes;	/* oversubscribed cells among others */
	/* All below only when the law was fitted; else 0. */
	bool		 uc_fitted;
	struct usl_law	 uc_law;
	double		 uc_off;	/* largest relative error, 0.. */
	bool		 uc_holds;	/* off by no more than is allowed */
	double		 uc_peak;	/* usl_peak() */
	unsigned	 uc_knee;	/* usl_knee() within reach */
	/*
	 * 95 %; of a peak or knee beyond reach: a number beyond reach.  Only
	 * when each cell used has repeats enough to know their spread.
	 */
	bool		 uc_sure;
	struct usl_interval uc_gamma;
	struct usl_interval uc_sigma;
	struct usl_interval uc_kappa;
	struct usl_interval uc_peak95;
	struct usl_interval uc_knee95;
};

/* The most readers of which a fitted curve says anything. */
unsigned usl_curve_reach(const struct usl_curve *uc);

/*
 * The measured total falls: from the used cell with the largest total to the
 * first with more readers and less, if the two may be ranked.
 *
 * Returns: false when none is.
 */
bool usl_curve_falls(const struct curve *cu, const struct usl_curve *uc,
    const struct result_cell **from, const struct result_cell **to);

/*
 * Fits the law to a curve; it is no error that it cannot be.
 *
 *   seed       in   of the intervals' bootstrap over repeats: the same seed
 *                   gives the same intervals
 *   resamples  in   of it; 0: no intervals
 *   uc         out  for usl_curve_free(); untouched on failure
 *
 * Returns: 0 or ENOMEM.
 */
int usl_curve_fit(const struct curve *cu, uint64_t seed, unsigned resamples,
    struct usl_curve *uc);

void usl_curve_free(struct usl_curve *uc);

#endif
