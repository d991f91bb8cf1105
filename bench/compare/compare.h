/*
 * Whether one cell did better than another: cells are paired, tested, judged.
 *
 * Of two results, each cell is compared with the same cell of the other.  Of
 * one result, cells are compared that differ only in design, lock or cipher.
 * In each pair, B is compared with A.  A row is one quantity of one pair;
 * METHOD of rngsim-compare(1) has what makes it better or worse.
 */
#pragma once

#include "bench/options/family.h"
#include "bench/result/comparable.h"
#include "bench/result/describe.h"

enum {
	COMPARE_REPEATS_MIN	= 3,	/* with fewer a pair is refused */
	COMPARE_REFUSED_SIZE	= RESULT_TEXT_SIZE + 64,
	COMPARE_TEXT_SIZE	= 2048	/* of error texts */
};

/* The probability of any wrong better or worse in a whole comparison. */
#define	COMPARE_ALPHA		0.05

enum compare_by { COMPARE_RESULTS, COMPARE_DESIGN, COMPARE_LOCK, COMPARE_CIPHER,
    COMPARE_HOST };

enum compare_verdict {
	COMPARE_BETTER,
	COMPARE_WORSE,
	COMPARE_NONE,	/* no difference shown */
	COMPARE_REFUSED
};

/* Why a row is not ranked although its interval excludes 0, or is of no use. */
enum compare_stop { COMPARE_STOP_NONE, COMPARE_STOP_OVERLAP,
    COMPARE_STOP_REPEATS, COMPARE_STOP_P, COMPARE_STOP_DRAWS,
    COMPARE_STOP_MARGIN, COMPARE_STOP_RESOLUTION, COMPARE_STOP_NOISE,
    COMPARE_STOP_HARVEST, COMPARE_STOP_PASSES /* from here on: no figure */,
    COMPARE_STOP_UNREAD, COMPARE_STOPS };

/* What a row is judged by. */
enum compare_basis {
	COMPARE_BY_REPEATS,
	COMPARE_BY_PAIRS,	/* repeats measured side by side */
	COMPARE_BY_VALUE,	/* predicted repeats that do not differ */
	COMPARE_BY_DRAWS	/* profiles, the i-th the same of A and B */
};

/* Both in words; no stop is empty. */
extern const char *const verdict_names[COMPARE_REFUSED + 1];
extern const char *const verdict_stops[COMPARE_STOPS];

/* Changes are shares of A's median: 0.03 is 3 % more. */
struct compare_row {
	const struct compare_pair *cmr_pair;
	const struct quantity *cmr_quantity;
	bool	cmr_wanted;	/* asked for, and the pair has readers enough */
	enum compare_verdict cmr_verdict;
	enum compare_stop cmr_stop;	/* of COMPARE_NONE */
	enum compare_basis cmr_basis;
	unsigned cmr_tests;	/* 0: p is 1, all values are equal, or 0 */
	bool	cmr_apart;	/* one side is above the other throughout */
	double	cmr_median[2];	/* A's and B's; 0 where refused */
	double	cmr_ci95[2][2];	/* of each median */
	double	cmr_change, cmr_change_ci95[2];
	/* Corrected: Welch's, Mann and Whitney's; by pairs Yuen's, and 1. */
	double	cmr_p[2];
	struct stats_change cmr_drawn;	/* of COMPARE_BY_DRAWS */
};

struct compare_pair {
	const struct result_cell *pa_cell[2];
	char		 pa_refused[COMPARE_REFUSED_SIZE]; /* why, or empty */
	bool		 pa_unfit;	/* by the machine's fault */
	double		 pa_lost;	/* share: a side got less CPU time */
	struct compare_row pa_row[QUANTITIES + 1];
};

struct compare {
	/* What the caller fills in. */
	const struct result *co_result[2];	/* may be the same one */
	const char	*co_path[2];
	enum compare_by	 co_by;
	unsigned	 co_wanted;	/* bit i: quantities[i] */
	double		 co_margin;	/* share */
	bool		 co_verbose;	/* print rows without a verdict too */
	bool		 co_page;	/* print one table of all rows */
	/* What is found. */
	double		 co_noise;	/* share: how far the machine moved */
	struct compare_pair *co_pairs;
	unsigned	 co_pair_count;
	/* Cells that have no partner, of A and of B: how many, and one. */
	unsigned	 co_alone_count[2];
	const struct result_cell *co_alone[2];
	char		**co_flags;	/* what differs or is doubtful */
	unsigned	 co_flag_count;
	unsigned	 co_rows[COMPARE_REFUSED + 1];	/* of each verdict */
	unsigned	 co_tests;	/* that p was corrected for */
};

