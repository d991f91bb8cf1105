/*
 * What a timeline knows of a run as it goes: each thread's acts, one within the
 * other, and the slices that show them on the track of the CPU it is on.  For
 * bench/timeline*.c.
 *
 * A thread that loses its CPU takes its acts along, and they go on as new
 * slices where it gets one again.
 *
 * A thread runs ahead of the machine's time by what it owes for accesses, so
 * notes of different threads may be out of order by that little.  What a track
 * shows is kept in order by letting nothing happen before what was last there.
 */
#ifndef BENCH_TIMELINE_STATE_H
#define BENCH_TIMELINE_STATE_H

#include "bench/console/outfile.h"
#include "bench/timeline/timeline_record.h"

enum { ACTS_MAX = 16 };	/* of a thread, one within the other */

/* What a thread is at, besides running. */
struct timeline_act {
	enum slice_kind	 ac_kind;
	uint32_t	 ac_lock;
	uint32_t	 ac_about;
	uint32_t	 ac_slice;	/* on the CPU's track; or NONE */
	uint64_t	 ac_due_ps;	/* work: when it is done */
	uint64_t	 ac_left_ps;	/* and what is left of it, off CPU */
};

struct timeline_thread {
	uint32_t	 th_cpu;
	uint32_t	 th_run;	/* its slice */
	uint64_t	 th_last_ps;	/* its latest note */
	uint32_t	 th_asks;	/* a lock; or NONE */
	uint32_t	 th_slot;	/* among that lock's waiters; or NONE */
	uint32_t	 th_waiter;	/* its slice there */
	unsigned	 th_acts;
	struct timeline_act th_act[ACTS_MAX];
};

struct timeline_lock {
	const void	*tk_lock;
	char		 tk_name[RECORD_NAME_SIZE];
	uint64_t	 tk_last_ps;	/* of its tracks */
	uint32_t	 tk_holder;	/* a thread; or NONE */
	uint32_t	 tk_held;	/* its slice */
	uint32_t	 tk_takers;	/* who ask and wait for nobody yet */
	uint32_t	 tk_waiters;
	uint32_t	*tk_slot;	/* threads by place; or NONE */
	uint32_t	 tk_slots;
};

enum timeline_state {
	TIMELINE_BEFORE,	/* the span */
	TIMELINE_KEEPING,
	TIMELINE_FULL,		/* only counting */
	TIMELINE_OVER
};

struct timeline {
	struct vm_observer tl_observer;
	struct outfile	 tl_file;
	bool		 tl_text;
	enum timeline_state tl_state;
	bool		 tl_marked;	/* the window opened */
	struct timeline_span tl_span;	/* absolute, once it did */
	uint64_t	 tl_last_ps;	/* latest time of any note */
	uint64_t	 tl_until_ps;	/* kept to there */
	struct record	 tl_record;
	uint64_t	*tl_cpu_ps;	/* each CPU's latest */
	uint32_t	*tl_on;		/* who is on it; or NONE */
	struct timeline_thread *tl_thread;
	uint32_t	 tl_threads;
	struct timeline_lock *tl_lock;
	uint32_t	 tl_locks;
	uint32_t	*tl_hash;	/* of locks: index + 1 */
	uint32_t	 tl_hash_size;
	char		 tl_fault[TIMELINE_FAULT_SIZE];
};

/* Something that cannot be: nothing after it can be believed. */
void timeline_fault(struct timeline *tl, uint64_t now, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A track's next instant. */
static inline uint64_t
timeline_later(uint64_t *last, uint64_t now)
{

	if (now > *last)
		*last = now;
	return (*last);
}

/* The same of the CPU that a thread is on, if it is. */
static inline uint64_t
timeline_cpu_now(struct timeline *tl, const struct timeline_thread *th,
    uint64_t now)
{

	return (th->th_cpu == RECORD_NONE ? now :
	    timeline_later(&tl->tl_cpu_ps[th->th_cpu], now));
}

/*
 * A thread begins an act within those it is at; ends the i-th, and slices of
 * those within it end and go on.
 *
 * Returns: false after timeline_fault(), where a thread is at too much.
 */
bool timeline_push(struct timeline *tl, uint64_t now, uint32_t t,
    struct timeline_act act);
void timeline_pull(struct timeline *tl, uint64_t now, uint32_t t, unsigned i);

/* A thread's run and acts become visible on its CPU; and end there. */
void timeline_show(struct timeline *tl, uint64_t now, uint32_t t);
void timeline_hide(struct timeline *tl, uint64_t now, uint32_t t);

/* The same on a lock's tracks, for its holder and for one of its waiters. */
void timeline_show_held(struct timeline *tl, uint64_t now, uint32_t lock);
void timeline_show_waiter(struct timeline *tl, uint64_t now, uint32_t lock,
    uint32_t t);

/* A slice ends, if there is one; *slice is none afterwards. */
void timeline_end(struct timeline *tl, uint64_t now, uint32_t *slice);

/* The span begins: what is under way begins with it. */
void timeline_start(struct timeline *tl, uint64_t now);

/* Nothing is kept from now; what is under way ends. */
void timeline_finish(struct timeline *tl, uint64_t now,
    enum timeline_state state);

/* The observer's vo_note; context is the timeline. */
void timeline_note(void *context, const struct vm_note *vn);

#endif
