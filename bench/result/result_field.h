/*
 * The members of a result, described once for its writer and its reader.
 *
 * A member whose key is pinned by rngsim-result(5) is needed: a document
 * without it is refused.  The others are read when they are there, because keys
 * may be added within one schema.  Arrays and the seed have no row here; both
 * sides spell them out.
 */
#ifndef BENCH_RESULT_FIELD_H
#define BENCH_RESULT_FIELD_H

#include <stdbool.h>
#include <stddef.h>

enum result_field_kind {
	RESULT_FIELD_NAME,	/* char[RESULT_NAME_SIZE] */
	RESULT_FIELD_TEXT,	/* char[RESULT_TEXT_SIZE] */
	RESULT_FIELD_BOOL,	/* bool */
	RESULT_FIELD_COUNT,	/* unsigned */
	RESULT_FIELD_BYTES,	/* uint64_t, 1..2^63 - 1 */
	RESULT_FIELD_REAL,	/* double, finite, 0 or more */
	RESULT_FIELD_OBJECT	/* a structure, described by rf_table */
};

struct result_field {
	const char	*rf_key;	/* NULL ends a table */
	enum result_field_kind rf_kind;
	bool		 rf_needed;
	size_t		 rf_offset;	/* in the structure described */
	const struct result_field *rf_table;
};

/* Of struct result, result_host, result_cell and so on. */
extern const struct result_field result_field_top[];
extern const struct result_field result_field_host[];
extern const struct result_field result_field_resumed[];
extern const struct result_field result_field_cell[];
extern const struct result_field result_field_sample[];
/* What cells and samples of simulated machines, or nodes, have besides. */
extern const struct result_field result_field_cell_virtual[];
extern const struct result_field result_field_cell_pretended[];
extern const struct result_field result_field_sample_virtual[];
/* And what those have that were done under a ledger. */
extern const struct result_field result_field_cell_ledger[];
extern const struct result_field result_field_sample_ledger[];
extern const struct result_field result_field_row[];
extern const struct result_field result_field_wait[];
extern const struct result_field result_field_health[];
extern const struct result_field result_field_ledger[];

/* A histogram of a row. */
struct result_log2 {
	const char	*rl_key;	/* NULL ends the table */
	size_t		 rl_offset;	/* in struct result_row */
};

extern const struct result_log2 result_log2[];

#endif
