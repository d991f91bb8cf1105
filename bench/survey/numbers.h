/*
 * Sources of numbers that "rngsim sources" times: rows of a table in numbers.c.
 */
#ifndef BENCH_SURVEY_NUMBERS_H
#define BENCH_SURVEY_NUMBERS_H

#include <errno.h>

#include "lib/machine/machine.h"

enum {
	NUMBER_FIRST	= 4,	/* numbers that are checked and printed */
	NUMBER_STATE	= 4,	/* words of state */
	NUMBER_PAUSES	= 64,	/* pause instructions before a retry */
	NUMBER_TRIES	= 100000 /* failures in a row of a dead source */
};

/* Bits of one read: number_bits has them. */
enum number_width {
	NUMBER_32,
	NUMBER_64,
	NUMBER_WIDTHS
};

extern const unsigned number_bits[NUMBER_WIDTHS];

/* The state of a computed source; each thread has its own. */
struct number_state {
	uint32_t	st_word[NUMBER_STATE];
};

struct number_batch {
	uint64_t	nb_reads;	/* in: reads to make, at least 1 */
	uint64_t	nb_last;	/* out: the last number */
	uint64_t	nb_failures;	/* failed reads are added */
};

/*
 * Makes the reads of a batch.  A read that fails is repeated after
 * NUMBER_PAUSES pause instructions.
 *
 * Returns: 0, or EIO after NUMBER_TRIES failures in a row.
 */
typedef int number_batcher(struct number_state *st, struct number_batch *nb);

struct number_source {
	const char	*ns_name;
	const char	*ns_descr;	/* one line for listings */
	bool		 ns_hardware;
	bool		(*ns_has)(void);	/* NULL: on every machine */
	void		(*ns_init)(struct number_state *st);	/* or NULL */
	number_batcher	*ns_batch[NUMBER_WIDTHS];	/* NULL: no such read */
	const uint32_t	*ns_known;	/* NUMBER_FIRST published ones; NULL */
};

extern const struct number_source number_sources[];
extern const unsigned number_source_count;

/* Whether this machine has the source. */
bool number_source_has(const struct number_source *ns);

/*
 * Reads the first numbers, as far as it can.
 *
 * Returns: 0; ENOTSUP when this machine has no such source or width; EIO when
 * a read gave no number; EILSEQ when they are not the published numbers, or all
 * are the same.
 */
int number_source_check(const struct number_source *ns,
    enum number_width width, uint64_t first[NUMBER_FIRST]);

/* Keeps the compiler from dropping a number or computing two in one step. */
#define	NUMBER_KEEP(v)	__asm__ volatile("" : "+r"(v))

/*
 * Defines a number_batcher from bool step(struct number_state *st, type *v),
 * which is inlined and returns false when a read failed.
 */
#define	NUMBER_LOOP(name, type, step)					\
static int								\
name(struct number_state *st, struct number_batch *nb)			\
{									\
	struct number_state own = *st;					\
	uint64_t failures = 0, i;					\
	unsigned tries = 0;						\
	type v = 0;							\
									\
	for (i = 0; i < nb->nb_reads && tries < NUMBER_TRIES; i++) {	\
		for (tries = 0; !step(&own, &v);) {			\
			failures++;					\
			if (++tries == NUMBER_TRIES)			\
				break;					\
			machine_pause(NUMBER_PAUSES);			\
		}							\
		NUMBER_KEEP(v);						\
	}								\
	*st = own;							\
	nb->nb_last = v;						\
	nb->nb_failures += failures;					\
	return (tries < NUMBER_TRIES ? 0 : EIO);			\
}

#endif
