/*
 * Probes of cache lines: held, fetched from elsewhere, queued for; of the pause
 * instruction, and of switches.
 */
#include <string.h>

#include "bench/predict/calibrate_probe.h"
#include "lib/base/kassert.h"
#include "lib/vm/topology.h"

enum {
	ROUNDS		= 100,	/* of a batch */
	PAIRS_MAX	= 6,	/* of a distance */
	RING_MAX	= 8,	/* threads that take turns */
	RING_LEAST	= 4
};

/* Values where nothing can be measured. */
static const double guess_ccx_ns = 50;
static const double guess_cong = 0.1;
static const double guess_service = 0.5;

/* With fewer CPUs than the shipped profiles were fitted to, none shows. */
static const struct {
	enum profile_key key;
	double		value;
} fitted[] = {
	{ PROFILE_LINE_KEEP, 0.05 },
	{ PROFILE_LINE_LOCAL, 0.2 },
	{ PROFILE_LINE_AHEAD, 0.6 },
	{ PROFILE_LINE_SHARED, 1 },
	{ PROFILE_CPU_STORES, 1 },
};

struct line {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	ln_word;
};

/* Dependent loads of a word that points to itself. */
static void
hit_loop(void *arg, unsigned n)
{
	static struct mptr self;
	struct mptr *p = &self;

	(void)arg;
	atomic_init_ptr(&self, (uintptr_t)&self);
	while (n-- > 0)
		p = (struct mptr *)atomic_load_acq_ptr(p);
	MPASS(p == &self);
}

static void
rmw_loop(void *arg, unsigned n)
{
	static struct m64 word;

	(void)arg;
	while (n-- > 0)
		atomic_fetchadd_64(&word, 1);
}

