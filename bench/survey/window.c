/*
 * One window of time in which threads read numbers.
 */
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/cli/stop.h"
#include "bench/survey/sources.h"
#include "lib/machine/tick.h"

enum {
	WINDOW_APART	= 128,	/* bytes: lines are fetched in pairs */
	WINDOW_READS_MAX = 1 << 24	/* of a batch */
};

/* The time of a batch: long against reading the clock between batches. */
static const int64_t window_batch_ns = 10 * NS_PER_US;

/* Shared by all threads; written before and while they start. */
struct window {
	number_batcher	*wi_batch;
	unsigned	 wi_threads;
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
	struct mthread	 wk_thread;
	struct window	*wk_window;
	struct number_state wk_state;
	int64_t		 wk_end_ns;
	int64_t		 wk_cpu_ns;	/* CPU time in the window */
	uint64_t	 wk_reads;
	uint64_t	 wk_failures;
	int		 wk_error;
};

/* Reads unmeasured, and finds how many reads make a batch. */
static int
warm_up(struct worker *wk, uint64_t *reads)
{
	struct number_batch nb = { .nb_reads = 1 };
	int64_t before, end, now;
	int error;

	end = tick_ns() + wk->wk_window->wi_warmup_ns;
	do {
		before = tick_ns();
		error = wk->wk_window->wi_batch(&wk->wk_state, &nb);
		now = tick_ns();
		if (error == 0 && now - before < window_batch_ns &&
		    nb.nb_reads < WINDOW_READS_MAX)
			nb.nb_reads *= 2;
	} while (error == 0 && now < end && !stop_asked());
	*reads = nb.nb_reads;
	return (error);
}

/* The last thread that is warm starts the window. */
static void
wait_for_start(struct window *wi)
{
	if (atomic_fetchadd_rel_32(&wi->wi_ready, 1) + 1 == wi->wi_threads) {
		atomic_store_64(&wi->wi_end, (uint64_t)(tick_ns() + wi->wi_ns));
		atomic_store_rel_32(&wi->wi_go, 1);
	}
	/* With a CPU of its own it spins: after a yield it starts late. */
	while (atomic_load_acq_32(&wi->wi_go) == 0)
		if (wi->wi_threads > machine_cpus())
			machine_yield();
		else
			machine_pause(1);
}

static void
work(void *arg)
{
	struct worker *wk = arg;
	struct window *wi = wk->wk_window;
	struct number_batch nb = { .nb_reads = 1 };
	uint64_t reads = 0;
	int64_t cpu, end, now;
	int error;

	error = warm_up(wk, &nb.nb_reads);
	wait_for_start(wi);
	end = (int64_t)atomic_load_64(&wi->wi_end);
	cpu = machine_thread_cpu_ns(&wk->wk_thread);
	now = tick_ns();
	/* At least one batch, even after a thread that was not scheduled. */
	while (error == 0 && (reads == 0 || now < end) && !stop_asked()) {
		error = wi->wi_batch(&wk->wk_state, &nb);
		reads += nb.nb_reads;
		now = tick_ns();
	}
	wk->wk_end_ns = now;
	wk->wk_cpu_ns = machine_thread_cpu_ns(&wk->wk_thread) - cpu;
	wk->wk_reads = reads;
	wk->wk_failures = nb.nb_failures;
	wk->wk_error = error;
}

/* Starts the threads; when one is refused, those started end at once. */
static int
start_all(struct window *wi, const struct number_source *ns,
    struct worker *workers, unsigned *started)
{
	char name[32];
	int error = 0;

	for (unsigned i = 0; i < wi->wi_threads && error == 0; i++) {
		snprintf(name, sizeof(name), "src %u", i);
		workers[i].wk_window = wi;
		if (ns->ns_init != NULL)
			ns->ns_init(&workers[i].wk_state);
		error = machine_spawn(&workers[i].wk_thread, name,
		    (int)(i % machine_cpus()), work, &workers[i]);
		*started += error == 0;
	}
	if (error != 0)
		atomic_store_rel_32(&wi->wi_go, 1);
	return (error);
}

static void
add_up(struct window *wi, const struct worker *workers,
    struct sources_sample *sm)
{
	const int64_t begin = (int64_t)atomic_load_64(&wi->wi_end) - wi->wi_ns;
	int64_t cpu = 0, end = begin;

	sm->ss_reads = sm->ss_failures = 0;
	for (unsigned i = 0; i < wi->wi_threads; i++) {
		const struct worker *wk = &workers[i];

		end = wk->wk_end_ns > end ? wk->wk_end_ns : end;
		cpu += wk->wk_cpu_ns;
		sm->ss_reads += wk->wk_reads;
		sm->ss_failures += wk->wk_failures;
	}
	sm->ss_window_s = (double)(end - begin) / (double)NS_PER_S;
	sm->ss_cpu_s = (double)cpu / (double)NS_PER_S;
}

int
window_measure(const struct number_source *ns, enum number_width width,
    unsigned threads, int64_t warmup_ns, int64_t window_ns,
    struct sources_sample *sm, bool *unbound)
{
	struct window wi = { .wi_batch = ns->ns_batch[width],
	    .wi_threads = threads, .wi_warmup_ns = warmup_ns,
	    .wi_ns = window_ns };
	struct worker *workers;
	unsigned i, started = 0;
	int error;

	KASSERT(threads > 0 && window_ns > 0, ("%u threads", threads));
	workers = xaligned(WINDOW_APART, threads * sizeof(*workers));
	atomic_init_32(&wi.wi_ready, 0);
	atomic_init_32(&wi.wi_go, 0);
	atomic_init_64(&wi.wi_end, 0);
	error = start_all(&wi, ns, workers, &started);
	for (i = 0; i < started; i++) {
		machine_join(&workers[i].wk_thread);
		*unbound |= !workers[i].wk_thread.mt_bound;
		if (error == 0)
			error = workers[i].wk_error;
	}
	if (error == 0)
		add_up(&wi, workers, sm);
	free(workers);
	return (error);
}
