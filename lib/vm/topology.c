#include "lib/vm/topology.h"

static bool
has(const struct profile *pr, enum profile_key key)
{
	return (pr->pr_from[key] != PROVENANCE_ABSENT);
}

static int
refuse(const struct profile *pr, enum profile_key key, const char *why,
    const char *expected, char error[PROFILE_ERROR_SIZE])
{
	snprintf(error, PROFILE_ERROR_SIZE, "profile %s has no %s, which %s "
	    "needs; expected %s, or a profile of a larger machine (rngsim list "
	    "profiles)", pr->pr_name, profile_fields[key].pf_key, why,
	    expected);
	return (EINVAL);
}

/* Whether the profile has the costs of the shape's distances. */
static int
check(const struct profile *pr, const struct vm_topology *tp,
    char error[PROFILE_ERROR_SIZE])
{
	static const enum profile_key far[] = { PROFILE_LAT_REMOTE,
	    PROFILE_LAT_CONG, PROFILE_LINE_INVALIDATE };
	const unsigned node_cores = howmany(tp->tp_cores, tp->tp_nodes);
	char expected[64];

	if (tp->tp_cpus > tp->tp_cores && !has(pr, PROFILE_LAT_SMT))
		return (refuse(pr, PROFILE_LAT_SMT, "a second thread of a core",
		    "fewer CPUs", error));
	for (unsigned i = 0; tp->tp_nodes > 1 && i < nitems(far); i++)
		if (!has(pr, far[i]))
			return (refuse(pr, far[i], "more than one node",
			    "one node", error));
	if (tp->tp_near > 1 && tp->tp_nodes > 1 && !has(pr, PROFILE_LAT_NEAR))
		return (refuse(pr, PROFILE_LAT_NEAR, "topo.near",
		    "it or no topo.near", error));
	if (node_cores > tp->tp_ccx_cores && !has(pr, PROFILE_LAT_SOCK)) {
		snprintf(expected, sizeof(expected), "at most %u cores a node",
		    tp->tp_ccx_cores);
		return (refuse(pr, PROFILE_LAT_SOCK, "a node of more than one "
		    "cache", expected, error));
	}
	return (0);
}

int
vm_topology_make(const struct profile *pr, unsigned cpus, unsigned nodes,
    struct vm_topology *tp, char error[PROFILE_ERROR_SIZE])
{
	const unsigned cpus_own = (unsigned)pr->pr_value[PROFILE_TOPO_CPUS];
	const unsigned nodes_own = (unsigned)pr->pr_value[PROFILE_TOPO_NODES];
	const unsigned smt = (unsigned)pr->pr_value[PROFILE_TOPO_SMT];
	const unsigned node_cores = howmany(cpus_own / smt, nodes_own);
	unsigned cores;

	if (nodes == 0 && cpus != 0) {
		nodes = howmany(cpus, howmany(cpus_own, nodes_own));
		nodes = MIN(nodes, VM_NODES_MAX);
	} else if (nodes == 0)
		nodes = nodes_own;
	if (cpus == 0)
		cpus = cpus_own;
	cores = cpus;
	if (cpus > VM_CPUS_MAX || nodes > VM_NODES_MAX) {
		snprintf(error, PROFILE_ERROR_SIZE, "%u CPUs in %u nodes; "
		    "expected at most %d CPUs and %d nodes", cpus, nodes,
		    VM_CPUS_MAX, VM_NODES_MAX);
		return (EINVAL);
	}
	/* Second threads of cores are used after all first ones. */
	if (smt > 1 && cpus > nodes * node_cores)
		cores = cpus <= nodes * node_cores * smt ?
		    nodes * node_cores : howmany(cpus, smt);
	*tp = (struct vm_topology){ .tp_cpus = cpus, .tp_cores = cores,
	    .tp_nodes = nodes,
	    .tp_ccx_cores = (unsigned)pr->pr_value[PROFILE_TOPO_CCX],
	    .tp_near = (unsigned)pr->pr_value[PROFILE_TOPO_NEAR] };
	if (nodes > tp->tp_cores) {
		snprintf(error, PROFILE_ERROR_SIZE, "%u nodes of %u cores in "
		    "all; expected 1..%u nodes", nodes, tp->tp_cores,
		    tp->tp_cores);
		return (EINVAL);
	}
	return (check(pr, tp, error));
}

void
vm_topology_ranks(const struct vm_topology *tp, enum cpu_order order,
    unsigned *ranks)
{
	struct cpu_spot *spots = xcalloc(tp->tp_cpus, sizeof(*spots));

	for (unsigned cpu = 0; cpu < tp->tp_cpus; cpu++)
		spots[cpu] = (struct cpu_spot){ .cs_nth = cpu / tp->tp_cores,
		    .cs_core = vm_topology_core(tp, cpu),
		    .cs_place = vm_topology_core(tp, cpu) -
		    vm_topology_first_core(tp, vm_topology_node(tp, cpu)) };
	cpu_order_ranks(order, spots, tp->tp_cpus, ranks);
	free(spots);
}
