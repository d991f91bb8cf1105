/*
 * The cells that options ask for.
 */
#ifndef BENCH_GRID_H
#define BENCH_GRID_H

#include "bench/cell/cell.h"
#include "bench/options/options.h"
#include "bench/sweep/summary.h"

/* How many cells there are; and controls, at most. */
unsigned grid_cells(const struct options *op);
unsigned grid_controls(const struct options *op);

/*
 * Writes what each cell is, into room for grid_cells().
 *
 * Returns: how many.
 */
unsigned grid_expand(const struct options *op, struct sweep_cell *cells);

/*
 * The controls, likewise: each lock of the grid around nothing, and each cipher
 * with nothing shared.
 */
unsigned grid_expand_controls(const struct options *op,
    struct sweep_cell *cells);

/* What runs them. */
const struct engine *grid_engine(const struct options *op);

#endif
