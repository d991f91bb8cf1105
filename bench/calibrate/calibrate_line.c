/*
 * Cache lines: held, fetched from elsewhere, queued for; and the pause between
 * two looks at one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/calibrate/calibrate_probe.h"
#include "lib/kassert.h"
#include "lib/vm_topology.h"

enum {
	ROUND_TRIPS	= 100,	/* of a batch */
	PAIRS_MAX	= 6,	/* of a distance */
	RING_MAX	= 8,	/* threads that take turns */
	RING_LEAST	= 4
};

/* Where nothing can be measured. */
static const double guess_ccx_ns = 50;
static const double guess_cong = 0.1;
static const double guess_service = 0.25;

struct line {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	ln_word;
};

/* Two threads that hand a line to each other. */
struct pingpong {
	struct line	 pp_turn;	/* 0: the first one's */
	struct line	 pp_stop;
	struct line	 pp_ready;
	struct calibration *pp_cb;
	int64_t		 pp_budget_ns;
	unsigned	 pp_count;	/* samples before and after */
};

static void
hit_loop(void *arg, unsigned n)
{
	struct mptr *p = arg;

	while (n-- > 0)
		p = (struct mptr *)atomic_load_acq_ptr(p);
	MPASS(p == arg);
}

static void
probe_hit(struct calibration *cb, int64_t budget_ns)
{
	struct calibrate_spread sp;
	struct mptr self;

	atomic_init_ptr(&self, (uintptr_t)&self);
	sp = calibrate_batches(cb, hit_loop, &self, budget_ns);
	calibrate_enter(cb, PROFILE_LAT_HIT, &sp, 1, 0, "dependent loads");
}

static void
rmw_loop(void *arg, unsigned n)
{

	while (n-- > 0)
		atomic_fetchadd_64(arg, 1);
}

static void
probe_rmw(struct calibration *cb, int64_t budget_ns)
{
	struct calibrate_spread sp;
	struct m64 word;

	atomic_init_64(&word, 0);
	sp = calibrate_batches(cb, rmw_loop, &word, budget_ns);
	calibrate_enter(cb, PROFILE_LAT_RMW, &sp, 1, 0, "fetch-and-add");
}

static void
pause_loop(void *arg, unsigned n)
{

	(void)arg;
	machine_pause(n);
}

static void
probe_pause(struct calibration *cb, int64_t budget_ns)
{
	struct calibrate_spread sp;

	sp = calibrate_batches(cb, pause_loop, NULL, budget_ns);
	calibrate_enter(cb, PROFILE_CPU_PAUSE, &sp, 1, 0, "%s", "");
}

static enum vm_distance
distance(unsigned a, unsigned b)
{

	if (cpu_core(a) == cpu_core(b))
		return (VM_SMT);
	if (cpu_node(cpu_os_index(a)) != cpu_node(cpu_os_index(b)))
		return (VM_REMOTE);
	return (cpu_cache(a) == cpu_cache(b) ? VM_CCX : VM_SOCK);
}

/* Ranks that share something with the first one that has most of them. */
static unsigned
most_sharing(bool (*shares)(unsigned a, unsigned b))
{
	unsigned i, k, most = 1, n;

	for (i = 0; i < cpu_count(); i++) {
		for (k = n = 0; k < cpu_count(); k++)
			n += shares(i, k);
		if (n > most)
			most = n;
	}
	return (most);
}

static bool
shares_core(unsigned a, unsigned b)
{

	return (cpu_core(a) == cpu_core(b));
}

static bool
shares_cache(unsigned a, unsigned b)
{

	return (cpu_cache(a) == cpu_cache(b));
}

static void
probe_topology(struct calibration *cb, int64_t budget_ns)
{
	unsigned smt = most_sharing(shares_core);

	(void)budget_ns;
	calibrate_enter_value(cb, PROFILE_TOPO_CPUS, PROVENANCE_MEASURED,
	    cpu_count(), "CPUs this process may use");
	calibrate_enter_value(cb, PROFILE_TOPO_SMT, PROVENANCE_MEASURED, smt,
	    "as hwloc has it");
	calibrate_enter_value(cb, PROFILE_TOPO_NODES, PROVENANCE_MEASURED,
	    cpu_nodes(), "as hwloc has it");
	calibrate_enter_value(cb, PROFILE_TOPO_CCX, PROVENANCE_MEASURED,
	    (most_sharing(shares_cache) + smt - 1) / smt, "as hwloc has it");
}

static void
pong(void *arg)
{
	struct pingpong *pp = arg;

	atomic_store_rel_32(&pp->pp_ready.ln_word, 1);
	while (atomic_load_acq_32(&pp->pp_stop.ln_word) == 0)
		while (atomic_cmpset_acq_rel_32(&pp->pp_turn.ln_word, 1, 0))
			continue;
}

