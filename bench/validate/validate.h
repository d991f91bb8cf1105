/*
 * Predictions beside measurements of the same cells, and beside what simpler
 * laws would have predicted.
 *
 * Nothing that is judged was used to make a prediction: the machine's profile
 * comes from one thread's work and from pairs of threads that exchange cache
 * lines, the laws from cells with fewer readers.  Judged are cells with two or
 * more readers, a CPU for each, that passed their gates.
 */
#ifndef BENCH_VALIDATE_H
#define BENCH_VALIDATE_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/result/result.h"
#include "bench/statistics/agreement.h"

/* Who predicts. */
enum validate_by {
	VALIDATE_VIRTUAL,	/* the simulated machine */
	VALIDATE_LINEAR,	/* N readers do N times what one does */
	/* One reader's hold of the lock is what cannot be shared. */
	VALIDATE_AMDAHL,
	/* The law fitted to fewer readers; Amdahl's where those are too few. */
	VALIDATE_USL,
	VALIDATORS
};

extern const char *const validate_names[VALIDATORS];

struct validate_cell {
	const struct result_cell *vc_measured;
	const struct result_cell *vc_predicted;
	double		 vc_total[VALIDATORS];	/* MB/s */
	/* Laws need one reader measured, some of them with a lock profile. */
	bool		 vc_has[VALIDATORS];
	bool		 vc_fitted;	/* VALIDATE_USL is a fit */
	bool		 vc_judged;
	bool		 vc_profiled;	/* the next two are known */
	double		 vc_busy;	/* share of time readers hold locks */
	bool		 vc_saturated;
};

/* A distance, and where it is worst. */
struct validate_off {
	struct agreement_distance vo_distance;
	const struct validate_cell *vo_worst;	/* NULL: none */
};

/* Ranks of designs and locks, at one number of readers. */
struct validate_ranks {
	unsigned	vr_readers;
	struct agreement_ranks vr_by[VALIDATORS];
};

enum validate_target {
	VALIDATE_MAPE,
	VALIDATE_TAU,
	VALIDATE_SATURATED,
	VALIDATE_IDLE,
	VALIDATE_TARGETS
};

/* What was promised, and what was found. */
struct validate_check {
	const char	*vk_name;
	const char	*vk_descr;
	double		 vk_limit;
	bool		 vk_least;	/* a floor, else a ceiling */
	double		 vk_found;
	bool		 vk_judged;	/* there was something to judge */
	bool		 vk_met;	/* or not judged */
};

struct validation {
	struct validate_cell *va_cells;
	unsigned	 va_count;
	unsigned	 va_judged;	/* of these; with 0 nothing is met */
	unsigned	 va_gated;	/* of these, cells that failed a gate */
	unsigned	 va_unprofiled;	/* of these, without a lock profile */
	unsigned	 va_left_out;	/* measured, but nobody predicts them */
	struct agreement va_error[VALIDATORS];
	const struct validate_cell *va_worst[VALIDATORS];
	struct agreement va_alone;	/* of one reader */
	struct validate_ranks *va_ranks;	/* by readers */
	unsigned	 va_rank_count;
	struct agreement_ranks va_all[VALIDATORS];	/* of all */
	/* Points of the harvest thread's CPU. */
	struct validate_off va_saturated;
	struct validate_off va_idle;
	/* Octaves of a request's latency. */
	struct validate_off va_p50;
	struct validate_off va_p99;
	struct validate_check va_check[VALIDATE_TARGETS];
	bool		 va_met;	/* all judged, and any was */
};

/*
 * Whether a measured cell can be predicted at all: readers ask at once for one
 * size, and design and lock are of those that a grid by default has.
 */
bool validate_takes(const struct result_cell *rc);

/* Whether a lock kind, or a design, is of those. */
bool validate_takes_lock(const char *name);
bool validate_takes_design(const char *name);

/*
 * Sets two results beside each other.
 *
 *   measured   in   of this host
 *   predicted  in   of it simulated
 *   va         out  validate_free() it; points into both results
 *
 * Returns: 0; ENOENT when no cell is in both; ENOMEM.
 */
int validate_make(const struct result *measured,
    const struct result *predicted, struct validation *va);

void validate_free(struct validation *va);

/* Prints it for people, in 80 columns. */
void validate_print_table(FILE *out, const struct validation *va,
    const struct result *measured, const struct result *predicted);

/*
 * The same as a JSON document, in a malloc(3)ed string.
 *
 * Returns: NULL when there is no memory.
 */
char *validate_format_json(const struct validation *va,
    const struct result *measured, const struct result *predicted);

#endif
