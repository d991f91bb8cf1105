/*
 * Cache lines: which CPUs have a copy, and the cost of getting one.
 *
 * A line's home serves one request at a time (arbiter.c).  Reading a line that
 * another CPU wrote takes the latency of the nearest copy, and keeps the home
 * busy for line.service of that.  Writing takes the latency of the farthest
 * copy that must be invalidated, and the home is busy for all of it.
 *
 * Refinements, each with a value of the profile: a core's threads have its
 * copies in common (line.shared), but a read-modify-write of what the other
 * wrote takes lat.smt, and the other's next access comes after it; a line that
 * was asked for leaves its owner after a random share of the time that takes
 * (line.keep); a thread does not wait for its stores, except before a
 * read-modify-write (cpu.stores); a write that waited for its turn has done a
 * share of its fetch meanwhile (line.ahead) unless it asked only for the right
 * to write its copy, which it then lost: as a compare-and-set after a load
 * does, and a swap without one does not.
 */
#include "lib/vm/line.h"

enum { LINE_BITS = 6 };

CTASSERT(VM_LINE_BYTES == 1 << LINE_BITS);

static struct vm_line **
list_of(struct vm *vm, uintptr_t key)
{
	return (&vm->vm_lines[(key >> 1 ^ key >> 14) % VM_LINE_LISTS]);
}

static struct vm_line *
find(struct vm *vm, uintptr_t key)
{
	struct vm_line *vl = *list_of(vm, key);

	while (vl != NULL && vl->vl_key != key)
		vl = vl->vl_next;
	return (vl);
}

static struct vm_line *
line_by_key(struct vm *vm, uintptr_t key)
{
	struct vm_line **list = list_of(vm, key), *vl = find(vm, key);

	if (vl != NULL)
		return (vl);
	vl = xcalloc(1, sizeof(*vl));
	vl->vl_key = key;
	vl->vl_owner = -1;
	TAILQ_INIT(&vl->vl_sleepers);
	TAILQ_INIT(&vl->vl_askers);
	vl->vl_next = *list;
	*list = vl;
	return (vl);
}

/* Lines have even keys, objects that are fetched as a whole odd ones. */
struct vm_line *
vm_line_of(struct vm *vm, const void *p)
{
	return (line_by_key(vm, (uintptr_t)p >> LINE_BITS << 1));
}

static void
unshare_all(const struct vm *vm, struct vm_line *vl)
{
	if (vl->vl_sharers == 0)
		return;
	memset(vl->vl_shared, 0, (vm->vm_topology.tp_cpus + 63) / 64 *
	    sizeof(uint64_t));
	vl->vl_sharers = 0;
	vl->vl_nodes = 0;
}

/* The distance of the nearest copy, for a CPU without one. */
static enum vm_distance
nearest(const struct vm *vm, const struct vm_line *vl, unsigned cpu)
{
	enum vm_distance d = distance(vm, vl->vl_owner, cpu);

	if (vl->vl_sharers > 0) {
		d = MIN(d, distance(vm, vl->vl_last, cpu));
		if ((vl->vl_nodes & node_bit(vm, cpu)) != 0)
			d = MIN(d, within_node(vm));
		else if ((vl->vl_nodes & group_bits(vm, cpu)) != 0)
			d = MIN(d, VM_NEAR);
	}
	if (vl->vl_waiters == 1)
		d = MIN(d, distance(vm,
		    vl->vl_waiter[0].wt_thread->vt_cpu, cpu));
	else if (waits(vm, vl, cpu))
		d = MIN(d, VM_SMT);
	else if (vl->vl_waiters > 0 &&
	    (vl->vl_wait_nodes & node_bit(vm, cpu)) != 0)
		d = MIN(d, within_node(vm));
	else if (vl->vl_waiters > 0 &&
	    (vl->vl_wait_nodes & group_bits(vm, cpu)) != 0)
		d = MIN(d, VM_NEAR);
	return (d);
}

