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
 * the intervals do not support stands in parentheses.  A single cell is printed
 * at length instead.  Errors of out are for the caller to ask for.
 */
void table_print(FILE *out, const struct result *r);

/* Prints one cell at length: rates, latencies, fairness, locks. */
void table_cell_print(FILE *out, const struct result_cell *cell);

#endif
