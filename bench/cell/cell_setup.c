/* Making and unmaking the parts of a cell, in dependency order. */
#include "bench/cell/cell_run.h"

enum { READER_ALIGN_BYTES = 4096 };

static void
end_machine(void *context __unused)
{
	vm_abort(EPROTO);
}

int
cell_ledgers_make(struct cell_run *run)
{
	const struct cell_params *cp = run->run_params;
	const struct cell *ce = &cp->cp_cell;
	const struct design *de = design_find(ce->ce_design);
	const struct design_info di = design_info(de);
	struct ledger_config config = {
		.lgo_pace_ns = DESIGN_RESEED_NS, .lgo_lag = di.di_lag,
		.lgo_stored_bytes = di.di_stored_bytes,
		.lgo_keyless = (de->de_flags & DE_NULL) != 0,
		.lgo_unseen = !di.di_cored,
		.lgo_record = cp->cp_ledger_log == NULL ? NULL :
		    ledger_log_line,
		.lgo_context = cp->cp_ledger_log,
		.lgo_violated = MACHINE_SIMULATED ? end_machine : NULL,
	};
	unsigned n = 1;
	int error = 0;

	if (!cp->cp_ledger)
		return (0);
	if (cell_apart(ce->ce_design, ce->ce_lock))
		n += ce->ce_readers;
	run->run_ledger = xcalloc(n, sizeof(struct ledger *));
	if (cp->cp_ledger_log != NULL)
		fprintf(cp->cp_ledger_log, "%s\n", LEDGER_LOG_HEAD);
	for (; error == 0 && run->run_ledgers < n;
	    run->run_ledgers += error == 0) {
		error = ledger_new(&run->run_ledger[run->run_ledgers], &config);
		config.lgo_record = NULL;
	}
	return (error);
}

int
cell_ledgers_free(struct cell_run *run, struct result_ledger *rl)
{
	struct ledger_result le;
	int status = 0;

	memset(rl, 0, sizeof(*rl));
	for (unsigned i = 0; i < run->run_ledgers; i++) {
		ledger_result(run->run_ledger[i], &le);
		field_merge(result_ledger_fields, rl, &(struct result_ledger){
		    .records = (double)le.le_records, .ranges_max =
		    le.le_ranges_max, .forgotten = (double)le.le_forgotten,
		    .blocks = (double)le.le_blocks, .keys = (double)le.le_keys,
		    .wipes = (double)le.le_wipes, .reads = (double)le.le_reads,
		    .reseeds = (double)le.le_reseeds,
		    .events = (double)le.le_events });
		if (le.le_violated && status != EPROTO)
			status = cell_fail(run, EPROTO, "ledger: %s",
			    le.le_text);
		ledger_free(run->run_ledger[i]);
	}
	free(run->run_ledger);
	return (status);
}

/* Whether readers' buffers get bytes. */
static bool
makes_bytes(const struct cell_run *run)
{
	return (!MACHINE_SIMULATED || run->run_params->cp_bytes);
}

/* Fails with the kinds of events that the design's release has. */
static int
cell_lacks(struct cell_run *run, struct randomdev_params *rp)
{
	const struct cell *ce = &run->run_params->cp_cell;
	struct text has = { .s = "" };
	struct randomdev *rd;

	for (unsigned i = RANDOM_ATTACH; i < RANDOM_RANDOMDEV; i++) {
		rp->rp_included = 1u << i;
		if (randomdev_new(&rd, rp) == 0) {
			text_list(&has, "RANDOM_%s", random_source_names[i]);
			randomdev_free(rd);
		}
	}
	return (cell_fail(run, ENXIO, "--producer: the enum "
	    "random_entropy_source of %s has no RANDOM_%s: expected one of %s",
	    ce->ce_design, random_source_names[ce->ce_producing->prw_source],
	    has.s));
}