/* The time to become the only CPU with a copy. */
static uint64_t
take_over(const struct vm *vm, const struct vm_line *vl, unsigned cpu)
{
	enum vm_distance d = VM_SELF;
	uint64_t nodes = vl->vl_nodes;
	unsigned sharers = vl->vl_sharers, waiters;
	int far;

	waiters = other_cores_wait(vm, vl, cpu);
	if (vm->vm_costs.vc_shared)
		sharers -= shares(vm, vl, cpu);
	if (vl->vl_waiters > 0)
		nodes |= vl->vl_wait_nodes;
	/* The owner's copy is invalidated, even if another is nearer. */
	if (vl->vl_owner >= 0)
		nodes |= node_bit(vm, (unsigned)vl->vl_owner);
	if (!owns(vm, vl, cpu))
		d = vl->vl_owner >= 0 || shares(vm, vl, cpu) ?
		    distance(vm, vl->vl_owner, cpu) : nearest(vm, vl, cpu);
	if ((far = __builtin_popcountll(nodes & ~node_bit(vm, cpu))) > 0)
		d = (nodes & ~group_bits(vm, cpu)) != 0 ? VM_REMOTE : VM_NEAR;
	else if (sharers + waiters > 1 || (waiters == 1 && vl->vl_waiters > 1))
		d = MAX(d, within_node(vm));
	else if (waiters == 1)
		d = MAX(d, distance(vm,
		    vl->vl_waiter[0].wt_thread->vt_cpu, cpu));
	else if (sharers == 1)
		d = MAX(d, distance(vm, vl->vl_last, cpu));
	return ((d == VM_SELF ? 0 : latency(vm, d)) + (far <= 1 ? 0 :
	    (uint64_t)(far - 1) * vm_cost(vm, PROFILE_LINE_INVALIDATE)));
}

/* Defers the time of an access. */
static void
defer(struct vm *vm, uint64_t ps)
{
	vm_step(vm);
	vm->vm_self->vt_deferred_ps += ps;
	if (vm->vm_self->vt_deferred_ps > VM_DEFERRED_MAX_PS)
		vm_spend(vm, 0);
}

/* Whether a line that another CPU asked for has not left yet. */
static bool
kept(const struct vm *vm, const struct vm_line *vl)
{
	const struct vm_cpu *vc =
	    &vm->vm_cpu[core(vm, (unsigned)vm->vm_self->vt_cpu)];

	return (vm->vm_costs.vc_keep_ppm > 0 && vc->vu_kept == vl &&
	    vm_self_ps(vm) < vc->vu_kept_ps);
}

/* An access to a line that the core has, or has asked for. */
static void
hit(struct vm *vm, const struct vm_line *vl, uint64_t ps)
{
	struct vm_thread *self = vm->vm_self;

	if (vl->vl_owner != self->vt_cpu && vl->vl_owned_ps > vm_self_ps(vm) &&
	    owns(vm, vl, (unsigned)self->vt_cpu))
		vm_spend(vm, vl->vl_owned_ps - vm_self_ps(vm));
	defer(vm, ps);
}

static void
serve_copy(struct vm *vm, struct vm_thread *vt, struct vm_request *rq,
    uint64_t start_ps)
{
	const enum vm_distance d = nearest(vm, rq->vr_line,
	    (unsigned)vt->vt_cpu);

	rq->vr_free_ps = start_ps + service(vm, d);
	rq->vr_until_ps = start_ps + latency(vm, d);
}

/* Fetches a copy. */
static void
fetch(struct vm *vm, struct vm_line *vl)
{
	vm_request(vm, &(struct vm_request){ .vr_line = vl,
	    .vr_serve = serve_copy });
	/* Until the copy arrives, the owner may write without a request. */
	share(vm, vl, (unsigned)vm->vm_self->vt_cpu);
}

const void *
vm_load(const void *p, unsigned access)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;
	struct vm_line *vl;

	if (self->vt_untimed) {
		vm_step(vm);
		vm_controlled_point(vm, VM_POINT_ACCESS);
		vm_uses(vm, p, access >> VM_SIZE_SHIFT, VM_USE_LOAD);
		return (vm_is_weak(vm) && access != 0 ?
		    memory_load(vm, p, access) : p);
	}
	vl = vm_line_of(vm, p);
	if (has_copy(vm, vl, (unsigned)self->vt_cpu) || kept(vm, vl))
		hit(vm, vl, vm->vm_costs.vc_lat_ps[VM_SELF]);
	else
		fetch(vm, vl);
	return (p);
}

/* The thread's copy becomes the only one. */
static void
serve_own(struct vm *vm, struct vm_thread *vt, struct vm_request *rq,
    uint64_t start_ps)
{
	const unsigned cpu = (unsigned)vt->vt_cpu;
	struct vm_line *vl = rq->vr_line;
	uint64_t ps = take_over(vm, vl, cpu);

	/* A copy that was lost meanwhile: the line is asked for anew. */
	if (rq->vr_waited && (!rq->vr_had || has_copy(vm, vl, cpu)))
		ps -= MIN(ps * vm->vm_costs.vc_ahead_ppm / 1000000,
		    start_ps - rq->vr_asked_ps);
	if (vl->vl_owner >= 0 && !owns(vm, vl, cpu))
		keep(vm, vl, (unsigned)vl->vl_owner, start_ps, ps,
		    &vt->vt_random);
	vl->vl_owner = (int)cpu;
	unshare_all(vm, vl);
	vl->vl_owned_ps = rq->vr_free_ps = start_ps + ps + rq->vr_extra_ps;
	rq->vr_until_ps = rq->vr_free_ps + rq->vr_then_ps;
}

