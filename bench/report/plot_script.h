/*
 * What gnuplot(1) is told to draw.
 */
#ifndef BENCH_PLOT_SCRIPT_H
#define BENCH_PLOT_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/report/plot.h"
#include "bench/result/result.h"

/*
 * Prints the commands, data included; the picture goes to gnuplot's standard
 * output.  No text of the result can become a command.
 *
 *   r    in  has a cell
 *   svg  in  that format rather than PNG
 *
 * Returns: 0 or ENOMEM.
 */
int plot_script_print(FILE *out, const struct result *r, enum plot_part part,
    bool svg);

#endif
