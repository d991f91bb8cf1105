/*
 * The threads of one cell: readers, the harvest thread, event producers; and
 * the window in which they are measured.  Parts start in dependency order and
 * end in reverse.
 */
#include "bench/cell/cell_run.h"
#include "bench/cli/command.h"

enum { SEED_POLL_NS = 20 * 1000 * 1000 };

static void
harvest_main(void *arg)
{
	struct cell_run *run = arg;

	machine_curthread()->mt_index = index_harvest(run);
	machine_curthread()->mt_aside = true;
	if (run->run_params->cp_cell.ce_until_seeded)
		cell_wait_open(run);
	randomdev_harvest_run(run->run_dev);
	run->run_harvest_cpu = machine_cpu();
}

static void
producer_main(void *arg)
{
	struct producer *p = arg;

	machine_curthread()->mt_index = index_harvest(p->p_run) + 1 +
	    p->p_index;
	machine_curthread()->mt_aside = true;
	if (p->p_run->run_params->cp_cell.ce_until_seeded)
		cell_wait_open(p->p_run);
	harvest_run(&p->p_run->run_sources, p->p_index);
}

/* Starts the i-th of n threads. */
static int
start(struct cell_run *run, struct mthread *td, const char *name, int cpu,
    void (*body)(void *arg), void *arg, unsigned i, unsigned n)
{
	const int error = machine_spawn(td, name, cpu, body, arg);

	return (error == 0 ? 0 : cell_fail(run, error, "the host refused to "
	    "start thread %s, %u of %u: %s; see ulimit -u, ulimit -v and the "
	    "cgroup's pids.max", name, i + 1, n, strerror(error)));
}

static int
start_threads(struct cell_run *run)
{
	const struct pinning *place = run->run_params->cp_place;
	const unsigned events = run->run_params->cp_cell.ce_producers;
	const unsigned sources = run->run_sources.hv_producers;
	const unsigned n = index_harvest(run);
	struct producer *p;
	unsigned i;
	int error = start(run, &run->run_harvest, "rand_harvestq",
	    pinning_harvest(place, n + events), harvest_main, run, 0, 1);

	run->run_harvest_started = error == 0;
	for (; error == 0 && (i = run->run_producers_started) < sources;
	    run->run_producers_started += error == 0) {
		p = &run->run_producers[i];
		p->p_run = run;
		p->p_index = i;
		error = start(run, &p->p_td, "producer", MACHINE_CPU_ANY,
		    producer_main, p, i, sources);
	}
	for (; error == 0 && (i = run->run_started) < n;
	    run->run_started += error == 0)
		error = start(run, &run->run_readers[i].r_td,
		    FORMATF("reader%u", i), pinning_reader(place, events + i),
		    cell_reader_main, &run->run_readers[i], i, n);
	for (; error == 0 && (i = run->run_event_producers_started) < events;
	    run->run_event_producers_started += error == 0)
		error = start(run, &run->run_event_producers[i].evp_td,
		    FORMATF("producer%u", i), pinning_reader(place, i),
		    cell_producer_main, &run->run_event_producers[i], i,
		    events);
	return (error);
}

int
cell_unseeded(struct cell_run *run, struct randomdev *rd, unsigned waited_ms)
{
	const struct bench_config *bc = run->run_params->cp_config;
	struct device_status ds;

	for (unsigned i = 0; i < bc->bc_settings; i++)
		if (strcmp(bc->bc_setting[i].kv_name,
		    "kern.random.block_seeded_status") == 0 &&
		    bc->bc_setting[i].kv_value != 0)
			return (cell_fail(run, ETIMEDOUT, "never seeded: "
			    "kern.random.block_seeded_status=1 says so"));
	randomdev_status(rd, &ds);
	return (cell_fail(run, ETIMEDOUT, "never seeded in %u ms: pool 0 has "
	    "%u bytes and needs %u; add sources (rngsim.harvest.sources) or "
	    "boot entropy (rngsim.harvest.boot_entropy_bytes), or wait longer "
	    "(rngsim.seed_timeout_ms)", waited_ms, ds.ds_pool0_bytes,
	    ds.ds_pool0_needed_bytes));
}

