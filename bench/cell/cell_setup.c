/*
 * Making and unmaking the parts of a cell, in dependency order.
 */
#include <stdlib.h>

#include "bench/cell/cell_run.h"
#include "bench/cell/prime.h"
#include "bench/cli/memory.h"

enum { READER_ALIGN_BYTES = 4096 };

static unsigned
thread_count(const struct cell_run *run)
{
	return (index_harvest(run) + 1 + run->run_producer_count + 1);
}

/* The number of producers is not known before the queue: allow for all. */
static struct lock_config
for_all_threads(const struct cell_run *run, struct lock_config config)
{
	config.threads = index_harvest(run) + 1 + RANDOM_SOURCES + 1;
	return (config);
}

/* Whether readers' buffers get bytes. */
static bool
makes_bytes(const struct cell_run *run)
{
	return (!MACHINE_SIMULATED || run->run_params->cp_bytes);
}

/* Whether the bytes of a simulated run are compared by their hashes. */
static bool
hashes_bytes(const struct cell_run *run)
{
	return (MACHINE_SIMULATED && run->run_params->cp_bytes);
}

/* A run's i-th ledger; NULL: it has none. */
static struct ledger *
ledger_at(const struct cell_run *run, unsigned i)
{
	return (i < run->run_ledgers->cw_count ?
	    run->run_ledgers->cw_ledger[i] : NULL);
}

static int
make_generator(struct cell_run *run, struct ledger *lg, struct generator **g)
{
	const struct cell *ce = &run->run_params->cp_cell;
	const struct bench_config *bc = run->run_params->cp_config;
	struct generator_params gp = {
		.gp_cipher = makes_bytes(run) ? ce->ce_cipher :
		    cipher_stub(ce->ce_cipher),
		.gp_lock = lock_class_find(ce->ce_lock),
		.gp_lock_config = for_all_threads(run, bc->bc_lock),
		.gp_prof = &run->run_prof,
		.gp_config = bc->bc_generator,
	};
	int error;

	if (run->run_faults != NULL)
		failpoints_generator(run->run_faults, &gp);
	if (lg != NULL)
		gp.gp_cipher = ledger_cipher(lg, gp.gp_cipher);
	error = generator_new(generator_find(ce->ce_design), g, &gp);
	if (error != 0)
		return (cell_fail(run, error, "cannot make design %s with lock "
		    "%s: %s", ce->ce_design, ce->ce_lock, strerror(error)));
	return (0);
}

/* The seed of boot entropy; NULL: the host's generator. */
static const uint64_t *
boot_seed(const struct cell_run *run)
{
	return (MACHINE_SIMULATED ? &run->run_params->cp_seed : NULL);
}

/* Boot entropy, as from a boot loader. */
static int
prime(struct cell_run *run)
{
	size_t n = run->run_params->cp_config->bc_harvest.boot_entropy_bytes;
	uint8_t *bytes;
	int error;

	if (n == 0)
		return (0);
	bytes = xmalloc(n);
	error = prime_fill(bytes, n, boot_seed(run));
	if (error != 0) {
		free(bytes);
		return (cell_fail(run, error, "the host's generator gave no "
		    "boot entropy: %s", strerror(error)));
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
		/* What -S sets is Fortuna's. */
		.hp_lock_config = for_all_threads(run,
		    lock_config_default(machine_cpus())),
		.hp_prof = &run->run_hprof,
		.hp_error = &why,
		.hp_ledger = ledger_at(run, 0),
	};
	int error;

	if (run->run_faults != NULL)
		failpoints_queue(run->run_faults, &hp);
	error = harvestq_init(&run->run_hq, &hp);
	if (error != 0)
		return (cell_fail(run, error, "%s", why.text));
	run->run_dev.rd_read_rate = harvestq_read_rate(run->run_hq);
	return (prime(run));
}

/*
 * The device of a reader.  With a lock that does not exclude, each reader has
 * its own, seeded like the shared one: the cell shows the rate without sharing.
 */
static int
setup_device(struct cell_run *run, struct reader *r)
{
	const struct cell_params *cp = run->run_params;
	int error;

	r->r_dev = run->run_dev;
	if (!cell_apart(cp->cp_cell.ce_design, cp->cp_cell.ce_lock))
		return (0);
	r->r_dev.rd_generator = NULL;
	r->r_dev.rd_ledger = ledger_at(run, 1 + r->r_index);
	error = make_generator(run, r->r_dev.rd_ledger, &r->r_dev.rd_generator);
	if (error != 0)
		return (error);
	error = prime_generator(r->r_dev.rd_generator,
	    cp->cp_config->bc_harvest.boot_entropy_bytes, boot_seed(run));
	if (error != 0)
		return (cell_fail(run, error, "no boot entropy for "
		    "reader %u: %s", r->r_index, strerror(error)));
	/* Nothing else feeds it. */
	if (!r->r_dev.rd_generator->g_algorithm->ra_seeded(
	    r->r_dev.rd_generator))
		return (cell_unseeded(run, r->r_dev.rd_generator, 0));
	return (0);
}

/* Readers share one buffer where no bytes are made. */
static void
setup_buffer(struct cell_run *run, struct reader *r, size_t bytes)
{
	r->r_buf_bytes = bytes;
	r->r_buf = run->run_buf;
	if (r->r_buf != NULL)
		return;
	/* Touched here, not in the window. */
	r->r_buf = xaligned(READER_ALIGN_BYTES, bytes);
	if (!makes_bytes(run))
		run->run_buf = r->r_buf;
}

