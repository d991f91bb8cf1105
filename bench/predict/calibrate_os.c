/* Probes of the operating system: calls and wake-ups; and of locks. */
#include <sys/syscall.h>

#include "bench/predict/calibrate.h"
#include "harvest/harvest.h"

enum {
	ASLEEP_PAUSE_NS	= 20000,	/* from about to sleep to asleep */
	WAKES_MAX	= CALIBRATE_SAMPLES_MAX,
	WAKES_END	= WAKES_MAX + 1,
	YIELDS		= 3
};

/* It cannot be measured from here. */
#ifdef __linux__
#define	QUANTUM_MS	3, "Linux's slice"
#else
#define	QUANTUM_MS	80, "ULE's slice"
#endif

void
calibrate_syscall(void *arg __unused, unsigned n)
{
	/* Not getppid(3): a C library may cache the answer. */
	while (n-- > 0)
		syscall(SYS_getppid);
}

static void
lock_loop(void *arg, unsigned n)
{
	struct lock_node node;

	while (n-- > 0) {
		lock_acquire(arg, &node, 0);
		lock_release(arg, &node);
	}
}

/* What a release does after the lock is free, until the next atomic. */
static void
record_loop(void *arg, unsigned n)
{
	static struct lockprof_hold hold;
	struct lockprof *lp = arg;
	struct m64 word;

	atomic_init_64(&word, 0);
	while (n-- > 0) {
		hold.lh_acquisition++;
		hold.lh_weight = lockprof_weight(lp, hold.lh_acquisition);
		lockprof_record(lp, &hold, hold.lh_start_cycles + 1);
		atomic_fetchadd_64(&word, 1);
	}
}

/* After the probes of atomics, which are charged separately. */
void
calibrate_lock(struct calibration *cb)
{
	struct lock_config config = lock_config_default(cpu_count());
	const double rmw = calibrate_value(cb, PROFILE_LAT_RMW);
	const double atomics = 2 * rmw + (KASSERT_INVARIANTS ?
	    calibrate_value(cb, PROFILE_LAT_HIT) : 0);
	static const char *const site[] = { "calibration" };
	struct calibrate_spread qs;
	static struct lock lock;
	struct lockprof prof;

	lockprof_init(&prof, 1, 1, site);
	prof.lp_skipcount = config.prof_skipcount;
	lockprof_open(&prof, true);
	lock_init(&lock, lock_class_find("mtx"), "calibrate", &config, &prof);
	CALIBRATE_TIME(cb, PROFILE_OP_LOCK_AFTER, record_loop, &prof,
	    cb->cb_budget_ns / 2, -rmw,
	    "profile of a hold, until the next atomic");
	qs = calibrate_batches(cb, lock_loop, &lock, cb->cb_budget_ns / 2);
	calibrate_enter(cb, PROFILE_OP_LOCK_PAIR, &qs, 1, -atomics -
	    calibrate_value(cb, PROFILE_OP_LOCK_AFTER), "profiled mtx, %.3g "
	    "ns, less op.lock_after and atomics", qs.spr_p50);
	lock_fini(&lock);
	lockprof_fini(&prof);
}

/* One thread wakes another, which notes when it ran. */
static struct {
	struct m32	 ww_go;		/* times it was woken, or WAKES_END */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 ww_back;	/* times it answered */
	struct m64	 ww_ran_ns;
	struct mthread	 ww_sleeper;
	bool		 ww_same;	/* on the waker's CPU */
	unsigned	 ww_count;
	double		 ww_call_ns[WAKES_MAX];
	double		 ww_ran_after_ns[WAKES_MAX];	/* the call */
} ww;

static void
sleeper(void *arg __unused)
{
	uint32_t seen = 0;

	for (;;) {
		while (atomic_load_acq_32(&ww.ww_go) == seen)
			machine_wait_32(&ww.ww_go, seen, -1);
		atomic_store_64(&ww.ww_ran_ns, (uint64_t)tick_ns());
		if (atomic_load_acq_32(&ww.ww_go) == WAKES_END)
			return;
		atomic_store_rel_32(&ww.ww_back, ++seen);
		if (ww.ww_same)
			machine_wake_32(&ww.ww_back);
	}
}

/* Returns when the sleeper sleeps, as far as can be observed. */
static void
await_asleep(void)
{
	int64_t until_ns;

	while (atomic_load_acq_32(&ww.ww_sleeper.mt_offcpu) == 0) {
		if (ww.ww_same)
			machine_yield();
		else
			machine_pause(1);
	}
	until_ns = tick_ns() + ASLEEP_PAUSE_NS;
	for (unsigned i = 0; ww.ww_same && i < YIELDS; i++)
		machine_yield();
	while (!ww.ww_same && tick_ns() < until_ns)
		machine_pause(1);
}

/* Wakes the sleeper once more and waits for its answer. */
static void
wake_once(void)
{
	const unsigned i = ww.ww_count++;
	int64_t began_ns, called_ns, ran_ns;
	uint32_t back;

	await_asleep();
	atomic_store_rel_32(&ww.ww_go, ww.ww_count);
	began_ns = tick_ns();
	machine_wake_32(&ww.ww_go);
	called_ns = tick_ns();
	while ((back = atomic_load_acq_32(&ww.ww_back)) != ww.ww_count) {
		if (ww.ww_same)
			machine_wait_32(&ww.ww_back, back, -1);
		else
			machine_pause(1);
	}
	ran_ns = (int64_t)atomic_load_64(&ww.ww_ran_ns);
	ww.ww_call_ns[i] = (double)(called_ns - began_ns);
	ww.ww_ran_after_ns[i] = fmax(0, (double)(ran_ns - called_ns));
}

