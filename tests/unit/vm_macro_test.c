/*
 * What comes out of locks' own code on the virtual machine against closed forms
 * (tests/unit/vm_macro.h), and against what the literature says of their order.
 *
 * All runs have a fixed seed, so a test fails always or never.
 */
#include "tests/unit/test.h"
#include "tests/unit/vm_macro.h"
#include "tests/unit/vm_section.h"

enum { CPUS = 64 };

/* Costs like those of shipped profiles, which may change without these. */
struct model {
	const char	*mo_name;
	unsigned	 mo_nodes;
	unsigned	 mo_ccx_cores;
	double		 mo_lat_ns[VM_DISTANCES];
	double		 mo_service;
	double		 mo_invalidate_ns;
	double		 mo_cong;
	double		 mo_rmw_ns;
	double		 mo_pause_ns;
};

static const struct model models[] = {
	{ "one node", 1, 64, { 1.5, 0, 46 }, .25, 0, 0, 5, 10 },
	{ "one node of caches", 1, 8, { 1, 10, 27, 99 }, .25, 0, 0, 5, 10 },
	{ "two nodes", 2, 32, { 1.5, 8, 51, 0, 0, 108 }, .25, 11, .1, 7, 48 },
	{ "two nodes of caches", 2, 8, { 1, 10, 27, 99, 0, 192 }, .25, 19, .1,
	    5, 10 },
	{ "four nodes", 4, 16, { 2, 8, 45, 0, 0, 140 }, .29, 14, .15, 9, 4 },
};

static const struct model *const one_node = &models[0];
static const struct model *const four_nodes = &models[nitems(models) - 1];

static uint64_t
ps_of(double ns)
{
	return ((uint64_t)(ns * 1000 + 0.5));
}

static void
model_machine(const struct model *mo, struct machine_config *mc)
{
	struct vm_costs *vc = &mc->mc_costs;

	vm_section_machine(mc, CPUS, mo->mo_nodes);
	mc->mc_topology.tp_ccx_cores = mo->mo_ccx_cores;
	for (unsigned d = 0; d < VM_DISTANCES; d++) {
		vc->vc_lat_ps[d] = ps_of(mo->mo_lat_ns[d]);
		vc->vc_service_ps[d] = ps_of(mo->mo_lat_ns[d] *
		    mo->mo_service);
	}
	vc->vc_cong_ppm = (uint64_t)llround(mo->mo_cong * 1e6);
	vc->vc_ps[PROFILE_LINE_INVALIDATE] = ps_of(mo->mo_invalidate_ns);
	vc->vc_ps[PROFILE_LAT_RMW] = ps_of(mo->mo_rmw_ns);
	vc->vc_ps[PROFILE_CPU_PAUSE] = ps_of(mo->mo_pause_ns);
}

/* Threads spread evenly over the CPUs. */
static void
spread(unsigned threads, unsigned cpus[CPUS])
{
	for (unsigned i = 0; i < threads; i++)
		cpus[i] = i * CPUS / threads;
}

/* The period of a lock's acquisitions, ns. */
static double
period_of(const struct model *mo, const char *lock, unsigned threads,
    double think, double hold, double expected)
{
	struct machine_config mc;
	unsigned cpus[CPUS];
	struct critical_section se;

	model_machine(mo, &mc);
	spread(threads, cpus);
	vm_section_make(&se, lock, threads, think, hold);
	se.se_cpus = cpus;
	se.se_exponential = think > 0;
	se.se_warmup_s = 1000 * expected / 1e9;
	se.se_time_s = 12000 * expected / 1e9;
	return (1e9 / vm_section_rate(&se, &mc));
}

/*
 * Think times so that on average that many threads are away, in random order.
 * Where few wait, an MCS owner may release before its successor has linked
 * itself, and a cohort's batch ends early: neither is in the formulas.
 */
