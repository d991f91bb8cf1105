/*
 * Times sources of numbers: the cost of a number, and the number of threads at
 * which throughput stops growing.  Sources are rows of a table in numbers.c.  A
 * subject is one source and width of read, its ways are numbers of threads;
 * each thread has a CPU and a state of its own.
 */
#pragma once

#include "bench/survey/survey.h"

#define	SOURCES_SCHEMA	"rngsim-sources/1"

enum {
	SOURCES_THREADS_MAX = 1024,
	SOURCES_CPU_PERCENT = 95,	/* less is said to be disturbed */
	NUMBER_FIRST	= 4,	/* numbers that are checked and printed */
	NUMBER_PAUSES	= 64,	/* pause instructions before a retry */
	NUMBER_TRIES	= 100000 /* failures in a row of a dead source */
};

enum number_width { NUMBER_32, NUMBER_64, NUMBER_WIDTHS };

struct number_source {
	const char	*ns_name;
	const char	*ns_descr;	/* one line for listings */
	/* A read is an operation.  NULL: no reads of that width. */
	window_batcher	*ns_batch[NUMBER_WIDTHS];
	/* Of a CPU's instruction, whether there is one; NULL: computed. */
	bool		(*ns_has)(void);
	struct window_state ns_state;	/* of a computed source, at first */
	const uint32_t	*ns_known;	/* NUMBER_FIRST published ones; NULL */
};

extern const struct number_source number_sources[];
extern const unsigned number_source_count;

bool number_source_has(const struct number_source *ns);

/*
 * Reads the first numbers.  Returns: 0; ENOTSUP when this machine has no such
 * source or width; EIO when a read gave no number; EILSEQ when they are not the
 * published numbers, or all are the same.
 */
int number_source_check(const struct number_source *ns,
    enum number_width width, uint64_t first[NUMBER_FIRST]);

/* Keeps the compiler from dropping a number or computing two in one step. */
#define	NUMBER_KEEP(v)	__asm__ volatile("" : "+r"(v))

/*
 * Defines a window_batcher from bool step(struct window_state *wn, type *v),
 * which is inlined and returns false when a read failed.  It is repeated after
 * NUMBER_PAUSES pause instructions, up to NUMBER_TRIES times in a row.
 */
#define	NUMBER_LOOP(name, type, step)					\
static int								\
name(struct window_state *wn, struct window_batch *wb)			\
{									\
	struct window_state own = *wn;					\
	uint64_t failures = 0, i;					\
	unsigned tries = 0;						\
	type v = 0;							\
									\
	for (i = 0; i < wb->wb_count && tries < NUMBER_TRIES; i++) {	\
		for (tries = 0; !step(&own, &v);) {			\
			failures++;					\
			if (++tries == NUMBER_TRIES)			\
				break;					\
			machine_pause(NUMBER_PAUSES);			\
		}							\
		NUMBER_KEEP(v);						\
	}								\
	*wn = own;							\
	wb->wb_last = v;						\
	wb->wb_failures += failures;					\
	return (tries < NUMBER_TRIES ? 0 : EIO);			\
}

/* What a subject reads. */
struct source_reads {
	const struct number_source *nu_source;
	unsigned	 nu_bits;
	uint64_t	 nu_first[NUMBER_FIRST];	/* as far as read */
};

extern const struct survey_kind sources_kind;

/*
 * Makes a subject for each source and width that exists, with n numbers of
 * threads, ascending; checks its first numbers.
 */
void sources_make(struct survey *sv, const struct number_source *const *list,
    unsigned count, const bool width[NUMBER_WIDTHS], const unsigned *threads,
    unsigned n);
