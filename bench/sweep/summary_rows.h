/*
 * What lock profiling and the waits said in a cell's repeats; for summary.c.
 */
#ifndef BENCH_SWEEP_SUMMARY_ROWS_H
#define BENCH_SWEEP_SUMMARY_ROWS_H

#include "bench/sweep/summary.h"

/* Adds one repeat's rows to those of its cell.  Returns: 0 or ENOMEM. */
int summary_rows_add(struct sweep_cell *sc, const struct cell_measure *cm);

/*
 * Moves the rows into the result's cell, histograms into figures.
 *
 * Returns: 0 or ENOMEM.
 */
int summary_rows_finish(struct sweep_cell *sc, const struct engine *en,
    struct result_cell *rc);

#endif
