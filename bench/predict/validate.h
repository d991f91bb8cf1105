/*
 * Compares predictions with measurements of the same cells, and with the
 * predictions of simple scaling laws.
 *
 * No judged cell was used to predict itself: the machine profile comes from
 * single threads and from pairs of threads that exchange cache lines, each law
 * from cells with fewer readers.  Judged are cells with two or more readers, a
 * CPU for each, that passed their gates.
 */
#ifndef BENCH_PREDICT_VALIDATE_H
#define BENCH_PREDICT_VALIDATE_H

#include <stdio.h>

#include "bench/result/result.h"
#include "bench/stats/stats.h"

/* What predicts a total. */
enum validate_by {
	VALIDATE_VIRTUAL,	/* the simulated machine */
	VALIDATE_LINEAR,	/* N times the total of one reader */
	VALIDATE_AMDAHL,	/* serial share: one reader's hold time */
	VALIDATE_USL,		/* fitted; with too few cells, as Amdahl */
	VALIDATORS
};

/* What is compared: totals by each of these, and what the machine predicts. */
enum validate_figure {
	VALIDATE_ALONE = VALIDATORS,	/* totals of one reader, not judged */
	VALIDATE_SATURATED,	/* harvest CPU, points */
	VALIDATE_IDLE,
	VALIDATE_FIGURES
};

struct validate_cell {
	const struct result_cell *vc_measured;
	const struct result_cell *vc_predicted;
	/* MB/s; NAN: no cell of one reader, or Amdahl without lock profile. */
	double		 vc_total[VALIDATORS];
	bool		 vc_fitted;	/* VALIDATE_USL is a fit */
	bool		 vc_judged;
	bool		 vc_profiled;	/* vc_saturated is valid */
	bool		 vc_saturated;
};

enum { VALIDATE_TARGETS = 4 };

/* A target and what was found. */
struct validate_check {
	const char	*vk_descr;
	double		 vk_limit;
	bool		 vk_least;	/* the limit is a minimum */
	double		 vk_found;
	bool		 vk_judged;	/* false: no cell to judge it by */
	bool		 vk_met;	/* true also where not judged */
};

struct validation {
	struct validate_cell *va_cells;
	unsigned	 va_count;
	unsigned	 va_judged;	/* of va_count; 0: va_met is false */
	unsigned	 va_gated;	/* of va_count: failed a gate */
	unsigned	 va_unprofiled;	/* of va_count: no lock profile */
	unsigned	 va_left_out;	/* measured, without a prediction */
	/* By enum validate_figure; of struct validate_cell. */
	struct agreement va_figure[VALIDATE_FIGURES];
	struct agreement_ranks va_ranks[VALIDATORS];
	struct validate_check va_check[VALIDATE_TARGETS];
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
 *   va  out  validate_free() it; points into both results
 *
 * Returns: 0; ENOENT when no cell is in both; ENOMEM.
 */
int validate_make(const struct result *measured,
    const struct result *predicted, struct validation *va);

void validate_free(struct validation *va);

/* Prints a table of 80 columns. */
void validate_print(FILE *out, const struct validation *va,
    const struct result *measured, const struct result *predicted);

#endif
