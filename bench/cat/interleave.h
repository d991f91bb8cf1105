/*
 * Many readers' streams in one: so many bytes of reader 0, then of reader 1 to
 * the last, and again.  The order depends on nothing else.
 */
#ifndef BENCH_INTERLEAVE_H
#define BENCH_INTERLEAVE_H

#include <stddef.h>
#include <stdint.h>

/* What a reader has, as far as it was not taken. */
struct interleave_rest {
	const uint8_t	*ir_bytes;
	size_t		 ir_count;
};

/*
 * Gets a reader's next bytes, wherever it likes to cut its stream.
 *
 *   bytes  out  stay until the same reader is asked again
 *   n      out  0: it has ended
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
	unsigned	 il_turn;	/* whose bytes are next */
	uint64_t	 il_grain;
	uint64_t	 il_left;	/* of the grain of il_turn */
};

/*
 *   grain  in  bytes of one reader in a row, at least 1; of a sole reader's
 *              there is no other to follow
 *
 * Returns: 0 or ENOMEM.
 */
int interleave_init(struct interleave *il, unsigned readers, uint64_t grain,
    interleave_fetch *fetch, void *context);

/* Releases il; the bytes are their readers'. */
void interleave_fini(struct interleave *il);

/*
 * Takes the next bytes, all of one reader.
 *
 *   most    in   at least 1
 *   reader  out  whose they are
 *   bytes   out  as interleave_fetch has them
 *   n       out  1..most; 0: that reader has ended
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
 * How many of its bytes a reader gives to the first n of the whole; or, where
 * only is a reader's number, until that one has given n.
 *
 *   n     in  UINT64_MAX: no end
 *   only  in  or -1
 *
 * Returns: the bytes; UINT64_MAX: no end.
 */
uint64_t interleave_share(unsigned readers, uint64_t grain, uint64_t n,
    int only, unsigned reader);

#endif
