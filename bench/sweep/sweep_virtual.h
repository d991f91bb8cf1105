/*
 * A grid of cells on simulated machines; see bench/sweep/sweep.h.
 */
#ifndef BENCH_SWEEP_VIRTUAL_H
#define BENCH_SWEEP_VIRTUAL_H

#include "bench/options/options.h"
#include "bench/sweep/checkpoint.h"
#include "bench/sweep/summary.h"

/*
 * Runs all repeats of all cells.  A cell whose threads could not go on is left
 * out after saying on stderr who waits for whom; the others go on.
 *
 *   ck     in      begun; or NULL
 *   cells  in/out  with room for their samples
 *   error  out     on failure: why, for people
 *
 * Returns: 0; EDEADLK when a cell could not go on; else what the engine said.
 */
int sweep_virtual(const struct options *op, struct checkpoint *ck,
    struct sweep_cell *cells, unsigned count,
    const volatile sig_atomic_t *stop, char error[CELL_ERROR_SIZE]);

#endif
