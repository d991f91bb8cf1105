/* The last events of one execution, as text and as a picture. */
#pragma once

#include "bench/cli/format.h"
#include "lib/ledger/ledger.h"

enum {
	EVENT_TRACE_EVENTS	= 40,
	EVENT_TRACE_TEXT_SIZE	= 28,
	EVENT_TRACE_THREADS_MAX	= 16,
	EVENT_TRACE_NAME_SIZE	= 16,
	EVENT_TRACE_LOCKS_MAX	= 64
};

struct trace_event {
	uint64_t	te_step;
	unsigned	te_thread;	/* 0: the setup thread */
	char		te_text[EVENT_TRACE_TEXT_SIZE];
};

struct event_trace {
	struct trace_event	et_event[EVENT_TRACE_EVENTS];	/* a ring */
	unsigned	 et_count;	/* events ever added */
	char		 et_name[EVENT_TRACE_THREADS_MAX]
			    [EVENT_TRACE_NAME_SIZE];
	const char	*et_lock[EVENT_TRACE_LOCKS_MAX];	/* names */
	unsigned	 et_locks;
	/* The step from which nothing ends well, and a line on it; or 0. */
	uint64_t	 et_lost;
	char		 et_lost_text[FORMAT_COLUMNS];
};

/* With NULL nothing is added. */
void event_trace_add(struct event_trace *et, uint64_t step, unsigned thread,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

void event_trace_add_record(struct event_trace *et, uint64_t step,
    const struct ledger_record *lr);

/* Prints a column for each thread, no line longer than FORMAT_COLUMNS. */
void event_trace_print(FILE *out, const struct event_trace *et);

/* Draws them on a page, time downwards, with bars for the locks. */
void event_trace_draw(FILE *out, const struct event_trace *et);
