/*
 * The shape of a simulated machine: which CPUs are near each other.
 *
 * CPUs are numbered in compact order: a node's cores, the next node's, and then
 * the cores' second hardware threads.
 */
#ifndef LIB_VM_TOPOLOGY_H
#define LIB_VM_TOPOLOGY_H

#include "lib/base/cpu_order.h"
#include "lib/profile/profile.h"

enum vm_distance {
	VM_SELF,
	VM_SMT,			/* another hardware thread of the core */
	VM_CCX,			/* another core behind the same cache */
	VM_SOCK,		/* another cache of the node */
	VM_REMOTE,		/* another node */
	VM_DISTANCES
};

struct vm_topology {
	unsigned	vt_cpus;
	unsigned	vt_cores;
	unsigned	vt_nodes;
	unsigned	vt_ccx_cores;	/* cores behind one cache */
};

/*
 * The shape of a profile's machine, or of one like it with another number of
 * CPUs or nodes.
 *
 *   cpus   in   1..1024, or 0 for the profile's
 *   nodes  in   1..64 and at most cpus, or 0 for as many of the profile's
 *               nodes as the CPUs need
 *   error  out  on failure: the reason
 *
 * Returns: 0; EINVAL for a shape without values in the profile.
 */
int vm_topology_make(const struct profile *pr, unsigned cpus, unsigned nodes,
    struct vm_topology *vt, char error[PROFILE_ERROR_SIZE]);

static inline unsigned
vm_topology_core(const struct vm_topology *vt, unsigned cpu)
{
	return (cpu % vt->vt_cores);
}

static inline unsigned
vm_topology_node(const struct vm_topology *vt, unsigned cpu)
{
	return (vm_topology_core(vt, cpu) * vt->vt_nodes / vt->vt_cores);
}

/* Cores of the nodes before a node. */
static inline unsigned
vm_topology_first_core(const struct vm_topology *vt, unsigned node)
{
	return ((node * vt->vt_cores + vt->vt_nodes - 1) / vt->vt_nodes);
}

/* The cache a CPU is behind, counted within its node. */
static inline unsigned
vm_topology_ccx(const struct vm_topology *vt, unsigned cpu)
{
	unsigned core = vm_topology_core(vt, cpu);

	return ((core - vm_topology_first_core(vt,
	    vm_topology_node(vt, cpu))) / vt->vt_ccx_cores);
}

static inline enum vm_distance
vm_topology_distance(const struct vm_topology *vt, unsigned a, unsigned b)
{
	if (a == b)
		return (VM_SELF);
	if (vm_topology_core(vt, a) == vm_topology_core(vt, b))
		return (VM_SMT);
	if (vm_topology_node(vt, a) != vm_topology_node(vt, b))
		return (VM_REMOTE);
	return (vm_topology_ccx(vt, a) == vm_topology_ccx(vt, b) ? VM_CCX :
	    VM_SOCK);
}

/* Lists all vt_cpus CPUs in an order. */
void vm_topology_ranks(const struct vm_topology *vt, enum cpu_order order,
    unsigned *ranks);

#endif
