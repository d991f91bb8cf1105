/*
 * sleep(9) and what is made of it, condvar(9) and sema(9).  Threads that sleep
 * are in the order in which they began; one is there before its lock is free.
 */
#include "lib/kern/impl.h"

enum { PASSES_STOPPING = 16, TICK_NS = 1000 * 1000 };

/* Takes a thread that sleeps out; of those after it the first moves up. */
static void
dequeue(struct kernel *k, struct kern_thread *kt)
{
	struct kern_thread **at = &k->k_sleepers;

	while (*at != kt)
		at = &(*at)->kt_sleeper;
	*at = kt->kt_sleeper;
	kt->kt_channel = NULL;
}

/* Returns: whether all that sleep there do with this lock, as they must. */
static bool
enqueue(struct kernel *k, struct kern_thread *kt, const void *ident,
    struct kern_lock *kl)
{
	struct kern_thread **at = &k->k_sleepers;
	bool same = true;

	kern_tables_take(k);
	for (; *at != NULL; at = &(*at)->kt_sleeper)
		same &= (*at)->kt_channel != ident || (*at)->kt_interlock == kl;
	*at = kt;
	kt->kt_sleeper = NULL;
	kt->kt_channel = ident;
	kt->kt_interlock = kl;
	kt->kt_slept = k->k_sleeps++;
	kern_tables_drop(k);
	return (same);
}

/* Asleep until it was woken, or its time is over. */
static bool
await(struct kernel *k, struct kern_thread *kt, uint32_t seen,
    int64_t timeout_ns)
{
	bool woken;
	int error;

	do {
		error = machine_wait_32(&kt->kt_wakes, seen, timeout_ns);
		/* Of an earlier sleep, perhaps, that has timed out. */
		seen = atomic_load_acq_32(&kt->kt_wakes);
		kern_tables_take(k);
		woken = kt->kt_channel == NULL;
		if (!woken && error != 0)
			dequeue(k, kt);
		kern_tables_drop(k);
	} while (!woken && error == 0);
	return (woken);
}

static int
sleep_on(struct kernel *k, struct kern_thread *kt, const void *ident,
    uint32_t seen, int64_t timeout_ns, bool catches)
{
	const struct kernel_above *ka = k->k_params.kp_above;
	bool woken;

	/* A process gives way to what is above, and ends early with it. */
	if (ident == NULL) {
		atomic_fetchadd_rel_32(&k->k_passes, 1);
		machine_wake_32(&k->k_passes);
		ka->ka_idle(k->k_params.kp_above_arg, &timeout_ns);
		if (atomic_load(&k->k_stopping) == 0)
			(void)machine_sleep(timeout_ns);
		/* Nor does it keep the CPU, if its end takes longer. */
		else if (atomic_fetch_add(&k->k_stopping, 1) > PASSES_STOPPING)
			(void)machine_wait_32(&kt->kt_wakes, seen, TICK_NS);
		return (KERN_EWOULDBLOCK);
	}
	/* If only a wake-up ends it, it is short, as that for a mutex. */
	if (catches || timeout_ns >= 0)
		ka->ka_sleeping(k->k_params.kp_above_arg);
	woken = await(k, kt, seen, timeout_ns);
	ka->ka_slept(k->k_params.kp_above_arg, woken);
	return (woken ? 0 : KERN_EWOULDBLOCK);
}

/* Whether the signal has SA_RESTART alternates from call to call. */
static int
caught(const struct kernel *k, const struct kern_thread *kt)
{
	return (((unsigned)(kt - k->k_thread) + kt->kt_calls / 2) % 2 == 0 ?
	    KERN_EINTR : KERN_ERESTART);
}

int
host_sleep(struct kernel *k, const void *ident, struct kern_lock *kl,
    unsigned how, int64_t timeout_ns, const char *wmesg,
    const struct kern_site *site)
{
	struct kern_thread *kt = kern_thread_of(k);
	struct kern_held hd = { .hd_lock = NULL };
	unsigned as = 0;
	char what[128];
	uint32_t seen;
	/* A control whose lock excludes nothing loses wake-ups. */
	const bool looks = kl != NULL && timeout_ns < 0 &&
	    (kl->kl_lock.lo_class->lc_flags & LC_EXCLUDES) == 0;
	int error;

	if (kl != NULL) {
		hd = *kern_check_held(k, kt, kl, site, KERN_EITHER);
		if (hd.hd_depth > 1)
			kernel_stop(k, site, "sleeping with %s %s recursed",
			    kern_kind_name(kl), kl->kl_lock.lo_name);
		/* Of a spin mutex: by msleep_spin(). */
		as = (hd.hd_shared ? KERN_SHARES : 0u) | (how & KERN_SPINS);
	} else if (timeout_ns < 0)
		kernel_stop(k, site, "sleeping without a lock on \"%s\", and "
		    "without a timeout", wmesg);
	error = (how & KERN_CATCH) != 0 && machine_interrupted() ?
	    caught(k, kt) :
	    /* Less than a tick: only signals are looked for. */
	    timeout_ns >= 0 && timeout_ns < 1000 && !kt->kt_process ?
	    KERN_EWOULDBLOCK : 0;
	seen = atomic_load_acq_32(&kt->kt_wakes);
	if (kt->kt_process && timeout_ns >= 0) {
		ident = NULL;
	} else if (error == 0) {
		(void)atomic_swap_acq_rel_32(&k->k_sleepq, 1);
		if (!enqueue(k, kt, ident, kl))
			kernel_stop(k, site, "sleeping on \"%s\" with another "
			    "lock than a thread that sleeps there", wmesg);
	}
	if (kl != NULL && (error == 0 || (how & KERN_DROP) != 0))
		host_unlock(k, kl, site, as);
	if (error != 0)
		return (error);
	snprintf(what, sizeof(what), "Sleeping on \"%s\"", wmesg);
	host_may_sleep(k, site, what);
	error = sleep_on(k, kt, ident, seen, looks ? TICK_NS : timeout_ns,
	    (how & KERN_CATCH) != 0);
	if (kl != NULL && (how & KERN_DROP) == 0)
		(void)host_lock(k, kl, hd.hd_site, as);
	/* Who was woken has not been interrupted, whatever came since. */
	return (error != 0 && (how & KERN_CATCH) != 0 &&
	    machine_interrupted() ? caught(k, kt) : looks ? 0 : error);
}

/* The first that sleeps there since before a time; or NULL. */
static struct kern_thread *
take_sleeper(struct kernel *k, const void *ident, uint64_t before)
{
	struct kern_thread *kt;

	kern_tables_take(k);
	for (kt = k->k_sleepers; kt != NULL && (kt->kt_channel != ident ||
	    kt->kt_slept >= before);)
		kt = kt->kt_sleeper;
	if (kt != NULL)
		dequeue(k, kt);
	kern_tables_drop(k);
	return (kt);
}

void
host_wakeup(struct kernel *k, const void *ident, bool one)
{
	struct kern_thread *kt;
	uint64_t before;

	(void)atomic_swap_acq_rel_32(&k->k_sleepq, 1);
	kern_tables_take(k);
	before = k->k_sleeps;
	kern_tables_drop(k);
	while ((kt = take_sleeper(k, ident, before)) != NULL) {
		atomic_fetchadd_rel_32(&kt->kt_wakes, 1);
		machine_wake_32(&kt->kt_wakes);
		if (one)
			return;
	}
}
