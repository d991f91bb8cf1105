/*
 * Compares predictions with measurements of the same cells.
 *
 * No judged cell was used to predict itself: the machine profile comes from
 * single threads and from pairs of threads that exchange cache lines.  Judged
 * are cells with two or more readers, a CPU for each, that passed their gates.
 */
#ifndef BENCH_PREDICT_VALIDATE_H
#define BENCH_PREDICT_VALIDATE_H

#include <stdio.h>

#include "bench/result/result.h"
#include "bench/stats/stats.h"

struct validate_cell {
	const struct result_cell *vd_measured;
	const struct result_cell *vd_predicted;
	bool		 vd_judged;
};

/* What predictions are judged by, and what was found. */
struct validate_target {
	const char	*vf_descr;
	double		 vf_limit;
	bool		 vf_least;	/* the limit is a minimum */
	double		 vf_found;
	unsigned	 vf_count;	/* of cells or pairs; 0: not judged */
	bool		 vf_met;	/* true also where not judged */
};

enum { VALIDATE_TARGETS = 4 };

struct validation {
	struct validate_cell *va_cells;
	unsigned	 va_count;
	unsigned	 va_judged;	/* of va_count; 0: va_met is false */
	unsigned	 va_gated;	/* of va_count: failed a gate */
	unsigned	 va_unprofiled;	/* of va_count: no lock profile */
	unsigned	 va_left_out;	/* measured, without a prediction */
	/* Of struct validate_cell; shares of totals, points of harvest CPU. */
	struct agreement va_total;
	struct agreement va_alone;	/* totals of one reader, not judged */
	struct agreement va_saturated;	/* where readers hold locks half.. */
	struct agreement va_idle;	/* .. of the time, and elsewhere */
	struct agreement_ranks va_ranks;	/* of designs and locks */
	struct validate_target va_target[VALIDATE_TARGETS];
	bool		 va_met;	/* all targets, by one cell or more */
};

/* Whether two cells differ at most in readers, design and lock. */
bool validate_same_table(const struct result_cell *a,
    const struct result_cell *b);

/* Whether a measured cell, a lock kind, a design can be predicted. */
bool validate_takes(const struct result_cell *rc);
bool validate_takes_lock(const char *name);
bool validate_takes_design(const char *name);

/*
 * Compares two results.
 *
 *   va  out  points into both results; without cells, if none is in both
 */
void validate_make(const struct result *measured,
    const struct result *predicted, struct validation *va);
void validate_free(struct validation *va);

/* Prints a table of 80 columns. */
void validate_print(FILE *out, const struct validation *va,
    const struct result *measured, const struct result *predicted);

#endif
