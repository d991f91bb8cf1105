/*
 * Waiting for a line to change.
 *
 * When a line changes on which k threads spin, all of them read it again, one
 * after the other from a random one on.  So a thread waits for the service of
 * k/2 others in the mean (Boyd-Wickizer et al., "Non-scalable locks are
 * dangerous", OLS 2012).  Where caches are shared, each last-level cache
 * fetches the line once, one after the other, and k is the number of cores that
 * wait behind the thread's.  There the home is busy with all of these reads: a
 * request that comes meanwhile is served after them, and reads after requests
 * that were there before; and a waiter sees a change up to a pause after its
 * copy came.  Only threads whose condition is true are resumed.
 */
#include "lib/vm/line.h"

/* Between two polls of the first thread, about. */
#define	HOST_POLL_PS	UINT64_C(1000000)

enum {
	WAITERS_AT_FIRST	= 4,
	SEARCHED_AT_ONCE	= 16
};

static bool
is_other(const struct vm_line *vl, const struct vm_waiter *vw)
{
	return (!vw->wt_until_is || vw->wt_word != vl->vl_is_word);
}

static bool
any_is(const uint32_t *numbers, uint32_t v)
{
	uint32_t any = 0;

	/* Without a branch: compilers make a few vector instructions of it. */
	for (unsigned i = 0; i < SEARCHED_AT_ONCE; i++)
		any |= numbers[i] == v;
	return (any != 0);
}

/*
 * One past the last waiter before end whose condition is true; 0: none.  Where
 * all wait for values of one word, as ticket locks do, this searches numbers,
 * and finds none while the word is unchanged.
 */
static unsigned
last_over(const struct vm_line *vl, unsigned end)
{
	const uint32_t *wanted = vl->vl_wanted;
	uint32_t v;

	if (vl->vl_others > 0) {
		while (end > 0 && !vm_waiter_over(&vl->vl_waiter[end - 1]))
			end--;
		return (end);
	}
	if (end == 0)
		return (0);
	v = *vl->vl_is_word;
	if (v == vl->vl_is_seen)
		return (0);
	while (end >= SEARCHED_AT_ONCE &&
	    !any_is(wanted + end - SEARCHED_AT_ONCE, v))
		end -= SEARCHED_AT_ONCE;
	while (end > 0 && wanted[end - 1] != v)
		end--;
	return (end);
}

/* Notes the value that all waiters for a value have seen. */
static void
look(struct vm_line *vl)
{
	if (vl->vl_is_word != NULL)
		vl->vl_is_seen = *vl->vl_is_word;
}

static void
more_waiters(struct vm *vm, struct vm_line *vl)
{
	const unsigned room = vl->vl_waiter_room = vl->vl_waiter_room == 0 ?
	    WAITERS_AT_FIRST : vl->vl_waiter_room * 2;
	const struct vm_topology *tp = &vm->vm_topology;

	if (vl->vl_counts == NULL)
		vl->vl_counts = xcalloc(2 * tp->tp_cpus + tp->tp_nodes,
		    sizeof(*vl->vl_counts));
	vl->vl_waiter = xreallocarray(vl->vl_waiter, room,
	    sizeof(*vl->vl_waiter));
	vl->vl_wanted = xreallocarray(vl->vl_wanted, room,
	    sizeof(*vl->vl_wanted));
}

/*
 * How many wait: threads of each core, cores behind each last-level cache, and
 * cores of each node.  Without shared caches each CPU is such a core.
 */
static uint16_t *
count_of_cache(const struct vm *vm, const struct vm_line *vl, unsigned cpu)
{
	return (vl->vl_counts + vm->vm_topology.tp_cpus +
	    vm->vm_place[cpu].vp_cache);
}

static uint16_t *
count_of_node(const struct vm *vm, const struct vm_line *vl, unsigned node)
{
	return (vl->vl_counts + 2 * vm->vm_topology.tp_cpus + node);
}

