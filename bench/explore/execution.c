/* Compiled for the simulated machine only, where the order can be chosen. */
#include "bench/explore/execution_impl.h"
#include "lib/crypto/crypto.h"

enum {
	PAUSE_NS	= 1000 * 1000 * 1000,	/* of a fail point, most */
	CARRY_BLOCKS	= 6,	/* about a small read and a key or two */
	BUFFER_ALIGN	= 4096,
	/* Turns before others start, for what is seldom or late; past 2^10. */
	AGE_TURNS	= 1100,
	AGE_JUMPS	= 60,	/* the last, before and at each power of 2 */
	AGE_READS	= 4,
	AGE_BYTES	= 65,
	AGE_MS		= 101,	/* a reseed is due */
	AGE_IDLE	= 501,	/* a turn without events */
	LAST_EVERY	= 32,	/* runs, as many end with a turn */
	IDLE_MS		= 3600 * 1000
};

/* A read that was not to block, or to end by a signal. */
static void
blocked(void *arg, bool signalled)
{
	execution_fail(arg, EXECUTION_SERVED, "%s %s until the device is "
	    "seeded", machine_curthread()->mt_name, signalled ? "has a signal, "
	    "and sleeps instead of EINTR" : "must not wait, by O_NONBLOCK or "
	    RANDOMDEV_BYPASS ", and sleeps");
}

/*
 * Whether reads that begin now must not return what the other copy does.  A
 * reseed that went on at the last of its own events may not have taken it.
 */
static bool
is_renewed(struct execution *ex)
{
	const struct design_info di = design_info(ex->ex_subject->tb_design);
	struct ledger_result le;

	ledger_result(ex->ex_ledger, &le);
	return (le.le_reseeds >= ex->ex_own_reseeds + 2 + di.di_lag ||
	    (di.di_clones && ex->ex_scenario->sn_vmgenid));
}

/* What a read returned after the copy; is_renewed() when it began. */
static void
compare_copies(struct execution *ex, const uint8_t *buf, size_t n, bool late,
    bool renewed)
{
	struct outcome *to = ex->ex_outcome;
	size_t again;

	if (!ex->ex_second) {
		clone_first(&ex->ex_clone, buf, n);
		return;
	}
	again = clone_second(&ex->ex_clone, buf, n);
	to->to_copied += n;
	to->to_again += again;
	to->to_late += late ? again : 0;
	ex->ex_repeated += renewed ? again : 0;
	/* Each reader may have bytes that were made before. */
	if (ex->ex_repeated > ex->ex_scenario->sn_readers *
	    design_info(ex->ex_subject->tb_design).di_stored_bytes)
		execution_fail(ex, EXECUTION_CLONED, "%zu of %zu bytes that %s "
		    "of the second copy got are those that the first copy "
		    "returned", again, n, machine_curthread()->mt_name);
}

/* What a read is checked for; ends the run if something is wrong. */
static void
read_one(struct execution *ex, struct execution_reader *r, uint32_t bytes,
    enum read_as as)
{
	const struct design *de = ex->ex_subject->tb_design;
	const unsigned thread = machine_curthread()->mt_index;
	const bool real = ex->ex_scenario->sn_real;
	const char *name = r->xrd_td.mt_name, *wrong;
	/* A fail point may say that it is not. */
	const bool seeded = ex->ex_seeded && ex->ex_subject->tb_faults == NULL;
	const bool late = ex->ex_own == EXECUTION_OWN;
	const bool renewed = late && is_renewed(ex);
	size_t left = 0;
	int error = 0;