/* EINTR when it is to end, as a signal to any thread said; EPROTO. */
static int
interrupted(const struct cell_run *run)
{
	if (__atomic_load_n(run->run_params->cp_stop, __ATOMIC_RELAXED) != 0)
		return (EINTR);
	for (unsigned i = 0; i < run->run_ledgers; i++)
		if (ledger_violated(run->run_ledger[i]))
			return (EPROTO);
	return (0);
}

/* By readers in the window. */
static uint64_t
bytes_so_far(void *arg)
{
	struct cell_run *run = arg;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < run->run_started; i++)
		bytes += machine_note_load_64(&run->run_readers[i].r_bytes);
	return (bytes);
}

/* Waits until n threads are at the barrier. */
static void
wait_ready(struct cell_run *run, unsigned n)
{
	uint32_t ready;

	while ((ready = atomic_load_acq_32(&run->run_ready)) < n)
		machine_wait_32(&run->run_ready, ready, -1);
}

/* Opens the barrier and waits until output flows. */
static int
wait_running(struct cell_run *run)
{
	const struct cell_params *cp = run->run_params;
	struct randomdev *rd = run->run_dev;
	unsigned timeout_ms = cp->cp_config->bc_program.seed_timeout_ms;
	int64_t end_ns;
	int error;

	wait_ready(run, cp->cp_cell.ce_readers + cp->cp_cell.ce_producers);
	error = slice_report(cp->cp_arm, SLICE_READY, bytes_so_far, run);
	if (error != 0)
		return (error);
	end_ns = machine_uptime_ns() + timeout_ms * NS_PER_MS;
	machine_set_32(&run->run_phase, PHASE_WARM);
	/* Devices that are not shared were seeded when they were made. */
	while (cp->cp_cell.ce_readers == 0 || run->run_readers[0].r_dev == rd) {
		/* Tries a pre_read, should no reader do so. */
		if (randomdev_seeded(rd))
			return (0);
		if ((error = interrupted(run)) != 0)
			return (error);
		if (machine_uptime_ns() >= end_ns)
			return (cell_unseeded(run, rd, timeout_ms));
		randomdev_wait_seeded(rd, SEED_POLL_NS);
	}
	return (0);
}

/* Begins or ends what is counted in the window. */
static void
window(struct cell_run *run, bool open)
{
	struct device_status ds;

	if (open)
		machine_event(VM_MARK, NULL, "window");
	else
		machine_set_32(&run->run_phase, PHASE_STOP);
	lockprof_open(&run->run_prof, open);
	randomdev_window(run->run_dev, open);
	randomdev_status(run->run_dev, &ds);
	run->run_totals[!open] = randomdev_totals(run->run_dev);
	run->run_reseeds[!open] = ds.ds_reseeds;
}

