/*
 * Interleaves readers' streams: a grain of bytes of reader 0, of reader 1, to
 * the last, and again.  The order depends on nothing else.
 */
#ifndef BENCH_SURVEY_INTERLEAVE_H
#define BENCH_SURVEY_INTERLEAVE_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of a reader that were fetched and not taken. */
struct interleave_rest {
	const uint8_t	*ir_bytes;
	size_t		 ir_count;
};

/*
 * Gets a reader's next bytes, valid until its next call; *n is 0 at the end.
 *
 * Returns: 0, or an errno value.
 */
typedef int interleave_fetch(void *context, unsigned reader,
    const uint8_t **bytes, size_t *n);

struct interleave {
	interleave_fetch *il_fetch;
	void		*il_context;
	struct interleave_rest *il_rests;	/* il_readers of them */
	unsigned	 il_readers;
	unsigned	 il_turn;	/* the next reader */
	uint64_t	 il_grain;
	uint64_t	 il_left;	/* of the grain of il_turn */
};

/* Returns: 0 or ENOMEM.  The grain is at least 1. */
int interleave_init(struct interleave *il, unsigned readers, uint64_t grain,
    interleave_fetch *fetch, void *context);

void interleave_fini(struct interleave *il);

/*
 * Takes the next 1..most bytes, all of one reader; *n is 0 where it ended.
 *
 * Returns: 0, or what il_fetch() returned.
 */
static inline int
interleave_next(struct interleave *il, uint64_t most, unsigned *reader,
    const uint8_t **bytes, size_t *n)
{
	struct interleave_rest *rest = &il->il_rests[il->il_turn];
	size_t count;
	int error;

	if (rest->ir_count == 0) {
		error = il->il_fetch(il->il_context, il->il_turn,
		    &rest->ir_bytes, &rest->ir_count);
		if (error != 0)
			return (error);
	}
	count = rest->ir_count;
	if (count > most)
		count = (size_t)most;
	if (count > il->il_left)
		count = (size_t)il->il_left;
	*reader = il->il_turn;
	*bytes = rest->ir_bytes;
	*n = count;
	rest->ir_bytes += count;
	rest->ir_count -= count;
	il->il_left -= count;
	if (il->il_left == 0) {
		il->il_left = il->il_grain;
		if (++il->il_turn == il->il_readers)
			il->il_turn = 0;
	}
	return (0);
}

/*
 * The bytes of a reader that are among the first n of the whole; or, unless
 * only is -1, that come before reader only's n bytes end.  UINT64_MAX: no end.
 */
uint64_t interleave_share(unsigned readers, uint64_t grain, uint64_t n,
    int only, unsigned reader);

#endif
