/*
 * How cells are named, what may be compared with what, and whether figures
 * were measured or predicted.
 */
#ifndef BENCH_REPORT_COMPARABLE_H
#define BENCH_REPORT_COMPARABLE_H

#include "bench/result/result.h"
#include "bench/stats/stats.h"

enum {
	COMPARABLE_SIZE		= 2 * RESULT_TEXT_SIZE,	/* of texts */
	/* Of fewer repeats an interval covers less than 95 %. */
	COMPARABLE_REPEATS	= 5,
	/* Four repeats that only rise occur by chance once in twelve. */
	DRIFT_REPEATS_MIN	= 5,
	BATCHES_LEAST		= 20
};

/* Whether a cell failed a gate: its figures must not be ranked. */
bool comparable_gated(const struct result_cell *cell);

/*
 * Whether a cell was measured side by side with others: what the machine did
 * meanwhile shows in its level, but not in its differences.
 */
bool comparable_sliced(const struct result_cell *cell);

/* Whether a cell has too few repeats to estimate the spread between them. */
bool comparable_few_repeats(const struct result_cell *cell);

/*
 * Half the interval of a cell's total in percent of it: "0.54"; "?" for too
 * few repeats, "-" for a total of 0.
 *
 *   buf  out  FORMAT_SIZE bytes
 */
const char *comparable_spread(const struct result_cell *cell, char *buf);

/* Whether two cells' intervals overlap or one has too few repeats for one. */
bool comparable_indistinct(const struct result_cell *a,
    const struct result_cell *b);

/*
 * The same, or a cell has fewer than COMPARABLE_REPEATS repeats, or drawn
 * profiles disagree.
 */
bool comparable_unranked(const struct result_cell *a,
    const struct result_cell *b);

/* Whether requests were due at a fixed rate. */
bool comparable_open_loop(const struct result_cell *cell);

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

/* "requests of 64 KiB", "workload 16:1,4k:2 (mean request 3 KiB)" */
const char *comparable_workload(const struct result_cell *cell,
    char buf[COMPARABLE_SIZE]);

/* "2 readers of 64 KiB", "2 readers of 16:1,4k:2 at 100/s each, poisson" */
const char *comparable_load(const struct result_cell *cell,
    char buf[COMPARABLE_SIZE]);

/* A cell's lock, and polls that are not the default: "tas, 8 polls". */
const char *comparable_lock(const struct result_cell *cell,
    char buf[COMPARABLE_SIZE]);

/* Where readers were placed; NULL: by default, or the result lacks it. */
const char *comparable_place(const struct result *r);

/* ", harvest model newest"; "" where the result lacks it. */
const char *comparable_model(const struct result *r, char buf[COMPARABLE_SIZE]);

/* "kernel-style crypto" */
const char *comparable_crypto(const struct result_cell *cell);

/*
 * A number of each repeat, for free(3).
 *
 *   offset  in  of a double in a sample
 */
double *comparable_values(const struct result_cell *cell, size_t offset);

/* A figure of a repeat. */
typedef double comparable_value(const void *context,
    const struct result_cell *cell, unsigned repeat);

/*
 * The change from a to b, where both were measured side by side.  Each pair of
 * such repeats gives one ratio.  Of totals it gives the medians, over runs of
 * consecutive blocks, of the ratio of two slices: at least BATCHES_LEAST of all
 * pairs together, so that few repeats suffice.  If repeats as a whole vary more
 * than these do, each repeat counts once.
 *
 *   value  in   NULL: the total
 *   pd     out  pd_count is 0 without PAIRED_MIN ratios of values above 0
 */
void comparable_paired(const struct result_cell *a, const struct result_cell *b,
    comparable_value *value, const void *context, struct paired *pd);

struct drift {
	/*
	 * Change from the first repeat to the last along a line fitted in the
	 * order of measuring, as a share of the median: 0.05 is 5 % more.
	 */
	double	tr_change;
	double	tr_p;	/* of such a trend by chance, 0..1 */
	bool	tr_drift;	/* p is small, and 5 % or more of change */
};

/*
 * The drift of a cell's total; none with fewer than DRIFT_REPEATS_MIN repeats,
 * where their order is not known, in slices, and on a simulated machine.
 *
 *   b   in   NULL; else the drift is of the logarithm of its ratio to a, of
 *            repeats that were measured side by side
 *   tr  out
 */
void drift_of(const struct result_cell *a, const struct result_cell *b,
    struct drift *tr);

/* What all cells are. */
enum result_kind {
	RESULT_EMPTY,		/* there is none */
	RESULT_MEASURED,
	RESULT_PREDICTED,
	RESULT_BOTH
};

bool provenance_predicted(const struct result_cell *cell);

/* What intervals of predictions show, and what they do not. */
extern const char provenance_guesses[];

enum result_kind provenance_of(const struct result *r);

/*
 * Whether figures contain the cost of a ledger: a measured cell had one.  It
 * takes no time of a simulated machine.
 */
bool provenance_ledgered(const struct result *r);

/* The least and the most repeats of any cell; 0 without cells. */
void provenance_repeats(const struct result *r, unsigned *least,
    unsigned *most);

/* "measured", "predicted", "measured and predicted", or "no cells" */
const char *provenance_word(const struct result *r);

/* The same of one cell. */
const char *provenance_short(const struct result_cell *cell);

/* "predicted for epyc-9654-2s, 38 % of its values guessed" */
const char *provenance_cell(const struct result_cell *cell,
    char buf[COMPARABLE_SIZE]);

/*
 * The machine of the predicted cells: "epyc-9654-2s, 192 CPUs in 2 nodes, 38 %
 * of its values guessed"; empty where no cell names one.
 */
const char *provenance_machine(const struct result *r,
    char buf[COMPARABLE_SIZE]);

/*
 * What stands before the name of the host: "measured on", "predicted for ...,
 * computed on", "no cells; on".
 *
 *   engines  in  name the engine too
 */
const char *provenance_head(const struct result *r, bool engines,
    char buf[COMPARABLE_SIZE]);

#endif