/* With the run's i-th ledger, if it keeps any. */
static int
make_device(struct cell_run *run, unsigned i, struct randomdev **rd)
{
	const struct cell *ce = &run->run_params->cp_cell;
	const struct bench_config *bc = run->run_params->cp_config;
	struct randomdev_params rp = {
		.rp_design = design_find(ce->ce_design),
		.rp_queue = bc->bc_harvest.queue,
		.rp_kernel.kp_cipher = makes_bytes(run) ? ce->ce_cipher :
		    cipher_stub(ce->ce_cipher),
		.rp_kernel.kp_pool_hash = hash_find(bc->bc_program.pool_hash),
		.rp_kernel.kp_lock = lock_class_find(ce->ce_lock),
		.rp_kernel.kp_lock_config = bc->bc_lock,
		.rp_kernel.kp_prof = &run->run_prof,
		.rp_kernel.kp_settings = bc->bc_setting,
		.rp_kernel.kp_setting_count = bc->bc_settings,
		.rp_kernel.kp_ledger = i < run->run_ledgers ?
		    run->run_ledger[i] : NULL,
		.rp_kernel.kp_scans = true,
		.rp_delivery = &run->run_delivery,
		.rp_stamps = ce->ce_until_seeded,
	};
	int error;

	if (ce->ce_producers > 0 || bc->bc_program.spinmutex != 0)
		rp.rp_kernel.kp_spin = lock_class_find(
		    program_spin_names[bc->bc_program.spinmutex]);
	if (ce->ce_producers > 0)
		rp.rp_included = 1u << ce->ce_producing->prw_source;
	rp.rp_kernel.kp_lock_config.threads = index_main(run) + 1;
	if (run->run_faults != NULL)
		failpoints_set(run->run_faults, &rp);
	if (rd == &run->run_dev)
		harvest_params(&run->run_sources, &rp);
	/* Boot entropy, as from a loader; of a simulated machine repeatable. */
	rp.rp_kernel.kp_preload_bytes = bc->bc_harvest.boot_entropy_bytes;
	rp.rp_kernel.kp_preload = prime_bytes(rp.rp_kernel.kp_preload_bytes,
	    MACHINE_SIMULATED ? &run->run_params->cp_seed : NULL);
	if (rp.rp_kernel.kp_preload == NULL)
		return (cell_fail(run, errno, "the host's generator gave no "
		    "boot entropy: %s", strerror(errno)));
	error = randomdev_new(rd, &rp);
	free(rp.rp_kernel.kp_preload);
	rp.rp_kernel.kp_preload_bytes = 0;
	if (error == ENXIO && ce->ce_producers > 0)
		return (cell_lacks(run, &rp));
	if (error != 0)
		return (cell_fail(run, error, "cannot make design %s with lock "
		    "%s: %s", ce->ce_design, ce->ce_lock, strerror(error)));
	return (0);
}

static int
setup_reader(struct cell_run *run, unsigned i)
{
	const struct cell *ce = &run->run_params->cp_cell;
	const bool hashed = run->run_measure->cm_sample.output_sha256 != NULL;
	struct reader *r = &run->run_readers[i];
	int error = 0;

	r->r_run = run;
	r->r_index = i;
	r->r_dev = run->run_dev;
	atomic_init_64(&r->r_bytes, 0);
	/* Without exclusion: a device of its own, seeded as the shared one. */
	if (cell_apart(ce->ce_design, ce->ce_lock)) {
		r->r_dev = NULL;
		error = make_device(run, 1 + i, &r->r_dev);
		if (error == 0 && !randomdev_seeded(r->r_dev))
			error = cell_unseeded(run, r->r_dev, 0);
	}
	if (error != 0)
		return (error);
	r->r_buf_bytes = (size_t)(ce->ce_workload == NULL ?
	    ce->ce_request_bytes : workload_max_bytes(ce->ce_workload,
	    ce->ce_request_bytes));
	/* Shared where no bytes are made; touched here, not in the window. */
	r->r_buf = run->run_buf;
	if (r->r_buf == NULL)
		r->r_buf = xaligned(READER_ALIGN_BYTES, r->r_buf_bytes);
	if (!makes_bytes(run))
		run->run_buf = r->r_buf;
	r->r_hashed = hashed && digest_init(&r->r_digest, hash_sha256()) == 0;
	return (r->r_hashed == hashed ? 0 : ENOMEM);
}

