/*
 * Published results beside what simulated machines predict of them.  A
 * reproduction is one line in reproduce.tbl: a file of figures, as
 * bench/predict/published.h reads it, or a file reproduce_NAME.c that ends in
 * its struct reproduction.  The runs of the latter are numbered; rows name the
 * run and the figure behind each published number.  One value of the profile is
 * fitted to one of them; the others test the model.
 */
#pragma once

#include "bench/cell/cell.h"

enum {
	REPRODUCE_RUNS_MAX	= 16,
	REPRODUCE_FIGURES	= 3,	/* of one run, at most */
	REPRODUCE_SEEDS		= 5	/* the median of so many is predicted */
};

/*
 * How a row was used; JSON names it.  A number was fitted to it; the profile
 * took something from it; it is a test of the model.
 */
enum reproduce_role {
	REPRODUCE_FITTED, REPRODUCE_INPUT, REPRODUCE_PREDICTED
};

/* A published number; or words, which are shown beside a predicted figure. */
struct reproduce_row {
	const char	*rr_name;
	const char	*rr_unit;
	unsigned	 rr_run, rr_figure;
	const char	*rr_said;	/* the words; NULL: a number */
	enum reproduce_role rr_role;
	double		 rr_published;
	double		 rr_published_high;	/* 0, or where a range ends */
	/* Predictions from low to high are accepted. */
	double		 rr_low, rr_high;
};

/*
 * Simulates a run.  Returns: 0, with REPRODUCE_FIGURES figures; or an errno
 * value and why.
 */
typedef int	reproduce_runner(const struct profile *pr, unsigned run,
		    uint64_t seed, double *figures, char why[CELL_ERROR_SIZE]);

struct reproduction {
	const char	*rn_name, *rn_descr;
	const char	*rn_profile;	/* the machine */
	/* A file of figures has these, and nothing below. */
	const char	*rn_file;	/* in lib/published; else NULL */
	const char	*rn_map;
	bool		 rn_forwarding;	/* as bench/predict/forwarding.h */
	reproduce_runner *rn_run;
	unsigned	 rn_runs;	/* of rows and words */
	/* From 0 to rn_fit_high: a run then gives a row's published figure. */
	enum profile_key rn_fit_key;
	double		 rn_fit_high;
	unsigned	 rn_fit_row, rn_fit_run;
	const struct reproduce_row *rn_rows;	/* numbers, then words */
	unsigned	 rn_row_count;		/* of numbers */
	unsigned	 rn_word_count;
	const char	*const *rn_remarks;	/* how to read it; NULL ends */
};

#define	REPRODUCTION(name)						\
	extern const struct reproduction reproduce_##name;
#define	PUBLISHED(...)
#include "bench/predict/reproduce.tbl"

extern const struct reproduction *const reproductions[];
extern const unsigned reproduction_count;

/* The state of one, and its results. */
struct reproducing {
	const struct reproduction *ri_what;
	struct profile	 ri_profile;	/* with what was fitted */
	double		 ri_given;	/* what is fitted, as it was */
	uint64_t	 ri_seed;
	double		 ri_figures[REPRODUCE_RUNS_MAX][REPRODUCE_FIGURES];
	char		 ri_error[CELL_ERROR_SIZE];
};

/*
 * Fits and predicts for the machine pr.  A fit ends within 0.05 % of the
 * published number, beside a jump of the figure, or at the nearer end of its
 * range.  Returns: 0, or an errno value with ri_error written.
 */
int reproduce(struct reproducing *ri, const struct reproduction *rn,
    const struct profile *pr, uint64_t seed);

/*
 * Runs a cell on a machine of pr with so many CPUs, or its own for 0, threads
 * placed compactly; the caller leaves machine, place and stop.  Returns: as
 * en_run(); cm is to be zeros, and then for cell_measure_free().
 */
int reproduce_cell(const struct profile *pr, unsigned cpus,
    struct cell_params *cp, struct cell_measure *cm, char why[CELL_ERROR_SIZE]);

/* Whether what is predicted of a row is accepted; how many are not. */
bool reproduce_within(const struct reproducing *ri, unsigned row);
unsigned reproduce_missed(const struct reproducing *ri);

/* Prints a struct reproducing; others, what their names say. */
typedef void reproduce_printer(FILE *out, const void *of);
reproduce_printer reproduce_print, reproduce_print_json;
