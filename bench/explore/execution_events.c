/*
 * Compiled for the simulated machine only, where the order can be chosen.
 *
 * Events, and the threads that give them.
 */
#include "bench/explore/execution_impl.h"

enum {
	FEEDS_MAX	= 64,	/* events until a device must be seeded */
	START_UP_EVENTS	= 1025,	/* until a source has passed its tests */
	POOLS		= 32,
	PASSES_MAX	= 6,	/* of the harvest thread, then it waits; or 1 */
	STALLS_MAX	= 3,	/* more, which give no event */
	LAST_TICK	= 1 << 16,
	PASS_MS		= 100,
	LARGE_EVERY	= 4,	/* of events through a queue */
	FAST_EVERY	= 4,
	SECOND_EVENT	= 1 << 30	/* of the second copy alone */
};

/* Longer than timers wait. */
#define	LATE_NS	(24 * 3600 * NS_PER_S)

/* One half tells runs apart, as keys of real hashes must differ; one events. */
static uint64_t
entropy_of(const struct execution *ex, uint64_t i)
{
	const uint64_t run = (uint32_t)ex->ex_seed;

	i |= ex->ex_second && ex->ex_copied ? SECOND_EVENT : 0;
	return (run % 2 == 0 ? run << 32 | i : i << 32 | run);
}

/* Delivers the next event without a queue; two of three to the first pool. */
void
execution_feed(struct execution *ex)
{
	const uint32_t i = ex->ex_events++;
	const uint64_t entropy = entropy_of(ex, i);
	const bool own = ex->ex_copied && ex->ex_own < EXECUTION_OWN;
	/* A machine that was cloned tells by events for pool 0. */
	const bool id = ex->ex_scenario->sn_copied > 0 ? own &&
	    ex->ex_scenario->sn_vmgenid : i % 32 == 17 && !ex->ex_tested;
	struct random_event event = {
		.he_somecounter = i,
		.he_size = sizeof(entropy),
		.he_source = id ? RANDOM_PURE_VMGENID : RANDOM_INTERRUPT,
		.he_destination = (uint8_t)(i % 3 == 2 ? 1 + i / 3 %
		    (POOLS - 1) : 0),
	};
	struct ledger_result le;

	memcpy(event.he_entropy, &entropy, sizeof(entropy));
	randomdev_deliver(ex->ex_device, &event);
	if (own && (id || event.he_destination == 0) &&
	    ++ex->ex_own == EXECUTION_OWN) {
		ledger_result(ex->ex_ledger, &le);
		ex->ex_own_reseeds = le.le_reseeds;
	}
}

/*
 * Queues the next event.  A queue counts pools for each source, from the first
 * on: of different sources two of three are for the first pool, a while.
 */
static void
enqueue(struct execution *ex, enum random_entry entry)
{
	/* Release 11 has these, too. */
	static const enum random_entropy_source others[] = { RANDOM_ATTACH,
	    RANDOM_KEYBOARD, RANDOM_MOUSE, RANDOM_NET_TUN,
	    RANDOM_NET_NG, RANDOM_SWI, RANDOM_FS_ATIME };
	const uint32_t i = ex->ex_events++;
	const uint64_t large[] = { EXECUTION_LARGE, 0, entropy_of(ex, i),
	    ~entropy_of(ex, i) };
	const bool whole = i % LARGE_EVERY == 0 && !ex->ex_tested;

	if (i < EXECUTION_GIVEN)
		ex->ex_mark[i] = vm_mark();
	randomdev_harvest(ex->ex_device, entry, whole ? large : &large[2],
	    whole ? sizeof(large) : sizeof(large[0]), i % 3 == 2 ||
	    ex->ex_tested ? RANDOM_INTERRUPT : others[i % nitems(others)]);
	if (i % FAST_EVERY == 1)
		randomdev_harvest(ex->ex_device, RANDOM_FAST, &large[3],
		    sizeof(large[3]), RANDOM_UMA);
}

/* A source whose tests failed would never seed it: these events pass them. */
static void
feed_passing(struct execution *ex, unsigned most, bool until_seeded)
{
	struct failpoint *fail = &ex->ex_faults.fa_point[FAILPOINT_HEALTH];
	const struct failpoint_spec *spec = fail->fp_spec;

	if (ex->ex_tested)
		fail->fp_spec = NULL;
	for (unsigned i = 0; i < most; i++) {
		ex->ex_seeded |= until_seeded &&
		    randomdev_seeded(ex->ex_device);
		if (until_seeded && ex->ex_seeded)
			break;
		execution_feed(ex);
	}
	fail->fp_spec = spec;
}

/* As after the tests' start, which takes more events than a run has. */
void
execution_pass_tests(struct execution *ex)
{
	if (!ex->ex_tested)
		return;
	randomdev_set(ex->ex_device, &(struct kern_setting){
	    NIST_HEALTHTEST_ONDEMAND, 1 << RANDOM_INTERRUPT });
	feed_passing(ex, START_UP_EVENTS, false);
}

void
execution_seed(struct execution *ex)
{
	if (!ex->ex_seeded && !randomdev_seeded(ex->ex_device))
		execution_pass_tests(ex);
	feed_passing(ex, FEEDS_MAX, true);
}

/* Softclock and the threads of task queues, in one. */
static void
timer_main(void *arg)
{
	struct execution *ex = arg;
	uint32_t ticks, seen = 0;

	machine_curthread()->mt_index = ex->ex_scenario->sn_readers + 4;
	for (; seen < LAST_TICK; seen = ticks) {
		while ((ticks = atomic_load_acq_32(&ex->ex_ticks)) == seen)
			machine_wait_32(&ex->ex_ticks, seen, -1);
		/* Beside the next pass, or before it. */
		if (ticks % 2 != 0)
			machine_sleep(PASS_MS * NS_PER_MS);
		(void)randomdev_timer(ex->ex_device,
		    machine_uptime_coarse_ns());
	}
}

