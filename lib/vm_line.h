/*
 * What there is to say about cache lines; for lib/vm_line.c and lib/vm_wait.c.
 */
#ifndef LIB_VM_LINE_H
#define LIB_VM_LINE_H

#include "lib/vm_impl.h"

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

/* More nodes in use make the way between them longer. */
static inline uint64_t
congested(const struct vm *vm, uint64_t ps)
{
	unsigned used = (unsigned)__builtin_popcountll(vm->vm_nodes_used);

	return (used <= 2 ? ps :
	    ps + ps * vm->vm_cong_ppm * (used - 2) / 1000000);
}

static inline uint64_t
latency(const struct vm *vm, enum vm_distance d)
{

	return (d == VM_REMOTE ?
	    congested(vm, vm->vm_costs.vc_lat_ps[VM_REMOTE]) :
	    vm->vm_costs.vc_lat_ps[d]);
}

static inline uint64_t
service(const struct vm *vm, enum vm_distance d)
{

	return (d == VM_REMOTE ?
	    congested(vm, vm->vm_costs.vc_service_ps[VM_REMOTE]) :
	    vm->vm_costs.vc_service_ps[d]);
}

/* The distance of CPUs of one node of which no more is known. */
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

static inline uint64_t
later(uint64_t a, uint64_t b)
{

	return (a > b ? a : b);
}

#endif
