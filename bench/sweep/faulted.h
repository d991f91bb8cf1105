/*
 * Runs with fail points: what was injected and what came of it, and no figure
 * that could be taken for a measurement.
 */
#ifndef BENCH_FAULTED_H
#define BENCH_FAULTED_H

#include "bench/options/options.h"

/*
 * Runs the options' cell, as often as it is to be repeated, and prints a table
 * on stdout.
 *
 * Returns: an exit status, after saying on stderr what went wrong.
 */
int faulted_run(const struct options *op);

#endif
