/*
 * Timed sources as people and programs read them.  Errors of out are for the
 * caller to ask for.
 */
#ifndef BENCH_SOURCES_PRINT_H
#define BENCH_SOURCES_PRINT_H

#include <stdio.h>

#include "bench/sources/sources.h"

/*
 * What was measured, and below it what others published; at most 80 columns
 * wide.
 */
void sources_print_table(FILE *out, const struct sources *sr);

/*
 * A line for each point, and for each source and width that was not timed one
 * with its status alone, RFC 4180.
 */
void sources_print_csv(FILE *out, const struct sources *sr);

/*
 * One document, as rngsim-result(5) has it.
 *
 * Returns: text for free(); NULL when there was no memory.
 */
char *sources_format_json(const struct sources *sr);

/*
 * Prints what gnuplot(1) is to draw: throughput against threads, hardware and
 * computed sources apart, with the published peak as a line.
 *
 *   sr  in  has a point with known figures
 */
void sources_print_plot(FILE *out, const struct sources *sr, bool svg);

/* The numbers as they are shown, in hexadecimal. */
enum { SOURCES_HEX_SIZE = 17 };
void sources_hex(const struct sources_curve *sc, unsigned i,
    char buf[SOURCES_HEX_SIZE]);

#endif
