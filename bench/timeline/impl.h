/*
 * A timeline from inside: the slices of time it keeps, the state of threads and
 * locks during the run, and the writers; for bench/timeline/ alone.
 *
 * A thread's acts nest: its run, and within that the locks it takes, waits for
 * or holds, and its work.  An act is shown as a slice on the track of the
 * thread's CPU, while the thread has one; acts about locks also on a track of
 * the lock.  A thread that loses its CPU keeps its acts; they continue as new
 * slices when it gets a CPU again.
 *
 * A thread runs ahead of the machine's time by its deferred time, so events of
 * different threads may be slightly out of order.  A track stays in order:
 * nothing on it happens before its last event.
 */
#ifndef BENCH_TIMELINE_IMPL_H
#define BENCH_TIMELINE_IMPL_H

#include <stddef.h>
#include <stdio.h>

#include "bench/cli/atomic_file.h"
#include "bench/timeline/timeline.h"

enum {
	NAME_SIZE	= 40,
	WORDS_MAX	= 64,
	ACTS_MAX	= 1 + 16,	/* of a thread, its run included */
	HASH_SIZE	= 1 << 14,
	LOCKS_MAX	= HASH_SIZE / 2
};

#define	NONE	UINT32_MAX	/* no number of anything */

enum slice_kind {
	/* On a CPU's track; the others are nested in the first. */
	SLICE_RUN,		/* sl_about: why it ended, a word */
	SLICE_TAKE,		/* takes a free lock without waiters */
	SLICE_WAIT,		/* sl_about: the thread that holds it */
	SLICE_HOLD,
	SLICE_WORK,		/* sl_about: its kind, a word */
	/* On a lock's tracks. */
	SLICE_HELD,		/* sl_about: waiters as it began */
	SLICE_WAITER		/* sl_about: as SLICE_WAIT */
};

/*
 * Slices stand in the order in which they began on their track, enclosing ones
 * before those they enclose.  On one track they are disjoint or nested.
 * Numbers may be NONE.
 */
struct slice {
	uint64_t	 sl_start_ps;
	uint64_t	 sl_end_ps;
	enum slice_kind	 sl_kind;
	uint32_t	 sl_cpu;
	uint32_t	 sl_lock;
	uint32_t	 sl_thread;
	uint32_t	 sl_about;
	uint32_t	 sl_slot;	/* a waiter's place, from 0 */
};

struct act {
	enum slice_kind	 ac_kind;
	uint32_t	 ac_lock;
	uint32_t	 ac_about;
	uint32_t	 ac_slot;
	uint32_t	 ac_on_cpu;	/* its slices; NONE: not shown */
	uint32_t	 ac_on_lock;
	uint64_t	 ac_due_ps;	/* work: when it is done */
	uint64_t	 ac_left_ps;	/* and how much is left, off CPU */
};

struct timeline_thread {
	char		 th_name[NAME_SIZE];
	uint32_t	 th_cpu;
	uint64_t	 th_last_ps;	/* its latest event */
	unsigned	 th_acts;	/* at least 1 */
	struct act	 th_act[ACTS_MAX];
};

struct timeline_lock {
	const void	*tk_lock;
	char		 tk_given[NAME_SIZE];	/* several may have this name */
	char		 tk_name[NAME_SIZE];
	uint64_t	 tk_last_ps;	/* of its tracks */
	uint32_t	 tk_holder;	/* a thread */
	uint32_t	 tk_takers;	/* threads that found it free */
	uint32_t	 tk_waiters;
};

struct timeline_cpu {
	uint64_t	 cp_last_ps;	/* of its track */
	uint32_t	 cp_thread;	/* on it */
};

enum timeline_state {
	TIMELINE_BEFORE,	/* the span */
	TIMELINE_KEEPING,
	TIMELINE_FULL,		/* slices are only counted */
	TIMELINE_OVER
};

struct timeline {
	struct vm_observer tl_observer;
	struct atomic_file tl_file;
	bool		 tl_text;
	enum timeline_state tl_state;
	bool		 tl_marked;	/* the window opened */
	uint64_t	 tl_base_ps;	/* at this time */
	struct timeline_span tl_span;	/* absolute from then on */
	uint64_t	 tl_last_ps;	/* the latest event's time */
	uint64_t	 tl_until_ps;	/* kept to there; 0: nothing was */
	struct slice	*tl_slice;
	uint32_t	 tl_slices;
	uint32_t	 tl_slices_max;
	uint64_t	 tl_left_out;
	struct timeline_cpu *tl_cpu;
	unsigned	 tl_cpus;
	struct timeline_thread tl_thread[VM_THREADS_MAX];
	uint32_t	 tl_threads;
	struct timeline_lock tl_lock[LOCKS_MAX];
	uint32_t	 tl_locks;
	uint32_t	 tl_hash[HASH_SIZE];	/* a lock's number + 1 */
	char		 tl_word[WORDS_MAX][NAME_SIZE];
	uint32_t	 tl_words;
	const struct timeline_fact *tl_facts;
	unsigned	 tl_fact_count;
	char		 tl_fault[TIMELINE_FAULT_SIZE];
};

/* An end of a slice, in ns since the window opened. */
struct edge {
	uint64_t	ed_ns;
	uint32_t	ed_slice;
	bool		ed_start;
};

/*
 * Time in whole ns since the window opened.  Readers of the file round both a
 * slice's start and its duration to ns, and drop slices that then do not nest;
 * rounding each instant down keeps nested slices nested.
 */
static inline uint64_t
timeline_ns(const struct timeline *tl, uint64_t ps)
{

	return ((ps - tl->tl_base_ps) / 1000);
}

/* Whether a slice is at least one ns long. */
static inline bool
slice_visible(const struct timeline *tl, const struct slice *sl)
{

	return (timeline_ns(tl, sl->sl_end_ps) >
	    timeline_ns(tl, sl->sl_start_ps));
}

static inline bool
slice_on_cpu(const struct slice *sl)
{

	return (sl->sl_kind < SLICE_HELD);
}

/* Names by number; NONE has one too. */
const char *timeline_thread_name(const struct timeline *tl, uint32_t i);
const char *timeline_lock_name(const struct timeline *tl, uint32_t i);
const char *timeline_word(const struct timeline *tl, uint32_t i);

/* Sets a name, cut if need be. */
void timeline_set_name(char name[NAME_SIZE], const char *text);

/*
 * The number of a lock, and of a word, which is added if it is new.  Locks of
 * the same name get numbers behind it.
 *
 * Returns: NONE when there are LOCKS_MAX other locks; NONE for a word that is
 * NULL, and the last number for all words after WORDS_MAX.
 */
uint32_t timeline_find_lock(struct timeline *tl, const void *lock,
    const char *name);
uint32_t timeline_find_word(struct timeline *tl, const char *word);

/*
 * The ends of all visible slices of the kinds from..to, in order of time; at an
 * instant ends come before starts, and slices in their order.
 *
 *   edges  out  malloc(3)ed
 *
 * Returns: 0 or ENOMEM.
 */
int timeline_edges(const struct timeline *tl, enum slice_kind from,
    enum slice_kind to, struct edge **edges, size_t *count);

/* Nothing is kept from now on; what is under way ends. */
void timeline_finish(struct timeline *tl, uint64_t now,
    enum timeline_state state);

/* The observer's vo_note; context is the timeline. */
void timeline_note(void *context, const struct vm_note *vn);

/* Write the file; 0 or ENOMEM.  The caller checks ferror(out). */
int timeline_write_json(const struct timeline *tl, FILE *out);
int timeline_write_text(const struct timeline *tl, FILE *out);

#endif