int
cell_setup(struct cell_run *run)
{
	const struct cell_params *cp = run->run_params;
	const struct program_config *pc = &cp->cp_config->bc_program;
	const unsigned n = index_harvest(run);
	struct cell_measure *cm = run->run_measure;
	struct result_sample *rs = &cm->cm_sample;
	const struct kern_file *kf;
	char why[HARVEST_ERROR_SIZE];
	int error;

	run->run_main.mt_index = index_main(run);
	if (cp->cp_faults != NULL) {
		run->run_faults = &run->run_fault_points;
		/* No pause is longer than the run without fail points. */
		failpoints_make(run->run_faults, cp->cp_faults,
		    &FLAVOURED(failpoint_machine), cp->cp_seed,
		    (int64_t)(pc->seed_timeout_ms + pc->warmup_ms) * NS_PER_MS +
		    (int64_t)(cp->cp_time_s * 1e9), 0, index_harvest(run));
	}
	memset(cm, 0, sizeof(*cm));
	rs->reader_mb_per_s = xcalloc(n, sizeof(double));
	rs->reader_cpu = xcalloc(n, sizeof(unsigned));
	rs->interval_mb_per_s = xcalloc(CELL_INTERVALS, sizeof(double));
	if (cp->cp_cell.ce_until_seeded)
		rs->reader_blocked_ns = xcalloc(n, sizeof(double));
	cm->cm_rows = xcalloc(LOCKPROF_SITES_MAX * CELL_ROLES,
	    sizeof(*cm->cm_rows));
	cm->cm_waits = xcalloc(LOCKPROF_SITES_MAX * LOCKPROF_SITES_MAX *
	    CELL_ROLES, sizeof(*cm->cm_waits));
	/* The bytes of a simulated run are compared by their hashes. */
	if (MACHINE_SIMULATED && cp->cp_bytes)
		rs->output_sha256 = xcalloc(n, sizeof(*rs->output_sha256));
	cm->cm_health = xcalloc(ENTROPYSOURCE, sizeof(*cm->cm_health));
	if ((kf = design_file(design_find(cp->cp_cell.ce_design),
	    DESIGN_MACHINE, cp->cp_config->bc_harvest.queue)) == NULL)
		return (cell_fail(run, errno, "cannot load design %s: %s",
		    cp->cp_cell.ce_design, strerror(errno)));
	lockprof_init(&run->run_prof, index_main(run) + 1, kf->kf_site_count,
	    kf->kf_sites);
	run->run_prof.lp_skipcount = cp->cp_config->bc_lock.prof_skipcount;
	if ((error = harvest_init(&run->run_sources, &cp->cp_config->bc_harvest,
	    why)) != 0)
		return (cell_fail(run, error, "%s", why));
	if ((error = make_device(run, 0, &run->run_dev)) != 0)
		return (error);
	harvest_attach(&run->run_sources, run->run_dev);
	run->run_readers = xaligned(MACHINE_CACHE_LINE, n *
	    sizeof(*run->run_readers));
	for (unsigned i = 0; error == 0 && i < n; i++)
		error = setup_reader(run, i);
	if (error == 0 && cp->cp_cell.ce_producers > 0)
		cell_producers_setup(run);
	return (error);
}

void
cell_teardown(struct cell_run *run)
{
	const unsigned n = run->run_readers == NULL ? 0 : index_harvest(run);
	const bool ended = run->run_dev != NULL;
	struct harvest_totals ht;
	struct reader *r;

	for (unsigned i = 0; i < n; i++) {
		r = &run->run_readers[i];
		if (r->r_hashed)
			digest_fini(&r->r_digest);
		if (r->r_buf != NULL && r->r_buf != run->run_buf) {
			wipe(r->r_buf, r->r_buf_bytes);
			free(r->r_buf);
		}
		if (r->r_dev != run->run_dev)
			randomdev_free(r->r_dev);
	}
	free(run->run_readers);
	free(run->run_buf);
	free(run->run_event_producers);
	if (ended)
		ht = randomdev_totals(run->run_dev);
	harvest_fini(&run->run_sources);
	randomdev_free(run->run_dev);
	lockprof_fini(&run->run_prof);
	if (run->run_ledgers > 0 && ended)
		ledger_conserved(run->run_ledger[0], ht.ht_in, ht.ht_processed,
		    ht.ht_pending, ht.ht_dropped, ht.ht_discarded);
	for (unsigned i = 0; i < run->run_ledgers; i++)
		ledger_finish(run->run_ledger[i], i == 0 && ended ?
		    ht.ht_delivered : LEDGER_UNCOUNTED);
}
