/*
 * Figures and text as people read them, in columns of a terminal.
 */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include <stdint.h>
#include <stdio.h>

enum {
	FIGURE_SIZE	= 16,	/* of a buffer for any one figure */
	FIGURE_WIDTH	= 7,	/* longest figure_real() and figure_ns() */
	FIGURE_COLUMNS	= 80	/* of a line */
};

/* A number of 0 or more in three or four digits: "0.012", "431.5". */
const char *figure_real(char buf[FIGURE_SIZE], double v);

/* The same for what was counted: whole as long as six digits hold it. */
const char *figure_count(char buf[FIGURE_SIZE], double v);

/* The same for percentages, at most five wide: "3.4", "88.1", ">9999". */
const char *figure_percent(char buf[FIGURE_SIZE], double v);

/* A duration: "320ns", "12.3us", "4.56ms", "1.20s". */
const char *figure_ns(char buf[FIGURE_SIZE], double ns);

/* A size: "100 B", "64 KiB", "1 MiB"; whole units only. */
const char *figure_bytes(char buf[32], uint64_t bytes);

/* Prints text between quotes, for CSV: quotes in it are doubled, RFC 4180. */
void figure_quoted(FILE *out, const char *text);

/*
 * Prints a paragraph of words, broken so that no line exceeds FIGURE_COLUMNS.
 *
 *   first   in  begins the first line
 *   indent  in  spaces that begin the others
 */
void figure_wrap(FILE *out, const char *first, int indent, const char *text);

#endif