/*
 * Whether two results were measured alike: not one measured and one predicted,
 * nor, without across, if the host, simulated machine, measured time or
 * INVARIANTS differ.  Other differences and what compare_noise() finds are
 * flagged.  Returns: 0, or EINVAL and in error what differs.
 */
int compare_conditions(struct compare *co, bool across,
    char error[COMPARE_TEXT_SIZE]);

/*
 * Sets co_noise and flags how the machine moved: all cells drift over a run,
 * vary together from block to block, or controls of one program differ between
 * A and B.  Within one result only the drift is flagged.
 */
void compare_noise(struct compare *co, bool same_program);

/*
 * Pairs cells, and flags pairs with different spin_polls.  base is the design,
 * lock or cipher to compare with; NULL: locked, mtx, or the first measured.
 * Returns: 0; ENOENT when no cell has the base; EINVAL when there are no pairs,
 * or when two cells fit one pair; error says why.
 */
int compare_match(struct compare *co, const char *base,
    char error[COMPARE_TEXT_SIZE]);

double compare_margin(const struct result *r);

/* How far the machine moved a pair's cells: in all, and by CPU time. */
static inline double
compare_noise_of(const struct compare *co, const struct compare_pair *pa)
{
	return (MAX(co->co_noise, pa->pa_lost));
}

void compare_judge(struct compare *co);

/* Frees what co points to, but not the results. */
void compare_free(struct compare *co);

/* The wanted row after row, the first one after NULL; NULL after the last. */
struct compare_row *compare_next(const struct compare *co,
    const struct compare_row *row);

/* The change that a row is judged by. */
double compare_change(const struct compare_row *row);

void compare_flag(struct compare *co, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The value of co_by's key; "A" or "B" where two results are compared. */
const char *compare_name(const struct compare *co,
    const struct compare_pair *pa, unsigned side);

/*
 * A condition of --fail-if, of a ranked row's change: "QUANTITY < NUMBER%" or
 * ">"; with "possible" behind it a row meets it unless its interval, widened by
 * what is never ranked, excludes such a change.
 */
struct compare_gate {
	const char	*cg_text;	/* the caller's */
	unsigned	 cg_quantity;	/* into quantities[] */
	bool		 cg_below, cg_possible;
	double		 cg_share;
};

extern const struct family compare_quantities;

/* Blanks are optional.  Returns: 0, or EINVAL and in error what would do. */
int compare_gate_parse(struct compare_gate *cg, const char *text,
    char error[COMPARE_TEXT_SIZE]);

/*
 * With how many repeats of each side p would be small enough for rows that are
 * as far apart as those of COMPARE_STOP_REPEATS.
 */
unsigned compare_repeats(const struct compare *co);

/* Whether a row meets the condition, or has too few passes to be tested. */
bool compare_gate_met(const struct compare *co, const struct compare_gate *cg,
    const struct compare_pair *pa);

/*
 * Prints on stderr the rows that meet a condition and those that were refused;
 * warns where changes are too small to be ranked.  Returns: 0 when it passes,
 * refused rows aside with refused_ok; EXIT_UNFIT if no row meets it and a
 * refused one's cell failed a gate; else EXIT_FAILURE, also without any row.
 */
int compare_fail_if(const struct compare *co, const struct compare_gate *cg,
    bool refused_ok);

/* Likewise, when every row was refused; else 0. */
int compare_fail_unjudged(const struct compare *co);

/* Conditions, each pair's clear changes or, on a page, all, and a summary. */
void verdict_print(FILE *out, const void *compare);

/* Prints what must stand beside quoted rows, a line each. */
void verdict_print_flags(FILE *out, const struct compare *co,
    const char *prefix);

/* Flags behind '#', then each row as a line that can be quoted on its own. */
void verdict_print_sentences(FILE *out, const struct compare *co);

/* One line for each row; RFC 4180. */
void verdict_print_csv(FILE *out, const struct compare *co);

/* Adds a row as a sentence, with a full stop only where it was refused. */
const char *verdict_sentence(struct text *t, const struct compare *co,
    const struct compare_row *row);

/*
 * "concurrent instead of locked, mtx, aes, 2 readers of 64 KiB".  If B was not
 * measured, its provenance follows, in the words given, or the usual ones.
 */
const char *verdict_pair(struct text *t, const struct compare *co,
    const struct compare_pair *pa, const char *provenance);