static void
add_waiter(struct vm *vm, struct vm_line *vl, struct vm_waiter vw)
{
	unsigned cpu = (unsigned)vw.wt_thread->vt_cpu;

	if (vl->vl_waiters == vl->vl_waiter_room)
		more_waiters(vm, vl);
	if (vl->vl_waiters == 0) {
		vl->vl_wait_nodes = 0;
		vl->vl_is_word = vw.wt_until_is && vw.wt_size ==
		    sizeof(uint32_t) ? vw.wt_word : NULL;
		look(vl);
	}
	vl->vl_others += is_other(vl, &vw);
	vl->vl_wait_nodes |= node_bit(vm, cpu);
	if (vl->vl_counts[core(vm, cpu)]++ == 0) {
		vl->vl_wait_cores++;
		vl->vl_wait_caches += (*count_of_cache(vm, vl, cpu))++ == 0;
		++*count_of_node(vm, vl, vm->vm_place[cpu].vp_node);
	}
	/* Its copy counts as a waiter's, not as a sharer's too. */
	if (shares(vm, vl, cpu)) {
		vl->vl_shared[core(vm, cpu) / 64] &=
		    ~(UINT64_C(1) << core(vm, cpu) % 64);
		vl->vl_sharers--;
		if (vl->vl_sharers == 0)
			vl->vl_nodes = 0;
	}
	vw.wt_thread->vt_awaits = vl;
	vw.wt_thread->vt_waiter = vl->vl_waiters;
	vl->vl_wanted[vl->vl_waiters] = (uint32_t)vw.wt_value;
	vl->vl_waiter[vl->vl_waiters++] = vw;
}

static void
drop_waiter(struct vm *vm, struct vm_thread *vt)
{
	struct vm_line *vl = vt->vt_awaits;
	unsigned cpu = (unsigned)vt->vt_cpu, i = vt->vt_waiter;

	MPASS(vl->vl_waiter[i].wt_thread == vt);
	if (--vl->vl_counts[core(vm, cpu)] == 0) {
		vl->vl_wait_cores--;
		vl->vl_wait_caches -= --*count_of_cache(vm, vl, cpu) == 0;
		/* Otherwise a node that once waited would cost for ever. */
		if (--*count_of_node(vm, vl, vm->vm_place[cpu].vp_node) == 0)
			vl->vl_wait_nodes &= ~node_bit(vm, cpu);
	}
	vl->vl_others -= is_other(vl, &vl->vl_waiter[i]);
	vl->vl_waiters--;
	vl->vl_waiter[i] = vl->vl_waiter[vl->vl_waiters];
	vl->vl_wanted[i] = vl->vl_wanted[vl->vl_waiters];
	vl->vl_waiter[i].wt_thread->vt_waiter = i;
	vt->vt_awaits = NULL;
}

void
vm_line_cancel(struct vm *vm, struct vm_thread *vt)
{
	struct vm_line *vl = vt->vt_awaits;

	drop_waiter(vm, vt);
	/* It has read the line until now. */
	share(vm, vl, (unsigned)vt->vt_cpu);
}

/*
 * The home's mean service time of a waiter of a line written at cpu, if at one.
 */
static uint64_t
mean_service(const struct vm *vm, const struct vm_line *vl, int cpu)
{
	const uint64_t k = vl->vl_waiters;
	uint64_t group = 0, own = k, nodes;

	if (cpu >= 0 && vm->vm_topology.tp_nodes > 1) {
		own = *count_of_node(vm, vl, vm->vm_place[cpu].vp_node);
		nodes = vl->vl_wait_nodes & group_bits(vm, (unsigned)cpu) &
		    ~node_bit(vm, (unsigned)cpu);
		for (; nodes != 0; nodes &= nodes - 1)
			group += *count_of_node(vm, vl,
			    (unsigned)__builtin_ctzll(nodes));
	}
	return ((own * service(vm, within_node(vm)) + group * service(vm,
	    VM_NEAR) + (k - own - group) * service(vm, VM_REMOTE)) / k);
}

/*
 * When a waiter of a line written by the caller has its copy, after the
 * writing; it is the n-th that is asked for.
 */
static uint64_t
copied(struct vm *vm, const struct vm_line *vl, const struct vm_thread *vt,
    uint64_t each, uint64_t n)
{
	enum vm_distance d;
	uint64_t caches, pause;

	d = distance(vm, vm->vm_self->vt_cpu, (unsigned)vt->vt_cpu);
	if (!vm->vm_costs.vc_shared)
		return (latency(vm, d) + n * each + each / 2);
	pause = splitmix_next(&vm->vm_self->vt_random) %
	    (vm_cost(vm, PROFILE_CPU_PAUSE) + 1);
	if (d <= VM_SMT)
		return (latency(vm, d) + pause);
	each = service(vm, VM_CCX);
	n = splitmix_next(&vm->vm_self->vt_random) %
	    *count_of_cache(vm, vl, (unsigned)vt->vt_cpu);
	/* The caches before its own. */
	caches = d == VM_CCX ? 0 : splitmix_next(&vm->vm_self->vt_random) %
	    vl->vl_wait_caches;
	return (latency(vm, d) + caches * service(vm, d) + n * each + each / 2 +
	    pause);
}

