/*
 * What a picture shows: curves in columns by cipher, a few to each block of
 * panels, and their numbers as gnuplot(1) reads them.
 */
#ifndef BENCH_PLOT_DATA_H
#define BENCH_PLOT_DATA_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/report/curve.h"
#include "bench/report/usl_curve.h"

enum {
	PLOT_COLUMNS	= 4,	/* ciphers side by side */
	PLOT_CURVES	= 6,	/* in one panel: shapes that are told apart */
	PLOT_BLOCKS	= 8,	/* of panels, below each other */
	PLOT_COUNTS	= 16	/* numbers of readers that are named */
};

struct plot_range {
	double	pr_low;
	double	pr_high;
};

/* The curves of one cipher; all its panels of a kind have the same axes. */
struct plot_column {
	const char	*co_cipher;
	unsigned	*co_curves;	/* places in pl_curves */
	unsigned	 co_count;
	unsigned	 co_left_out;	/* curves there is no room for */
	unsigned	 co_least;	/* readers */
	unsigned	 co_most;
	unsigned	 co_fits;	/* most not oversubscribed, or 0 */
	unsigned	 co_over;	/* fewest oversubscribed, or 0 */
	bool		 co_log;	/* readers on a logarithmic axis */
	bool		 co_all_counts;	/* co_counts are all there are */
	unsigned	 co_counts[PLOT_COUNTS];	/* ascending */
	unsigned	 co_count_count;
	/* Of what is drawn; low is INFINITY where there is nothing. */
	struct plot_range co_total;
	struct plot_range co_reader;
	struct plot_range co_latency;	/* s, above 0 */
	struct plot_range co_harvest;	/* percent */
};

struct plot_data {
	const struct result *pl_result;
	struct curves	 pl_curves;
	struct usl_curve *pl_laws;	/* one for each curve */
	struct plot_column pl_columns[PLOT_COLUMNS];
	unsigned	 pl_column_count;
	unsigned	 pl_ciphers_left_out;
	bool		 pl_gated;	/* a cell has a gate */
};

/*
 * Sorts a result's curves into columns and fits the scaling law to each.
 *
 *   r   in   has a cell; must outlive pl
 *   pl  out  for plot_data_free(); untouched on failure
 *
 * Returns: 0 or ENOMEM.
 */
int plot_data_find(const struct result *r, struct plot_data *pl);

void plot_data_free(struct plot_data *pl);

/*
 * Prints one curve's data blocks.  $cI has a row for each cell that passed its
 * gates: readers, total, low, high, harvest CPU, low, high; $gI the same of the
 * others.  $tI has rows of place, p50, p90, p99, p99.9, the times in s and
 * above 0, the place that of the number of readers among co_counts; $hI the
 * same of the others.  Where the law holds, $wI is the law within the data, $xI
 * beyond: readers, total.  Blocks may be empty; the functions below tell.
 *
 *   curve  in  its place in pl_curves, I in the blocks' names
 *   shift  in  added to the places in $tI and $hI
 */
void plot_data_print(FILE *out, const struct plot_data *pl,
    const struct plot_column *co, unsigned curve, double shift);

/* How many rows $cI and $gI have. */
unsigned plot_data_rows(const struct plot_data *pl, unsigned curve,
    bool gated);

/*
 * Whether the lows and highs of $cI's harvest CPU are a band; else each is the
 * value itself.
 */
bool plot_data_harvest_bands(const struct plot_data *pl, unsigned curve);

/* Whether $tI and $hI have any. */
bool plot_data_timed(const struct plot_data *pl,
    const struct plot_column *co, unsigned curve, bool gated);

/* How far the law is drawn: beyond the data, but within reach and the axis. */
double plot_data_end(const struct plot_column *co);

#endif
