/* What the repeats of cells show: figures, spread, differences, drift. */
#pragma once

#include "bench/result/result.h"
#include "bench/stats/stats.h"

/* Places in quantities[]. */
enum {
	QUANTITY_TOTAL,
	QUANTITY_P50		= 2,
	QUANTITY_P99, QUANTITY_HARVEST_CPU, QUANTITY_HARVEST_P99,
	QUANTITY_PRODUCED	= 8,	/* this and two more are producers' */
	QUANTITY_SEEDED		= 11,
	QUANTITIES,
	/* Events that the harvest thread delivered: not compared itself. */
	QUANTITY_EVENTS		= QUANTITIES
};

enum quantity_unit {
	QUANTITY_MB_PER_S,
	QUANTITY_NS,
	QUANTITY_PERCENT,	/* of one CPU */
	QUANTITY_SHARE		/* 0..1 */
};

struct quantity {
	const char	*qu_name;	/* its column in CSV */
	const char	*qu_title;	/* in a sentence */
	enum quantity_unit qu_unit;
	bool		 qu_more_is_better;
	/* With one reader it equals the total or is constant. */
	bool		 qu_of_several;
	/* Smaller values count as this: their ratio means nothing. */
	double		 qu_floor;
	/* The least relative change that is more than its error. */
	double		 qu_resolution;
	/* Where a sample has it; of reader_mb_per_s: the least. */
	size_t		 qu_offset;
	/* Where the pointer to its draws is in struct result_band. */
	size_t		 qu_drawn;
};

extern const struct quantity quantities[QUANTITIES + 1];

/* Whether cells like that one have the quantity, and more than a constant. */
bool quantity_of(const struct quantity *qu, const struct result_cell *c);

/* A repeat's value, and the same but at least the floor. */
double quantity_raw(const struct quantity *qu, const struct result_sample *s,
    unsigned readers);
double quantity_value(const struct quantity *qu, const struct result_cell *c,
    unsigned repeat);

/* Adds a value with its unit: "431.5", "12.3us", "79.0 %", "<0.10 %". */
const char *quantity_figure(struct text *t, const struct quantity *qu,
    double v);

enum {
	/* Of fewer repeats an interval covers less than 95 %. */
	COMPARABLE_REPEATS	= 5,
	/* Four repeats that only rise occur by chance once in twelve. */
	DRIFT_REPEATS_MIN	= 5,
	COMPARABLE_PASSES	= 3,	/* of the harvest thread, in a window */
	BATCHES_LEAST		= 20
};

/*
 * Whether a cell was measured side by side with others: what the machine did
 * meanwhile shows in its level, but not in its differences.
 */
static inline bool
comparable_sliced(const struct result_cell *cell)
{
	return (cell->repeats > 0 && cell->samples[0].together > 0);
}

/* Above this share a cell's level is the load's. */
#define	COMPARABLE_LOST_MOST	0.2

/*
 * Of the CPU time that the readers needed on this host, the share that they did
 * not get: other programs ran.  More readers than CPUs lack the difference, and
 * what the harvest thread ran, in any case.  Files without delays show it where
 * readers never sleep.  0: unknown, or a simulated machine.
 */
double comparable_lost(const struct result_cell *cell,
    const struct result_host *host);

/*
 * Whether windows have too few passes of the harvest thread: its CPU time and
 * latencies then depend on where a window begins.  A benchmark of locks has no
 * such thread.  There is a cell.
 */
bool comparable_few_passes(const struct result *r);

/* Whether a cell has too few repeats to estimate the spread between them. */
bool comparable_few_repeats(const struct result_cell *cell);

/*
 * Half the interval of a cell's total in percent of it: "0.54"; "?" for too
 * few repeats, "-" for a total of 0.
 */
const char *comparable_spread(const struct result_cell *cell,
    char buf[FORMAT_SIZE]);

/* Whether two cells' intervals overlap or one has too few repeats for one. */
bool comparable_indistinct(const struct result_cell *a,
    const struct result_cell *b);

/* The same, or one has not COMPARABLE_REPEATS, or drawn profiles disagree. */
bool comparable_unranked(const struct result_cell *a,
    const struct result_cell *b);

/* The median over repeats of a number. */
#define	COMPARABLE_MEDIAN(cell, member)					\
	comparable_median(cell, offsetof(struct result_sample, member))
double comparable_median(const struct result_cell *cell, size_t offset);

/*
 * A quantile of tables: the median of the repeats', as compare has it; where
 * the document lacks those, that of all repeats together.
 */
#define	COMPARABLE_QUANTILE(cell, member)				\
	comparable_quantile(cell, offsetof(struct result_sample, member), \
	    (cell)->member)
double comparable_quantile(const struct result_cell *cell, size_t offset,
    double together);

/*
 * The change from a to b, where both were measured side by side.  Each pair of
 * such repeats gives one ratio.  Of totals it gives the medians, over runs of
 * consecutive blocks, of the ratio of two slices: at least BATCHES_LEAST of all
 * pairs together, so that few repeats suffice.  If repeats as a whole vary more
 * than these do, each repeat counts once.  prd_count is 0 without PAIRED_MIN
 * ratios of values above 0.
 */
void comparable_paired(const struct result_cell *a, const struct result_cell *b,
    const struct quantity *qu, struct paired *pd);

struct drift {
	/*
	 * Change from the first repeat to the last along a line fitted in the
	 * order of measuring, as a share of the median: 0.05 is 5 % more.
	 */
	double	dft_change;
	double	dft_p;	/* of such a trend by chance, 0..1 */
	bool	dft_drift;	/* p is small, and 5 % or more of change */
};

/*
 * The drift of a cell's total; none with fewer than DRIFT_REPEATS_MIN repeats,
 * where their order is not known, in slices, and on a simulated machine.  With
 * b it is of the logarithm of its ratio to a, of repeats side by side.
 */
void drift_of(const struct result_cell *a, const struct result_cell *b,
    struct drift *tr);