static void
check_formula(const struct model *mo, const char *lock, macro_step *step,
    unsigned threads, double away)
{
	struct machine_config mc;
	struct macro ma = { .ma_machine = &mc, .ma_threads = threads,
	    .ma_hold = 200 };
	unsigned cpus[CPUS];
	double is, should;

	model_machine(mo, &mc);
	spread(threads, cpus);
	ma.ma_cpus = cpus;
	ma.ma_pass_limit = lock_config_default(CPUS).pass_limit;
	macro_init(&ma);
	ma.ma_think = away * macro_solve(&ma, step);
	should = macro_solve(&ma, step);
	is = period_of(mo, lock, threads, ma.ma_think, ma.ma_hold, should);
	ATF_CHECK_MSG(fabs(is / should - 1) <= 0.05, "%s, %s, %u threads: "
	    "%.1f ns and not %.1f, %+.1f %%", mo->mo_name, lock, threads, is,
	    should, 100 * (is / should - 1));
}

TEST(formula__ticket, "A ticket lock's period grows with half the service of "
    "all waiters")
{
	for (unsigned i = 0; i < nitems(models); i++)
		for (unsigned n = 4; n <= CPUS; n *= 2)
			check_formula(&models[i], "ticket", macro_ticket, n,
			    n < 16 ? 1 : n / 16);
}

TEST(formula__queues, "MCS, CLH and Linux's queued spin lock take the same "
    "with any number of waiters")
{
	for (unsigned i = 0; i < nitems(models); i++) {
		for (unsigned n = 4; n <= CPUS; n *= 2) {
			check_formula(&models[i], "mcs", macro_mcs, n,
			    n / 16.);
			check_formula(&models[i], "clh", macro_clh, n,
			    n / 16.);
			check_formula(&models[i], "qspin", macro_qspin, n,
			    n / 16.);
		}
	}
}

TEST(formula__cohort, "A cohort lock is a node's ticket lock but for one "
    "hand-over in each batch")
{
	for (unsigned i = 0; i < nitems(models); i++)
		for (unsigned n = 8; n <= CPUS; n *= 2)
			if (n / models[i].mo_nodes >= 4)
				check_formula(&models[i], "cohort",
				    macro_cohort, n, n / 16.);
}

/* The time above the hold, of threads that do not think. */
static void
check_barging(const char *lock, const struct machine_config *mc,
    unsigned threads, double hold, double should)
{
	struct critical_section se;
	double is;

	vm_section_make(&se, lock, threads, 0, hold);
	se.se_lock_config.delay_max = 256;
	se.se_warmup_s = 1e-3;
	se.se_time_s = 20000 * hold / 1e9;
	is = 1e9 / vm_section_rate(&se, mc) - hold;
	ATF_CHECK_MSG(fabs(is / should - 1) <= 0.05, "%s, %u threads: %.1f ns "
	    "above the hold and not %.1f", lock, threads, is, should);
}

/*
 * A thread that does not think has a barging lock again before others can take
 * it.  Waiters read the word, so releasing takes it from them.  With futex each
 * release also finds the word marked by the thread that was woken last, and
 * wakes another one, which does not get the lock either; the kernel's list of
 * sleepers comes from that one's CPU.
 */
TEST(formula__barging, "A barging lock costs its owner the wake-ups, and no "
    "hand-over")
{
	const double call = 800, hold = 20000, latency = 4000;
	double should;
	struct machine_config mc;
	struct vm_costs *vc = &mc.mc_costs;

	for (unsigned n = 2; n <= 8; n *= 2) {
		model_machine(one_node, &mc);
		should = one_node->mo_lat_ns[VM_CCX] + 2 * one_node->mo_rmw_ns;
		/* More of them also get into each other's way. */
		if (n <= 4)
			check_barging("mtx", &mc, n, hold, should);
		vc->vc_ps[PROFILE_OS_WAKE_CALL] = ps_of(call);
		vc->vc_ps[PROFILE_OS_PARK] = ps_of(600);
		vc->vc_ps[PROFILE_OS_SYSCALL] = ps_of(60);
		vc->vc_ps[PROFILE_OS_WAKE_CROSS_P50] = ps_of(latency);
		vc->vc_ps[PROFILE_OS_WAKE_CROSS_P99] = ps_of(latency);
		check_barging("futex", &mc, n, hold, should + call +
		    one_node->mo_lat_ns[VM_CCX] + one_node->mo_rmw_ns +
		    2 * one_node->mo_lat_ns[VM_SELF]);
	}
}

