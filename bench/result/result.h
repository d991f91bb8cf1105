/*
 * A result: the in-memory form of one rngsim-result(5) document.  Measuring
 * fills it; tables, CSV and plots are made from it, so that a report of a file
 * shows what the run showed.
 *
 * The structures have the members that bench/result/result.tbl lists, which
 * says what each one is.  Units end the names: MB is 10^6 bytes, percent is of
 * one CPU.
 */
#ifndef BENCH_RESULT_RESULT_H
#define BENCH_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define	RESULT_SCHEMA	"rngsim-result/1"

/* What an interval was computed over. */
#define	RESULT_CI95_REPEATS	"repeats"
#define	RESULT_CI95_PARTS	"window parts"	/* too few repeats */

enum {
	RESULT_NAME_SIZE	= 32,
	RESULT_TEXT_SIZE	= 256,
	/* With fewer repeats, RESULT_CI95_PARTS. */
	RESULT_CI95_REPEATS_MIN	= 3,
	RESULT_LOG2_BINS	= 48,	/* of durations, as lockstat(1) */
	RESULT_SHA256_SIZE	= 2 * 32 + 1,	/* in hex */
	RESULT_FILE_MAX		= 256 << 20
};

/* The type of each kind of field; see bench/result/field.h. */
typedef char		field_NAME[RESULT_NAME_SIZE];
typedef field_NAME	field_WORD, field_HEX;
typedef char		field_TEXT[RESULT_TEXT_SIZE];
typedef char		field_SHA256[RESULT_SHA256_SIZE];
typedef char		**field_WORDS;	/* NULL-terminated */
typedef bool		field_BOOL;
typedef unsigned	field_COUNT, field_SOME, field_READERS;
typedef uint64_t	field_BYTES, field_SEED;
typedef double		field_REAL, field_SHARE, field_SIGNED;
typedef double		field_PAIR[2];
typedef double		field_BINS[RESULT_LOG2_BINS];

/* The whole document is struct result. */
#define	result_document	result
#define	BEGIN(s, ...)			struct result_##s {
#define	END(s)				};
#define	FIELD(s, m, kind, ...)		field_##kind m;
#define	OBJECT(s, m, type, ...)		struct result_##type m;
#define	LIST(s, m, type, ...)		struct result_##type *m;
#define	ARRAY(s, m, kind, ...)		field_##kind *m;
#define	EACH(s, m, kind, ...)		field_##kind *m;
#define	LENGTH(s, m)			unsigned m;
#include "bench/result/result.tbl"

/*
 * Writes r as JSON text, ending in a newline, into a malloc(3)ed string.
 */
char *result_format_json(const struct result *r);

/*
 * Reads a result.
 *
 *   path   in   a file, or "-" for stdin
 *   r      out  freed by result_free(); untouched on failure
 *   error  out  on failure: what is wrong and where, RESULT_TEXT_SIZE bytes
 *
 * Returns: 0; EINVAL for a file that is not a whole document of this schema or
 * fails result_check(); EFBIG above RESULT_FILE_MAX bytes; else the
 * error of open(2) or read(2).
 */
int result_load(const char *path, struct result *r,
    char error[RESULT_TEXT_SIZE]);

/* Frees everything that r points to. */
void result_free(struct result *r);

/* Fills in the host; clock_ns and profile_ns are left alone. */
void result_host_fill(struct result_host *host);

/* The current date and time, RFC 3339. */
void result_now(char text[RESULT_NAME_SIZE]);

/* Sets the numbers of a cell that are medians of its samples'. */
void result_set_medians(struct result_cell *c);

/*
 * Looks for what no measurement writes: a cell that is there twice, a repeat's
 * total that is not its readers' sum, medians that are not those of the
 * samples.  A median may leave out repeats that failed a gate.  Objects that
 * the samples lack are not looked at, and decimals may be rounded.
 *
 *   error  out  on failure: which member and what is wrong with it
 *
 * Returns: 0 or EINVAL.
 */
int result_check(const struct result *r, char error[RESULT_TEXT_SIZE]);

/* Whether a repeat's total is the sum of its readers, *sum. */
bool result_check_sum(const struct result_sample *rs, unsigned readers,
    double *sum);

/*
 * Order of cells by what was measured, for qsort(3): takes pointers to pointers
 * to cells.  Leaves out spin_polls, which is a setting of the whole run.
 */
int result_cell_order(const void *left, const void *right);

#endif
