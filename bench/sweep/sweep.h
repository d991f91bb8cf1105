/*
 * Measuring a grid of cells: order, repeats, and making a result of them.
 */
#ifndef BENCH_SWEEP_H
#define BENCH_SWEEP_H

#include "bench/cell/cell.h"
#include "bench/options/options.h"
#include "bench/result/result.h"
#include "bench/sweep/checkpoint.h"

/*
 * Measures every cell of the options' grid.  Each repeat visits all cells once,
 * in an order drawn from the seed; an interruption ends it with what is
 * complete.
 *
 *   argv   in   the program's, for the record
 *   ck     in   claimed: keeps each repeat, and has those that need not be
 *               measured; or NULL
 *   r      out  result_free() it, also after a failure
 *   error  out  on failure, the reason for people
 *
 * Returns: 0; EINTR when interrupted, r holding what was complete; else what
 * the engine said, r likewise.
 */
int sweep_run(const struct options *op, char *const argv[],
    struct checkpoint *ck, struct result *r, char error[CELL_ERROR_SIZE]);

#endif