/* From boot to the first seed, until blocked readers have their bytes, too. */
static int
measure_seeding(struct cell_run *run, struct result_sample *rs)
{
	const struct cell *ce = &run->run_params->cp_cell;
	const unsigned ms =
	    run->run_params->cp_config->bc_program.seed_timeout_ms;
	const unsigned threads = ce->ce_readers + ce->ce_producers;
	struct randomdev *rd = run->run_dev;
	uint64_t seeded;
	int64_t cpu_ns, end_ns;
	uint32_t ready;
	int error;

	wait_ready(run, threads);
	window(run, true);
	cpu_ns = machine_thread_cpu_ns(&run->run_harvest);
	end_ns = machine_uptime_ns() + ms * NS_PER_MS;
	run->run_open_cycles = machine_cycles();
	machine_set_32(&run->run_phase, PHASE_MEASURE);
	while ((seeded = randomdev_seeded_cycles(rd)) == 0) {
		if ((error = interrupted(run)) != 0)
			return (error);
		if (machine_uptime_ns() >= end_ns)
			return (!randomdev_seeded(rd) ? cell_unseeded(run, rd,
			    ms) : cell_fail(run, ETIMEDOUT, "seeded, but no "
			    "call of randomdev_unblock() in %u ms", ms));
		randomdev_wait_seeded(rd, SEED_POLL_NS);
	}
	run->run_close_cycles = seeded;
	cpu_ns = machine_thread_cpu_ns(&run->run_harvest) - cpu_ns;
	window(run, false);
	end_ns = machine_uptime_ns() + ms * NS_PER_MS;
	while ((ready = atomic_load_acq_32(&run->run_ready)) < threads +
	    ce->ce_readers) {
		if ((error = interrupted(run)) != 0)
			return (error);
		if (machine_uptime_ns() >= end_ns)
			return (!randomdev_seeded(rd) ? cell_unseeded(run, rd,
			    ms) : cell_fail(run, ETIMEDOUT, "%u of %u readers "
			    "still wait %u ms after the first seed: no thread "
			    "woke them", threads + ce->ce_readers - ready,
			    ce->ce_readers, ms));
		machine_wait_32(&run->run_ready, ready, SEED_POLL_NS);
	}
	rs->time_to_seeded_ns = fmax(1, (double)machine_cycles_to_ns(
	    machine_cycles_since(run->run_open_cycles, seeded)));
	rs->window_s = rs->time_to_seeded_ns / 1e9;
	rs->harvest.cpu_percent = fmin(100, (double)cpu_ns / 1e7 /
	    rs->window_s);
	rs->intervals = 1;
	return (0);
}

/* Sleeps to an absolute time, unless interrupted(). */
static int
sleep_until(const struct cell_run *run, int64_t end_ns)
{
	int64_t left_ns;
	int error;

	while ((error = interrupted(run)) == 0 &&
	    (left_ns = end_ns - machine_uptime_ns()) > 0)
		machine_sleep(MIN(left_ns, 50 * NS_PER_MS));
	return (error);
}

static double
mb_per_s(uint64_t bytes, int64_t ns)
{
	return (ns > 0 ? (double)bytes * 1e3 / (double)ns : 0);
}

/* The window; fills in the figures of wall-clock time. */
static int
measure(struct cell_run *run, struct result_sample *rs)
{
	const struct cell_params *cp = run->run_params;
	int64_t cpu_ns, half_ns = 0, now_ns, part_ns, start_ns, then_ns;
	uint64_t bytes = 0, half = 0, then = 0;
	double first;
	int error;

	part_ns = (int64_t)(cp->cp_time_s * 1e9 / CELL_INTERVALS);
	if ((error = sleep_until(run, machine_uptime_ns() +
	    cp->cp_config->bc_program.warmup_ms * NS_PER_MS)) != 0)
		return (error);
	window(run, true);
	cpu_ns = machine_thread_cpu_ns(&run->run_harvest);
	start_ns = then_ns = machine_uptime_ns();
	run->run_open_cycles = machine_cycles();
	machine_set_32(&run->run_phase, PHASE_MEASURE);
	(void)slice_report(cp->cp_arm, SLICE_OPEN, NULL, NULL);
	for (unsigned i = 1; i <= CELL_INTERVALS; i++) {
		if ((error = sleep_until(run, start_ns + part_ns * i)) != 0)
			return (error);
		now_ns = machine_uptime_ns();
		/* Woken late: the rest of this part is too short. */
		if (i < CELL_INTERVALS && now_ns - then_ns < part_ns / 2)
			continue;
		bytes = bytes_so_far(run);
		rs->interval_mb_per_s[rs->intervals++] = mb_per_s(bytes - then,
		    now_ns - then_ns);
		then = bytes;
		then_ns = now_ns;
		if (half_ns == 0 && i >= CELL_INTERVALS / 2) {
			half_ns = now_ns;
			half = bytes;
		}
	}
	first = mb_per_s(half, half_ns - start_ns);
	if (first > 0 && now_ns > half_ns)
		rs->drift_share = fabs(mb_per_s(bytes - half,
		    now_ns - half_ns) / first - 1);
	cpu_ns = machine_thread_cpu_ns(&run->run_harvest) - cpu_ns;
	run->run_close_cycles = machine_cycles();
	window(run, false);
	rs->window_s = (double)(now_ns - start_ns) / 1e9;
	rs->harvest.cpu_percent = 100 * (double)cpu_ns /
	    (double)(now_ns - start_ns);
	return (0);
}

