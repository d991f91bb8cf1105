/*
 * Published results beside what simulated machines predict of them.
 *
 * A reproduction is one file reproduce_NAME.c here that ends in its struct
 * reproduction, plus one line in reproduce.tbl.  It fits one value of the
 * profile, to one published figure; what the others then come to is the test.
 * A number that no profile has may be fitted to one more, which says so.
 */
#ifndef BENCH_REPRODUCE_H
#define BENCH_REPRODUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/cell/cell.h"
#include "bench/console/progress.h"
#include "lib/profile.h"

enum {
	REPRODUCE_ROWS_MAX	= 16,
	REPRODUCE_FIGURES	= 3,	/* of one run, at most */
	REPRODUCE_SEEDS		= 5	/* runs whose median is predicted */
};

/* What the agreement of a row says. */
enum reproduce_role {
	REPRODUCE_FITTED,	/* nothing: the value was fitted to it */
	REPRODUCE_INPUT,	/* little: something was taken from it */
	REPRODUCE_PREDICTED,	/* that the model holds */
	REPRODUCE_OPEN,		/* nothing is predicted */
	REPRODUCE_ROLES
};

/* As documents have them. */
const char *reproduce_role_name(enum reproduce_role role);

/* A published figure. */
struct reproduce_row {
	const char	*rr_name;	/* without commas */
	const char	*rr_unit;	/* or "": a ratio */
	enum reproduce_role rr_role;
	double		 rr_published;
	double		 rr_published_high;	/* 0, or where a range ends */
	/* Where a prediction is to lie, the ends included. */
	double		 rr_low;
	double		 rr_high;
};

/* What was published in words, and a figure to set beside it. */
struct reproduce_words {
	const char	*rw_name;
	const char	*rw_said;
	const char	*rw_unit;
};

struct reproducing;

struct reproduction {
	const char	*rd_name;
	const char	*rd_descr;	/* one line for listings */
	const char	*rd_profile;	/* the machine */
	enum profile_key rd_key;	/* the value that is fitted */
	const struct reproduce_row *rd_rows;
	unsigned	 rd_row_count;
	const struct reproduce_words *rd_words;
	unsigned	 rd_word_count;
	const char	*const *rd_remarks;	/* how to read it; NULL ends */
	unsigned	 rd_runs;	/* medians it takes, about */
	/*
	 * Fits and predicts: fills rg_predicted and rg_worded.
	 *
	 * Returns: 0, or an errno value with rg_error written.
	 */
	int		(*rd_run)(struct reproducing *rg);
	/*
	 * Fits everything else that the profile has from these figures.
	 * NULL: there is nothing.
	 */
	int		(*rd_refit)(struct reproducing *rg);
};

#define	REPRODUCTION(name)						\
	extern const struct reproduction reproduce_##name;
#include "bench/reproduce/reproduce.tbl"
#undef REPRODUCTION

extern const struct reproduction *const reproductions[];
extern const unsigned reproduction_count;

/* One under way, or done. */
struct reproducing {
	const struct reproduction *rg_what;
	struct profile	 rg_profile;	/* with what was fitted */
	double		 rg_given;	/* the fitted value as it was before */
	uint64_t	 rg_seed;
	double		 rg_predicted[REPRODUCE_ROWS_MAX];
	double		 rg_worded[REPRODUCE_ROWS_MAX];
	char		 rg_error[CELL_ERROR_SIZE];
	struct progress	 rg_progress;
	unsigned	 rg_done;	/* medians */
};

/*
 * Does a reproduction.
 *
 *   rg     out
 *   pr     in   the machine to predict for
 *   refit  in   whether to fit all that is fitted, not rd_key alone
 *
 * Returns: 0, or an errno value with rg_error written.
 */
int reproduce(struct reproducing *rg, const struct reproduction *rd,
    const struct profile *pr, uint64_t seed, bool refit);

/* Whether a row's prediction lies where it is to; an open one's does not. */
bool reproduce_within(const struct reproducing *rg, unsigned row);

/* Whether all rows that are not open do. */
bool reproduce_holds(const struct reproducing *rg);

/*
 * One run, on any thread.
 *
 *   figures  out  what it came to
 *   why      out  on failure: the reason, for people
 *
 * Returns: 0, or an errno value.
 */
typedef int	reproduce_runner(const void *what, uint64_t seed,
		    double figures[REPRODUCE_FIGURES],
		    char why[CELL_ERROR_SIZE]);

/*
 * The medians of each figure over REPRODUCE_SEEDS runs, for reproductions.
 *
 * Returns: 0, or an errno value with rg_error written.
 */
int reproduce_medians(struct reproducing *rg, reproduce_runner *run,
    const void *what, double medians[REPRODUCE_FIGURES]);

/*
 * Fits one value of rg_profile so that a figure becomes target, to 0.05 %.
 * Where no value between low and high does so, it becomes the nearer end.
 *
 *   figure  in   computes the figure with rg_profile as it is then, greater
 *                than 0; returns 0, or an errno value with rg_error written
 *
 * Returns: 0, or an errno value with rg_error written.
 */
int reproduce_fit(struct reproducing *rg, enum profile_key key, double low,
    double high, double target, int (*figure)(struct reproducing *rg,
    double *value));

#endif
