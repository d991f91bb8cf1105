/*
 * What a comparison showed, in words and as data.
 *
 * Functions print to out and leave checking it to the caller.
 */
#ifndef BENCH_VERDICT_H
#define BENCH_VERDICT_H

#include <stdio.h>

#include "bench/compare/compare.h"

enum {
	/* ministat(1) reads lines of 8 KiB; a column takes at most 15 bytes. */
	VERDICT_MINISTAT_COLUMNS = 500
};

/* Verdicts as they end a sentence. */
extern const char *const verdict_names[COMPARE_REFUSED + 1];

/* Rules that keep a clear change from a rank, in words; the first is empty. */
extern const char *const verdict_stops[COMPARE_STOP_HARVEST + 1];

/*
 * At most 80 columns: conditions, then a paragraph for each pair, then a
 * summary.
 *
 *   all  in  rows that show no difference are printed at length too
 */
void verdict_print(FILE *out, const struct compare *co, bool all);

/*
 * What must be known beside rows that are quoted: of predictions their machine
 * and what their intervals are of, flags, what the machine moved
 * by, and how many cells have no partner; a line each.
 *
 *   prefix  in  begins each line
 */
void verdict_print_flags(FILE *out, const struct compare *co,
    const char *prefix);

/* Flags behind '#', then each row as a line that can be quoted on its own. */
void verdict_print_sentences(FILE *out, const struct compare *co);

/* One line for each row; RFC 4180. */
void verdict_print_csv(FILE *out, const struct compare *co);

/*
 * One document.
 *
 * Returns: 0; EILSEQ when a text is no UTF-8; ERANGE when a number is not
 * finite; ENOMEM.
 */
int verdict_print_json(FILE *out, const struct compare *co);

/*
 * Columns of repeats for ministat(1), which takes one file for A and one for B:
 * the same column is the same row of both.
 *
 *   side  in  0: A; 1: B; 2: both, A's column before B's
 */
unsigned verdict_ministat_columns(const struct compare *co, unsigned side);

/*
 * Flags and a legend behind '#', then a line of all columns for each repeat
 * that all of them have.  Student's t in the legend is of what A's and B's
 * columns hold.
 *
 * Returns: 0 or ENOMEM.
 */
int verdict_print_ministat(FILE *out, const struct compare *co,
    unsigned side);

/*
 * A row as a sentence, with a terminating full stop only where it was refused.
 *
 *   text  out  COMPARE_TEXT_SIZE bytes
 */
void verdict_sentence(char *text, const struct compare *co,
    const struct compare_pair *pa, unsigned q);

/* Which cells: "concurrent instead of locked, mtx, aes, 2 readers of 64 KiB" */
void verdict_pair(char *text, const struct compare *co,
    const struct compare_pair *pa);

/* Which cell: "locked, mtx, aes, 2 readers of 64 KiB". */
void verdict_cell(char *text, const struct result_cell *cell);

#endif
