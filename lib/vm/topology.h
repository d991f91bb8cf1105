/*
 * The shape of a simulated machine: which CPUs are near each other.
 *
 * CPUs are numbered in compact order: a node's cores, the next node's, and then
 * the cores' second hardware threads.
 */
#pragma once

#include "lib/base/cpu_order.h"
#include "lib/profile/profile.h"

enum vm_distance {
	VM_SELF,
	VM_SMT,			/* another hardware thread of the core */
	VM_CCX,			/* another core behind the same cache */
	VM_SOCK,		/* another cache of the node */
	VM_NEAR,		/* another node of the group */
	VM_REMOTE,		/* another group of nodes */
	VM_DISTANCES
};

enum {
	VM_CPUS_MAX	= 1024,
	VM_NODES_MAX	= 64
};

/* Where a CPU is: numbers of the whole machine. */
struct vm_place {
	uint16_t	vp_cpu, vp_core;
	uint16_t	vp_cache;	/* its first core */
	uint8_t		vp_node, vp_group;
};

struct vm_topology {
	unsigned	tp_cpus, tp_cores, tp_nodes;
	unsigned	tp_ccx_cores;	/* cores behind one cache */
	unsigned	tp_near;	/* nodes of a group; 0: one */
};

/*
 * The shape of a profile's machine, or one like it with 1..1024 CPUs (0: the
 * profile's) and 1..64 nodes, at most cpus (0: as many of the profile's as the
 * CPUs need).  Returns: 0; or with the reason EINVAL where it has no values.
 */
int vm_topology_make(const struct profile *pr, unsigned cpus, unsigned nodes,
    struct vm_topology *tp, char error[PROFILE_ERROR_SIZE]);

static inline unsigned
vm_topology_core(const struct vm_topology *tp, unsigned cpu)
{
	return (cpu % tp->tp_cores);
}

static inline unsigned
vm_topology_node(const struct vm_topology *tp, unsigned cpu)
{
	return (vm_topology_core(tp, cpu) * tp->tp_nodes / tp->tp_cores);
}

/* Cores of the nodes before a node. */
static inline unsigned
vm_topology_first_core(const struct vm_topology *tp, unsigned node)
{
	return ((node * tp->tp_cores + tp->tp_nodes - 1) / tp->tp_nodes);
}

static inline struct vm_place
vm_topology_place(const struct vm_topology *tp, unsigned cpu)
{
	const unsigned core = vm_topology_core(tp, cpu);
	const unsigned node = vm_topology_node(tp, cpu);
	const unsigned first = vm_topology_first_core(tp, node);

	return ((struct vm_place){ .vp_cpu = (uint16_t)cpu,
	    .vp_core = (uint16_t)core, .vp_cache = (uint16_t)(core -
	    (core - first) % tp->tp_ccx_cores), .vp_node = (uint8_t)node,
	    .vp_group = (uint8_t)(node / MAX(tp->tp_near, 1)) });
}

/* Each level that differs is one farther. */
static inline enum vm_distance
vm_place_distance(struct vm_place a, struct vm_place b)
{
	return ((enum vm_distance)((a.vp_cpu != b.vp_cpu) +
	    (a.vp_core != b.vp_core) + (a.vp_cache != b.vp_cache) +
	    (a.vp_node != b.vp_node) + (a.vp_group != b.vp_group)));
}

/* Lists all tp_cpus CPUs in an order. */
void vm_topology_ranks(const struct vm_topology *tp, enum cpu_order order,
    unsigned *ranks);
