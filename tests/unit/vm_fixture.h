/*
 * A simulated machine with round costs, for tests that count.
 */
#ifndef TESTS_UNIT_VM_FIXTURE_H
#define TESTS_UNIT_VM_FIXTURE_H

#include <string.h>

#include "lib/vm/vm.h"

enum {
	FIXTURE_HIT_PS		= 1000,
	FIXTURE_RMW_PS		= 5000,
	FIXTURE_PAUSE_PS	= 10000,
	FIXTURE_POLL_PS		= FIXTURE_PAUSE_PS + FIXTURE_HIT_PS,
	FIXTURE_SYSCALL_PS	= 60000,
	FIXTURE_WAKE_CALL_PS	= 1000000,
	FIXTURE_PARK_PS		= 900000,
	FIXTURE_SWITCH_PS	= 1100000,
	FIXTURE_SAME_PS		= 1500000,	/* every wake-up */
	FIXTURE_CROSS_PS	= 4000000,
	FIXTURE_TICK_PS		= 1000000000,
	FIXTURE_QUANTUM_PS	= 1000000000,
	FIXTURE_CCX_CORES	= 8
};

/* COST_WORK takes what it says, COST_SYSCALL nothing; nothing is drawn. */
static inline struct machine_config
fixture_config(unsigned cpus, unsigned nodes)
{
	static const uint64_t latency_ps[VM_DISTANCES] = {
		[VM_SELF] = FIXTURE_HIT_PS,
		[VM_SMT] = 8000,
		[VM_CCX] = 28000,
		[VM_SOCK] = 100000,
		[VM_NEAR] = 200000,
		[VM_REMOTE] = 200000,
	};
	static const struct {
		enum profile_key key;
		uint64_t	 ps;
	} costs[] = {
		{ PROFILE_LAT_RMW, FIXTURE_RMW_PS },
		{ PROFILE_CPU_PAUSE, FIXTURE_PAUSE_PS },
		{ PROFILE_OS_SYSCALL, FIXTURE_SYSCALL_PS },
		{ PROFILE_OS_WAKE_CALL, FIXTURE_WAKE_CALL_PS },
		{ PROFILE_OS_WAKE_SAME_P50, FIXTURE_SAME_PS },
		{ PROFILE_OS_WAKE_SAME_P99, FIXTURE_SAME_PS },
		{ PROFILE_OS_WAKE_CROSS_P50, FIXTURE_CROSS_PS },
		{ PROFILE_OS_WAKE_CROSS_P99, FIXTURE_CROSS_PS },
		{ PROFILE_OS_PARK, FIXTURE_PARK_PS },
		{ PROFILE_OS_SWITCH, FIXTURE_SWITCH_PS },
		{ PROFILE_OS_QUANTUM, FIXTURE_QUANTUM_PS },
		{ PROFILE_OS_TICK, FIXTURE_TICK_PS },
	};
	struct machine_config mc;

	memset(&mc, 0, sizeof(mc));
	mc.mc_topology = (struct vm_topology){ .tp_cpus = cpus,
	    .tp_cores = cpus, .tp_nodes = nodes,
	    .tp_ccx_cores = FIXTURE_CCX_CORES };
	mc.mc_seed = 1;
	for (unsigned d = 0; d < VM_DISTANCES; d++) {
		mc.mc_costs.vc_lat_ps[d] = latency_ps[d];
		mc.mc_costs.vc_service_ps[d] = latency_ps[d] / 4;
	}
	for (unsigned i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		mc.mc_costs.vc_ps[costs[i].key] = costs[i].ps;
	mc.mc_costs.vc_unit_fs[COST_WORK] = 1000 * 1000;
	mc.mc_costs.vc_preempt = true;
	return (mc);
}

#endif