static void
own(struct vm *vm, struct vm_line *vl, uint64_t then_ps, uint64_t extra_ps)
{
	vm_request(vm, &(struct vm_request){ .vr_line = vl,
	    .vr_serve = serve_own, .vr_then_ps = then_ps,
	    .vr_extra_ps = extra_ps, .vr_keeps = true });
}

/* Stores go out in order, and the thread goes on. */
static void
serve_store(struct vm *vm, struct vm_thread *vt, struct vm_request *rq,
    uint64_t start_ps)
{
	serve_own(vm, vt, rq, start_ps);
	rq->vr_line->vl_owned_ps = rq->vr_free_ps = vt->vt_stored_ps =
	    MAX(rq->vr_free_ps, vt->vt_stored_ps);
	/* The value must not be seen by requests that are served before. */
	rq->vr_until_ps = start_ps <= vm->vm_time_ps + vt->vt_deferred_ps &&
	    !(rq->vr_waited && vm->vm_costs.vc_strict) ? 0 : start_ps +
	    vm_cost(vm, PROFILE_LAT_RMW);
}

/* The same where it takes no time. */
static struct vm_line *
own_untimed(struct vm *vm, const void *p, unsigned access)
{
	struct vm_line *vl;

	if (vm_is_controlled(vm)) {
		vm_step(vm);
		vm_controlled_point(vm, VM_POINT_ACCESS);
		if (vm_is_weak(vm))
			memory_own(vm, p, access);
		else
			vm_uses(vm, p, access >> VM_SIZE_SHIFT, VM_USE_LOAD);
		/* Others may have run. */
		vm->vm_controlled.vx_owns = p;
		return (&vm->vm_controlled.vx_line);
	}
	vl = vm_line_of(vm, p);
	vl->vl_owner = -1;
	unshare_all(vm, vl);
	return (vl);
}

struct vm_line *
vm_own(const void *p, unsigned access)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;
	struct vm_line *vl;
	bool from_sibling;
	unsigned cpu;
	uint64_t ps;

	if (self->vt_untimed)
		return (own_untimed(vm, p, access));
	if ((access & VM_STORE) == 0 && self->vt_stored_ps > vm_self_ps(vm))
		vm_spend(vm, self->vt_stored_ps - vm_self_ps(vm));
	vl = vm_line_of(vm, p);
	cpu = (unsigned)self->vt_cpu;
	ps = (access & VM_STORE) == 0 ? vm_cost(vm, PROFILE_LAT_RMW) :
	    vm->vm_costs.vc_lat_ps[VM_SELF];
	if (kept(vm, vl)) {
		defer(vm, ps);
	} else if (owns(vm, vl, cpu) && other_cores_wait(vm, vl, cpu) == 0 &&
	    (vl->vl_sharers == 0 || (vl->vl_sharers == 1 &&
	    shares(vm, vl, cpu)))) {
		hit(vm, vl, 0);
		/* Unless it was asked for meanwhile. */
		from_sibling = owns(vm, vl, (unsigned)self->vt_cpu) &&
		    vl->vl_owner != self->vt_cpu;
		if (from_sibling)
			vl->vl_owner = self->vt_cpu;
		if (from_sibling && (access & VM_STORE) == 0) {
			ps += latency(vm, VM_SMT);
			vl->vl_owned_ps = vm_self_ps(vm) + ps;
		}
		defer(vm, ps);
	} else if (vm->vm_costs.vc_stores && (access & VM_STORE) != 0) {
		vm_request(vm, &(struct vm_request){ .vr_line = vl,
		    .vr_serve = serve_store });
		defer(vm, ps);
	} else
		own(vm, vl, ps, 0);
	return (vl);
}

/* A line that is fetched beside another one of the same access. */
static void
beside(struct vm *vm, struct vm_line *vl, bool store)
{
	const unsigned cpu = (unsigned)vm->vm_self->vt_cpu;

	/* The owner's copy is invalidated, although this CPU has one. */
	defer(vm, service(vm, store && shares(vm, vl, cpu) ?
	    distance(vm, vl->vl_owner, cpu) : nearest(vm, vl, cpu)));
	if (store) {
		vl->vl_owner = (int)cpu;
		unshare_all(vm, vl);
	} else
		share(vm, vl, cpu);
}

