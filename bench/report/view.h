/*
 * What the views of a result, bench/report_NAME.[ch], have in common.
 */
#ifndef BENCH_VIEW_H
#define BENCH_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/result/result.h"

/*
 * A view: prints something about every cell of r.
 *
 * Returns: 0 or ENOMEM.  Errors of out are for the caller to ask for.
 */
typedef int view_printer(FILE *out, const struct result *r);

enum { VIEW_SIZE = 128 };	/* of a buffer for any one text */

/*
 * Prints the line that names a cell of r, and below it why its figures must not
 * be ranked, if so.
 */
void view_heading(FILE *out, const struct result *r,
    const struct result_cell *cell);

/*
 * Whether a cell has data about its locks; says so in the cell's place if not.
 */
bool view_profiled(FILE *out, const struct result_cell *cell);

/*
 * Whether the document has the optional members of lock_profile and waits: who
 * waited for whom, and distributions.
 */
bool view_detailed(const struct result_cell *cell);

/*
 * A whole number of 0 or more, with an exponent where width columns do not
 * hold its digits.
 *
 *   width  in  6..20
 */
const char *view_whole(char buf[VIEW_SIZE], double v, int width);

/* Sums and means that stay finite whatever a document says. */
double view_sum(double a, double b);
double view_mean(double total, double count);	/* 0 without a count */

/* A place in the program as LOCK_PROFILING(9) has it: "fortuna.c:pre_read". */
const char *view_site(char buf[VIEW_SIZE], const char *lock, const char *site);

/* The class of one of a cell's locks, in the kernel's words: "sleep mutex". */
const char *view_class(const struct result_cell *cell, const char *lock);

/* Whether two rows are of one lock, or of one lock and site. */
bool view_same_lock(const struct result_row *a, const struct result_row *b);
bool view_same_site(const struct result_row *a, const struct result_row *b);

/* Whether the i-th row is the first that is the same as itself. */
bool view_first(const struct result_cell *cell, unsigned i,
    bool (*same)(const struct result_row *, const struct result_row *));

#endif