/*
 * A lock that is broken, or a kernel file, may let a thread never end: then the
 * program does, as it cannot free what that thread uses.
 */
static void
watch_end(void *arg)
{
	struct cell_run *run = arg;
	const unsigned timeout_ms =
	    run->run_params->cp_config->bc_program.end_timeout_ms;
	const unsigned all = 2 * run->run_started +
	    run->run_event_producers_started;
	uint32_t phase, ready, was = 0;
	int64_t before_ns, left_ns = 0;

	while ((phase = atomic_load_acq_32(&run->run_phase)) != PHASE_ENDED) {
		ready = atomic_load_acq_32(&run->run_ready);
		if (ready + phase != was)
			left_ns = timeout_ms * NS_PER_MS;
		was = ready + phase;
		if (left_ns <= 0) {
			(void)run_error("%s not end; --engine virtual says why "
			    "(rngsim.end_timeout_ms=%u)", phase != PHASE_STOP ?
			    "the harvest thread or a source does" :
			    ready == all ? "a producer does" :
			    FORMATF("%u of %u readers do", all - ready,
			    run->run_started), timeout_ms);
			atomic_file_abort_all();
			_exit(EXIT_FAILURE);
		}
		before_ns = machine_uptime_ns();
		machine_wait_32(&run->run_phase, phase, NS_PER_S);
		/* The process may have been stopped meanwhile. */
		left_ns -= MIN(machine_uptime_ns() - before_ns, 2 * NS_PER_S);
	}
}

/* Ends all threads that were started; safe at any point of starting them. */
static void
stop_threads(struct cell_run *run)
{
	machine_set_32(&run->run_phase, PHASE_STOP);
	for (unsigned i = 0; run->run_faults != NULL && i < FAILPOINTS; i++)
		failpoint_release(&run->run_faults->fa_point[i]);
	for (unsigned i = 0; i < run->run_started; i++)
		machine_interrupt(&run->run_readers[i].r_td);
	run->run_watched = !MACHINE_SIMULATED && machine_spawn(&run->run_watch,
	    "watch", MACHINE_CPU_ANY, watch_end, run) == 0;
	for (unsigned i = 0; i < run->run_started; i++)
		machine_join(&run->run_readers[i].r_td);
	for (unsigned i = 0; i < run->run_event_producers_started; i++)
		machine_join(&run->run_event_producers[i].evp_td);
	if (run->run_watched)
		machine_set_32(&run->run_phase, PHASE_CLOSE);
	harvest_stop(&run->run_sources);
	for (unsigned i = 0; i < run->run_producers_started; i++) {
		machine_interrupt(&run->run_producers[i].p_td);
		machine_join(&run->run_producers[i].p_td);
	}
	if (run->run_harvest_started) {
		randomdev_harvest_stop(run->run_dev);
		machine_join(&run->run_harvest);
	}
}