void
vm_touch(const void *object, unsigned lines)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;
	struct vm_line *vl;

	MPASS(lines > 0);
	if (vm_is_controlled(vm)) {
		vm_controlled_point(vm, VM_POINT_ACCESS);
		vm_uses(vm, object, 1, VM_USE_STORE);
		if (vm_is_weak(vm))
			memory_guard(vm, object, "data that a lock guards",
			    VM_ACQUIRE | VM_RELEASE);
		return;
	}
	vl = line_by_key(vm, (uintptr_t)object << 1 | 1);
	if (self->vt_host) {
		vl->vl_owner = -1;
		return;
	}
	if (owns(vm, vl, (unsigned)self->vt_cpu)) {
		hit(vm, vl, vm->vm_costs.vc_lat_ps[VM_SELF]);
		return;
	}
	own(vm, vl, 0, (lines - 1) *
	    service(vm, nearest(vm, vl, (unsigned)self->vt_cpu)));
}

/* Whether a plain access needs no request. */
static inline bool
has(const struct vm *vm, const struct vm_line *vl, unsigned cpu, bool store)
{
	return (owns(vm, vl, cpu) ? !store || vl->vl_sharers == 0 :
	    !store && shares(vm, vl, cpu));
}

/* Those of one access are fetched together. */
static void __attribute__((noinline))
plain_by_time(struct vm *vm, const char *at, size_t n, bool store)
{
	struct vm_thread *self = vm->vm_self;
	bool first = self->vt_plain_ps[store] != vm_self_ps(vm);
	const char *end = at + n;
	struct vm_line *vl;

	if (self->vt_untimed) {
		for (; store && at < end; at += VM_LINE_BYTES)
			(void)own_untimed(vm, at, 0);
		return;
	}
	for (; at < end; at += VM_LINE_BYTES - (uintptr_t)at % VM_LINE_BYTES) {
		vl = vm_line_of(vm, at);
		if (has(vm, vl, (unsigned)self->vt_cpu, store))
			continue;
		if (!first)
			beside(vm, vl, store);
		else if (store)
			own(vm, vl, 0, 0);
		else
			fetch(vm, vl);
		first = false;
		self->vt_plain_ps[store] = vm_self_ps(vm);
	}
}

static void __attribute__((noinline))
plain_controlled(struct vm *vm, const void *p, size_t n, bool store, bool point)
{
	if (point) {
		vm_step(vm);
		vm_controlled_point(vm, VM_POINT_ACCESS);
	}
	if (vm_is_weak(vm))
		memory_plain(vm, p, n, store);
	vm_uses(vm, p, n, store ? VM_USE_STORE : VM_USE_LOAD);
}

/* Where accesses take no time they are scheduling points, or forgotten. */
void
vm_plain(const void *p, size_t n, bool store)
{
	struct vm *vm = vm_get();
	const struct vm_thread *self = vm->vm_self;
	const struct vm_controlled *vx = &vm->vm_controlled;

	if (vx->vx_control == NULL)
		plain_by_time(vm, p, n, store);
	else if (!self->vt_host && (self->vt_held_count == 0 || vx->vx_all))
		plain_controlled(vm, p, n, store, self->vt_held_count == 0 ||
		    vx->vx_control->vh_guarded);
}

struct vm_line *
vm_forget(const void *p, unsigned access)
{
	struct vm *vm = vm_running_machine;
	struct vm_line *vl;

	/* Words are also set up outside the machine. */
	if (vm == NULL)
		return (NULL);
	vm_uses(vm, p, access >> VM_SIZE_SHIFT, VM_USE_STORE);
	if (vm_is_weak(vm)) {
		vm->vm_controlled.vx_owns = p;
		memory_own(vm, p, access);
		return (&vm->vm_controlled.vx_line);
	}
	if (vm_is_controlled(vm))
		return (NULL);
	/* An untracked line has no owner. */
	if (vm->vm_self->vt_host &&
	    find(vm, (uintptr_t)p >> LINE_BITS << 1) == NULL)
		return (NULL);
	vl = vm_line_of(vm, p);
	if (vl->vl_waiters > 0)
		return (NULL);
	vl->vl_owner = vm->vm_self->vt_host ? -1 : vm->vm_self->vt_cpu;
	unshare_all(vm, vl);
	return (NULL);
}
