/*
 * The threads of one cell: readers, the harvest thread, event producers; and
 * the window in which they are measured.
 *
 * Parts start in dependency order and end in reverse.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell_run.h"
#include "bench/prime.h"
#include "lib/wipe.h"

enum {
	SEED_POLL_NS		= 20 * 1000 * 1000,
	READER_ALIGN_BYTES	= 4096
};

static int __attribute__((format(printf, 3, 4)))
fail(struct cell_run *run, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(run->run_error, CELL_ERROR_SIZE, fmt, ap);
	va_end(ap);
	return (error);
}

static void
harvest_main(void *arg)
{
	struct cell_run *run = arg;

	machine_curthread()->mt_index = index_harvest(run);
	harvestq_run(run->run_hq);
}

static void
producer_main(void *arg)
{
	struct producer *p = arg;

	machine_curthread()->mt_index = index_harvest(p->p_run) + 1 +
	    p->p_index;
	harvestq_producer_run(harvestq_producer(p->p_run->run_hq, p->p_index));
}

static unsigned
thread_count(const struct cell_run *run)
{

	return (index_harvest(run) + 1 + run->run_producer_count + 1);
}

static int
make_generator(struct cell_run *run, struct generator **g)
{
	const struct cell *ce = &run->run_params->cp_cell;
	const struct bench_config *bc = run->run_params->cp_config;
	struct generator_params gp = {
		.gp_cipher = ce->ce_cipher,
		.gp_lock = lock_class_find(ce->ce_lock),
		.gp_lock_config = bc->bc_lock,
		.gp_prof = &run->run_prof,
		.gp_config = bc->bc_generator,
	};
	int error;

	error = generator_find(ce->ce_design)->ra_init(g, &gp);
	if (error != 0)
		return (fail(run, error, "cannot make design %s with lock %s: "
		    "%s", ce->ce_design, ce->ce_lock, strerror(error)));
	return (0);
}

/* The bytes that a boot loader would hand over, from the host's generator. */
static int
prime(struct cell_run *run)
{
	size_t n = run->run_params->cp_config->bc_harvest.boot_entropy_bytes;
	uint8_t *bytes;
	int error;

	if (n == 0)
		return (0);
	bytes = malloc(n);
	if (bytes == NULL)
		return (fail(run, ENOMEM, "no memory for %zu bytes of boot "
		    "entropy", n));
	error = prime_fill(bytes, n, NULL);
	if (error != 0) {
		free(bytes);
		return (fail(run, error, "the host's generator gave no boot "
		    "entropy: %s", strerror(error)));
	}
	harvestq_prime(run->run_hq, bytes, n);
	free(bytes);
	return (0);
}

static int
setup_harvest(struct cell_run *run)
{
	struct harvest_error why;
	struct harvest_params hp = {
		.hp_generator = run->run_dev.rd_generator,
		.hp_config = &run->run_params->cp_config->bc_harvest,
		.hp_lock = lock_class_find("mtx-spin"),
		.hp_lock_config = run->run_params->cp_config->bc_lock,
		.hp_prof = &run->run_hprof,
		.hp_error = &why,
	};
	int error;

	error = harvestq_init(&run->run_hq, &hp);
	if (error != 0)
		return (fail(run, error, "%s", why.text));
	run->run_dev.rd_read_rate = harvestq_read_rate(run->run_hq);
	return (prime(run));
}

/*
 * The device a reader reads.  All share one, but where the lock excludes nobody:
 * then each has its own, seeded like the shared one, and the cell shows what
 * readers would get if they had nothing to share.
 */
static int
setup_device(struct cell_run *run, struct reader *r)
{
	const struct cell_params *cp = run->run_params;
	int error;

	r->r_dev = run->run_dev;
	if ((lock_class_find(cp->cp_cell.ce_lock)->lc_flags & LC_EXCLUDES) != 0)
		return (0);
	r->r_dev.rd_generator = NULL;
	error = make_generator(run, &r->r_dev.rd_generator);
	if (error != 0)
		return (error);
	error = prime_generator(r->r_dev.rd_generator,
	    cp->cp_config->bc_harvest.boot_entropy_bytes, NULL);
	if (error != 0)
		return (fail(run, error, "no boot entropy for reader %u: %s",
		    r->r_index, strerror(error)));
	return (0);
}