static void
cell_main(void *arg)
{
	struct cell_run *run = arg;
	struct cell_measure *cm = run->run_measure;
	struct slice_arm *arm = run->run_params->cp_arm;
	int error;

	atomic_init_32(&run->run_phase, PHASE_START);
	atomic_init_32(&run->run_ready, 0);
	machine_attach(&run->run_main, "rngsim");
	if ((error = cell_setup(run)) == 0)
		error = start_threads(run);
	if (error == 0 && run->run_params->cp_cell.ce_until_seeded)
		error = measure_seeding(run, &cm->cm_sample);
	else if (error == 0 && (error = wait_running(run)) == 0)
		error = measure(run, &cm->cm_sample);
	(void)slice_report(arm, SLICE_CLOSING, NULL, NULL);
	stop_threads(run);
	if (error == 0)
		(void)slice_report(arm, SLICE_CLOSED, NULL, NULL);
	for (unsigned i = 0; error == 0 && i < run->run_started; i++)
		if (run->run_readers[i].r_error != 0 &&
		    !cell_left_waiting(run, i))
			error = cell_fail(run, run->run_readers[i].r_error,
			    "reader %u: %s", i,
			    strerror(run->run_readers[i].r_error));
	/* One message, whichever thread found the failure. */
	if (crypto_failed() != NULL && (error == 0 || error == EIO))
		error = cell_fail(run, EIO, "libcrypto refused to compute %s",
		    crypto_failed());
	if (error == 0 && (error =
	    record_finish(&run->run_sources.hv_record)) != 0)
		(void)cell_fail(run, error, "rngsim.harvest.record: %s",
		    strerror(error));
	if (error == 0)
		cell_collect(run);
	else
		cell_measure_free(cm);
	if (run->run_faults != NULL && (error == 0 || error == ETIMEDOUT))
		cell_collect_faults(run, &cm->cm_faults);
	cell_teardown(run);
	if (run->run_watched) {
		machine_set_32(&run->run_phase, PHASE_ENDED);
		machine_join(&run->run_watch);
	}
	machine_detach();
	run->run_status = error;
}

static int
cell_run(const struct cell_params *cp, struct cell_measure *cm,
    char error_text[CELL_ERROR_SIZE])
{
	struct cell_run *run = xaligned(MACHINE_CACHE_LINE, sizeof(*run));
	struct result_ledger seen;
	struct machine_outcome mo;
	int error, wrong;

	MPASS(cp->cp_place != NULL);
	error_text[0] = '\0';
	run->run_params = cp;
	run->run_measure = cm;
	run->run_error = error_text;
	if ((error = cell_ledgers_make(run)) == 0)
		error = machine_run(cp->cp_machine, cell_main, run, &mo);
	if (error == EDEADLK)
		snprintf(error_text, CELL_ERROR_SIZE, "%s", mo.mo_stuck);
	else if (error == 0)
		error = run->run_status;
	wrong = cell_ledgers_free(run, &seen);
	free(run);
	/* A violation may be the cause of other errors. */
	if (wrong != 0) {
		if (error == 0)
			cell_measure_free(cm);
		return (wrong);
	}
	if (error == 0) {
		cm->cm_outcome = mo;
		cm->cm_ledger = seen;
	} else if (error_text[0] == '\0')
		snprintf(error_text, CELL_ERROR_SIZE, "%s", error == EINTR ?
		    "interrupted" : strerror(error));
	return (error);
}

/* One thread without contention: shows the cost of profiling. */
static double
lock_pairs(unsigned n)
{
	struct lock_config config = lock_config_default(1);
	static const char *const site[] = { "calibration" };
	struct lockprof prof;
	struct lock_node node;
	struct lock lock;
	struct mthread td;
	int64_t ns;

	machine_attach(&td, "rngsim");
	lockprof_init(&prof, 1, 1, site);
	lock_init(&lock, lock_class_find("mtx"), "calibration", &config, &prof);
	lockprof_open(&prof, true);
	ns = -machine_uptime_ns();
	for (unsigned i = 0; i < n; i++) {
		lock_acquire(&lock, &node, 0);
		lock_release(&lock, &node);
	}
	ns += machine_uptime_ns();
	lock_fini(&lock);
	lockprof_fini(&prof);
	machine_detach();
	return ((double)ns);
}

const struct engine FLAVOURED(engine) = {
	.en_name	= MACHINE_NAME,
	.en_profiled	= LOCK_PROFILING,
	.en_simulated	= MACHINE_SIMULATED,
	.en_lock_find	= lock_class_find,
	.en_cycles_to_ns = machine_cycles_to_ns,
	.en_run		= cell_run,
	.en_lock_pairs	= lock_pairs,
};
