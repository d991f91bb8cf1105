/*
 * Simulated machines whose costs a test writes by hand, and contention on them.
 */
#ifndef TESTS_UNIT_VM_SECTION_H
#define TESTS_UNIT_VM_SECTION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atf-c.h>

#include "bench/cell/critical_section.h"
#include "lib/vm/vm.h"

#define	PS_PER_NS	UINT64_C(1000)
#define	PS_PER_S	UINT64_C(1000000000000)

/*
 * A machine that charges work and a pause of 1 ns, and for nothing else.
 *
 *   mc  out
 */
static inline void
vm_section_machine(struct machine_config *mc, unsigned cpus, unsigned nodes)
{
	memset(mc, 0, sizeof(*mc));
	mc->mc_topology.tp_cpus = cpus;
	mc->mc_topology.tp_cores = cpus;
	mc->mc_topology.tp_nodes = nodes;
	mc->mc_topology.tp_ccx_cores = cpus;
	mc->mc_seed = 1;
	mc->mc_costs.vc_ps[PROFILE_CPU_PAUSE] = PS_PER_NS;
	mc->mc_costs.vc_ps[PROFILE_OS_QUANTUM] = 10 * PS_PER_S / 1000;
	mc->mc_costs.vc_ps[PROFILE_OS_TICK] = PS_PER_S / 1000;
	mc->mc_costs.vc_unit_fs[COST_WORK] = 1000 * PS_PER_NS;
	mc->mc_limit_ps = 3600 * PS_PER_S;
}

/*
 * A section of threads that have a CPU each and never yield it.
 *
 *   se  out
 */
static inline void
vm_section_make(struct critical_section *se, const char *lock, unsigned threads,
    double think_ns, double hold_ns)
{
	memset(se, 0, sizeof(*se));
	se->se_lock = lock;
	se->se_lock_config = lock_config_default(threads);
	se->se_lock_config.spin_polls = 0;
	se->se_threads = threads;
	se->se_think_ns = think_ns;
	se->se_hold_ns = hold_ns;
	se->se_seed = 1;
}

/* Runs it for about so many acquisitions of hold_ns; the outcome's rate. */
static inline void
vm_section_run(const struct critical_section *se,
    const struct machine_config *mc, struct critical_section_outcome *so)
{
	int error;

	error = virtual_critical_section_run(se, mc, so);
	ATF_REQUIRE_EQ_MSG(error, 0, "%s, %u threads: error %d: %s",
	    se->se_lock, se->se_threads, error, so->so_machine.mo_stuck);
}

/* Acquisitions a second. */
static inline double
vm_section_rate(const struct critical_section *se,
    const struct machine_config *mc)
{
	struct critical_section_outcome so;

	vm_section_run(se, mc, &so);
	free(so.so_thread);
	return (so.so_rate_per_s);
}

#endif
