/*
 * A timeline from inside: the events it keeps, and the state of CPUs, threads
 * and locks that they change; for bench/timeline/ alone.
 */
#ifndef BENCH_TIMELINE_IMPL_H
#define BENCH_TIMELINE_IMPL_H

#include <stdbool.h>
#include <stdio.h>

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

/* What a writer needs. */
struct record {
	const struct state *rc_first;	/* when the span began */
	const struct event *rc_event;
	uint32_t	 rc_events;
	uint64_t	 rc_from_ns;
	uint64_t	 rc_until_ns;
	uint64_t	 rc_left_out;
	unsigned	 rc_cpus;
	uint32_t	 rc_threads;
	uint32_t	 rc_locks;
	const char	(*rc_thread)[NAME_SIZE];	/* names */
	const char	(*rc_lock)[NAME_SIZE];
	const struct timeline_fact *rc_facts;
	unsigned	 rc_fact_count;
	const char	*rc_fault;	/* or "" */
};

/* Write the file; 0 or ENOMEM.  The caller checks ferror(out). */
int timeline_write_json(const struct record *rc, FILE *out);
int timeline_write_text(const struct record *rc, FILE *out);

#endif