/* One way takes half of a round trip. */
static void
ping(void *arg)
{
	struct pingpong *pp = arg;
	struct calibration *cb = pp->pp_cb;
	int64_t end_ns, start_ns;
	long begun;
	unsigned i;

	while (atomic_load_acq_32(&pp->pp_ready.ln_word) == 0)
		machine_yield();
	end_ns = tick_ns() + pp->pp_budget_ns;
	do {
		begun = calibrate_batch_begin(cb);
		start_ns = tick_ns();
		for (i = 0; i < ROUND_TRIPS; i++) {
			while (!atomic_cmpset_acq_rel_32(&pp->pp_turn.ln_word,
			    0, 1))
				continue;
		}
		cb->cb_samples[pp->pp_count] = (double)(tick_ns() - start_ns) /
		    (2 * ROUND_TRIPS);
		if (calibrate_batch_end(cb, begun))
			pp->pp_count++;
	} while (calibrate_more(pp->pp_count, end_ns));
	atomic_store_rel_32(&pp->pp_stop.ln_word, 1);
}

/* Adds the samples of one pair to those there are. */
static unsigned
run_pair(struct calibration *cb, unsigned a, unsigned b, unsigned count,
    int64_t budget_ns)
{
	static struct mthread td[2];
	static struct pingpong pp;
	int error;

	memset(&pp, 0, sizeof(pp));
	pp.pp_cb = cb;
	pp.pp_budget_ns = budget_ns;
	pp.pp_count = count;
	error = machine_spawn(&td[0], "pong", (int)b, pong, &pp);
	if (error == 0) {
		error = machine_spawn(&td[1], "ping", (int)a, ping, &pp);
		if (error != 0)
			atomic_store_rel_32(&pp.pp_stop.ln_word, 1);
		else
			machine_join(&td[1]);
		machine_join(&td[0]);
		cb->cb_conditions.cc_unbound |= !td[0].mt_bound;
	}
	if (error != 0)
		cb->cb_error = error;
	return (pp.pp_count);
}

static unsigned
count_pairs(enum vm_distance d)
{
	unsigned a, b, n = 0;

	for (a = 0; a < cpu_count(); a++)
		for (b = a + 1; b < cpu_count(); b++)
			n += distance(a, b) == d;
	return (n);
}

/* Measures pairs from all over the machine; false when it has none such. */
static bool
fetch(struct calibration *cb, enum profile_key key, enum vm_distance d,
    int64_t budget_ns)
{
	unsigned a, b, count = 0, nth = 0, pairs = count_pairs(d), used;
	struct calibrate_modes modes;
	struct calibrate_spread sp;

	if (pairs == 0)
		return (false);
	used = pairs < PAIRS_MAX ? pairs : PAIRS_MAX;
	for (a = 0; a < cpu_count(); a++)
		for (b = a + 1; b < cpu_count(); b++) {
			if (distance(a, b) != d)
				continue;
			if (nth * used / pairs != (nth + 1) * used / pairs)
				count = run_pair(cb, a, b, count,
				    budget_ns / used);
			nth++;
		}
	if (cb->cb_error != 0)
		return (true);
	sp = calibrate_spread(cb->cb_samples, count);
	if (calibrate_bimodal(cb->cb_samples, count, &modes))
		calibrate_enter(cb, key, &sp, 1, 0, "%u pairs, two modes: "
		    "%.3g (%.0f %%) and %.3g (%.0f %%)", used, modes.mo_low,
		    modes.mo_low_weight * 100, modes.mo_high,
		    modes.mo_high_weight * 100);
	else
		calibrate_enter(cb, key, &sp, 1, 0, "%u pair%s, one mode",
		    used, used == 1 ? "" : "s");
	return (true);
}

static void
probe_smt(struct calibration *cb, int64_t budget_ns)
{

	(void)fetch(cb, PROFILE_LAT_SMT, VM_SMT, budget_ns);
}

static void
probe_sock(struct calibration *cb, int64_t budget_ns)
{

	(void)fetch(cb, PROFILE_LAT_SOCK, VM_SOCK, budget_ns);
}

/* After probe_sock(): the nearest thing where no two cores share a cache. */
static void
probe_ccx(struct calibration *cb, int64_t budget_ns)
{

	if (fetch(cb, PROFILE_LAT_CCX, VM_CCX, budget_ns))
		return;
	if (cb->cb_reading[PROFILE_LAT_SOCK].rd_from == PROVENANCE_MEASURED)
		calibrate_enter_value(cb, PROFILE_LAT_CCX, PROVENANCE_GUESSED,
		    calibrate_value(cb, PROFILE_LAT_SOCK),
		    "no two cores share a cache; as lat.sock");
	else
		calibrate_enter_value(cb, PROFILE_LAT_CCX, PROVENANCE_GUESSED,
		    guess_ccx_ns, "no two cores here");
}

static void
probe_remote(struct calibration *cb, int64_t budget_ns)
{

	(void)fetch(cb, PROFILE_LAT_REMOTE, VM_REMOTE, budget_ns);
	if (cpu_nodes() > 1)
		calibrate_enter_value(cb, PROFILE_LINE_INVALIDATE,
		    PROVENANCE_GUESSED, 0, "not measured");
	if (cpu_nodes() > 1)
		calibrate_enter_value(cb, PROFILE_LAT_CONG, PROVENANCE_GUESSED,
		    cpu_nodes() > 2 ? guess_cong : 0, "not measured");
}