	/* With weak memory it may see the time before, and not wait. */
	if (seeded && !r->xrd_served && as != READ_USUAL)
		vm_settle();
	ex->ex_copied |= ++ex->ex_begun == ex->ex_scenario->sn_copied;
	if (real) {
		memset(r->xrd_buf, OUTPUT_CHECK_CANARY, bytes);
		output_check_begin(&ex->ex_output, thread);
	}
	if (as == READ_KERNEL) {
		r->xrd_buf[bytes] = OUTPUT_CHECK_CANARY;
		randomdev_read_kernel(ex->ex_device, r->xrd_buf, bytes);
		if (r->xrd_buf[bytes] != OUTPUT_CHECK_CANARY)
			execution_fail(ex, EXECUTION_SERVED, "read_random() of "
			    "%u bytes writes beyond them", bytes);
		if (!seeded)
			return;
	} else
		error = randomdev_read(ex->ex_device, KERNEL_CPU_HERE,
		    r->xrd_buf, bytes, &left, as == READ_NONBLOCK);
	r->xrd_served |= error == 0 && bytes > 0;
	ex->ex_seeded |= r->xrd_served;
	ex->ex_reads++;
	/* No fault of the source. */
	if (crypto_failed() != NULL)
		vm_abort(EIO);
	/* What was read before a signal is a short read. */
	if ((error != 0 || left != 0) && !(as == READ_NONBLOCK ? error ==
	    EWOULDBLOCK && !seeded && left == bytes : as == READ_SIGNALLED &&
	    (error == EINTR ? left == bytes : error == 0 && left < bytes)))
		execution_fail(ex, EXECUTION_SERVED, "%s asked for %u bytes: "
		    "error %d, %zu bytes are missing", name, bytes, error,
		    left);
	if (error != 0 || !real || (de->de_flags & DE_NULL) != 0)
		return;
	kernel_served(randomdev_kernel(ex->ex_device), r->xrd_buf,
	    bytes - left);
	if (ex->ex_copied)
		compare_copies(ex, r->xrd_buf, bytes - left, late, renewed);
	wrong = output_check_returned(&ex->ex_output, thread, r->xrd_buf,
	    bytes - left, (ledger_allowed >> LEDGER_MADE & 1) != 0 ?
	    LEDGER_STORED_ANY : design_info(de).di_stored_bytes);
	if (wrong != NULL)
		execution_fail(ex, EXECUTION_OUTPUT, "%s asked for %u bytes: "
		    "%s", name, bytes, wrong);
}

static bool
is_due(struct execution *ex, uint32_t *reseeds)
{
	struct device_status ds;

	randomdev_status(ex->ex_device, &ds);
	*reseeds = ds.ds_reseeds;
	/* 0: the source has no sysctl that tells. */
	return (ds.ds_pool0_needed_bytes > 0 &&
	    ds.ds_pool0_bytes >= ds.ds_pool0_needed_bytes);
}

/* Makes the next reseed one that takes many pools, or the one before. */
static void
jump(struct execution *ex, unsigned i)
{
	struct random_state rs;
	struct ledger_result le;

	ledger_result(ex->ex_ledger, &le);
	if (!randomdev_core(ex->ex_device, &rs, false))
		return;
	ex->ex_jumps |= i == 0 && rs.rst_reseeds == le.le_reseeds;
	rs.rst_reseeds = (UINT32_C(4) << i / 2) - 2 + i % 2;
	if (ex->ex_jumps) {
		(void)randomdev_core(ex->ex_device, &rs, true);
		ledger_reseeded(ex->ex_ledger, rs.rst_reseeds);
	}
	wipe(&rs, sizeof(rs));
}

/*
 * A reseed gets due, and reads.  A thread may reseed for readers, so the second
 * read after a while decides whether that happens at all.
 */
