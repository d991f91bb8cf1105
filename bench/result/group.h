/*
 * Cells that may be set beside each other: same engine, lock, cipher, crypto,
 * request size and workload; designs and readers differ.  Tables and plots show
 * groups.
 */
#ifndef BENCH_GROUP_H
#define BENCH_GROUP_H

#include <stdbool.h>

#include "bench/result/result.h"

enum {
	GROUP_WORKLOAD_SIZE	= RESULT_TEXT_SIZE + 128,
	GROUP_LOCK_SIZE		= RESULT_NAME_SIZE + 32,
	/* Of fewer repeats an interval covers less than the 95 % it says. */
	GROUP_REPEATS_WEAK	= 5
};

/* Whether two cells are of one group. */
bool group_same(const struct result_cell *a, const struct result_cell *b);

/*
 * The groups of a result, each by its first cell.
 *
 *   last  in  the group before, or NULL to begin
 *
 * Returns: NULL when there is no further one.
 */
const struct result_cell *group_next(const struct result *r,
    const struct result_cell *last);

/*
 * The designs of a group.  The one that others are compared with is number 0:
 * "locked" when there is one, else the first measured.
 *
 * Returns: its name; NULL when there are no more than n.
 */
const char *group_design(const struct result *r,
    const struct result_cell *group, unsigned n);

/* The smallest number of readers above readers in a group; 0: none. */
unsigned group_readers_above(const struct result *r,
    const struct result_cell *group, unsigned readers);

/* A cell of a group, or NULL. */
const struct result_cell *group_cell(const struct result *r,
    const struct result_cell *group, const char *design, unsigned readers);

/* Whether a cell failed a gate: its figures must not be ranked. */
bool group_gated(const struct result_cell *cell);

/* Whether a cell has too few repeats to know the spread between them. */
bool group_few_repeats(const struct result_cell *cell);

/*
 * Half the interval of a cell's total in percent of it: "0.54"; "?" where the
 * spread is not known, "-" for a total of 0.
 *
 *   buf  out  FIGURE_SIZE bytes
 *
 * Returns: buf.
 */
const char *group_spread(const struct result_cell *cell, char *buf);

/*
 * Whether the intervals of two cells' totals overlap, or one has too few
 * repeats for an interval.
 */
bool group_indistinct(const struct result_cell *a,
    const struct result_cell *b);

/*
 * Whether two cells must not be ranked: indistinct, or one has fewer than
 * GROUP_REPEATS_WEAK repeats.
 */
bool group_unranked(const struct result_cell *a, const struct result_cell *b);

/* What the numbers of an engine are: "predicted" or "measured". */
const char *group_claim(const struct result_cell *cell);

/* Whether a cell's requests were due by a plan. */
bool group_open_loop(const struct result_cell *cell);

/*
 * What readers asked for, in words: "requests of 64 KiB".
 *
 * Returns: buf.
 */
const char *group_workload(const struct result_cell *cell,
    char buf[GROUP_WORKLOAD_SIZE]);

/*
 * The same in short, with how many ask: "2 readers of 64 KiB".
 *
 * Returns: buf.
 */
const char *group_load(const struct result_cell *cell,
    char buf[GROUP_WORKLOAD_SIZE]);

/*
 * A cell's lock, and when its spinners yield if that is not the default: "mtx",
 * "tas, 8 polls".
 *
 * Returns: buf.
 */
const char *group_lock(const struct result_cell *cell,
    char buf[GROUP_LOCK_SIZE]);

/*
 * Where a result's readers were placed, if not as by default.
 *
 * Returns: NULL if so, or if the result does not say.
 */
const char *group_place(const struct result *r);

/* What --crypto chose, in words: "kernel-style crypto". */
const char *group_crypto(const struct result_cell *cell);

#endif
