/*
 * Pictures, drawn by gnuplot(1) from a script.
 */
#ifndef BENCH_GNUPLOT_H
#define BENCH_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { GNUPLOT_ERROR_SIZE = 256 };

/* Whether path ends in .png or .svg, which says what is drawn. */
bool gnuplot_path_ok(const char *path);

/* Whether it is the latter. */
bool gnuplot_path_svg(const char *path);

/* Prints text as one string of gnuplot, which nothing in it can end. */
void gnuplot_quote(FILE *out, const char *text);

/* Prints the command that chooses the format; pixels. */
void gnuplot_terminal(FILE *out, bool svg, unsigned width, unsigned height);

/*
 * Runs a script, which may be empty, to find out whether that is possible.
 *
 *   out    in   gets the picture
 *   error  out  on failure: what was wrong, or "" where the return value says
 *
 * Returns: 0; ENOENT when gnuplot is not installed; EIO when it failed; else
 * what the system said.
 */
int gnuplot_draw(const char *script, size_t len, int out,
    char error[GNUPLOT_ERROR_SIZE]);

#endif
