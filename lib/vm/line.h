/* Helpers for cache-line state, for lib/vm/line.c and lib/vm/wait.c. */
#pragma once

#include "lib/vm/impl.h"

/* A request for a line. */
struct vm_request {
	struct vm_line	*vr_line;
	/* Serves it from start_ps on: sets vr_free_ps and vr_until_ps. */
	void		(*vr_serve)(struct vm *vm, struct vm_thread *vt,
			    struct vm_request *rq, uint64_t start_ps);
	uint64_t	 vr_then_ps;	/* a write's access, after the line */
	uint64_t	 vr_extra_ps;	/* of a write for more lines */
	bool		 vr_keeps;	/* the line, to the access's end */
	uint64_t	 vr_asked_ps;	/* when it was made */
	bool		 vr_waited;	/* for its turn */
	bool		 vr_had;	/* a copy, then */
	bool		 vr_begun;
	uint64_t	 vr_free_ps;	/* the line's home is, then */
	uint64_t	 vr_until_ps;	/* the thread waits; 0: not at all */
};

/* arbiter.c: makes a request of the caller's, until it is over. */
void vm_request(struct vm *vm, struct vm_request *rq);

/* One CPU of those that share all copies with this one. */
static inline unsigned
core(const struct vm *vm, unsigned cpu)
{
	return (vm->vm_costs.vc_shared ? vm->vm_place[cpu].vp_core : cpu);
}

static inline bool
shares(const struct vm *vm, const struct vm_line *vl, unsigned cpu)
{
	cpu = core(vm, cpu);
	return ((vl->vl_shared[cpu / 64] >> cpu % 64 & 1) != 0);
}

static inline bool
owns(const struct vm *vm, const struct vm_line *vl, unsigned cpu)
{
	return (vl->vl_owner == (int)cpu || (vl->vl_owner >= 0 &&
	    core(vm, (unsigned)vl->vl_owner) == core(vm, cpu)));
}

static inline bool
has_copy(const struct vm *vm, const struct vm_line *vl, unsigned cpu)
{
	return (owns(vm, vl, cpu) || shares(vm, vl, cpu));
}

/* Whether a thread of the CPU's core waits for the line to change. */
static inline bool
waits(const struct vm *vm, const struct vm_line *vl, unsigned cpu)
{
	return (vl->vl_waiters > 0 && vl->vl_counts[core(vm, cpu)] > 0);
}

static inline unsigned
other_cores_wait(const struct vm *vm, const struct vm_line *vl, unsigned cpu)
{
	return (vl->vl_waiters == 0 ? 0 :
	    vl->vl_wait_cores - waits(vm, vl, cpu));
}

/*
 * A CPU has lost a line to a request that begins at start and takes ps; but it
 * still has the line until the request gets there, at a random time.
 */
static inline void
keep(struct vm *vm, const struct vm_line *vl, unsigned cpu, uint64_t start,
    uint64_t ps, uint64_t *random)
{
	const uint64_t most = 2 * ps * vm->vm_costs.vc_keep_ppm / 1000000;
	struct vm_cpu *vc = &vm->vm_cpu[core(vm, cpu)];

	vc->vu_kept = vl;
	vc->vu_kept_ps = start + (most == 0 ? 0 : splitmix_next(random) % most);
}

static inline uint64_t
node_bit(const struct vm *vm, unsigned cpu)
{
	return (UINT64_C(1) << vm->vm_place[cpu].vp_node);
}

/* The nodes that are no farther than VM_NEAR. */
static inline uint64_t
group_bits(const struct vm *vm, unsigned cpu)
{
	const unsigned n = MAX(vm->vm_topology.tp_near, 1);

	return (UINT64_MAX >> (64 - n) << n * vm->vm_place[cpu].vp_group);
}

static inline void
share(const struct vm *vm, struct vm_line *vl, unsigned cpu)
{
	if (shares(vm, vl, cpu))
		return;
	vl->vl_last = (int)cpu;
	vl->vl_sharers++;
	vl->vl_nodes |= node_bit(vm, cpu);
	cpu = core(vm, cpu);
	vl->vl_shared[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

/* Traffic of more groups of nodes lengthens the way between them. */
static inline uint64_t
congested(const struct vm *vm, enum vm_distance d, uint64_t ps)
{
	unsigned used;

	if (d != VM_REMOTE)
		return (ps);
	used = (unsigned)__builtin_popcountll(vm->vm_groups_used);
	return (used <= 2 ? ps :
	    ps + ps * vm->vm_costs.vc_cong_ppm * (used - 2) / 1000000);
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
	const struct vm_topology *tp = &vm->vm_topology;

	return (tp->tp_ccx_cores * tp->tp_nodes >= tp->tp_cores ? VM_CCX :
	    VM_SOCK);
}

/* The farthest of any CPUs. */
static inline enum vm_distance
farthest(const struct vm *vm)
{
	const struct vm_topology *tp = &vm->vm_topology;

	return (tp->tp_nodes == 1 ? within_node(vm) :
	    tp->tp_nodes > tp->tp_near ? VM_REMOTE : VM_NEAR);
}

static inline enum vm_distance
distance(const struct vm *vm, int other, unsigned cpu)
{
	return (other < 0 ? within_node(vm) :
	    vm_place_distance(vm->vm_place[other], vm->vm_place[cpu]));
}
