#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/cli/stop.h"
#include "bench/survey/window.h"
#include "lib/machine/machine.h"
#include "lib/machine/tick.h"

enum {
	WINDOW_APART	= 128,	/* bytes: lines are fetched in pairs */
	WINDOW_BATCH_MAX = 1 << 24	/* operations */
};

/* The time of a batch: long against reading the clock between batches. */
static const int64_t window_batch_ns = 10 * NS_PER_US;

/* Shared by all threads; written before and while they start. */
struct window {
	const struct window_task *wi_task;
	int64_t		 wi_warmup_ns;
	int64_t		 wi_ns;
	_Alignas(WINDOW_APART)
	struct m32	 wi_ready;	/* threads that are warm */
	_Alignas(WINDOW_APART)
	struct m64	 wi_end;	/* tick_ns(); written before wi_go */
	struct m32	 wi_go;
};

struct worker {
	_Alignas(WINDOW_APART)
	struct mthread	 ww_thread;
	struct window	*ww_window;
	struct window_state ww_state;
	struct window_batch ww_batch;
	uint64_t	 ww_count;	/* of operations in the window */
	int64_t		 ww_end_ns;
	int64_t		 ww_cpu_ns;	/* CPU time in the window */
	int		 ww_error;
};

/*
 * Repeats batches until a time, at least one.
 *
 *   grow  in  make batches larger that take less than window_batch_ns
 */
static void
repeat(struct worker *ww, int64_t end_ns, bool grow)
{
	struct window_batch *wb = &ww->ww_batch;
	int64_t before_ns, now_ns = tick_ns();

	ww->ww_count = wb->wb_failures = 0;
	do {
		before_ns = now_ns;
		ww->ww_error = ww->ww_window->wi_task->wt_batch(&ww->ww_state,
		    wb);
		ww->ww_count += wb->wb_count;
		now_ns = tick_ns();
		if (grow && now_ns - before_ns < window_batch_ns &&
		    wb->wb_count < WINDOW_BATCH_MAX)
			wb->wb_count *= 2;
	} while (ww->ww_error == 0 && now_ns < end_ns && !stop_asked());
	ww->ww_end_ns = now_ns;
}

/* The last thread that is warm starts the window. */
static void
wait_for_start(struct window *wi)
{
	const unsigned threads = wi->wi_task->wt_threads;

	if (atomic_fetchadd_rel_32(&wi->wi_ready, 1) + 1 == threads) {
		atomic_store_64(&wi->wi_end, (uint64_t)(tick_ns() + wi->wi_ns));
		atomic_store_rel_32(&wi->wi_go, 1);
	}
	/* With a CPU of its own it spins: after a yield it starts late. */
	while (atomic_load_acq_32(&wi->wi_go) == 0)
		if (threads > machine_cpus())
			machine_yield();
		else
			machine_pause(1);
}

static void
work(void *arg)
{
	struct worker *ww = arg;
	struct window *wi = ww->ww_window;
	int64_t cpu_ns;

	repeat(ww, tick_ns() + wi->wi_warmup_ns, true);
	wait_for_start(wi);
	if (ww->ww_error != 0)
		return;
	cpu_ns = machine_thread_cpu_ns(&ww->ww_thread);
	repeat(ww, (int64_t)atomic_load_64(&wi->wi_end), false);
	ww->ww_cpu_ns = machine_thread_cpu_ns(&ww->ww_thread) - cpu_ns;
}

/* Starts the threads; when one is refused, those started end at once. */
static int
start_all(struct window *wi, struct worker *workers, unsigned *started)
{
	const struct window_task *wt = wi->wi_task;
	char name[32];
	int error = 0;

	for (unsigned i = 0; i < wt->wt_threads && error == 0; i++) {
		struct worker *ww = &workers[i];

		snprintf(name, sizeof(name), "survey %u", i);
		ww->ww_window = wi;
		ww->ww_state = wt->wt_state;
		ww->ww_batch.wb_count = 1;
		error = machine_spawn(&ww->ww_thread, name,
		    (int)(i % machine_cpus()), work, ww);
		*started += error == 0;
	}
	if (error != 0)
		atomic_store_rel_32(&wi->wi_go, 1);
	return (error);
}

int
window_measure(const struct window_task *wt, int64_t warmup_ns,
    int64_t window_ns, struct window_sample *wm)
{
	struct window wi = { .wi_task = wt, .wi_warmup_ns = warmup_ns,
	    .wi_ns = window_ns };
	int64_t begin_ns, cpu_ns = 0, end_ns = 0;
	struct worker *workers, *ww;
	unsigned started = 0;
	int error;

	KASSERT(wt->wt_threads > 0 && window_ns > 0, ("%u threads",
	    wt->wt_threads));
	*wm = (struct window_sample){ .wm_count = 0 };
	workers = xaligned(WINDOW_APART, wt->wt_threads * sizeof(*workers));
	atomic_init_32(&wi.wi_ready, 0);
	atomic_init_32(&wi.wi_go, 0);
	atomic_init_64(&wi.wi_end, 0);
	error = start_all(&wi, workers, &started);
	for (ww = workers; ww < workers + started; ww++) {
		machine_join(&ww->ww_thread);
		error = error != 0 ? error : ww->ww_error;
		end_ns = ww->ww_end_ns > end_ns ? ww->ww_end_ns : end_ns;
		cpu_ns += ww->ww_cpu_ns;
		wm->wm_count += ww->ww_count;
		wm->wm_failures += ww->ww_batch.wb_failures;
		wm->wm_unbound |= !ww->ww_thread.mt_bound;
	}
	begin_ns = (int64_t)atomic_load_64(&wi.wi_end) - window_ns;
	wm->wm_window_s = (double)(end_ns - begin_ns) / (double)NS_PER_S;
	wm->wm_cpu_s = (double)cpu_ns / (double)NS_PER_S;
	free(workers);
	return (error);
}