static void
turn(struct execution *ex, struct execution_reader *r, unsigned i)
{
	/* A reseed is due with each kind of them. */
	const enum read_as as = i % 4 == 2 ? READ_NONBLOCK : i % 4 == 3 &&
	    ex->ex_subject->tb_faults == NULL ? READ_KERNEL : READ_USUAL;
	uint32_t asleep = 0, before = 0, reseeds = 0;
	bool due;

	for (unsigned k = 0; k < AGE_READS && i != AGE_IDLE; k++)
		execution_feed(ex);
	/* Too early for a reseed: it is due all the same later. */
	if (i % 4 == 1)
		read_one(ex, r, 16, READ_USUAL);
	if (i >= AGE_TURNS - AGE_JUMPS)
		jump(ex, i - (AGE_TURNS - AGE_JUMPS));
	(void)is_due(ex, &asleep);
	machine_sleep((i == AGE_IDLE ? IDLE_MS : AGE_MS) * NS_PER_MS);
	/* A thread that reseeded meanwhile has begun the time anew. */
	due = is_due(ex, &before) && before == asleep;
	for (unsigned k = 0; k < AGE_READS; k++) {
		read_one(ex, r, i % 2 == 0 ? 16 : 1 + i / 2 % AGE_BYTES, as);
		if (k == 0)
			machine_sleep(NS_PER_MS);
	}
	if (due && is_due(ex, &reseeds) && reseeds == before &&
	    design_info(ex->ex_subject->tb_design).di_probed)
		ledger_kernel(ex->ex_ledger, LEDGER_DUE, "%d reads, %d ms "
		    "after reseed %u, found enough in pool 0, but none "
		    "reseeded; if it is to do so less often: --allow due",
		    AGE_READS, AGE_MS, before);
}

static void
reader_main(void *arg)
{
	struct execution_reader *r = arg;
	struct execution *ex = r->xrd_execution;
	const struct scenario *sn = ex->ex_scenario;
	const unsigned i = (unsigned)(r - ex->ex_reader);

	machine_curthread()->mt_index = i + 1;
	if (i == 0 && sn->sn_aged) {
		for (unsigned k = 0; k < AGE_TURNS; k++)
			turn(ex, r, k);
		machine_set_32(&ex->ex_aged, 1);
	}
	for (unsigned k = 0; k < sn->sn_reads[i]; k++) {
		if (sn->sn_read[i][k].stp_sleep_ms > 0)
			machine_sleep(sn->sn_read[i][k].stp_sleep_ms *
			    NS_PER_MS);
		if (sn->sn_calls)
			execution_calls(ex, i, k);
		read_one(ex, r, sn->sn_read[i][k].stp_amount,
		    sn->sn_signals ? reads_as(i, k) : sn->sn_calls &&
		    /* Fail points may make it give zeros. */
		    ex->ex_subject->tb_faults == NULL && (i + k) % 2 != 0 ?
		    READ_KERNEL : READ_USUAL);
	}
}

/* A reader slept on in its read after the device was unblocked. */
static void
missed(void *arg)
{
	struct execution *ex = arg;
	const struct mthread *td = machine_curthread();

	/*
	 * A fail point may have changed that; another thread or a task may be
	 * about to wake it, or have seeded the device as its time was over.
	 */
	if (ex->ex_subject->tb_faults == NULL &&
	    ex->ex_alone == 1u << td->mt_index &&
	    !randomdev_object(ex->ex_device)->ko_timer(-1))
		execution_fail(ex, EXECUTION_WOKEN, "%s slept on in its read "
		    "after the device was seeded, until its time was over",
		    td->mt_name);
}

