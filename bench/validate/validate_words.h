/*
 * The command lines of the two sweeps that a validation is made of.
 */
#ifndef BENCH_VALIDATE_WORDS_H
#define BENCH_VALIDATE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/options/options.h"
#include "bench/result/result.h"

enum {
	VALIDATE_WORDS_MAX	= 160,	/* of a command line */
	VALIDATE_TUNABLES_MAX	= VALIDATE_WORDS_MAX / 4,
	VALIDATE_LIST_SIZE	= 2048,
	VALIDATE_TEXTS		= 8
};

/* Options of validate.  Those before VALIDATE_PROFILE mean what sweep's do. */
enum validate_option {
	VALIDATE_CIPHER,
	VALIDATE_DESIGN,
	VALIDATE_LOCK,
	VALIDATE_READERS,
	VALIDATE_SIZE,
	VALIDATE_TIME,
	VALIDATE_CRYPTO,
	VALIDATE_PLACE,
	VALIDATE_REPEATS,
	VALIDATE_SET,
	VALIDATE_SEED,
	VALIDATE_PROFILE,
	VALIDATE_FORMAT,
	VALIDATE_FROM,
	VALIDATE_OUTPUT,
	VALIDATE_HELP,
	VALIDATE_OPTIONS
};

/* What was asked for. */
struct validate_options {
	const char	*vo_value[VALIDATE_OPTIONS];	/* or NULL */
	const char	*vo_tunable[VALIDATE_TUNABLES_MAX];
	unsigned	 vo_tunables;
	uint64_t	 vo_seed;	/* where VALIDATE_SEED is not given */
};

struct validate_words {
	char		*vw_word[VALIDATE_WORDS_MAX + 1];
	int		 vw_count;
	char		 vw_text[VALIDATE_TEXTS][VALIDATE_LIST_SIZE];
	unsigned	 vw_texts;	/* used, of those */
};

/* The cells to measure: those asked for, else all. */
void validate_words(struct validate_words *vw,
    const struct validate_options *vo);

/*
 * A grid that has all cells of a result that can be predicted.
 *
 * Returns: false when there is none.
 */
bool validate_words_of(struct validate_words *vw,
    const struct validate_options *vo, const struct result *r);

/*
 * Makes a sweep's options of the words.
 *
 *   simulated  in
 *   op         out  options_free() it, also after a failure
 *
 * Returns: 0, or an exit status after saying what is wrong.
 */
int validate_words_parse(struct validate_words *vw,
    const struct validate_options *vo, bool simulated, struct options *op);

#endif
