/*
 * A result as a picture, drawn by gnuplot(1).
 */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdbool.h>

#include "bench/result.h"

/* Whether path ends in .png or .svg, which says what is drawn. */
bool plot_path_ok(const char *path);

/*
 * Draws MB/s of each reader and CPU of the harvest thread against the number
 * of readers, a pair of panels for each cipher.
 *
 *   path   in   becomes the picture when it is complete; see bench/outfile.h
 *   error  out  on failure: what was wrong, RESULT_TEXT_SIZE bytes
 *
 * Returns: 0; EINVAL for another ending of path or a result without cells;
 * ENOENT when gnuplot is not installed; EIO when it failed; else what the
 * system said.
 */
int plot_write(const struct result *r, const char *path,
    char error[RESULT_TEXT_SIZE]);

#endif