/* On failure r_buf is NULL and the reader holds nothing else but its device. */
static int
setup_reader(struct cell_run *run, unsigned i)
{
	size_t bytes = (size_t)run->run_params->cp_cell.ce_request_bytes;
	struct reader *r = &run->run_readers[i];
	struct generator *g;
	int error;

	r->r_run = run;
	r->r_index = i;
	atomic_init_64(&r->r_bytes, 0);
	error = setup_device(run, r);
	if (error != 0)
		return (error);
	g = r->r_dev.rd_generator;
	r->r_buf = aligned_alloc(READER_ALIGN_BYTES,
	    (bytes + READER_ALIGN_BYTES - 1) / READER_ALIGN_BYTES *
	    READER_ALIGN_BYTES);
	if (r->r_buf == NULL)
		return (fail(run, ENOMEM, "no memory for a buffer of %zu "
		    "bytes", bytes));
	/* Touched here, not in the window. */
	memset(r->r_buf, 0, bytes);
	error = g->g_algorithm->ra_reader_init(g, &r->r_gr);
	if (error != 0) {
		free(r->r_buf);
		r->r_buf = NULL;
		return (fail(run, error, "cannot make reader %u: %s", i,
		    strerror(error)));
	}
	return (0);
}

static int
setup_readers(struct cell_run *run)
{
	unsigned i, n = run->run_params->cp_cell.ce_readers;
	int error;

	run->run_readers = aligned_alloc(_Alignof(struct reader),
	    n * sizeof(*run->run_readers));
	if (run->run_readers == NULL)
		return (fail(run, ENOMEM, "no memory for %u readers", n));
	memset(run->run_readers, 0, n * sizeof(*run->run_readers));
	for (i = 0; i < n; i++) {
		error = setup_reader(run, i);
		if (error != 0)
			return (error);
	}
	return (0);
}

static int
refused(struct cell_run *run, int error, const char *what, unsigned i,
    unsigned n)
{

	return (fail(run, error, "the host refused to start %s thread %u of "
	    "%u: %s; see ulimit -u and the cgroup's pids.max", what, i + 1, n,
	    strerror(error)));
}

static int
start_threads(struct cell_run *run)
{
	unsigned i, n = run->run_params->cp_cell.ce_readers;
	char name[32];
	int error;

	error = machine_spawn(&run->run_harvest, "rand_harvestq",
	    MACHINE_CPU_ANY, harvest_main, run);
	if (error != 0)
		return (refused(run, error, "harvest", 0, 1));
	run->run_harvest_started = true;
	for (i = 0; i < run->run_producer_count; i++) {
		run->run_producers[i].p_run = run;
		run->run_producers[i].p_index = i;
		error = machine_spawn(&run->run_producers[i].p_td, "producer",
		    MACHINE_CPU_ANY, producer_main, &run->run_producers[i]);
		if (error != 0)
			return (refused(run, error, "producer", i,
			    run->run_producer_count));
		run->run_producers_started++;
	}
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "reader%u", i);
		error = machine_spawn(&run->run_readers[i].r_td, name, (int)i,
		    cell_reader_main, &run->run_readers[i]);
		if (error != 0)
			return (refused(run, error, "reader", i, n));
		run->run_started++;
	}
	return (0);
}

static void
set_phase(struct cell_run *run, enum phase phase)
{

	atomic_store_rel_32(&run->run_phase, phase);
	machine_wake_32(&run->run_phase);
}

/* Opens the barrier and waits until output flows. */
static int
wait_running(struct cell_run *run)
{
	const struct cell_params *cp = run->run_params;
	struct generator *g = run->run_dev.rd_generator;
	unsigned timeout_ms = cp->cp_config->bc_program.seed_timeout_ms;
	struct generator_status gs;
	uint32_t ready;
	int64_t end_ns;

	while ((ready = atomic_load_acq_32(&run->run_ready)) <
	    cp->cp_cell.ce_readers)
		machine_wait_32(&run->run_ready, ready, -1);
	end_ns = machine_uptime_ns() + timeout_ms * NS_PER_MS;
	set_phase(run, PHASE_WARM);
	for (;;) {
		/* Tries a pre_read, should no reader do so. */
		if (g->g_algorithm->ra_seeded(g))
			return (0);
		if (*cp->cp_stop)
			return (fail(run, EINTR, "interrupted"));
		if (machine_uptime_ns() >= end_ns)
			break;
		g->g_algorithm->ra_wait_seeded(g, SEED_POLL_NS);
	}
	if (cp->cp_config->bc_generator.block_seeded_status)
		return (fail(run, ETIMEDOUT, "never seeded: "
		    "kern.random.block_seeded_status=1 says so"));
	g->g_algorithm->ra_status(g, &gs);
	return (fail(run, ETIMEDOUT, "never seeded in %u ms: pool 0 has %u "
	    "bytes and needs %u; add sources (rngsim.harvest.sources) or boot "
	    "entropy (rngsim.harvest.boot_entropy_bytes), or wait longer "
	    "(rngsim.seed_timeout_ms)", timeout_ms, gs.gs_pool0_bytes,
	    gs.gs_pool0_needed_bytes));
}