void
execution_tick(struct execution *ex, bool last)
{
	const bool unpaced = ex->ex_scenario->sn_unpaced != 0;

	if (ex->ex_timed) {
		atomic_fetchadd_rel_32(&ex->ex_ticks, last ? LAST_TICK : 1);
		machine_wake_32(&ex->ex_ticks);
		if (last)
			machine_join(&ex->ex_timer);
		return;
	}
	/* From now on, if there are any; all that are due if it is late. */
	ex->ex_timers = randomdev_timer(ex->ex_device,
	    machine_uptime_coarse_ns() + (unpaced ? ex->ex_events *
	    LATE_NS : 0));
	ex->ex_timed = ex->ex_timers && ex->ex_seed % 2 == 0 && !unpaced &&
	    ex->ex_scenario->sn_readers + 4 <= EXECUTION_CPUS && machine_spawn(
	    &ex->ex_timer, "timer", MACHINE_CPU_ANY, timer_main, ex) == 0;
}

/* Gives the bursts to the queue, or to the algorithm. */
static void
make_bursts(struct execution *ex)
{
	const struct scenario *sn = ex->ex_scenario;

	/* A timer counts from when it is looked at first. */
	if (sn->sn_unpaced)
		execution_tick(ex, false);
	if (sn->sn_sources)
		execution_sources_come(ex, 1);
	/* So that some are asleep, and others come to sleep later. */
	for (unsigned i = 0; i < sn->sn_readers; i++)
		if (sn->sn_signals && reads_as(i, 0) == READ_SIGNALLED)
			machine_interrupt(&ex->ex_reader[i].xrd_td);
	for (unsigned i = 0; i < sn->sn_bursts; i++) {
		if (i == sn->sn_bursts / 2 && sn->sn_sources) {
			randomdev_deregister(ex->ex_device, 0);
			ex->ex_source[0].xs_gone = true;
		}
		if (sn->sn_burst[i].stp_sleep_ms > 0)
			machine_sleep(sn->sn_burst[i].stp_sleep_ms * NS_PER_MS);
		for (unsigned k = 0; k < sn->sn_burst[i].stp_amount; k++)
			if (sn->sn_queue)
				enqueue(ex, RANDOM_QUEUE);
			else
				execution_feed(ex);
		if (!sn->sn_queue)
			execution_tick(ex, false);
	}
}

/* A second producer, which the first one may interrupt. */
void
execution_pair(void *arg)
{
	struct execution *ex = arg;
	const struct scenario *sn = ex->ex_scenario;

	machine_curthread()->mt_index = sn->sn_readers + 3;
	for (unsigned i = 0; i < sn->sn_bursts; i++) {
		if (sn->sn_burst[i].stp_sleep_ms > 0)
			machine_sleep(sn->sn_burst[i].stp_sleep_ms * NS_PER_MS);
		for (unsigned k = 0; k < sn->sn_burst[i].stp_amount; k++)
			enqueue(ex, RANDOM_QUEUE_THREAD);
	}
}

void
execution_producer(void *arg)
{
	struct execution *ex = arg;

	machine_curthread()->mt_index = ex->ex_scenario->sn_readers + 2;
	make_bursts(ex);
	if (scenario_paired(ex->ex_scenario))
		machine_join(&ex->ex_pair);
	vm_settle();
	machine_set_32(&ex->ex_produced, 1);
}

/*
 * After the last event: whether passes have given what was queued.  One need
 * not give all, but three in a row that give nothing have lost the rest.
 */
static bool
is_emptied(struct execution *ex)
{
	const uint64_t pending = randomdev_totals(ex->ex_device).ht_pending;

	ex->ex_stalls = pending == ex->ex_pending ? ex->ex_stalls + 1 : 0;
	ex->ex_pending = pending;
	if (pending > 0 && ex->ex_stalls == STALLS_MAX)
		ledger_kernel(ex->ex_ledger, LEDGER_QUEUED, "%ju events were "
		    "queued that no pass gave to the algorithm; if a full "
		    "queue drops old ones: --allow queued", (uintmax_t)pending);
	return (pending == 0 || ex->ex_stalls == STALLS_MAX);
}

/* Its last pass begins after the last event; then it waits for its end. */
void
execution_idle(void *arg, int64_t *timeout_ns)
{
	struct execution *ex = arg;
	const unsigned most = ex->ex_scenario->sn_unpaced ? 1 : PASSES_MAX;

	ex->ex_ended++;
	execution_tick(ex, false);
	if (ex->ex_passes == most && is_emptied(ex)) {
		execution_seed(ex);
		ex->ex_passes++;
	}
	if (ex->ex_passes >= most) {
		*timeout_ns = ex->ex_passes > most ? INT64_MAX : 0;
		return;
	}
	if (++ex->ex_passes < most && atomic_load_acq_32(&ex->ex_produced) == 0)
		return;
	while (atomic_load_acq_32(&ex->ex_produced) == 0)
		machine_wait_32(&ex->ex_produced, 0, -1);
	ex->ex_passes = most;
	*timeout_ns = 0;
}

void
execution_harvest(void *arg)
{
	struct execution *ex = arg;

	machine_curthread()->mt_index = ex->ex_scenario->sn_readers + 1;
	if (ex->ex_scenario->sn_queue) {
		randomdev_harvest_run(ex->ex_device);
		return;
	}
	make_bursts(ex);
	execution_seed(ex);
}
