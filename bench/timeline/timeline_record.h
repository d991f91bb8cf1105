/*
 * What a timeline keeps, and the forms it is written in; for bench/timeline*.c.
 *
 * Slices stand in the order in which they began on their track, enclosing ones
 * before those they enclose.  On one track they are disjoint or nested.
 */
#ifndef BENCH_TIMELINE_RECORD_H
#define BENCH_TIMELINE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/timeline/timeline.h"

enum {
	RECORD_NAME_SIZE	= 40,
	RECORD_WORDS_MAX	= 64
};

#define	RECORD_NONE	UINT32_MAX	/* no number of anything */

enum slice_kind {
	/* On a CPU's track; the latter nested in the first. */
	SLICE_RUN,		/* sl_about: why it ended, a word */
	SLICE_TAKE,		/* gets a lock that nobody has or waits for */
	SLICE_WAIT,		/* sl_about: the thread that has it */
	SLICE_HOLD,
	SLICE_WORK,		/* sl_about: what, a word */
	/* On a lock's tracks. */
	SLICE_HELD,		/* sl_about: how many waited as it began */
	SLICE_WAITER		/* sl_about: as SLICE_WAIT */
};

struct slice {
	uint64_t	 sl_start_ps;
	uint64_t	 sl_end_ps;
	enum slice_kind	 sl_kind;
	uint32_t	 sl_cpu;	/* RECORD_NONE: on none */
	uint32_t	 sl_lock;	/* RECORD_NONE: about none */
	uint32_t	 sl_thread;
	uint32_t	 sl_about;	/* or RECORD_NONE */
	uint32_t	 sl_slot;	/* a waiter's place, from 0 */
};

/* A name in a table; cut if need be. */
struct record_name {
	char		 rn_text[RECORD_NAME_SIZE];
};

struct record {
	uint64_t	 re_base_ps;	/* where time begins */
	uint64_t	 re_from_ps;
	uint64_t	 re_to_ps;
	uint64_t	 re_until_ps;	/* kept to there; 0: nothing was */
	unsigned	 re_cpus;
	struct slice	*re_slice;
	uint32_t	 re_slices;
	uint32_t	 re_slices_room;
	uint32_t	 re_slices_max;
	uint64_t	 re_left_out;
	struct record_name *re_thread;
	uint32_t	 re_threads;
	struct record_name *re_lock;
	uint32_t	 re_locks;
	struct record_name re_word[RECORD_WORDS_MAX];
	uint32_t	 re_words;
	const struct timeline_fact *re_facts;
	unsigned	 re_fact_count;
	const char	*re_fault;	/* or NULL */
};

/* An end of a slice, in ns since re_base_ps. */
struct edge {
	uint64_t	ed_ns;
	uint32_t	ed_slice;
	bool		ed_start;
};

/*
 * Time in whole ns since the record's beginning.  Readers of the file round
 * both a slice's start and its duration to ns, and drop slices which then do
 * not nest; rounding each instant down keeps what nests nested.
 */
static inline uint64_t
record_ns(const struct record *re, uint64_t ps)
{

	return ((ps - re->re_base_ps) / 1000);
}

/* Whether there is anything of a slice to be seen. */
static inline bool
slice_visible(const struct record *re, const struct slice *sl)
{

	return (record_ns(re, sl->sl_end_ps) > record_ns(re, sl->sl_start_ps));
}

static inline bool
slice_on_cpu(const struct slice *sl)
{

	return (sl->sl_kind < SLICE_HELD);
}

/*
 * Adds a slice; its end is its start until somebody knows better.
 *
 * Returns: its index; RECORD_NONE when there is no room.
 */
uint32_t record_add(struct record *re, const struct slice *sl);

/* Names by number; RECORD_NONE, and numbers nobody named, have one too. */
const char *record_thread(const struct record *re, uint32_t i);
const char *record_lock(const struct record *re, uint32_t i);
const char *record_word(const struct record *re, uint32_t i);

/* A thread has that name from now.  0 or ENOMEM. */
int record_name_thread(struct record *re, uint32_t i, const char *name);

/*
 * One more lock; locks of the same name are told apart by a number.
 *
 *   i  out
 *
 * Returns: 0 or ENOMEM.
 */
int record_name_lock(struct record *re, const char *name, uint32_t *i);

/* The number of a word; all beyond RECORD_WORDS_MAX are one. */
uint32_t record_find_word(struct record *re, const char *word);

/*
 * The ends of all visible slices of some kinds, in order of time; at an instant
 * ends come before starts, and slices in their order.
 *
 *   from, to  in   kinds
 *   edges     out  malloc(3)ed
 *
 * Returns: 0 or ENOMEM.
 */
int record_edges(const struct record *re, enum slice_kind from,
    enum slice_kind to, struct edge **edges, size_t *count);

void record_free(struct record *re);

/* Write a record; 0 or ENOMEM.  Errors of out are for the caller to ask for. */
int record_write_json(const struct record *re, FILE *out);
int record_write_text(const struct record *re, FILE *out);

#endif
