/*
 * Times hashes: of messages, and as conditioners of what is harvested.
 *
 * A subject is a hash, its ways are the operations below and messages of some
 * sizes.
 */
#ifndef BENCH_SURVEY_HASH_SURVEY_H
#define BENCH_SURVEY_HASH_SURVEY_H

#include "bench/survey/survey.h"
#include "lib/crypto/digest.h"

#define	HASH_SURVEY_SCHEMA	"rngsim-hash/1"

enum { HASH_SURVEY_SIZES_MAX = 32 };

/* The ways to time a hash. */
enum hash_way {
	/* Absorb 4 + 8 bytes, as random_fortuna_process_event() does. */
	HASH_EVENT,
	/* Drain a pool: hash, reset, hash of the hash, reset, new contexts. */
	HASH_FINISH,
	/* A message of the first size, with its context; more sizes follow. */
	HASH_MESSAGE
};

/* What a subject is. */
struct hash_work {
	const struct hash *hb_hash;
	struct digest	 hb_digest;	/* of hashes that are timed */
	const uint8_t	*hb_message;	/* of the largest size */
};

struct hash_survey {
	struct survey	 hv_survey;	/* of hash_kind */
	enum crypto_mode hv_crypto;	/* of the loaded libraries */
	unsigned	 hv_size[HASH_SURVEY_SIZES_MAX];	/* bytes */
	unsigned	 hv_sizes;
	bool		 hv_show[HASH_SURVEY_SIZES_MAX]; /* in the table */
	uint8_t		*hv_message;
};

extern const struct survey_kind hash_kind;

/*
 * Makes a subject for each hash and loads it.  The caller has set repeats and
 * sizes.
 *
 *   list  in  indexes for hash_get(), n of them; NULL: all hashes
 */
void hash_survey_make(struct hash_survey *hv, const uint64_t *list, unsigned n);

/* Also after a failure. */
void hash_survey_free(struct hash_survey *hv);

static inline const struct hash *
hash_survey_hash(const struct survey_subject *su)
{
	return (((const struct hash_work *)su->su_of)->hb_hash);
}

#endif
