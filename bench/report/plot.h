/*
 * Pictures, drawn by gnuplot(1) from a script: any, and those of a result.
 */
#ifndef BENCH_REPORT_PLOT_H
#define BENCH_REPORT_PLOT_H

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

/* Sets a variable to such a string. */
void gnuplot_set(FILE *out, const char *name, const char *text);

/* Prints the command that chooses the format; pixels. */
void gnuplot_terminal(FILE *out, bool svg, unsigned width, unsigned height);

/*
 * Prints a script, data included, that writes the picture to gnuplot's standard
 * output.  No text of the data can become a command.
 */
typedef void gnuplot_printer(FILE *out, const void *what, bool svg);

/*
 * Runs a script and puts the whole picture in its place.
 *
 *   of     in   open, and committed on success; NULL: no script is printed,
 *               which only shows whether gnuplot can be run
 *   error  out  on failure: what was wrong, or "" where errno text will do
 *
 * Returns: 0; ENOENT when gnuplot is not installed; EIO when it failed; else
 * an errno value.
 */
int gnuplot_draw(gnuplot_printer *print, const void *what, bool svg,
    struct atomic_file *of, char error[GNUPLOT_ERROR_SIZE]);

/*
 * The same; the picture goes to memory.
 *
 *   print    in   NULL: no script is printed
 *   picture  out  to be freed, after a failure too
 */
int gnuplot_run(gnuplot_printer *print, const void *what, bool svg,
    char **picture, size_t *size, char error[GNUPLOT_ERROR_SIZE]);

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

/* The script; of a struct result that has a cell. */
gnuplot_printer plot_print;

/*
 * Draws the panels for a page, an SVG document each, behind a line
 * "panel: HEADING"; those of one row have the same heading.
 *
 *   r         in      has a cell
 *   legend    in/out  what marks mean is added
 *   pictures  out     to be freed, after a failure too
 *   error     out     on failure: what was wrong
 *
 * Returns: as plot_write().
 */
int plot_pictures(const struct result *r, struct text *legend, char **pictures,
    size_t *size, char error[RESULT_TEXT_SIZE]);

#endif
