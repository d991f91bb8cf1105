/*
 * Published results beside what simulated machines predict of them.
 *
 * A reproduction is one file reproduce_NAME.c that ends in its struct
 * reproduction, and one line in reproduce.tbl.  Its runs are numbered; tables
 * name the run and the figure behind each published number.  One value of the
 * profile is fitted to one of them; the others test the model.
 */
#ifndef BENCH_PREDICT_REPRODUCE_H
#define BENCH_PREDICT_REPRODUCE_H

#include "bench/cell/cell.h"
#include "bench/cli/progress.h"

enum {
	REPRODUCE_RUNS_MAX	= 16,
	REPRODUCE_FIGURES	= 3,	/* of one run, at most */
	REPRODUCE_SEEDS		= 5,	/* the median of so many is predicted */
	REPRODUCE_ABSOLUTE	= -1
};

/* How a row was used; JSON names it. */
enum reproduce_role {
	REPRODUCE_FITTED,	/* a number was fitted to it */
	REPRODUCE_INPUT,	/* the profile took something from it */
	REPRODUCE_PREDICTED	/* a test of the model */
};

/* A figure of a run, or its ratio to that of another run. */
struct reproduce_figure {
	unsigned	 rf_run;
	unsigned	 rf_figure;
	int		 rf_base;	/* a run, or REPRODUCE_ABSOLUTE */
};

/* A published number. */
struct reproduce_row {
	const char	*rr_name;
	const char	*rr_unit;	/* or "": a ratio */
	enum reproduce_role rr_role;
	double		 rr_published;
	double		 rr_published_high;	/* 0, or where a range ends */
	/* Predictions from low to high are accepted. */
	double		 rr_low;
	double		 rr_high;
	struct reproduce_figure rr_figure;
};

/* What was published in words, with a predicted figure. */
struct reproduce_words {
	const char	*rw_name;
	const char	*rw_said;
	const char	*rw_unit;
	struct reproduce_figure rw_figure;
};

/* A number of 0 to high, fitted so that a row's figure is as published. */
struct reproduce_fit {
	enum profile_key ft_key;	/* PROFILE_VALUES: rg_free */
	double		 ft_high;
	unsigned	 ft_row;
	struct reproduce_figure ft_figure;	/* of the row, or like it */
};

/*
 * Simulates one run, on any thread.
 *
 *   run      in   its number
 *   fitted   in   rg_free
 *   figures  out  REPRODUCE_FIGURES of them
 *   why      out  on failure: the reason
 *
 * Returns: 0 or an errno value.
 */
typedef int	reproduce_runner(const struct profile *pr, unsigned run,
		    double fitted, uint64_t seed, double *figures,
		    char why[CELL_ERROR_SIZE]);

struct reproduction {
	const char	*rd_name;
	const char	*rd_descr;	/* one line for listings */
	const char	*rd_profile;	/* the machine */
	reproduce_runner *rd_run;
	unsigned	 rd_runs;	/* of rows and words; fits may add */
	/* The first is of the value that tables name. */
	const struct reproduce_fit *rd_fits;
	unsigned	 rd_fit_count;
	const struct reproduce_row *rd_rows;
	unsigned	 rd_row_count;
	const struct reproduce_words *rd_words;
	unsigned	 rd_word_count;
	const char	*const *rd_remarks;	/* how to read it; NULL ends */
};

#define	REPRODUCTION(name)						\
	extern const struct reproduction reproduce_##name;
#define	PUBLISHED(...)
#include "bench/predict/reproduce.tbl"
#undef REPRODUCTION
#undef PUBLISHED

extern const struct reproduction *const reproductions[];
extern const unsigned reproduction_count;

/* A file of lib/published, as bench/predict/published.h reads it. */
struct reproduction_file {
	const char	*re_name;
	const char	*re_file;
	const char	*re_profile;
	const char	*re_loop;	/* NULL: as the file says */
	const char	*re_map;
	const char	*re_descr;
};

extern const struct reproduction_file reproduction_files[];
extern const unsigned reproduction_file_count;

/* The state of one, and its results. */
struct reproducing {
	const struct reproduction *rg_what;
	struct profile	 rg_profile;	/* with what was fitted */
	double		 rg_given;	/* the first fit's value as it was */
	double		 rg_free;	/* fitted, and in no profile */
	uint64_t	 rg_seed;
	double		 rg_figures[REPRODUCE_RUNS_MAX][REPRODUCE_FIGURES];
	char		 rg_error[CELL_ERROR_SIZE];
	struct progress	 rg_progress;
	unsigned	 rg_done;	/* runs, of all seeds */
};

/*
 * Fits and predicts for the machine pr.  A fit ends within 0.05 % of the
 * published number, beside a jump of the figure, or at the nearer end of its
 * range.
 *
 * Returns: 0, or an errno value with rg_error written.
 */
int reproduce(struct reproducing *rg, const struct reproduction *rd,
    const struct profile *pr, uint64_t seed);

double reproduce_value(const struct reproducing *rg,
    const struct reproduce_figure *rf);

/* Whether what is predicted of a row is accepted. */
bool reproduce_within(const struct reproducing *rg, unsigned row);

/* How many rows are not accepted. */
unsigned reproduce_missed(const struct reproducing *rg);

/* Published and predicted numbers: 80 columns; JSON. */
void reproduce_print(FILE *out, const struct reproducing *rg);
void reproduce_print_json(FILE *out, const struct reproducing *rg);

#endif
