/*
 * A result as a table: what people look at first.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdio.h>

#include "bench/result.h"

/*
 * Prints a result in lines of at most 80 columns: where and how it was
 * measured, then readers against designs for each group of cells; a ratio that
 * the intervals do not support stands in parentheses, and there is none for a
 * cell that failed its gates.  Controls follow.  A single cell is printed at
 * length instead.  Errors of out are for the caller to ask for.
 */
void table_print(FILE *out, const struct result *r);

/* Prints one cell at length: rates, latencies, fairness, locks. */
void table_cell_print(FILE *out, const struct result_cell *cell);

/*
 * Prints one line for each control: what the lock around nothing costs, and
 * what readers get that share nothing.
 */
void table_controls_print(FILE *out, const struct result *r);

#endif
