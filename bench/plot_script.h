/*
 * What gnuplot(1) is told to draw.
 */
#ifndef BENCH_PLOT_SCRIPT_H
#define BENCH_PLOT_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/result.h"

/*
 * Prints the commands, data included; the picture goes to gnuplot's standard
 * output.  No text of the result can become a command.
 *
 *   svg  in  that format rather than PNG
 */
void plot_script_print(FILE *out, const struct result *r, bool svg);

#endif
