/*
 * A result printed for a reader or for other programs: tables, CSV and views.
 */
#ifndef BENCH_REPORT_REPORT_H
#define BENCH_REPORT_REPORT_H

#include <stdio.h>

#include "bench/result/result.h"

enum report {
	/* Formats, as --format takes them. */
	REPORT_TABLE,
	REPORT_CSV,
	REPORT_JSON,
	REPORT_MINISTAT,
	REPORT_FORMATS,
	/* Views, each an option of its own. */
	REPORT_LOCKPROF = REPORT_FORMATS,
	REPORT_LOCKSTAT,
	REPORT_LOCKSTAT_HISTOGRAM,
	REPORT_WAITS,
	REPORT_USL,
	REPORTS
};

/*
 * Prints a result.
 *
 * Returns: 0, or why out could not be written, EIO where there is no errno
 * value.
 */
int report_emit(FILE *out, const struct result *r, enum report report);

/* Prints one report; out is not checked. */
typedef void report_printer(FILE *out, const struct result *r);

/*
 * Lines of at most 80 columns: where and how the result was measured, then
 * readers against designs for each set of comparable cells, and controls.  A
 * ratio that the intervals do not support stands in parentheses; a cell that
 * failed a gate has none.  A single cell is printed at length.
 */
report_printer table_print;

/*
 * One row for each cell under a line of names, units in the names; quoted as
 * RFC 4180 says, lines end in a newline alone.
 */
report_printer csv_print;

/*
 * For ministat(1), -C chooses the cell: one column of total MB/s for each cell,
 * one line for each repeat that all cells have.
 */
report_printer csv_print_ministat;

/*
 * Lock profiles: what debug.lock.prof.stats would print, in whole us, but with
 * columns as wide as their headers and cnt_hold counted.  Then the same places
 * in ns, by role, with quantiles.
 */
report_printer report_lockprof;

/*
 * lockstat(1)'s sections: spinning, blocked and holding, of each kind of lock,
 * one line for each place and role, most frequent first.  The histogram report
 * adds each line's distribution, as lockstat(1) -h does.
 */
report_printer report_lockstat;
report_printer report_lockstat_histogram;

/* The waits for each lock: a row for each waiter and holder's site. */
report_printer report_waits;

/*
 * The Universal Scalability Law fitted to each curve: its figures with
 * intervals, knee, peak, where the total falls, and which cells were left out.
 */
report_printer usl_print;

/* Parts: a cell at length, its waits, and what stands below tables. */
void table_cell_print(FILE *out, const struct result_cell *cell);
void report_waits_cell(FILE *out, const struct result_cell *cell);
void table_below_print(FILE *out, const struct result *r);

/* What the views share. */

enum { VIEW_SIZE = 128 };	/* of a buffer for any one text */

/*
 * Prints a cell's heading, and that it has no lock profile if that is so.
 *
 * Returns: whether it has one.
 */
bool view_cell(FILE *out, const struct result *r,
    const struct result_cell *cell);

/* Whether the document has waits by holder and distributions. */
bool view_detailed(const struct result_cell *cell);

/*
 * A whole number of 0 or more, with an exponent where width columns, 6 to 20,
 * do not hold its digits.
 */
const char *view_whole(char buf[VIEW_SIZE], double v, int width);
#define	VIEW_WHOLE(v, width)	view_whole((char[VIEW_SIZE]){ 0 }, v, width)

/* Sums and means that stay finite whatever a document contains. */
double view_sum(double a, double b);
double view_mean(double total, double count);	/* 0 without a count */

/*
 * A band over drawn profiles, "[2.90..5.17]", with ^ behind it if the figure of
 * the profile itself, own, is outside; "-" for no band.
 *
 *   format  in   of FORMAT_SIZE bytes
 *   unit    in   what all three are divided by first
 */
const char *view_band(char buf[VIEW_SIZE], const double *band, double own,
    const char *(*format)(char *, double), double unit);
/* The band of p99; NULL: an older file has none. */
const double *view_p99_band(const struct result_band *rb);
#define	VIEW_BAND(band, own, format, unit)				\
	view_band((char[VIEW_SIZE]){ 0 }, band, own, format, unit)

/* A place in the program as LOCK_PROFILING(9) has it: "fortuna.c:pre_read". */
const char *view_site(char buf[VIEW_SIZE], const char *lock, const char *site);

/* The class of one of a cell's locks, in the kernel's words: "sleep mutex". */
const char *view_class(const struct result_cell *cell, const char *lock);

#endif
