/*
 * A result as a table: what people look at first.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdio.h>

#include "bench/result/result.h"

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

enum { TABLE_BAND_SIZE = 40 };

/*
 * The band of a cell's MB/s of each reader: "[1.23..4.56]", or "-" where no
 * profiles were drawn.
 *
 * Returns: buf.
 */
const char *table_band(char buf[TABLE_BAND_SIZE],
    const struct result_cell *cell);

/* Prints what drawn profiles say of all cells together, if any were. */
void table_uncertainty_print(FILE *out, const struct result *r);

/* Prints what ledgers checked and what it cost, a line or two for each cell. */
void table_ledger_print(FILE *out, const struct result *r);

/*
 * Prints one line for each control: what the lock around nothing costs, and
 * what readers get that share nothing.
 */
void table_controls_print(FILE *out, const struct result *r);

#endif
