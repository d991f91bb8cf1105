/*
 * Whether one cell did better than another: cells paired, tested, judged.
 *
 * Either two results are compared, cells alike but for the result they are
 * from, or within one result cells that are alike but for their design, lock or
 * cipher.  Of each pair A is what B is compared with.  Each quantity of each
 * pair is a row.
 *
 * A row is better or worse only if all of these hold, and shows no difference
 * otherwise:
 *	- the 95 % intervals of A's and B's medians do not overlap;
 *	- the 95 % interval of the change excludes none;
 *	- Welch's or Mann and Whitney's test has p < 0.05, corrected after Holm
 *	  for both tests of all rows;
 *	- the change is above the margin, what the quantity resolves, and what
 *	  the machine is known to have moved by between A and B.
 * Less CPU of the harvest thread is better only if the events that it delivered
 * were not fewer and their p99 not longer, by intervals that do not overlap.
 */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include <stdbool.h>

#include "bench/compare/quantity.h"
#include "bench/result/result.h"
#include "bench/statistics/hypothesis.h"

enum {
	COMPARE_REPEATS_MIN	= 3,	/* below: refused */
	COMPARE_REFUSED_SIZE	= RESULT_TEXT_SIZE + 64,
	COMPARE_TEXT_SIZE	= 2048
};

/* The probability of any wrong better or worse in a whole comparison. */
#define	COMPARE_ALPHA		0.05

enum compare_by {
	COMPARE_RESULTS,
	COMPARE_DESIGN,
	COMPARE_LOCK,
	COMPARE_CIPHER
};

enum compare_verdict {
	COMPARE_BETTER,
	COMPARE_WORSE,
	COMPARE_NONE,	/* no difference shown */
	COMPARE_REFUSED
};

/* Which rule kept a row whose change's interval excludes none from a rank. */
enum compare_stop {
	COMPARE_STOP_NONE,
	COMPARE_STOP_OVERLAP,
	COMPARE_STOP_P,
	COMPARE_STOP_MARGIN,
	COMPARE_STOP_RESOLUTION,
	COMPARE_STOP_NOISE,
	COMPARE_STOP_HARVEST
};

/* Changes are shares of A's median: 0.03 is 3 % more. */
struct compare_row {
	enum compare_verdict cr_verdict;
	enum compare_stop cr_stop;	/* of COMPARE_NONE */
	bool	cr_tested;	/* else p is 1: all values are alike */
	double	cr_median[2];	/* A's and B's; 0 where refused */
	double	cr_ci95[2][2];	/* of each median */
	double	cr_change;
	double	cr_change_ci95[2];
	double	cr_p_welch;	/* corrected */
	double	cr_p_rank;	/* Mann and Whitney's, likewise */
};

struct compare_pair {
	const struct result_cell *pa_cell[2];
	unsigned	 pa_repeats[2];
	char		 pa_refused[COMPARE_REFUSED_SIZE]; /* why, or empty */
	bool		 pa_few;	/* repeats */
	struct compare_row pa_row[QUANTITIES];
	struct compare_row pa_events;	/* medians and intervals only */
};

struct compare {
	const struct result *co_result[2];	/* the same one within one */
	const char	*co_path[2];
	enum compare_by	 co_by;
	unsigned	 co_wanted;	/* bit i: quantities[i] */
	double		 co_margin;	/* share */
	double		 co_noise;	/* share: how the machine moved */
	struct compare_pair *co_pairs;
	unsigned	 co_pair_count;
	/* Cells that have no partner, of A and of B. */
	const struct result_cell **co_alone[2];
	unsigned	 co_alone_count[2];
	/* What differs or is doubtful, each a clause; NULL-terminated. */
	char		**co_flags;
	unsigned	 co_flag_count;
	unsigned	 co_rows[COMPARE_REFUSED + 1];	/* of each verdict */
	unsigned	 co_tests;	/* that p was corrected for */
};

/*
 * Whether two results were measured alike.  Differences that cannot be ignored
 * are refused: one that was measured and one that was predicted, whatever
 * across says; another host or simulated machine, measured time or INVARIANTS.
 * Others, and other hosts where across is set, become flags, and so does what
 * compare_noise() has to say.
 *
 *   co     in/out  co_result and co_by given; co_noise set
 *   error  out     what differs
 *
 * Returns: 0, EINVAL or ENOMEM.
 */
int compare_conditions(struct compare *co, bool across,
    char error[COMPARE_TEXT_SIZE]);

/*
 * Flags a machine that was seen to move, and keeps by how much in co_noise: all
 * cells drift over a run, vary together from block to block, or controls
 * differ between A and B.  Of pairs within one run only the drift is flagged.
 *
 *   same_program  in  A and B are of one program, so that it was the machine
 *                     that moved the controls; else they are flagged only
 *
 * Returns: 0 or ENOMEM.
 */
int compare_noise(struct compare *co, bool same_program);

/*
 * Pairs cells, and flags pairs whose spinners poll differently often.
 *
 *   co     in/out  co_result and co_by given
 *   base   in      the design, lock or cipher to compare with; NULL: locked,
 *                  mtx, or else the first measured
 *   error  out     why there are no pairs
 *
 * Returns: 0; ENOENT when no cell has the base; EINVAL when there are no pairs,
 * or two cells that could be of one; ENOMEM.
 */
int compare_match(struct compare *co, const char *base,
    char error[COMPARE_TEXT_SIZE]);

/* Whether a design, lock or cipher of this program is called so. */
bool compare_base_known(enum compare_by by, const char *name);

/*
 * Whether there is such a row: it is wanted, and the pair has the readers for
 * it.
 */
bool compare_has_row(const struct compare *co, const struct compare_pair *pa,
    unsigned q);

/*
 * Tests and judges all rows that there are.
 *
 * Returns: 0 or ENOMEM.
 */
int compare_judge(struct compare *co);

/* Adds a clause to co_flags; 0 or ENOMEM. */
int compare_flag(struct compare *co, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The value of the key that co_by is about; "B" where it is results. */
const char *compare_name(const struct compare *co,
    const struct compare_pair *pa, unsigned side);

/* Frees what co points to, but not the results. */
void compare_free(struct compare *co);

#endif
