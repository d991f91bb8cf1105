/*
 * Sources of numbers that can be timed: the contract that every source in
 * bench/sources/number_*.c obeys.
 *
 * A source is one file that ends in its struct number_source, plus one line in
 * bench/sources/numbers.tbl; nothing else lists them.  What is timed is the
 * loop that NUMBER_LOOP() makes of the source's own step, so that no call is
 * part of a number's cost.
 */
#ifndef BENCH_NUMBERS_H
#define BENCH_NUMBERS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/machine.h"

enum {
	NUMBER_FIRST	= 4,	/* numbers that are shown and checked */
	NUMBER_STATE	= 8,	/* words */
	NUMBER_PAUSES	= 64,	/* pause instructions before a retry */
	/* Failures in a row that mean that there will be no number. */
	NUMBER_TRIES	= 100000
};

/* How much one read gives. */
enum number_width {
	NUMBER_32,
	NUMBER_64,
	NUMBER_WIDTHS
};

/* The bits of each. */
extern const unsigned number_bits[NUMBER_WIDTHS];

/* What a computed source keeps; each thread has its own. */
struct number_state {
	uint32_t	st_word[NUMBER_STATE];
};

struct number_batch {
	uint64_t	nb_reads;	/* to be made, at least 1 */
	uint64_t	nb_last;	/* the last number */
	uint64_t	nb_failures;	/* reads that gave none are added */
};

/*
 * Reads numbers, one after the other; a read that fails is repeated after
 * NUMBER_PAUSES pause instructions.
 *
 *   st  in/out
 *   nb  in/out  nb_reads in; the others out
 *
 * Returns: 0, or EIO after NUMBER_TRIES failures in a row.
 */
typedef int number_batcher(struct number_state *st, struct number_batch *nb);

/*
 * What a source offers.
 *
 * ns_has	whether this machine has it; NULL: every machine.
 * ns_init	makes the state that its published numbers begin from; NULL
 *		where none is kept.
 * ns_batch	by width; NULL where a read of that width does not exist.
 * ns_known	the first numbers, by publication; NULL where none can be known.
 */
struct number_source {
	const char	*ns_name;
	const char	*ns_descr;	/* one line for listings */
	bool		 ns_hardware;
	bool		(*ns_has)(void);
	void		(*ns_init)(struct number_state *st);
	number_batcher	*ns_batch[NUMBER_WIDTHS];
	const uint32_t	*ns_known;	/* NUMBER_FIRST of them */
};

/* The family, in table order. */
extern const struct number_source *const number_sources[];
extern const unsigned number_source_count;

/* The source called name; NULL when there is none. */
const struct number_source *number_source_find(const char *name);

/* Whether this machine has it. */
bool number_source_has(const struct number_source *ns);

/*
 * Reads the first numbers and checks them: against the published ones, or,
 * where none can be known, that they are not all the same.
 *
 *   first  out  NUMBER_FIRST numbers; as far as they came
 *
 * Returns: 0; ENOTSUP when this machine has no such source, and nothing was
 * tried; EIO when there was no number; EILSEQ when the numbers are wrong.
 */
int number_source_check(const struct number_source *ns,
    enum number_width width, uint64_t first[NUMBER_FIRST]);

/*
 * Makes the compiler believe that v, a variable, is used and becomes another:
 * no number can be left out, nor several computed in one step.
 */
#define	NUMBER_KEEP(v)	__asm__ volatile("" : "+r"(v))

/*
 * Defines a number_batcher.
 *
 *   type  of the numbers
 *   step  bool step(struct number_state *st, type *v): false when there is
 *	   none; to be inlined
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

/* The same for an instruction that needs no state: bool insn(type *v). */
#define	NUMBER_INSN_LOOP(name, type, insn)				\
static inline bool							\
name##_step(struct number_state *st, type *v)				\
{									\
									\
	(void)st;							\
	return (insn(v));						\
}									\
									\
NUMBER_LOOP(name, type, name##_step)

#define	NUMBERS(name)	extern const struct number_source number_##name;
#include "bench/sources/numbers.tbl"
#undef NUMBERS

#endif