/* Sleeps to an absolute time, in slices that notice a stop; EINTR for one. */
static int
sleep_until(const struct cell_run *run, int64_t end_ns)
{
	int64_t left_ns;

	while ((left_ns = end_ns - machine_uptime_ns()) > 0) {
		if (*run->run_params->cp_stop)
			return (EINTR);
		machine_sleep(left_ns < 50 * NS_PER_MS ? left_ns :
		    50 * NS_PER_MS);
	}
	return (*run->run_params->cp_stop ? EINTR : 0);
}

static uint64_t
bytes_so_far(struct cell_run *run)
{
	uint64_t bytes = 0;
	unsigned i;

	for (i = 0; i < run->run_started; i++)
		bytes += atomic_load_64(&run->run_readers[i].r_bytes);
	return (bytes);
}

/* The window; fills what only the clock on the wall can tell. */
static int
measure(struct cell_run *run, struct result_sample *rs)
{
	const struct cell_params *cp = run->run_params;
	int64_t cpu_ns, start_ns, then_ns, now_ns;
	uint64_t then = 0, bytes;
	unsigned i;

	now_ns = machine_uptime_ns();
	if (sleep_until(run, now_ns +
	    cp->cp_config->bc_program.warmup_ms * NS_PER_MS) != 0)
		return (fail(run, EINTR, "interrupted"));
	lockprof_open(&run->run_prof, WINDOW);
	lockprof_open(&run->run_hprof, WINDOW);
	harvestq_stats_open(run->run_hq, WINDOW);
	cpu_ns = machine_thread_cpu_ns(&run->run_harvest);
	start_ns = then_ns = machine_uptime_ns();
	run->run_open_cycles = machine_cycles();
	set_phase(run, PHASE_MEASURE);
	for (i = 0; i < CELL_INTERVALS; i++) {
		if (sleep_until(run, start_ns + (int64_t)(cp->cp_time_s * 1e9 *
		    (i + 1) / CELL_INTERVALS)) != 0)
			return (fail(run, EINTR, "interrupted"));
		now_ns = machine_uptime_ns();
		bytes = bytes_so_far(run);
		rs->interval_mb_per_s[i] = (double)(bytes - then) * 1e3 /
		    (double)(now_ns - then_ns);
		then = bytes;
		then_ns = now_ns;
	}
	rs->intervals = CELL_INTERVALS;
	cpu_ns = machine_thread_cpu_ns(&run->run_harvest) - cpu_ns;
	run->run_close_cycles = machine_cycles();
	set_phase(run, PHASE_STOP);
	lockprof_close(&run->run_prof);
	lockprof_close(&run->run_hprof);
	harvestq_stats_close(run->run_hq);
	rs->window_s = (double)(now_ns - start_ns) / 1e9;
	rs->harvest.cpu_percent = 100 * (double)cpu_ns /
	    (double)(now_ns - start_ns);
	return (0);
}

/* Ends all threads that were started; safe at any point of starting them. */
static void
stop_threads(struct cell_run *run)
{
	unsigned i;

	set_phase(run, PHASE_STOP);
	for (i = 0; i < run->run_started; i++)
		machine_interrupt(&run->run_readers[i].r_td);
	for (i = 0; i < run->run_started; i++)
		machine_join(&run->run_readers[i].r_td);
	if (run->run_hq != NULL)
		harvestq_stop(run->run_hq);
	for (i = 0; i < run->run_producers_started; i++) {
		machine_interrupt(&run->run_producers[i].p_td);
		machine_join(&run->run_producers[i].p_td);
	}
	if (run->run_harvest_started) {
		machine_interrupt(&run->run_harvest);
		machine_join(&run->run_harvest);
	}
}

static void
teardown_reader(struct cell_run *run, struct reader *r)
{
	struct generator *g = r->r_dev.rd_generator;

	if (r->r_buf != NULL) {
		g->g_algorithm->ra_reader_fini(g, &r->r_gr);
		wipe(r->r_buf, (size_t)run->run_params->cp_cell.
		    ce_request_bytes);
		free(r->r_buf);
	}
	if (g != NULL && g != run->run_dev.rd_generator)
		g->g_algorithm->ra_fini(g);
}

static void
teardown(struct cell_run *run)
{
	struct generator *g = run->run_dev.rd_generator;
	unsigned i, n = run->run_params->cp_cell.ce_readers;

	for (i = 0; run->run_readers != NULL && i < n; i++)
		teardown_reader(run, &run->run_readers[i]);
	free(run->run_readers);
	free(run->run_producers);
	if (run->run_hq != NULL)
		harvestq_fini(run->run_hq);
	if (g != NULL)
		g->g_algorithm->ra_fini(g);
	lockprof_fini(&run->run_hprof);
	lockprof_fini(&run->run_prof);
}