/* Threads that hand a turn round while all look at it. */
struct ring {
	struct line	 rg_turn;
	struct line	 rg_stop;
	unsigned	 rg_threads;
	struct calibration *rg_cb;
	int64_t		 rg_budget_ns;
	unsigned	 rg_count;
};

struct ring_member {
	struct mthread	 rm_td;
	struct ring	*rm_ring;
	unsigned	 rm_index;
};

static void
ring_turn(struct ring *rg, unsigned index)
{

	while (atomic_load_acq_32(&rg->rg_turn.ln_word) != index)
		if (atomic_load_32(&rg->rg_stop.ln_word) != 0)
			return;
	atomic_store_rel_32(&rg->rg_turn.ln_word,
	    (index + 1) % rg->rg_threads);
}

static void
ring_follow(void *arg)
{
	struct ring_member *rm = arg;

	while (atomic_load_32(&rm->rm_ring->rg_stop.ln_word) == 0)
		ring_turn(rm->rm_ring, rm->rm_index);
}

static void
ring_lead(void *arg)
{
	struct ring *rg = ((struct ring_member *)arg)->rm_ring;
	struct calibration *cb = rg->rg_cb;
	int64_t end_ns = tick_ns() + rg->rg_budget_ns, start_ns;
	long begun;
	unsigned i;

	/* Once round before the clock runs: all are there. */
	ring_turn(rg, 0);
	do {
		begun = calibrate_batch_begin(cb);
		start_ns = tick_ns();
		for (i = 0; i < ROUND_TRIPS; i++)
			ring_turn(rg, 0);
		cb->cb_samples[rg->rg_count] = (double)(tick_ns() - start_ns) /
		    (ROUND_TRIPS * rg->rg_threads);
		if (calibrate_batch_end(cb, begun))
			rg->rg_count++;
	} while (calibrate_more(rg->rg_count, end_ns));
	atomic_store_rel_32(&rg->rg_stop.ln_word, 1);
}

/* What a hand-over takes among the ranks given; 0 when there is none. */
static double
run_ring(struct calibration *cb, const unsigned *ranks, unsigned threads,
    int64_t budget_ns)
{
	static struct ring_member member[RING_MAX];
	static struct ring rg;
	unsigned i, started = 0;
	int error = 0;

	memset(&rg, 0, sizeof(rg));
	rg.rg_threads = threads;
	rg.rg_cb = cb;
	rg.rg_budget_ns = budget_ns;
	/* The leader last: the others look for its end. */
	for (i = threads; i-- > 0 && error == 0;) {
		member[i].rm_ring = &rg;
		member[i].rm_index = i;
		error = machine_spawn(&member[i].rm_td, "ring", (int)ranks[i],
		    i == 0 ? ring_lead : ring_follow, &member[i]);
		started += error == 0;
	}
	if (error != 0) {
		cb->cb_error = error;
		atomic_store_rel_32(&rg.rg_stop.ln_word, 1);
	}
	for (i = threads; started > 0; started--)
		machine_join(&member[--i].rm_td);
	return (calibrate_spread(cb->cb_samples, rg.rg_count).sp_p50);
}

/*
 * Boyd-Wickizer's c: k lookers on a line lengthen a hand-over by c * k / 2, as
 * the line's home serves them one by one.
 */
static void
probe_service(struct calibration *cb, int64_t budget_ns)
{
	double hop[RING_MAX], ring[RING_MAX], share;
	unsigned i, n = 0, points = 0, ranks[RING_MAX];

	for (i = 0; i < cpu_count() && n < RING_MAX; i++)
		if (i == 0 || distance(0, i) == VM_CCX)
			ranks[n++] = i;
	if (n < RING_LEAST) {
		calibrate_enter_value(cb, PROFILE_LINE_SERVICE,
		    PROVENANCE_GUESSED, guess_service,
		    "needs %u cores behind one cache", (unsigned)RING_LEAST);
		return;
	}
	for (i = 2; i <= n && cb->cb_error == 0; i++, points++) {
		ring[points] = i;
		hop[points] = run_ring(cb, ranks, i, budget_ns / (n - 1));
	}
	if (cb->cb_error != 0)
		return;
	share = 2 * calibrate_slope(ring, hop, points) /
	    calibrate_value(cb, PROFILE_LAT_CCX);
	calibrate_enter_value(cb, PROFILE_LINE_SERVICE, PROVENANCE_MEASURED,
	    share, "slope of hand-overs among 2..%u lookers, of lat.ccx", n);
}

const struct calibrate_probe calibrate_line_probes[] = {
	{ "topology", 0, probe_topology },
	{ "lines held", 2, probe_hit },
	{ "atomics", 2, probe_rmw },
	{ "pause", 2, probe_pause },
	{ "lines of one core", 4, probe_smt },
	{ "lines of another cache", 4, probe_sock },
	{ "lines of one cache", 6, probe_ccx },
	{ "lines of another node", 4, probe_remote },
	{ "lines queued for", 4, probe_service },
	{ NULL, 0, NULL }
};
