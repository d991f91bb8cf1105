/*
 * The file that run --trace writes.
 */
#ifndef BENCH_TRACE_H
#define BENCH_TRACE_H

#include "bench/options/options.h"

/*
 * Opens it, if it is asked for, and sets op_observer; before anything runs.
 *
 *   tl  out  NULL when it is not
 *
 * Returns: 0, or EXIT_FAILURE after saying why.
 */
int trace_begin(struct options *op, struct timeline **tl);

/*
 * Writes it, after however much of the run there was; says on stderr what of it
 * is not there.
 *
 * Returns: 0, or EXIT_FAILURE after saying why.
 */
int trace_end(struct options *op, struct timeline *tl);

#endif
