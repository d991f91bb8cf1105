/*
 * Times hashes: of messages, and as conditioners of what is harvested.
 */
#ifndef BENCH_SURVEY_HASH_SURVEY_H
#define BENCH_SURVEY_HASH_SURVEY_H

#include "bench/survey/survey.h"
#include "lib/crypto/hash.h"

#define	HASH_SURVEY_SCHEMA	"rngsim-hash/1"

enum {
	HASH_SURVEY_SIZES_MAX	= 32,
};

/* The figures of a hash. */
enum hash_figure {
	/* Absorb 4 + 8 bytes, as fortuna_state_event() does. */
	HASH_EVENT,
	/* Drain a pool: hash, reset, hash of the hash, reset, new contexts. */
	HASH_FINISH,
	/* A message of the first size, with its context; more sizes follow. */
	HASH_MESSAGE
};

enum { HASH_BY_NAME = -1 };	/* hv_by */

/* ns over the repeats, each the median of short batches. */
struct hash_cost {
	double		hc_ns;		/* median */
	double		hc_p25_ns;
	double		hc_p75_ns;
};

struct hash_row {
	const struct hash *hr_hash;	/* HASH_READY */
	struct hash_cost hr_cost[HASH_MESSAGE + HASH_SURVEY_SIZES_MAX];
};

/* A point is row * hv_figures + figure. */
struct hash_survey {
	struct survey	 hv_survey;	/* of hash_kind */
	enum crypto_mode hv_crypto;	/* of the loaded libraries */
	int		 hv_by;		/* the figure that orders the rows */
	unsigned	 hv_size[HASH_SURVEY_SIZES_MAX];	/* bytes */
	unsigned	 hv_sizes;
	bool		 hv_show[HASH_SURVEY_SIZES_MAX]; /* in the table */
	struct hash_row	*hv_row;
	unsigned	 hv_rows;
	const struct hash **hv_skip;	/* not timed, for ha_why */
	unsigned	 hv_skips;
	/* While it is measured. */
	unsigned	 hv_figures;	/* of a row */
	struct digest	*hv_digest;	/* of each row */
	unsigned	*hv_calls;	/* per batch, of each point; or 0 */
	double		*hv_ns;		/* of each point, of each repeat */
	uint8_t		*hv_message;
};

extern const struct survey_kind hash_kind;

/* Of hash_kind: a table, CSV, JSON. */
void hash_table(FILE *out, const struct survey *sy);
void hash_csv(FILE *out, const struct survey *sy);
json_t *hash_json(const struct survey *sy);

#endif
