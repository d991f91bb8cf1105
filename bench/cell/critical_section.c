#include "bench/cell/critical_section.h"

enum { WINDOW_MAX = 64 };	/* times se_time_s */

struct worker {
	_Alignas(MACHINE_CACHE_LINE) struct m64 wk_count;
	uint64_t	 wk_start;	/* wk_count when the window began */
	struct section_run *wk_run;
	uint64_t	 wk_random;
	unsigned	 wk_cpu;	/* rank */
	struct mthread	 wk_td;
};

struct section_run {
	const struct critical_section *sr_section;
	struct critical_section_outcome *sr_outcome;
	unsigned	 sr_started;
	int		 sr_error;
	struct lock	 sr_lock;
	char		 sr_data;	/* stands for what the lock guards */
	struct mthread	 sr_main;
	struct m32	 sr_stop;
	_Alignas(MACHINE_CACHE_LINE)
	struct m64	 sr_common;	/* written by all */
	struct worker	 sr_workers[];
};

static uint64_t
duration_ns(struct worker *wk, double mean_ns)
{
	return ((uint64_t)llround(wk->wk_run->sr_section->se_exponential ?
	    splitmix_exponential(&wk->wk_random) * mean_ns : mean_ns));
}

/* Writes as many times as the mean, of which *left were left before. */
static void
write_common(struct section_run *sr, double mean, double *left)
{
	for (*left += mean; *left >= 1; *left -= 1)
		atomic_fetchadd_64(&sr->sr_common, 1);
}

static void
worker_main(void *arg)
{
	struct worker *wk = arg;
	struct section_run *sr = wk->wk_run;
	const struct critical_section *se = sr->sr_section;
	double before = 0, common = 0;
	struct lock_node node;
	uint64_t count = 0;

	machine_curthread()->mt_index = (unsigned)(wk - sr->sr_workers);
	while (machine_note_load_32(&sr->sr_stop) == 0) {
		machine_work(duration_ns(wk, se->se_think_ns));
		write_common(sr, se->se_common_before, &before);
		lock_acquire(&sr->sr_lock, &node, 0);
		if (se->se_lines > 0)
			machine_touch(&sr->sr_data, se->se_lines);
		write_common(sr, se->se_common_writes, &common);
		machine_work(duration_ns(wk, se->se_hold_ns));
		lock_release(&sr->sr_lock, &node);
		machine_note_store_64(&wk->wk_count, ++count);
	}
}

/* Each thread's count in the window, and their sum. */
static void
tally(struct section_run *sr)
{
	struct critical_section_outcome *so = sr->sr_outcome;

	so->so_count = 0;
	for (unsigned i = 0; i < sr->sr_section->se_threads; i++) {
		so->so_thread[i] = machine_note_load_64(
		    &sr->sr_workers[i].wk_count) - sr->sr_workers[i].wk_start;
		so->so_count += so->so_thread[i];
	}
}

static int
run_workers(struct section_run *sr)
{
	const struct critical_section *se = sr->sr_section;
	struct critical_section_outcome *so = sr->sr_outcome;
	struct worker *const all = sr->sr_workers;
	int64_t start_ns;
	unsigned k;
	int error = 0;

	/* A FIFO lock keeps the order of first arrivals, the threads'. */
	for (unsigned i = 0; i < se->se_threads; i++) {
		k = se->se_shuffled ? (unsigned)(splitmix(se->se_seed + i) %
		    (i + 1)) : i;
		all[i].wk_cpu = all[k].wk_cpu;
		all[k].wk_cpu = se->se_cpus == NULL ? i : se->se_cpus[i];
	}
	for (unsigned i = 0; error == 0 && i < se->se_threads; i++) {
		struct worker *wk = &all[i];

		wk->wk_run = sr;
		wk->wk_random = splitmix_out(splitmix_out(se->se_seed) + i);
		atomic_init_64(&wk->wk_count, 0);
		error = machine_spawn(&wk->wk_td, "section",
		    (int)wk->wk_cpu, worker_main, wk);
		sr->sr_started += error == 0;
	}
	if (error == 0) {
		machine_sleep((int64_t)(se->se_warmup_s * 1e9));
		tally(sr);
		for (unsigned i = 0; i < se->se_threads; i++)
			all[i].wk_start = so->so_thread[i];
		start_ns = machine_uptime_ns();
		for (unsigned i = 0; i < WINDOW_MAX && (i == 0 ||
		    so->so_count < se->se_least); i++) {
			machine_sleep((int64_t)(se->se_time_s * 1e9));
			tally(sr);
		}
		so->so_rate_per_s = (double)so->so_count * 1e9 /
		    (double)(machine_uptime_ns() - start_ns);
	}
	machine_note_store_32(&sr->sr_stop, 1);
	for (unsigned i = 0; i < sr->sr_started; i++)
		machine_join(&all[i].wk_td);
	return (error);
}

static void
section_main(void *arg)
{
	struct section_run *sr = arg;
	const struct critical_section *se = sr->sr_section;
	struct lock_config config = se->se_lock_config;

	machine_attach(&sr->sr_main, "section");
	atomic_init_64(&sr->sr_common, 0);
	config.threads = se->se_threads;
	lock_init(&sr->sr_lock, lock_class_find(se->se_lock), "lock", &config,
	    NULL);
	sr->sr_error = run_workers(sr);
	lock_fini(&sr->sr_lock);
	machine_detach();
}

int
virtual_critical_section_run(const struct critical_section *se,
    const struct machine_config *mc, struct critical_section_outcome *so)
{
	struct section_run *sr = xaligned(MACHINE_CACHE_LINE, sizeof(*sr) +
	    se->se_threads * sizeof(struct worker));
	int error;

	*so = (struct critical_section_outcome){ .so_thread =
	    xcalloc(se->se_threads, sizeof(*so->so_thread)) };
	MPASS(lock_class_find(se->se_lock) != NULL);
	sr->sr_section = se;
	sr->sr_outcome = so;
	atomic_init_32(&sr->sr_stop, 0);
	if ((error = machine_run(mc, section_main, sr, &so->so_machine)) == 0)
		error = sr->sr_error;
	free(sr);
	if (error != 0) {
		free(so->so_thread);
		so->so_thread = NULL;
	}
	return (error);
}
