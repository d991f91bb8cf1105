/*
 * Pictures of results, drawn by gnuplot(1).
 */
#ifndef BENCH_REPORT_PLOT_H
#define BENCH_REPORT_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/result/result.h"

/* Whether path ends in .png or .svg, which chooses the format. */
bool gnuplot_path_ok(const char *path);
bool gnuplot_path_svg(const char *path);

/*
 * Prints gnuplot's script, data included: the result against the number of
 * readers, rows of panels, each row a few curves of one cipher.  No text of the
 * data can become a command.
 *
 *   r  in  has a cell
 */
void plot_print(FILE *out, const struct result *r, bool svg);

/*
 * Draws that.
 *
 *   picture  out  to be freed, after a failure too
 *   error    out  on failure: what was wrong
 *
 * Returns: 0; EINVAL for a result without cells; ENOENT when gnuplot is not
 * installed; EIO when it failed; else an errno value.
 */
int plot_draw(const struct result *r, bool svg, char **picture, size_t *size,
    char error[RESULT_TEXT_SIZE]);

#endif
