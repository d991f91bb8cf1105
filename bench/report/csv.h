/*
 * A result as columns for other programs.
 *
 * Numbers are in the C locale as long as nobody calls setlocale(3), which
 * rngsim does not.  Errors of out are for the caller to ask for.
 */
#ifndef BENCH_CSV_H
#define BENCH_CSV_H

#include <stdio.h>

#include "bench/result/result.h"

/*
 * One row for each cell under a line of names, units in the names; quoted as
 * RFC 4180 says, lines end in a newline alone.
 */
void csv_print(FILE *out, const struct result *r);

/*
 * For ministat(1), -C chooses the cell: one column of total MB/s for each cell,
 * one line for each repeat.  Lines that begin with # name the columns and say
 * when repeats were left out because another cell has fewer.
 */
void csv_print_ministat(FILE *out, const struct result *r);

/*
 * For will-it-scale's plotting: reads per second against readers, and the
 * percentage of the CPUs that neither readers nor harvest thread used.  No two
 * columns have the same name.
 *
 * Returns: 0, or ENOMEM with nothing printed.
 */
int csv_print_will_it_scale(FILE *out, const struct result *r);

#endif
