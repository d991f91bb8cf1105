/* A result for a reader or other programs: tables, CSV, views, a picture. */
#pragma once

#include "bench/options/family.h"
#include "bench/result/comparable.h"
#include "bench/result/describe.h"

/* Reports are these of enum format, and a view. */
enum { REPORT_LOCK_PROFILE = FORMAT_MINISTAT + 1, REPORTS };

/* Prints a struct result; out is not checked. */
typedef void report_printer(FILE *out, const void *result);

extern report_printer *const report_printers[REPORTS];

/* Prints on stdout.  Returns: 0, or EXIT_FAILURE after a message. */
int report_show(report_printer *print, const void *of);

report_printer report_json;

/*
 * Lines of at most 80 columns.  A ratio that the intervals do not support is in
 * parentheses; a cell that failed a gate has none.  One cell is at length.
 */
report_printer table_print;

/* Where locks were held and waited for, how long, and for which site. */
report_printer lock_profile_print;

/* Parts: what stands above and below tables, and a cell at length. */
void table_head_print(FILE *out, const struct result *r);
void table_below_print(FILE *out, const struct result *r);
struct table_cell {
	const struct result *tc_result;
	const struct result_cell *tc_cell;
};
void table_cell_print(FILE *out, const void *table_cell);

/*
 * A band over drawn profiles, "[2.90..5.17]", with ^ behind it if the figure of
 * the profile itself, own, is outside; "-": no band.  All are divided by unit.
 */
const char *band_text(char buf[FORMAT_CELL], const double *band, double own,
    const char *(*format)(char *, double), double unit);
#define	BAND(band, own, format, unit)					\
	band_text((char[FORMAT_CELL]){ 0 }, band, own, format, unit)

/* The band of p99, which older files lack. */
#define	BAND_P99(rb)							\
	((rb)->latency_p99_samples == NULL ? NULL : (rb)->latency_p99_ns)

/* The last is HTML, in which each panel is a drawing. */
enum { PLOT_PNG, PLOT_SVG, PLOT_PDF, PLOT_FORMS, PLOT_PAGE = PLOT_FORMS };
enum {
	PLOT_TOTAL, PLOT_READER, PLOT_LATENCY, PLOT_HARVEST, PLOT_P99,
	PLOT_PANELS, PLOT_USUAL = (1 << PLOT_P99) - 1	/* bits */
};
extern const char *const plot_panels[PLOT_PANELS];

/* What a picture shows, and how; the title may be NULL. */
struct plot {
	unsigned	 plt_form;
	unsigned	 plt_panels;	/* bits */
	unsigned	 plt_width;	/* pixels, PDF: points; page: a panel */
	const char	*plt_title;
};

/* The form that a path's end names; -1: none. */
int plot_form(const char *path);

/*
 * Prints gnuplot's script, data included, for a result with cells: rows of
 * panels against the number of readers, each row a few curves of one cipher.
 * No text of the data can become a command.
 */
void plot_print(FILE *out, const struct result *r, const struct plot *plt);

/*
 * Draws that; the picture is to be freed, after a failure too.  Returns: 0; or,
 * with a message, EINVAL for a result without cells, ENOENT when gnuplot is not
 * installed, EIO when it failed, or another errno value.
 */
int plot_draw(const struct result *r, const struct plot *plt, char **picture,
    size_t *size, char error[RESULT_TEXT_SIZE]);
