/*
 * Runs of the virtual machine whose outcome is kept here: to the last bit the
 * same with every compiler, optimization and sanitizer, and on every host.
 *
 * A change to the model, or to a lock's code, changes them on purpose.  Then
 * run
 *
 *	vm_golden_test vm_run__as_ever
 *
 * look whether only those rows differ that should, and put the rows that it
 * prints in place of those here, in a commit that says why.
 */
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL

#include <inttypes.h>

#include "bench/cell/critical_section.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { SEED = 20190513 };

struct golden {
	const char	*g_lock;
	unsigned	 g_threads;
	unsigned	 g_cpus;
	unsigned	 g_nodes;
	bool		 g_preempt;
	bool		 g_turns;
	uint64_t	 g_hash;
	uint64_t	 g_events;
	uint64_t	 g_count;
};

static const struct golden golden[] = {
	{ "none", 11, 8, 2, true, false,
	    UINT64_C(0x227714af4cb9497f), 22603, 4522 },
	{ "mtx", 11, 8, 2, true, false,
	    UINT64_C(0xae93bdf1f4838d5a), 8918, 876 },
	{ "mtx-spin", 11, 8, 2, true, false,
	    UINT64_C(0x1a99ab3cf1dcd2ae), 22332, 938 },
	{ "tas", 11, 8, 2, true, false,
	    UINT64_C(0x7881e3a275a147ff), 28054, 965 },
	{ "tas-backoff", 11, 8, 2, true, false,
	    UINT64_C(0x646f3f71f8dc374e), 23038, 898 },
	{ "ticket", 11, 8, 2, true, false,
	    UINT64_C(0x020619c36a3ebcad), 26855, 569 },
	{ "ticket-pb", 11, 8, 2, true, false,
	    UINT64_C(0x0f3365ca9f8edb60), 34929, 641 },
	{ "anderson", 11, 8, 2, true, false,
	    UINT64_C(0xb076d4e75a51c464), 28403, 799 },
	{ "mcs", 11, 8, 2, true, false,
	    UINT64_C(0xb6f86762adc79c15), 27976, 662 },
	{ "clh", 11, 8, 2, true, false,
	    UINT64_C(0x848b91d485100559), 28639, 614 },
	{ "qspin", 11, 8, 2, true, false,
	    UINT64_C(0xf9359c8e62f1f638), 31350, 583 },
	{ "cohort", 11, 8, 2, true, false,
	    UINT64_C(0x40b24f16f51febe4), 30883, 900 },
	{ "hmcs", 11, 8, 2, true, false,
	    UINT64_C(0xbfc9f257a9b11d5c), 29485, 556 },
	{ "cna", 11, 8, 2, true, false,
	    UINT64_C(0xb38570d2f37e8141), 31462, 550 },
	{ "futex", 11, 8, 2, true, false,
	    UINT64_C(0xbc806e4851a7f62b), 18109, 829 },
	{ "one-step", 7, 8, 2, true, false,
	    UINT64_C(0x5b379663b2d593a5), 28398, 986 },
	{ "tas-swap", 11, 8, 2, true, false,
	    UINT64_C(0x33477605a2c24c97), 11560, 424 },
	{ "mutex", 11, 8, 2, true, false,
	    UINT64_C(0xa869869beb9272c1), 28748, 841 },
	{ "refcount", 11, 8, 2, true, false,
	    UINT64_C(0x30538f1e420afdc2), 24712, 3279 },
	{ "lockref", 11, 8, 2, true, false,
	    UINT64_C(0x23a4f41a3dc59ce7), 20595, 1131 },
	{ "mtx", 64, 64, 4, false, false,
	    UINT64_C(0x622c22ea8a3f4669), 10312, 723 },
	{ "ticket", 64, 64, 4, false, false,
	    UINT64_C(0x0f4b2fa18394f2a4), 251542, 334 },
	{ "mcs", 64, 64, 4, false, false,
	    UINT64_C(0xf4cf1ef67258561e), 255364, 834 },
	{ "cna", 64, 64, 4, false, false,
	    UINT64_C(0x6e36d0ed660c7167), 256204, 1417 },
	{ "futex", 64, 64, 4, false, false,
	    UINT64_C(0x7e151b67049152b2), 16766, 512 },
	{ "mtx", 13, 4, 1, false, false,
	    UINT64_C(0x1a0236f0c2eab2c3), 21224, 2482 },
	{ "mtx", 11, 8, 2, true, true,
	    UINT64_C(0x7ced5e36d2291fcf), 11448, 865 },
	{ "ticket-pb", 11, 8, 2, true, true,
	    UINT64_C(0xf59d9aeaf99d3b35), 41647, 902 },
	{ "tas", 64, 64, 4, false, true,
	    UINT64_C(0x8b7b2ea225f9c774), 109900, 125 },
};

