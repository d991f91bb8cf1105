/*
 * How well predictions agree with what was measured.
 */
#ifndef BENCH_AGREEMENT_H
#define BENCH_AGREEMENT_H

/* What may count as no difference: a share of the larger value. */
#define	AGREEMENT_MARGIN	0.01

/* Errors are shares of what was measured: 0.03 is 3 % too much. */
struct agreement {
	unsigned	ag_count;	/* 0: all below is 0 */
	double		ag_mape;	/* mean of the absolute errors */
	double		ag_worst;	/* the largest one, with its sign */
	unsigned	ag_worst_at;	/* its index */
	double		ag_bias;	/* exp of the mean ln(p/m): 1 is none */
};

/*
 * Errors of n predictions.
 *
 *   measured   in  all above 0
 *   predicted  in  all 0 or more; a 0 makes the bias 0
 *   ag         out
 */
void agreement_of(const double *measured, const double *predicted, unsigned n,
    struct agreement *ag);

/* Absolute differences, in whatever unit. */
struct agreement_distance {
	unsigned	ad_count;	/* 0: all below is 0 */
	double		ad_mean;
	double		ad_worst;	/* the largest one, with its sign */
	unsigned	ad_worst_at;
};

/* How far n predictions are from what was measured. */
void agreement_distance(const double *measured, const double *predicted,
    unsigned n, struct agreement_distance *ad);

/* A value and the interval it is known to lie in. */
struct agreement_value {
	double	av_low;
	double	av_value;
	double	av_high;
};

struct agreement_item {
	struct agreement_value	ai_measured;
	struct agreement_value	ai_predicted;
};

/*
 * Pairs of items, as they are ordered.  A measurement tells two apart if their
 * intervals do not overlap and they differ by more than AGREEMENT_MARGIN of the
 * larger; a prediction if its intervals do not overlap.
 */
struct agreement_ranks {
	unsigned	ar_pairs;
	unsigned	ar_told;	/* apart, by the measurement */
	unsigned	ar_same;	/* of these: predicted in that order */
	unsigned	ar_opposite;	/* predicted in the other order */
};

/* Adds all pairs among n items to those that *ar has. */
void agreement_rank(const struct agreement_item *items, unsigned n,
    struct agreement_ranks *ar);

/*
 * Kendall's tau over the pairs that the measurement tells apart: those
 * predicted in its order less those in the other, over all of them.  What the
 * measurement ties asks nothing of a prediction; what only the prediction ties
 * counts as neither.  This is Somers' d of the prediction given the
 * measurement, and where nothing is tied it is Kendall's tau.
 *
 * Returns: -1..1; 0 when the measurement tells nothing apart.
 */
double agreement_tau(const struct agreement_ranks *ar);

#endif