static int
setup_reader(struct cell_run *run, unsigned i)
{
	const struct cell *ce = &run->run_params->cp_cell;
	size_t bytes = (size_t)ce->ce_request_bytes;
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
	if (ce->ce_workload != NULL)
		bytes = (size_t)workload_max_bytes(ce->ce_workload,
		    ce->ce_request_bytes);
	setup_buffer(run, r, bytes);
	if (hashes_bytes(run)) {
		r->r_hashed = digest_init(&r->r_digest) == 0;
		if (!r->r_hashed)
			return (ENOMEM);
	}
	error = generator_reader_init(g, &r->r_gr);
	if (error != 0)
		return (cell_fail(run, error, "cannot make reader %u: %s", i,
		    strerror(error)));
	r->r_made = true;
	return (0);
}

static int
setup_readers(struct cell_run *run)
{
	unsigned n = run->run_params->cp_cell.ce_readers;
	int error;

	run->run_readers = xaligned(MACHINE_CACHE_LINE, n *
	    sizeof(*run->run_readers));
	for (unsigned i = 0; i < n; i++) {
		error = setup_reader(run, i);
		if (error != 0)
			return (error);
	}
	return (0);
}

static void
alloc_measure(const struct cell_run *run, struct cell_measure *cm)
{
	unsigned n = index_harvest(run);
	struct result_sample *rs = &cm->cm_sample;

	memset(cm, 0, sizeof(*cm));
	rs->reader_mb_per_s = xcalloc(n, sizeof(double));
	rs->reader_cpu = xcalloc(n, sizeof(unsigned));
	rs->interval_mb_per_s = xcalloc(CELL_INTERVALS, sizeof(double));
	cm->cm_rows = xcalloc(CELL_LOCKS * LOCKPROF_SITES_MAX * CELL_ROLES,
	    sizeof(*cm->cm_rows));
	cm->cm_waits = xcalloc(CELL_LOCKS * LOCKPROF_SITES_MAX *
	    LOCKPROF_SITES_MAX * CELL_ROLES, sizeof(*cm->cm_waits));
	if (hashes_bytes(run))
		rs->output_sha256 = xcalloc(n, sizeof(*rs->output_sha256));
}

/* No pause is longer than the run without fail points. */
static void
make_faults(struct cell_run *run)
{
	const struct cell_params *cp = run->run_params;
	const struct program_config *pc = &cp->cp_config->bc_program;

	if (cp->cp_faults == NULL)
		return;
	run->run_faults = &run->run_fault_points;
	failpoints_make(run->run_faults, cp->cp_faults,
	    &FLAVOURED(failpoint_machine), cp->cp_seed,
	    (int64_t)(pc->seed_timeout_ms + pc->warmup_ms) * NS_PER_MS +
	    (int64_t)(cp->cp_time_s * 1e9));
}

int
cell_setup(struct cell_run *run, struct cell_measure *cm)
{
	const struct random_algorithm *ra = generator_find(
	    run->run_params->cp_cell.ce_design);
	int error;

	make_faults(run);
	alloc_measure(run, cm);
	error = make_generator(run, ledger_at(run, 0),
	    &run->run_dev.rd_generator);
	run->run_dev.rd_ledger = ledger_at(run, 0);
	if (error == 0)
		error = setup_harvest(run);
	if (error != 0)
		return (error);
	run->run_producer_count = run->run_hq->hq_producers;
	MPASS(thread_count(run) <=
	    for_all_threads(run, lock_config_default(1)).threads);
	run->run_producers = xaligned(MACHINE_CACHE_LINE,
	    (run->run_producer_count + 1) * sizeof(*run->run_producers));
	run->run_hold = xcalloc(index_harvest(run), sizeof(*run->run_hold));
	if (lockprof_init(&run->run_prof, thread_count(run),
	    generator_sites(ra), generator_site_names_of(ra)) != 0 ||
	    lockprof_init(&run->run_hprof, thread_count(run), HARVEST_SITES,
	    harvest_site_names) != 0)
		return (ENOMEM);
	run->run_prof.lp_skipcount = run->run_hprof.lp_skipcount =
	    run->run_params->cp_config->bc_lock.prof_skipcount;
	run->run_main.mt_index = thread_count(run) - 1;
	return (setup_readers(run));
}

static void
teardown_reader(struct cell_run *run, struct reader *r)
{
	struct generator *g = r->r_dev.rd_generator;

	if (r->r_made)
		generator_reader_fini(g, &r->r_gr);
	if (r->r_hashed)
		digest_fini(&r->r_digest);
	if (r->r_buf != NULL && r->r_buf != run->run_buf) {
		wipe(r->r_buf, r->r_buf_bytes);
		free(r->r_buf);
	}
	if (g != NULL && g != run->run_dev.rd_generator)
		generator_free(g);
}

void
cell_teardown(struct cell_run *run)
{
	struct generator *g = run->run_dev.rd_generator;
	unsigned n = run->run_params->cp_cell.ce_readers;

	for (unsigned i = 0; run->run_readers != NULL && i < n; i++)
		teardown_reader(run, &run->run_readers[i]);
	free(run->run_readers);
	free(run->run_buf);
	free(run->run_producers);
	free(run->run_hold);
	if (run->run_hq != NULL) {
		run->run_ledgers->cw_totals = harvestq_totals(run->run_hq);
		run->run_ledgers->cw_ended = true;
		harvestq_fini(run->run_hq);
	}
	if (g != NULL)
		generator_free(g);
	lockprof_fini(&run->run_hprof);
	lockprof_fini(&run->run_prof);
}
