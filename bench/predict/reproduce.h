/*
 * Published results beside what simulated machines predict of them.  A
 * reproduction is one line in reproduce.tbl: a file of figures, as
 * bench/predict/published.h reads it, or the first, fbsd-2019.  That compares
 * cells in numbered runs; rows are the rates of all cells and then the CPU time
 * of their harvest threads.  One value of the profile is fitted to the first;
 * the others test the model.
 */
#pragma once

#include "bench/cell/cell.h"

enum {
	REPRODUCE_CELLS		= 4,	/* what the publication compared */
	/* Each cell for the rates and for the variation; the last one's fit. */
	REPRODUCE_FIT		= 2 * REPRODUCE_CELLS,
	REPRODUCE_RUNS,
	REPRODUCE_ROWS		= 2 * REPRODUCE_CELLS,	/* of numbers */
	REPRODUCE_SEEDS		= 5	/* the median of so many is predicted */
};

/* Figures of a run. */
enum reproduce_figure { REPRODUCE_RATE, REPRODUCE_HARVEST, REPRODUCE_VARIATION,
    REPRODUCE_FIGURES };

struct reproduction {
	const char	*rn_name;
	const char	*rn_file;	/* in lib/published; NULL: fbsd-2019 */
	const char	*rn_profile;	/* the machine; NULL: each row's */
	const char	*rn_map, *rn_descr;
};

extern const struct reproduction reproductions[];
extern const unsigned reproduction_count;

/* Simulates a run.  Returns: 0 and REPRODUCE_FIGURES figures; or errno, why. */
typedef int	reproduce_runner(const struct profile *pr, unsigned run,
		    uint64_t seed, double *figures, char why[CELL_ERROR_SIZE]);
reproduce_runner reproduce_run;

/* The state of fbsd-2019, and its results. */
struct reproducing {
	reproduce_runner *ri_run;
	struct profile	 ri_profile;	/* with what was fitted */
	double		 ri_given;	/* what is fitted, as it was */
	double		 ri_off;	/* a share, with the last value tried */
	int		 ri_failed;	/* error of a run of the fit */
	uint64_t	 ri_seed;
	double		 ri_figures[REPRODUCE_RUNS][REPRODUCE_FIGURES];
	char		 ri_error[CELL_ERROR_SIZE];
};

/*
 * Fits and predicts for the machine pr, by runs of reproduce_run() or what
 * stands for it.  A fit ends within 0.05 % of the published number, beside a
 * jump of the figure, or at the nearer end of its range.  Returns: 0, or an
 * errno value with ri_error written.
 */
int reproduce(struct reproducing *ri, reproduce_runner *run,
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