void
vm_written(struct vm_line *vl)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self, *vt;
	uint64_t due, each, k = vl->vl_waiters, first, round, start;
	unsigned woken = 0;

	if (k == 0)
		return;
	if (vl == &vm->vm_controlled.vx_line) {
		if (vm_is_weak(vm) && !memory_written(vm))
			return;
		vm_uses(vm, vm->vm_controlled.vx_owns, 1,
		    vm_is_weak(vm) ? VM_USE_VALUE : VM_USE_STORE);
		vm_controlled_changed(vm);
		return;
	}
	/* A line that was written again before it left is read once. */
	start = MAX(vm_self_ps(vm), vl->vl_free_ps == vl->vl_read_ps ?
	    vl->vl_unread_ps : vl->vl_free_ps);
	/* The line's home is busy with the reads of all waiters. */
	round = start + vl->vl_wait_cores * service(vm, VM_CCX) +
	    (vl->vl_wait_caches - 1u) * service(vm, farthest(vm));
	each = mean_service(vm, vl, self->vt_cpu);
	first = splitmix_next(&self->vt_random) % k;
	if (self->vt_cpu >= 0 &&
	    other_cores_wait(vm, vl, (unsigned)self->vt_cpu) > 0)
		keep(vm, vl, (unsigned)self->vt_cpu, start,
		    latency(vm, within_node(vm)), &self->vt_random);
	for (unsigned i = vl->vl_waiters; (i = last_over(vl, i)) > 0; i--) {
		vt = vl->vl_waiter[i - 1].wt_thread;
		due = start + copied(vm, vl, vt, each, (first + woken++) % k);
		drop_waiter(vm, vt);
		vt->vt_told = true;
		if (vt->vt_event.ve_at != VM_HEAP_NONE)
			vm_heap_remove(&vm->vm_heap, &vt->vt_event);
		vm_heap_add(&vm->vm_heap, &vt->vt_event, due);
	}
	look(vl);
	if (vm->vm_costs.vc_shared && TAILQ_EMPTY(&vl->vl_askers)) {
		vl->vl_unread_ps = start;
		vl->vl_free_ps = vl->vl_read_ps = round;
	}
}

void
vm_host_poll(struct vm *vm)
{
	vm_heap_add(&vm->vm_heap, &vm->vm_self->vt_event, vm->vm_time_ps +
	    HOST_POLL_PS);
	vm_switch(vm);
}

unsigned
vm_await(const void *p, size_t size, uint64_t value, bool until_is,
    unsigned most)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;
	struct vm_line *vl;
	struct vm_waiter vw = { .wt_word = p, .wt_value = value,
	    .wt_thread = self, .wt_size = (uint8_t)size,
	    .wt_until_is = until_is };
	uint64_t began_ps, poll_ps, polls;

	if (self->vt_host) {
		vm_host_poll(vm);
		return (1);
	}
	if (self->vt_untimed)
		return (vm_controlled_await(vm, &vw, most));
	poll_ps = vm_cost(vm, PROFILE_CPU_PAUSE) +
	    vm->vm_costs.vc_lat_ps[VM_SELF];
	vm_spend(vm, 0);
	if (vm_waiter_over(&vw)) {
		vm_spend(vm, poll_ps);
		return (1);
	}
	began_ps = vm_sched_used_ps(vm, self);
	vl = vm_line_of(vm, p);
	add_waiter(vm, vl, vw);
	self->vt_told = false;
	if (most > 0)
		vm_heap_add(&vm->vm_heap, &self->vt_event,
		    vm->vm_time_ps + most * poll_ps);
	vm_switch(vm);
	if (self->vt_awaits != NULL)
		vm_line_cancel(vm, self);
	else if (self->vt_told)
		/* It keeps the copy that it waited for. */
		share(vm, vl, (unsigned)self->vt_cpu);
	/* A preempted thread did not poll meanwhile. */
	polls = (vm_sched_used_ps(vm, self) - began_ps) / poll_ps + 1;
	return ((unsigned)MIN(polls, most > 0 ? most : UINT32_MAX));
}