static void
wake(struct calibration *cb, unsigned rank)
{
	int64_t end_ns = tick_ns() + cb->cb_budget_ns;

	memset(&ww, 0, sizeof(ww));
	ww.ww_same = rank == 0;
#ifdef SCHED_BATCH
	/*
	 * Lets the waker keep its CPU until it sleeps; the sleeper inherits it.
	 * Else a scheduler may switch within the call: two times in one.
	 */
	if (ww.ww_same)
		(void)sched_setscheduler(0, SCHED_BATCH,
		    &(struct sched_param){ .sched_priority = 0 });
#endif
	if ((cb->cb_error = machine_spawn(&ww.ww_sleeper, "sleeper", (int)rank,
	    sleeper, NULL)) != 0)
		return;
	cb->cb_conditions.cc_unbound |= !ww.ww_sleeper.mt_bound;
	while (ww.ww_count < WAKES_MAX && tick_ns() < end_ns && !stop_asked())
		wake_once();
	machine_set_32(&ww.ww_go, WAKES_END);
	machine_join(&ww.ww_sleeper);
}

/* The sleeper's delay less a part of it, at two quantiles; us. */
static void
enter_wake(struct calibration *cb, const struct calibrate_spread *qs,
    enum profile_key p50, enum profile_key p99, double less_ns,
    const char *note)
{
	const double tail_us = calibrate_tail(qs, less_ns) / 1e3;

	calibrate_enter(cb, p50, qs, 1e-3, -less_ns / 1e3, "%s", note);
	/* Of equal samples both are the same, but for rounding. */
	calibrate_set(cb, p99, PROVENANCE_MEASURED,
	    fmax(tail_us, calibrate_value(cb, p50)), "%.4g us in the samples; "
	    "at most the lognormal tail of their p50 and p95",
	    (qs->spr_p99 - less_ns) / 1e3);
}

/*
 * On one CPU the sleeper runs after the waker has called and parked.  The time
 * beyond the call and a switch is parking.
 */
void
calibrate_wake_same(struct calibration *cb)
{
	double call_ns = calibrate_value(cb, PROFILE_OS_SYSCALL);
	struct calibrate_spread qs;

	wake(cb, 0);
	if (cb->cb_error != 0)
		return;
	qs = calibrate_spread(ww.ww_ran_after_ns, ww.ww_count);
	calibrate_enter(cb, PROFILE_OS_PARK, &qs, 1, -call_ns -
	    calibrate_value(cb, PROFILE_OS_SWITCH), "%.0f ns from waking to "
	    "running, less os.syscall and os.switch", qs.spr_p50);
	enter_wake(cb, &qs, PROFILE_OS_WAKE_SAME_P50, PROFILE_OS_WAKE_SAME_P99,
	    call_ns + calibrate_value(cb, PROFILE_OS_PARK),
	    "waker asleep until sleeper runs: less os.syscall and os.park");
}

void
calibrate_wake_cross(struct calibration *cb)
{
	struct calibrate_spread qs;

	if (cpu_count() == 1)
		return;
	wake(cb, 1);
	if (cb->cb_error != 0)
		return;
	qs = calibrate_spread(ww.ww_call_ns, ww.ww_count);
	calibrate_enter(cb, PROFILE_OS_WAKE_CALL, &qs, 1, 0,
	    "of a sleeper on another CPU");
	qs = calibrate_spread(ww.ww_ran_after_ns, ww.ww_count);
	enter_wake(cb, &qs, PROFILE_OS_WAKE_CROSS_P50,
	    PROFILE_OS_WAKE_CROSS_P99, 0, "end of the call until it runs");
}

void
calibrate_constants(struct calibration *cb)
{
	struct timespec ts = { .tv_nsec = 4 * NS_PER_MS };

#ifdef CLOCK_MONOTONIC_COARSE
	(void)clock_getres(CLOCK_MONOTONIC_COARSE, &ts);
#endif
	calibrate_set(cb, PROFILE_OS_TICK, PROVENANCE_MEASURED,
	    (double)ts.tv_nsec / (double)NS_PER_MS,
	    "resolution of the coarse clock");
	calibrate_set(cb, PROFILE_OS_QUANTUM, PROVENANCE_GUESSED, QUANTUM_MS);
	calibrate_set(cb, PROFILE_OS_PREEMPT, PROVENANCE_MEASURED, 1,
	    "a program's threads lose their CPU anywhere");
}

static void
source_loop(void *arg, unsigned n)
{
	const struct random_source *rs = arg;
	uint8_t entropy[HARVEST_ENTROPY_BYTES];

	while (n-- > 0)
		(void)rs->rs_read(NULL, entropy, sizeof(entropy));
}

void
calibrate_source(struct calibration *cb)
{
	const struct random_source *rs = random_sources[SOURCE_rdrand];

	if (random_source_present(rs))
		CALIBRATE_TIME(cb, PROFILE_EV_SOURCE, source_loop,
		    (void *)(uintptr_t)rs, cb->cb_budget_ns, 0,
		    "rdrand, %u bytes", (unsigned)HARVEST_ENTROPY_BYTES);
}