static int
alloc_measure(struct cell_run *run, struct cell_measure *cm)
{
	unsigned n = index_harvest(run);
	struct result_sample *rs = &cm->cm_sample;

	memset(cm, 0, sizeof(*cm));
	rs->reader_mb_per_s = calloc(n, sizeof(double));
	rs->reader_cpu = calloc(n, sizeof(unsigned));
	rs->interval_mb_per_s = calloc(CELL_INTERVALS, sizeof(double));
	cm->cm_rows = calloc((GENERATOR_SITES + HARVEST_SITES) * CELL_ROLES,
	    sizeof(*cm->cm_rows));
	if (rs->reader_mb_per_s == NULL || rs->reader_cpu == NULL ||
	    rs->interval_mb_per_s == NULL || cm->cm_rows == NULL)
		return (fail(run, ENOMEM, "no memory for the results"));
	return (0);
}

static int
setup(struct cell_run *run, struct cell_measure *cm)
{
	int error;

	error = alloc_measure(run, cm);
	if (error == 0)
		error = make_generator(run, &run->run_dev.rd_generator);
	if (error == 0)
		error = setup_harvest(run);
	if (error != 0)
		return (error);
	run->run_producer_count = harvestq_producers(run->run_hq);
	run->run_producers = calloc(run->run_producer_count + 1,
	    sizeof(*run->run_producers));
	if (run->run_producers == NULL ||
	    lockprof_init(&run->run_prof, thread_count(run), GENERATOR_SITES,
	    generator_site_names) != 0 ||
	    lockprof_init(&run->run_hprof, thread_count(run), HARVEST_SITES,
	    harvest_site_names) != 0)
		return (fail(run, ENOMEM, "no memory for %u threads' profiles",
		    thread_count(run)));
	run->run_main.mt_index = thread_count(run) - 1;
	return (setup_readers(run));
}

static int
cell_run(const struct cell_params *cp, struct cell_measure *cm,
    char error_text[CELL_ERROR_SIZE])
{
	struct cell_run *run;
	unsigned i;
	int error;

	run = aligned_alloc(_Alignof(struct cell_run), sizeof(*run));
	if (run == NULL) {
		snprintf(error_text, CELL_ERROR_SIZE, "no memory");
		return (ENOMEM);
	}
	memset(run, 0, sizeof(*run));
	run->run_params = cp;
	run->run_error = error_text;
	atomic_init_32(&run->run_phase, PHASE_START);
	atomic_init_32(&run->run_ready, 0);
	machine_attach(&run->run_main, "rngsim");
	error = setup(run, cm);
	if (error == 0)
		error = start_threads(run);
	if (error == 0)
		error = wait_running(run);
	if (error == 0)
		error = measure(run, &cm->cm_sample);
	stop_threads(run);
	for (i = 0; error == 0 && i < run->run_started; i++)
		if (run->run_readers[i].r_error != 0)
			error = fail(run, run->run_readers[i].r_error,
			    "reader %u: %s", i,
			    strerror(run->run_readers[i].r_error));
	if (error == 0) {
		error = harvestq_record_finish(run->run_hq);
		if (error != 0)
			fail(run, error, "rngsim.harvest.record: %s",
			    strerror(error));
	}
	if (error == 0)
		cell_collect(run, cm);
	else
		cell_measure_free(cm);
	teardown(run);
	machine_detach();
	free(run);
	return (error);
}

/* One thread, no contention: what the flavours differ in is the profiling. */
static double
lock_pairs(unsigned n)
{
	struct lock_config config = lock_config_default(1);
	static const char *const site[] = { "calibration" };
	struct lockprof prof;
	struct lock_node node;
	struct lock lock;
	struct mthread td;
	int64_t start_ns;
	unsigned i;

	machine_attach(&td, "rngsim");
	if (lockprof_init(&prof, 1, 1, site) != 0 ||
	    lock_init(&lock, lock_class_find("mtx"), "calibration", &config,
	    &prof) != 0) {
		machine_detach();
		return (0);
	}
	lockprof_open(&prof, WINDOW);
	start_ns = machine_uptime_ns();
	for (i = 0; i < n; i++) {
		lock_acquire(&lock, &node, 0);
		lock_release(&lock, &node);
	}
	start_ns = machine_uptime_ns() - start_ns;
	lock_fini(&lock);
	lockprof_fini(&prof);
	machine_detach();
	return ((double)start_ns);
}

const struct engine FLAVOURED(engine) = {
	.en_name	= "real",
	.en_profiled	= LOCK_PROFILING,
	.en_run		= cell_run,
	.en_lock_pairs	= lock_pairs,
};