static struct critical_section_outcome
run(const struct golden *g, uint64_t seed)
{
	struct machine_config mc = fixture_config(g->g_cpus, g->g_nodes);
	struct critical_section se = {
		.se_lock = g->g_lock,
		.se_lock_config = lock_config_default(g->g_cpus),
		.se_threads = g->g_threads,
		.se_think_ns = 900,
		.se_hold_ns = 150,
		.se_lines = 3,
		.se_warmup_s = 2e-4,
		.se_time_s = 8e-4,
		.se_seed = seed,
	};
	struct critical_section_outcome so;
	int error;

	mc.mc_seed = seed;
	mc.mc_costs.vc_jitter[0] = mc.mc_costs.vc_jitter[1] = 0.05;
	mc.mc_costs.vc_cong_ppm = 100000;
	mc.mc_costs.vc_preempt = g->g_preempt;
	mc.mc_costs.vc_stores = mc.mc_costs.vc_shared = g->g_turns;
	mc.mc_costs.vc_local_ppm = g->g_turns ? 200 * 1000 : 0;
	mc.mc_costs.vc_ahead_ppm = g->g_turns ? 600 * 1000 : 0;
	mc.mc_costs.vc_keep_ppm = g->g_turns ? 50 * 1000 : 0;
	mc.mc_costs.vc_cost_ps[COST_LOCK] = 20 * 1000;
	mc.mc_costs.vc_ps[PROFILE_LINE_INVALIDATE] = 30 * 1000;
	mc.mc_costs.vc_ps[PROFILE_OS_QUANTUM] = 20 * 1000 * 1000;
	mc.mc_costs.vc_ps[PROFILE_OS_WAKE_SAME_P99] *= 5;
	mc.mc_costs.vc_ps[PROFILE_OS_WAKE_CROSS_P99] *= 5;
	error = virtual_critical_section_run(&se, &mc, &so);
	ATF_REQUIRE_MSG(error == 0, "%s: %s: %s", g->g_lock, strerror(error),
	    so.so_machine.mo_stuck);
	free(so.so_thread);
	return (so);
}

TEST(vm_run__as_ever, "Hash, events and acquisitions of runs are what they "
    "have always been")
{
	const struct golden *g;
	struct critical_section_outcome so;

	for (unsigned i = 0; i < nitems(golden); i++) {
		g = &golden[i];
		so = run(g, SEED);
		ATF_CHECK_MSG(so.so_machine.mo_hash == g->g_hash &&
		    so.so_machine.mo_events == g->g_events &&
		    so.so_count == g->g_count,
		    "not as ever:\n\t{ \"%s\", %u, %u, %u, %s, %s,\n"
		    "\t    UINT64_C(0x%016" PRIx64 "), %" PRIu64 ", %" PRIu64
		    " },", g->g_lock, g->g_threads, g->g_cpus, g->g_nodes,
		    g->g_preempt ? "true" : "false",
		    g->g_turns ? "true" : "false", so.so_machine.mo_hash,
		    so.so_machine.mo_events, so.so_count);
	}
}

TEST(vm_run__every_lock, "There is a run of every kind of lock, and no two are "
    "the same")
{
	unsigned k, n;

	for (unsigned i = 0; i < lock_class_count; i++) {
		for (k = n = 0; k < nitems(golden); k++)
			n += strcmp(golden[k].g_lock,
			    lock_classes[i]->lc_name) == 0;
		ATF_CHECK_MSG(n > 0, "none of %s", lock_classes[i]->lc_name);
	}
	for (unsigned i = 0; i < nitems(golden); i++)
		for (k = 0; k < i; k++)
			ATF_CHECK_MSG(golden[i].g_hash != golden[k].g_hash,
			    "%u and %u", i, k);
}

TEST_PROGRAM()
