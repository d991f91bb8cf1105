/* Probes of cache lines, of the pause instruction, and of switches. */
#include "bench/predict/calibrate.h"

enum {
	ROUNDS		= 100,	/* of a batch */
	PAIRS		= 6	/* of a distance */
};

/* Dependent loads of a word that points to itself. */
void
calibrate_hit(void *arg __unused, unsigned n)
{
	static struct mptr self;
	struct mptr *p = &self;

	atomic_init_ptr(&self, (uintptr_t)&self);
	while (n-- > 0)
		p = (struct mptr *)atomic_load_acq_ptr(p);
	MPASS(p == &self);
}

void
calibrate_rmw(void *arg __unused, unsigned n)
{
	static struct m64 word;

	while (n-- > 0)
		atomic_fetchadd_64(&word, 1);
}

void
calibrate_pause(void *arg __unused, unsigned n)
{
	machine_pause(n);
}

static enum vm_distance
distance(unsigned a, unsigned b)
{
	return (cpu_core(a) == cpu_core(b) ? VM_SMT :
	    cpu_node(cpu_os_index(a)) != cpu_node(cpu_os_index(b)) ? VM_REMOTE :
	    cpu_cache(a) == cpu_cache(b) ? VM_CCX : VM_SOCK);
}

/* The most ranks that have the same number. */
static unsigned
most_sharing(unsigned (*number)(unsigned rank))
{
	unsigned k, most = 1, n;

	for (unsigned i = 0; i < cpu_count(); i++) {
		for (k = n = 0; k < cpu_count(); k++)
			n += number(i) == number(k);
		most = MAX(most, n);
	}
	return (most);
}

void
calibrate_topology(struct calibration *cb)
{
	unsigned smt = most_sharing(cpu_core);

#define	SET(key, value, note)						\
	calibrate_set(cb, PROFILE_TOPO_##key, PROVENANCE_MEASURED, value, note)
	SET(CPUS, cpu_count(), "CPUs this process may use");
	SET(SMT, smt, "as hwloc has it");
	SET(NODES, cpu_nodes(), "as hwloc has it");
	SET(CCX, (most_sharing(cpu_cache) + smt - 1) / smt, "as hwloc has it");
#undef SET
}

/* Two threads pass a turn to each other: they fetch its line to write it. */
static struct {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 xc_turn;	/* 0: the leader's, 1: the other's */
	_Alignas(MACHINE_CACHE_LINE) struct m32 xc_stop;
	_Alignas(MACHINE_CACHE_LINE)
	bool		 xc_yield;	/* on one CPU, given up meanwhile */
	struct calibration *xc_cb;
	int64_t		 xc_budget_ns;
	unsigned	 xc_count;	/* samples so far */
} xc;

/* Waits for a turn and passes it on; or for the end. */
static void
pass(uint32_t turn)
{
	while (!atomic_cmpset_acq_rel_32(&xc.xc_turn, turn, !turn)) {
		if (atomic_load_32(&xc.xc_stop) != 0)
			return;
		if (xc.xc_yield)
			machine_yield();
	}
}

static void
follow(void *arg __unused)
{
	while (atomic_load_32(&xc.xc_stop) == 0)
		pass(1);
}

static double
time_rounds(void *arg __unused)
{
	int64_t start_ns = tick_ns();

	for (unsigned i = 0; i < ROUNDS; i++)
		pass(0);
	return ((double)(tick_ns() - start_ns) / (2 * ROUNDS));
}

static void
lead(void *arg)
{
	/* One untimed round: both have started. */
	pass(0);
	xc.xc_count = calibrate_samples(xc.xc_cb, xc.xc_count, time_rounds,
	    arg, xc.xc_budget_ns);
	atomic_store_rel_32(&xc.xc_stop, 1);
}

/* Appends samples of hand-overs between two ranks.  Returns: the new count. */
static unsigned
exchange(struct calibration *cb, const unsigned ranks[2], bool yield,
    unsigned count, int64_t budget_ns)
{
	static struct mthread td[2];
	unsigned started;

	atomic_init_32(&xc.xc_turn, 0);
	atomic_init_32(&xc.xc_stop, 0);
	xc.xc_yield = yield;
	xc.xc_cb = cb;
	xc.xc_budget_ns = budget_ns;
	xc.xc_count = count;
	/* The leader last: it ends the other. */
	for (started = 0; started < 2 && cb->cb_error == 0; started++)
		cb->cb_error = machine_spawn(&td[started], "exchange",
		    (int)ranks[1 - started], started == 0 ? follow : lead,
		    NULL);
	if (cb->cb_error != 0) {
		started--;
		atomic_store_rel_32(&xc.xc_stop, 1);
	}
	while (started-- > 0) {
		machine_join(&td[started]);
		cb->cb_conditions.cc_unbound |= !td[started].mt_bound;
	}
	return (xc.xc_count);
}

/*
 * A rank at that distance from another; itself where there is none.  The search
 * begins elsewhere for each, so that pairs are not all neighbours.
 */
static unsigned
partner(unsigned rank, enum vm_distance d)
{
	const unsigned n = cpu_count(), first = 2 * rank;

	for (unsigned i = first; i < first + n; i++)
		if (i % n != rank && distance(rank, i % n) == d)
			return (i % n);
	return (rank);
}

/* Measures pairs from all over the machine, if there are any. */
void
calibrate_fetch(struct calibration *cb)
{
	const struct calibrate_probe *pq = cb->cb_probe;
	unsigned count = 0, rank[2];
	struct calibrate_spread qs;

	for (unsigned i = 0; i < PAIRS && cb->cb_error == 0; i++) {
		rank[0] = i * cpu_count() / PAIRS;
		rank[1] = partner(rank[0], (enum vm_distance)pq->pq_number);
		if (rank[0] == rank[1])
			continue;
		/* Each pair has its part of the samples. */
		cb->cb_most = CALIBRATE_SAMPLES_MAX * (i + 1) / PAIRS;
		count = exchange(cb, rank, false, count,
		    cb->cb_budget_ns / PAIRS);
	}
	if (count == 0 || cb->cb_error != 0)
		return;
	qs = calibrate_spread(cb->cb_samples, count);
	calibrate_enter(cb, pq->pq_key, &qs, 1, 0, "%u pairs", (unsigned)PAIRS);
}

void
calibrate_switches(struct calibration *cb)
{
	static const unsigned ranks[2] = { 0, 0 };
	struct calibrate_spread qs;

	/* Switches are what is measured here. */
	cb->cb_switches = true;
	qs = calibrate_spread(cb->cb_samples, exchange(cb, ranks, true, 0,
	    cb->cb_budget_ns));
	cb->cb_switches = false;
	if (cb->cb_error == 0)
		calibrate_enter(cb, PROFILE_OS_SWITCH, &qs, 1, 0,
		    "sched_yield");
}
