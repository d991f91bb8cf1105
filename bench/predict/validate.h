/*
 * Compares predictions with measurements of the same cells.  No judged cell was
 * used to predict itself: the machine profile comes from single threads and
 * pairs that exchange cache lines.  Judged are cells with two or more readers,
 * a CPU for each, that passed their gates.
 */
#pragma once

#include "bench/result/result.h"

/* Whether a measured cell, a lock kind, a design can be predicted. */
bool validate_takes(const struct result_cell *rc);
bool validate_takes_lock(const char *name);
bool validate_takes_design(const char *name);

/*
 * Compares two results and prints a table of 80 columns.  Returns: EXIT_SUCCESS
 * if all that is judged, one cell or more, meets its target; or another status.
 */
int validate_print(FILE *out, const struct result *measured,
    const struct result *predicted);