static void
pause_loop(void *arg, unsigned n)
{
	(void)arg;
	machine_pause(n);
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

/* The most ranks that have the same number. */
static unsigned
most_sharing(unsigned (*number)(unsigned rank))
{
	unsigned k, most = 1, n;

	for (unsigned i = 0; i < cpu_count(); i++) {
		for (k = n = 0; k < cpu_count(); k++)
			n += number(i) == number(k);
		if (n > most)
			most = n;
	}
	return (most);
}

static void
probe_topology(struct calibration *cb)
{
	unsigned smt = most_sharing(cpu_core);

	calibrate_set(cb, PROFILE_TOPO_CPUS, PROVENANCE_MEASURED, cpu_count(),
	    "CPUs this process may use");
	calibrate_set(cb, PROFILE_TOPO_SMT, PROVENANCE_MEASURED, smt,
	    "as hwloc has it");
	calibrate_set(cb, PROFILE_TOPO_NODES, PROVENANCE_MEASURED, cpu_nodes(),
	    "as hwloc has it");
	calibrate_set(cb, PROFILE_TOPO_CCX, PROVENANCE_MEASURED,
	    (most_sharing(cpu_cache) + smt - 1) / smt, "as hwloc has it");
}

/* How a thread waits for its turn and takes it. */
enum ring_kind {
	RING_EXCHANGE,	/* by atomics, which fetch the line to write it */
	RING_READ,	/* all read the line that one of them writes */
	RING_YIELD	/* on one CPU, which is given up meanwhile */
};

/* Threads that pass a turn round. */
struct ring {
	struct line	 rg_turn;
	struct line	 rg_stop;
	enum ring_kind	 rg_kind;
	unsigned	 rg_threads;
	struct calibration *rg_cb;
	int64_t		 rg_budget_ns;
	unsigned	 rg_count;	/* samples so far */
};

struct ring_member {
	struct mthread	 rm_td;
	struct ring	*rm_ring;
	uint32_t	 rm_turn;
	uint32_t	 rm_next;	/* whose turn is after it */
};

/* Waits for a member's turn and passes it on; or for the end. */
static void
ring_turn(const struct ring_member *rm)
{
	struct ring *rg = rm->rm_ring;
	struct m32 *turn = &rg->rg_turn.ln_word;

	while (rg->rg_kind == RING_EXCHANGE ?
	    !atomic_cmpset_acq_rel_32(turn, rm->rm_turn, rm->rm_next) :
	    atomic_load_acq_32(turn) != rm->rm_turn) {
		if (atomic_load_32(&rg->rg_stop.ln_word) != 0)
			return;
		if (rg->rg_kind == RING_YIELD)
			machine_yield();
	}
	if (rg->rg_kind != RING_EXCHANGE)
		atomic_store_rel_32(turn, rm->rm_next);
}

static void
ring_follow(void *arg)
{
	struct ring_member *rm = arg;

	while (atomic_load_32(&rm->rm_ring->rg_stop.ln_word) == 0)
		ring_turn(rm);
}

/* The ns of one hand-over. */
static double
ring_rounds(void *arg)
{
	const struct ring_member *rm = arg;
	int64_t start_ns = tick_ns();

	for (unsigned i = 0; i < ROUNDS; i++)
		ring_turn(rm);
	return ((double)(tick_ns() - start_ns) /
	    (ROUNDS * rm->rm_ring->rg_threads));
}

static void
ring_lead(void *arg)
{
	struct ring *rg = ((struct ring_member *)arg)->rm_ring;

	/* One untimed round: all threads have started. */
	ring_turn(arg);
	rg->rg_count = calibrate_samples(rg->rg_cb, rg->rg_count, 1,
	    ring_rounds, arg, rg->rg_budget_ns);
	atomic_store_rel_32(&rg->rg_stop.ln_word, 1);
}

/*
 * Appends samples of hand-overs among threads on those ranks to the count in
 * cb_samples.
 *
 * Returns: the new count.
 */
static unsigned
ring(struct calibration *cb, enum ring_kind kind, const unsigned *ranks,
    unsigned threads, unsigned count, int64_t budget_ns)
{
	static struct ring_member member[RING_MAX];
	static struct ring rg;
	unsigned started = 0;
	int error = 0;

	memset(&rg, 0, sizeof(rg));
	rg.rg_kind = kind;
	rg.rg_threads = threads;
	rg.rg_cb = cb;
	rg.rg_budget_ns = budget_ns;
	rg.rg_count = count;
	/* The leader last: it ends the others. */
	for (unsigned i = threads; i-- > 0 && error == 0;) {
		member[i].rm_ring = &rg;
		member[i].rm_turn = i;
		member[i].rm_next = (i + 1) % threads;
		error = machine_spawn(&member[i].rm_td, "ring", (int)ranks[i],
		    i == 0 ? ring_lead : ring_follow, &member[i]);
		started += error == 0;
	}
	if (error != 0) {
		cb->cb_error = error;
		atomic_store_rel_32(&rg.rg_stop.ln_word, 1);
	}
	for (unsigned i = threads; started > 0; started--) {
		machine_join(&member[--i].rm_td);
		cb->cb_conditions.cc_unbound |= !member[i].rm_td.mt_bound;
	}
	return (rg.rg_count);
}

static unsigned
count_pairs(enum vm_distance d)
{
	unsigned n = 0;

	for (unsigned a = 0; a < cpu_count(); a++)
		for (unsigned b = a + 1; b < cpu_count(); b++)
			n += distance(a, b) == d;
	return (n);
}

/* Measures pairs from all over the machine, if there are any. */
static void
probe_fetch(struct calibration *cb)
{
	const enum profile_key key = cb->cb_probe->pb_key;
	const enum vm_distance d = (enum vm_distance)cb->cb_probe->pb_number;
	const unsigned pairs = count_pairs(d);
	const unsigned used = pairs < PAIRS_MAX ? pairs : PAIRS_MAX;
	unsigned count = 0, next, nth = 0, rank[2];
	struct calibrate_modes modes;
	struct calibrate_spread sp;

	if (pairs == 0)
		return;
	for (rank[0] = 0; rank[0] < cpu_count(); rank[0]++)
		for (rank[1] = rank[0] + 1; rank[1] < cpu_count(); rank[1]++) {
			if (distance(rank[0], rank[1]) != d)
				continue;
			next = (nth + 1) * used / pairs;
			if (nth++ * used / pairs == next)
				continue;
			/* Each pair has its part of the samples. */
			cb->cb_most = CALIBRATE_SAMPLES_MAX * next / used;
			count = ring(cb, RING_EXCHANGE, rank, 2, count,
			    cb->cb_budget_ns / used);
		}
	if (cb->cb_error != 0)
		return;
	sp = calibrate_spread(cb->cb_samples, count);
	if (calibrate_bimodal(cb->cb_samples, count, &modes))
		calibrate_enter(cb, key, &sp, 1, 0, "%u pairs, two modes: "
		    "%.3g (%.0f %%) and %.3g (%.0f %%)", used, modes.mo_low,
		    modes.mo_low_weight * 100, modes.mo_high,
		    modes.mo_high_weight * 100);
	else
		calibrate_enter(cb, key, &sp, 1, 0, "%u pair%s, one mode",
		    used, used == 1 ? "" : "s");
}

/* After lat.sock, which replaces lat.ccx where no two cores share a cache. */
static void
probe_ccx(struct calibration *cb)
{
	if (count_pairs(VM_CCX) > 0)
		probe_fetch(cb);
	else if (cb->cb_reading[PROFILE_LAT_SOCK].rd_from ==
	    PROVENANCE_MEASURED)
		calibrate_set(cb, PROFILE_LAT_CCX, PROVENANCE_GUESSED,
		    calibrate_value(cb, PROFILE_LAT_SOCK),
		    "no two cores share a cache; as lat.sock");
	else
		calibrate_set(cb, PROFILE_LAT_CCX, PROVENANCE_GUESSED,
		    guess_ccx_ns, "no two cores here");
}

static void
probe_remote(struct calibration *cb)
{
	probe_fetch(cb);
	if (cpu_nodes() == 1)
		return;
	calibrate_set(cb, PROFILE_LINE_INVALIDATE, PROVENANCE_GUESSED, 0,
	    "not measured");
	calibrate_set(cb, PROFILE_LAT_CONG, PROVENANCE_GUESSED,
	    cpu_nodes() > 2 ? guess_cong : 0, "not measured");
}

/*
 * Boyd-Wickizer's c: k readers of a line lengthen a hand-over by c * k / 2, as
 * the line's home serves them one by one.
 */
static void
probe_service(struct calibration *cb)
{
	double hop[RING_MAX], threads[RING_MAX];
	unsigned count, n = 0, points = 0, ranks[RING_MAX];

	for (unsigned i = 0; i < sizeof(fitted) / sizeof(fitted[0]); i++)
		calibrate_set(cb, fitted[i].key, PROVENANCE_GUESSED,
		    fitted[i].value, "fitted to machines of 48 to 88 CPUs");
	for (unsigned i = 0; i < cpu_count() && n < RING_MAX; i++)
		if (i == 0 || distance(0, i) == VM_CCX)
			ranks[n++] = i;
	if (n < RING_LEAST) {
		calibrate_set(cb, PROFILE_LINE_SERVICE, PROVENANCE_GUESSED,
		    guess_service, "needs %u cores behind one cache; fitted "
		    "to machines of 48 to 88 CPUs",
		    (unsigned)RING_LEAST);
		return;
	}
	for (unsigned i = 2; i <= n && cb->cb_error == 0; i++, points++) {
		threads[points] = i;
		count = ring(cb, RING_READ, ranks, i, 0,
		    cb->cb_budget_ns / (n - 1));
		hop[points] = calibrate_spread(cb->cb_samples, count).sp_p50;
	}
	if (cb->cb_error == 0)
		calibrate_set(cb, PROFILE_LINE_SERVICE, PROVENANCE_MEASURED,
		    2 * calibrate_slope(threads, hop, points) /
		    calibrate_value(cb, PROFILE_LAT_CCX), "slope of hand-overs "
		    "among 2..%u readers, of lat.ccx", n);
}

static void
probe_switch(struct calibration *cb)
{
	static const unsigned ranks[2];
	struct calibrate_spread sp;

	/* Switches are what is measured here. */
	cb->cb_switches = true;
	sp = calibrate_spread(cb->cb_samples, ring(cb, RING_YIELD, ranks, 2, 0,
	    cb->cb_budget_ns));
	cb->cb_switches = false;
	if (cb->cb_error == 0)
		calibrate_enter(cb, PROFILE_OS_SWITCH, &sp, 1, 0,
		    "sched_yield");
}

#define	LOOP(key, loop, note)						\
	.pb_run = calibrate_loop_probe, .pb_key = PROFILE_##key,	\
	.pb_loop = loop, .pb_note = note
#define	FETCH(run, key, distance)					\
	.pb_run = run, .pb_key = PROFILE_##key, .pb_number = distance

const struct calibrate_probe calibrate_line_probes[] = {
	{ "topology", 0, .pb_run = probe_topology },
	{ "lines held", 2, LOOP(LAT_HIT, hit_loop, "dependent loads") },
	{ "atomics", 2, LOOP(LAT_RMW, rmw_loop, "fetch-and-add") },
	{ "pause", 2, LOOP(CPU_PAUSE, pause_loop, "") },
	{ "lines of one core", 4, FETCH(probe_fetch, LAT_SMT, VM_SMT) },
	{ "lines of another cache", 4, FETCH(probe_fetch, LAT_SOCK, VM_SOCK) },
	{ "lines of one cache", 6, FETCH(probe_ccx, LAT_CCX, VM_CCX) },
	{ "lines of another node", 4,
	    FETCH(probe_remote, LAT_REMOTE, VM_REMOTE) },
	{ "lines queued for", 4, .pb_run = probe_service },
	{ "switches", 4, .pb_run = probe_switch },
	{ .pb_label = NULL }
};
