/*
 * Helpers for cache-line state, for lib/vm/line.c and lib/vm/wait.c.
 */
#ifndef LIB_VM_LINE_H
#define LIB_VM_LINE_H

#include <sys/param.h>	/* MIN, MAX */

#include "lib/vm/impl.h"

static inline bool
shares(const struct vm_line *vl, unsigned cpu)
{

	return ((vl->vl_shared[cpu / 64] >> cpu % 64 & 1) != 0);
}

static inline uint64_t
node_bit(const struct vm *vm, unsigned cpu)
{

	return (UINT64_C(1) << vm_topology_node(&vm->vm_topology, cpu));
}

static inline void
share(const struct vm *vm, struct vm_line *vl, unsigned cpu)
{

	if (shares(vl, cpu))
		return;
	vl->vl_shared[cpu / 64] |= UINT64_C(1) << cpu % 64;
	vl->vl_sharers++;
	vl->vl_nodes |= node_bit(vm, cpu);
	vl->vl_last = (int)cpu;
}

/* Traffic of more nodes lengthens the way between them. */
static inline uint64_t
congested(const struct vm *vm, enum vm_distance d, uint64_t ps)
{
	unsigned used;

	if (d != VM_REMOTE)
		return (ps);
	used = (unsigned)__builtin_popcountll(vm->vm_nodes_used);
	return (used <= 2 ? ps :
	    ps + ps * vm->vm_cong_ppm * (used - 2) / 1000000);
}

static inline uint64_t
latency(const struct vm *vm, enum vm_distance d)
{

	return (congested(vm, d, vm->vm_costs.vc_lat_ps[d]));
}

static inline uint64_t
service(const struct vm *vm, enum vm_distance d)
{

	return (congested(vm, d, vm->vm_costs.vc_service_ps[d]));
}

/* The distance of unknown CPUs of one node. */
static inline enum vm_distance
within_node(const struct vm *vm)
{
	const struct vm_topology *vt = &vm->vm_topology;

	return (vt->vt_ccx_cores * vt->vt_nodes >= vt->vt_cores ? VM_CCX :
	    VM_SOCK);
}

static inline enum vm_distance
distance(const struct vm *vm, int other, unsigned cpu)
{

	return (other < 0 ? within_node(vm) :
	    vm_topology_distance(&vm->vm_topology, (unsigned)other, cpu));
}

#endif