static int
make_device(struct execution *ex, const struct subject *tb)
{
	const struct scenario *sn = ex->ex_scenario;
	const bool scans = sn->sn_aged || sn->sn_unpaced ||
	    ex->ex_seed % EXECUTION_SCANS == 0;
	struct kern_setting setting[DESIGN_SETTINGS_MAX];
	struct randomdev_params rp = {
		.rp_design = tb->tb_design,
		.rp_kernel.kp_cipher = execution_cipher(ex, sn->sn_real ?
		    tb->tb_cipher : cipher_stub(tb->tb_cipher)),
		.rp_kernel.kp_lock = tb->tb_lock,
		.rp_kernel.kp_lock_config = tb->tb_lock_config,
		.rp_kernel.kp_spin = strcmp(tb->tb_lock->lc_name,
		    EXECUTION_ALL_LOCK) == 0 ? tb->tb_lock : NULL,
		.rp_kernel.kp_settings = setting,
		.rp_kernel.kp_setting_count = tb->tb_settings,
		.rp_kernel.kp_cpus = sn->sn_places,
		.rp_kernel.kp_preload = ex->ex_loaded,
		.rp_kernel.kp_preload_bytes = sn->sn_calls &&
		    ex->ex_seed / EXECUTION_SCANS % 2 != 0 ?
		    sizeof(ex->ex_loaded) : 0,
		.rp_kernel.kp_ledger = ex->ex_ledger,
		.rp_kernel.kp_scans = scans, .rp_kernel.kp_scarce = scans,
		.rp_kernel.kp_unpaced = sn->sn_unpaced != 0,
		.rp_arg = ex, .rp_timed = true,
		.rp_idle = sn->sn_queue ? execution_idle : NULL,
		.rp_included = (uint32_t)(sn->sn_queue != 0) << RANDOM_UMA,
		.rp_missed = missed, .rp_blocked = blocked,
		.rp_record = sn->sn_queue && (ledger_allowed >> LEDGER_SOURCES &
		    1) == 0 ? execution_sources_event : NULL,
	};
	struct random_state rs = { .rst_counter = uint128_make(0, UINT64_MAX -
	    CARRY_BLOCKS) };
	int error;

	for (uint64_t i = 0; i < EXECUTION_GIVEN; i++)
		ex->ex_loaded[i] = ~i;
	memcpy(setting, tb->tb_setting, sizeof(setting));
	rp.rp_kernel.kp_lock_config.threads = sn->sn_readers + 5;
	if (tb->tb_faults != NULL) {
		failpoints_make(&ex->ex_faults, tb->tb_faults,
		    &FLAVOURED(failpoint_machine), ex->ex_seed, PAUSE_NS, 1,
		    sn->sn_readers);
		ex->ex_faulted = true;
		failpoints_set(&ex->ex_faults, &rp);
		ex->ex_tested = sn->sn_queue &&
		    tb->tb_faults->fl_text[FAILPOINT_HEALTH] != NULL;
	}
	if (tb->tb_settings < DESIGN_SETTINGS_MAX - 2)
		setting[rp.rp_kernel.kp_setting_count++] =
		    (struct kern_setting){ "rngsim.driver", 1 };
	if (sn->sn_calls && ex->ex_seed % 4 == 0 &&
	    tb->tb_settings < DESIGN_SETTINGS_MAX - 1)
		setting[rp.rp_kernel.kp_setting_count++] =
		    (struct kern_setting){ RANDOMDEV_BYPASS, 0 };
	if (ex->ex_tested && tb->tb_settings < DESIGN_SETTINGS_MAX)
		setting[rp.rp_kernel.kp_setting_count++] =
		    (struct kern_setting){ NIST_HEALTHTEST_ENABLED, 1 };
	if ((error = randomdev_new(&ex->ex_device, &rp)) != 0)
		return (error);
	execution_sources_loaded(ex);
	execution_pass_tests(ex);
	if (sn->sn_seeded)
		execution_seed(ex);
	if (sn->sn_sources)
		execution_sources_begin(ex);
	/* The carry between C's halves is not reached otherwise. */
	if (sn->sn_seeded && sn->sn_real && randomdev_seeded(ex->ex_device))
		(void)randomdev_core(ex->ex_device, &rs, true);
	return (0);
}

/* A reader whose buffer is large enough. */
static int
start_reader(struct execution *ex, unsigned i)
{
	const struct scenario *sn = ex->ex_scenario;
	struct execution_reader *r = &ex->ex_reader[i];
	size_t bytes = AGE_BYTES;

	for (unsigned k = 0; k < sn->sn_reads[i]; k++)
		bytes = MAX(bytes, sn->sn_read[i][k].stp_amount);
	if (bytes > r->xrd_bytes) {
		free(r->xrd_buf);
		r->xrd_buf = xaligned(BUFFER_ALIGN, bytes + 1);
		r->xrd_bytes = bytes;
	}
	r->xrd_execution = ex;
	r->xrd_served = false;
	return (machine_spawn(&r->xrd_td, FORMATF("reader %u", i + 1),
	    MACHINE_CPU_ANY, reader_main, r));
}

