/*
 * A timeline from inside: the events it keeps, and the state of CPUs, threads
 * and locks that they change; for bench/timeline/ alone.
 */
#ifndef BENCH_TIMELINE_IMPL_H
#define BENCH_TIMELINE_IMPL_H

#include "bench/cli/atomic_file.h"
#include "bench/timeline/timeline.h"

enum {
	NAME_SIZE	= 40,
	CPUS_MAX	= 1024,
	LOCKS_MAX	= 1 << 13,
	HOLDS_MAX	= 16	/* of a thread at once */
};

#define	NONE	UINT32_MAX	/* no number of anything */

struct thread_now {
	uint32_t	 tn_cpu;	/* or NONE */
	uint32_t	 tn_asks;	/* for this lock; or NONE */
	uint32_t	 tn_held[HOLDS_MAX];	/* locks, in order of taking */
	uint32_t	 tn_holds;
};

struct state {
	struct thread_now st_thread[VM_THREADS_MAX];
	uint32_t	 st_holder[LOCKS_MAX];	/* a thread, or NONE */
	uint32_t	 st_on[CPUS_MAX];	/* a thread, or NONE */
};

struct event {
	uint64_t	 ev_ns;		/* since the window opened */
	enum vm_event_kind ev_kind;
	uint32_t	 ev_thread;
	uint32_t	 ev_cpu;
	uint32_t	 ev_lock;
};

/* Changes the state, in which the event must be possible. */
void state_apply(struct state *st, const struct event *ev);

struct timeline {
	struct vm_observer tl_observer;
	struct atomic_file tl_file;
	bool		 tl_text;
	bool		 tl_marked;	/* the window opened */
	bool		 tl_over;	/* the span, or after a fault */
	uint64_t	 tl_base_ps;	/* when it opened */
	struct timeline_span tl_span;	/* from then on */
	uint64_t	 tl_last_ps;	/* the latest event's time */
	uint64_t	 tl_until_ps;	/* kept to there; 0: nothing was */
	struct state	 tl_state;
	struct state	 tl_first;	/* when the span began */
	struct event	*tl_event;
	uint32_t	 tl_events;
	uint32_t	 tl_events_max;
	uint64_t	 tl_left_out;
	unsigned	 tl_cpus;
	uint32_t	 tl_threads;
	uint32_t	 tl_locks;
	const void	*tl_lock[LOCKS_MAX];
	char		 tl_given[LOCKS_MAX][NAME_SIZE];
	char		 tl_lock_name[LOCKS_MAX][NAME_SIZE];
	char		 tl_thread_name[VM_THREADS_MAX][NAME_SIZE];
	char		 tl_fault[TIMELINE_FAULT_SIZE];	/* or "" */
	/* For the writers, which begin with the state in tl_first. */
	uint64_t	 tl_from_ns;
	uint64_t	 tl_until_ns;
	const struct timeline_fact *tl_facts;
	unsigned	 tl_fact_count;
};

/*
 * Write the file, from tl_first on, which they change; 0 or ENOMEM.  The caller
 * checks ferror(out).
 */
void timeline_write_json(struct timeline *tl, FILE *out);
void timeline_write_text(struct timeline *tl, FILE *out);

#endif
