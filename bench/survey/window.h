/*
 * A window of time in which threads repeat an operation.
 */
#ifndef BENCH_SURVEY_WINDOW_H
#define BENCH_SURVEY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum { WINDOW_WORDS = 4 };

/* What a thread's operations work on. */
struct window_state {
	uint32_t	 wn_word[WINDOW_WORDS];
	void		*wn_object;
};

struct window_batch {
	uint64_t	wb_count;	/* in: operations to do, at least 1 */
	uint64_t	wb_last;	/* out: the last number, of sources */
	uint64_t	wb_failures;	/* failed attempts are added */
};

/* Does the operations of a batch.  Returns: 0, or EIO: no more can be done. */
typedef int window_batcher(struct window_state *wn, struct window_batch *wb);

struct window_task {
	window_batcher	*wt_batch;
	struct window_state wt_state;	/* each thread begins with a copy */
	unsigned	 wt_threads;	/* bound to CPUs, in turn */
};

/* All threads together. */
struct window_sample {
	double		wm_window_s;
	double		wm_cpu_s;	/* CPU time in the window */
	uint64_t	wm_count;	/* of operations */
	uint64_t	wm_failures;
	bool		wm_unbound;	/* binding a thread was refused */
};

/*
 * Starts threads that work for warmup_ns, and then, all together, for
 * window_ns.  A signal shortens it.
 *
 * Returns: 0; EIO when no more could be done; else the system's error.
 */
int window_measure(const struct window_task *wt, int64_t warmup_ns,
    int64_t window_ns, struct window_sample *wm);

#endif
