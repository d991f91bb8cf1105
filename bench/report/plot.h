/*
 * A result as a picture, drawn by gnuplot(1).
 */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdbool.h>

#include "bench/result/result.h"

/* What a picture shows. */
enum plot_part {
	PLOT_ALL,
	PLOT_SCALE,	/* MB/s, total and of each reader, and the law */
	PLOT_LATENCY,	/* percentiles of one read's */
	PLOT_HARVEST,	/* the harvest thread's CPU */
	PLOT_WAITS,	/* who waited for whom */
	PLOT_PARTS
};

/* Their names, as --plot-only takes them; NULL for PLOT_ALL. */
extern const char *const plot_part_names[PLOT_PARTS];

/*
 * Draws all parts or one, against the number of readers, in a column of panels
 * for each cipher.
 *
 *   path   in   becomes the picture when it is complete, as outfiles do
 *   error  out  on failure: what was wrong, RESULT_TEXT_SIZE bytes
 *
 * Returns: 0; EINVAL for another ending of path or a result without cells;
 * ENOENT when gnuplot is not installed; EIO when it failed; else what the
 * system said.
 */
int plot_write(const struct result *r, const char *path, enum plot_part part,
    char error[RESULT_TEXT_SIZE]);

#endif
