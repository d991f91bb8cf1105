/*
 * The Universal Scalability Law of a result's curves, as people read it.
 */
#ifndef BENCH_USL_H
#define BENCH_USL_H

#include <stdio.h>

#include "bench/result/result.h"

/*
 * Prints a table of all curves, and of each what was fitted to it: the law's
 * figures with intervals, knee, peak, where the total falls, and which cells
 * were left out and why.  At most 80 columns wide.
 *
 * Returns: 0, or ENOMEM.  Errors of out are for the caller to ask for.
 */
int usl_print(FILE *out, const struct result *r);

#endif