/* Beside what the harvest thread does. */
static void
end_harvest(void *arg)
{
	struct execution *ex = arg;

	machine_curthread()->mt_index = ex->ex_scenario->sn_readers + 2;
	randomdev_harvest_stop(ex->ex_device);
}

/* Readers, with a queue one or two producers, and the harvest thread. */
static int
run_threads(struct execution *ex)
{
	const struct scenario *sn = ex->ex_scenario;
	int error = 0;

	for (unsigned i = 0; error == 0 && i < sn->sn_readers; i++) {
		error = start_reader(ex, i);
		while (error == 0 && sn->sn_aged &&
		    atomic_load_acq_32(&ex->ex_aged) == 0)
			machine_wait_32(&ex->ex_aged, 0, -1);
	}
	if (error == 0)
		error = machine_spawn(&ex->ex_harvest, "harvest",
		    MACHINE_CPU_ANY, execution_harvest, ex);
	if (error == 0 && sn->sn_queue)
		error = machine_spawn(&ex->ex_producer, "producer",
		    MACHINE_CPU_ANY, execution_producer, ex);
	if (error == 0 && scenario_paired(sn))
		error = machine_spawn(&ex->ex_pair, "producer 2",
		    MACHINE_CPU_ANY, execution_pair, ex);
	/* On a simulated machine all of them start, or the run has failed. */
	if (error != 0)
		return (error);
	for (unsigned i = 0; i < sn->sn_readers; i++)
		machine_join(&ex->ex_reader[i].xrd_td);
	machine_join(sn->sn_queue ? &ex->ex_producer : &ex->ex_harvest);
	/* Whether reseeds still come after all that. */
	if (ex->ex_seed % LAST_EVERY == 0 && !ex->ex_faulted && !sn->sn_unpaced)
		turn(ex, &ex->ex_reader[0], 0);
	if (ex->ex_seed % LAST_EVERY == 0)
		randomdev_use(ex->ex_device, NULL, 0, 3);
	if (sn->sn_queue) {
		/* Where all orders are run it would be many times as many. */
		if (sn->sn_unpaced)
			randomdev_harvest_stop(ex->ex_device);
		else if (machine_spawn(&ex->ex_producer, "end",
		    MACHINE_CPU_ANY, end_harvest, ex) == 0)
			machine_join(&ex->ex_producer);
		machine_join(&ex->ex_harvest);
	}
	if (ex->ex_timed)
		execution_tick(ex, true);
	if (sn->sn_sources)
		execution_sources_end(ex);
	return (0);
}

void
execution_main(void *arg)
{
	struct execution *ex = arg;
	struct harvest_totals ht;
	struct mthread self;

	machine_attach(&self, "setup");
	self.mt_index = 0;
	atomic_init_32(&ex->ex_produced, 0);
	atomic_init_32(&ex->ex_aged, 0);
	atomic_init_32(&ex->ex_ticks, 0);
	ex->ex_error = make_device(ex, ex->ex_subject);
	if (ex->ex_error == 0) {
		ex->ex_error = run_threads(ex);
		ht = randomdev_totals(ex->ex_device);
		ledger_conserved(ex->ex_ledger, ht.ht_in, ht.ht_processed,
		    ht.ht_pending, ht.ht_dropped, ht.ht_discarded);
		randomdev_free(ex->ex_device);
		ex->ex_finishing = true;
		if (ex->ex_error == 0)
			ledger_finish(ex->ex_ledger, ht.ht_delivered);
	}
	machine_detach();
}
