/*
 * Pictures, drawn by gnuplot(1) from a script: any, and those of a result.
 */
#ifndef BENCH_REPORT_PLOT_H
#define BENCH_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bench/cli/atomic_file.h"
#include "bench/report/curve.h"

enum { GNUPLOT_ERROR_SIZE = 256 };

/* Declares script_NAME, a file's text; its path is from the tree's root. */
#define	GNUPLOT_SCRIPT(name, path)					\
	__asm__(".pushsection .rodata\n"				\
	    "plot_script_" #name ":\n"					\
	    "\t.incbin \"" path "\"\n"					\
	    "\t.byte 0\n"						\
	    ".popsection\n");						\
	extern const char script_##name[]				\
	    __asm__("plot_script_" #name)				\
	    __attribute__((visibility("hidden")))

/* Whether path ends in .png or .svg, which chooses the format. */
bool gnuplot_path_ok(const char *path);
bool gnuplot_path_svg(const char *path);

/* Prints text as a string of gnuplot; no character of it can end the string. */
void gnuplot_quote(FILE *out, const char *text);

/* Prints the command that chooses the format; pixels. */
void gnuplot_terminal(FILE *out, bool svg, unsigned width, unsigned height);

/*
 * Runs a script and puts the whole picture in its place.
 *
 *   of     in   open, and committed on success; NULL: the empty script only
 *               shows whether gnuplot can be run
 *   error  out  on failure: what was wrong, or "" where errno text will do
 *
 * Returns: 0; ENOENT when gnuplot is not installed; EIO when it failed; else
 * an errno value.
 */
int gnuplot_draw(const char *script, size_t len, struct atomic_file *of,
    char error[GNUPLOT_ERROR_SIZE]);

/*
 * Draws a result against the number of readers: rows of panels, each
 * row a few curves of one cipher, then matrices of waits.
 *
 *   path   in   replaced by the complete picture
 *   error  out  on failure: what was wrong
 *
 * Returns: 0; EINVAL for another ending of path or a result without cells;
 * ENOENT when gnuplot is not installed; EIO when it failed; else an
 * errno value.
 */
int plot_write(const struct result *r, const char *path,
    char error[RESULT_TEXT_SIZE]);

/*
 * Prints the script, data included; gnuplot writes the picture to its standard
 * output.  No text of the result can become a command.
 *
 *   r    in  has a cell
 *
 * Returns: 0 or ENOMEM.
 */
int plot_print(FILE *out, const struct result *r, bool svg);

#endif