/* Acquisitions a us of threads that think for 1 us and hold for 100 ns. */
static double
rate_of(const struct model *mo, const char *lock, unsigned threads)
{
	return (1000 / period_of(mo, lock, threads, 1000, 100, 600));
}

TEST(shape__collapse, "Locks that all spin on one word collapse as 1 / n, "
    "queues stay")
{
	static const char *const queues[] = { "mcs", "clh" };
	double at_32, at_64, peak, rate;

	peak = 0;
	for (unsigned n = 1; n <= CPUS; n *= 2)
		peak = fmax(peak, rate_of(one_node, "ticket", n));
	at_32 = rate_of(one_node, "ticket", 32);
	at_64 = rate_of(one_node, "ticket", 64);
	ATF_CHECK_MSG(at_64 < 0.5 * peak, "ticket: %g of at most %g", at_64,
	    peak);
	/* What a waiter costs is most of it by then. */
	ATF_CHECK_MSG(at_64 / at_32 < 0.75 && at_64 / at_32 > 0.5, "ticket: "
	    "%g and %g with twice the threads", at_32, at_64);
	rate = rate_of(one_node, "tas", 64);
	ATF_CHECK_MSG(rate < at_64, "tas %g, ticket %g", rate, at_64);
	for (unsigned i = 0; i < nitems(queues); i++) {
		peak = rate_of(one_node, queues[i], 16);
		for (unsigned n = 32; n <= CPUS; n *= 2) {
			rate = rate_of(one_node, queues[i], n);
			ATF_CHECK_MSG(fabs(rate / peak - 1) < 0.1, "%s: %g "
			    "and then %g", queues[i], peak, rate);
		}
	}
}

TEST(shape__nodes, "Locks that heed nodes do better on four of them, and no "
    "better on one")
{
	static const char *const locks[] = { "cohort", "cna", "hmcs" };
	double mcs, rate;

	for (unsigned i = 0; i < nitems(locks); i++) {
		mcs = rate_of(four_nodes, "mcs", 48);
		rate = rate_of(four_nodes, locks[i], 48);
		ATF_CHECK_MSG(rate > 1.15 * mcs, "%s %g, mcs %g", locks[i],
		    rate, mcs);
		mcs = rate_of(one_node, "mcs", 48);
		rate = rate_of(one_node, locks[i], 48);
		ATF_CHECK_MSG(rate < 1.01 * mcs, "on one node: %s %g, mcs %g",
		    locks[i], rate, mcs);
	}
}

/*
 * H. Guiroux, R. Lachaize, V. Quema, "Multicore locks: the case is not closed
 * yet", USENIX ATC 2016, data of radiosity_ll on four sockets of a Xeon E7-4830
 * v3, best first.  Short holds, 12 threads a node.
 */
TEST(ranking, "Locks rank on four nodes as they do on a machine of that kind")
{
	static const char *const published[] = { "cohort", "mcs",
	    "tas-backoff", "ticket", "tas" };
	static const struct {
		double think, hold;
	} loads[] = { { 2000, 100 }, { 4000, 200 } };
	const unsigned locks = nitems(published), threads = 48;
	double period[nitems(published)], tau;
	unsigned i, k, l;
	int agree;

	for (l = 0; l < nitems(loads); l++) {
		for (i = 0; i < locks; i++)
			period[i] = period_of(four_nodes, published[i],
			    threads, loads[l].think, loads[l].hold, 600);
		agree = 0;
		for (i = 0; i < locks; i++)
			for (k = i + 1; k < locks; k++)
				agree += period[i] < period[k] ? 1 : -1;
		tau = agree / (locks * (locks - 1) / 2.);
		ATF_CHECK_MSG(tau >= 0.8, "Kendall's tau is %g: %s %.0f, %s "
		    "%.0f, %s %.0f, %s %.0f, %s %.0f ns", tau, published[0],
		    period[0], published[1], period[1], published[2],
		    period[2], published[3], period[3], published[4],
		    period[4]);
	}
}

TEST_PROGRAM()
