/*
 * CPUs and their run queues.
 *
 * Each CPU has a queue.  The thread that has used least CPU time goes first,
 * as in every fair scheduler, and runs for a quantum.  A woken thread that has
 * used clearly less than the running one preempts it, if the profile allows
 * preemption; otherwise the running one yields between requests.  A thread in
 * a critical section stays until its end, as vm_hold() has it.  Bound
 * threads stay; others go to an idle CPU, or to the shortest queue.
 */
#include "lib/vm/impl.h"

static uint64_t
used_now(const struct vm *vm, const struct vm_thread *vt, uint64_t before_ps)
{
	return (before_ps + (vt->vt_state == VM_RUNNING && !vt->vt_host ?
	    vm->vm_time_ps - vt->vt_on_ps : 0));
}

uint64_t
vm_sched_used_ps(const struct vm *vm, const struct vm_thread *vt)
{
	return (used_now(vm, vt, vt->vt_used_ps));
}

static uint64_t
draw(struct vm_thread *vt, const uint64_t *quantiles)
{
	return (quantiles[splitmix_next(&vt->vt_random) % VM_DRAWS]);
}

/* A thread gets an idle CPU, after delay. */
static void
run_on(struct vm *vm, struct vm_cpu *vc, struct vm_thread *vt,
    uint64_t delay_ps)
{
	MPASS(vc->vu_running == NULL);
	vc->vu_running = vt;
	vc->vu_resched = false;
	vt->vt_state = VM_RUNNING;
	vt->vt_cpu = (int)(vc - vm->vm_cpu);
	vt->vt_slept = false;
	vt->vt_on_ps = vm->vm_time_ps;
	vc->vu_fair_ps = MAX(vc->vu_fair_ps, vt->vt_fair_ps);
	vm_heap_add(&vm->vm_heap, &vt->vt_event, vm->vm_time_ps + delay_ps +
	    vt->vt_left_ps);
	vt->vt_left_ps = 0;
	VM_TELL(vm, vt, .vn_kind = VM_CPU_ON);
}

/* Starts the timer of the running thread's slice, if others wait. */
static void
arm(struct vm *vm, struct vm_cpu *vc)
{
	uint64_t end_ps;

	if (vc->vu_queued == 0 || vc->vu_running == NULL ||
	    vc->vu_timer.ve_at != VM_HEAP_NONE)
		return;
	end_ps = vc->vu_running->vt_on_ps + vm_cost(vm, PROFILE_OS_QUANTUM);
	vm_heap_add(&vm->vm_heap, &vc->vu_timer, MAX(end_ps, vm->vm_time_ps));
}

static bool
may_move(const struct vm_thread *vt)
{
	return (vt->vt_bound == VM_CPU_ANY && vt->vt_hold == 0);
}

static bool
may_preempt(const struct vm *vm, const struct vm_cpu *vc)
{
	return (vm->vm_costs.vc_preempt &&
	    vc->vu_running->vt_hold <= VM_PINNED);
}

static void
enqueue(struct vm *vm, struct vm_cpu *vc, struct vm_thread *vt)
{
	vt->vt_state = VM_READY;
	vt->vt_cpu = (int)(vc - vm->vm_cpu);
	TAILQ_INSERT_TAIL(&vc->vu_queue, vt, vt_link);
	vc->vu_queued++;
	vm->vm_floating += may_move(vt);
}

static void
dequeue(struct vm *vm, struct vm_cpu *vc, struct vm_thread *vt)
{
	TAILQ_REMOVE(&vc->vu_queue, vt, vt_link);
	vc->vu_queued--;
	vm->vm_floating -= may_move(vt);
}

/* Takes a thread that may move from another CPU's queue. */
static struct vm_thread *
steal(struct vm *vm)
{
	struct vm_thread *vt;

	for (unsigned i = 0; vm->vm_floating > 0 && i < vm->vm_topology.tp_cpus;
	    i++) {
		TAILQ_FOREACH(vt, &vm->vm_cpu[i].vu_queue, vt_link)
			if (may_move(vt)) {
				dequeue(vm, &vm->vm_cpu[i], vt);
				return (vt);
			}
	}
	return (NULL);
}

/*
 * Gives an idle CPU to the thread that has used least, and to the one that has
 * just left it only if there is no other.
 */
static void
dispatch(struct vm *vm, struct vm_cpu *vc, const struct vm_thread *left)
{
	struct vm_thread *best = NULL, *vt;

	TAILQ_FOREACH(vt, &vc->vu_queue, vt_link)
		if (vt != left && (best == NULL ||
		    vt->vt_interrupt > best->vt_interrupt ||
		    (vt->vt_interrupt == best->vt_interrupt &&
		    vt->vt_fair_ps < best->vt_fair_ps)))
			best = vt;
	if (best != NULL)
		dequeue(vm, vc, best);
	else
		best = steal(vm);
	if (best == NULL)
		return;
	run_on(vm, vc, best, best->vt_slept ? draw(best, vm->vm_wake_same_ps) :
	    vm_cost(vm, PROFILE_OS_SWITCH));
	arm(vm, vc);
}

/* The running thread leaves its CPU. */
static void
stop(struct vm *vm, struct vm_cpu *vc, const char *why)
{
	struct vm_thread *vt = vc->vu_running;
	uint64_t ran_ps = vm->vm_time_ps - vt->vt_on_ps;

	vt->vt_used_ps += ran_ps;
	vt->vt_fair_ps += ran_ps;
	vc->vu_fair_ps = MAX(vc->vu_fair_ps, vt->vt_fair_ps);
	vc->vu_running = NULL;
	vc->vu_resched = false;
	if (vc->vu_timer.ve_at != VM_HEAP_NONE)
		vm_heap_remove(&vm->vm_heap, &vc->vu_timer);
	VM_TELL(vm, vt, .vn_kind = VM_CPU_OFF, .vn_detail = why);
}

/* Takes a CPU from its thread, whose step continues later. */
static void
preempt(struct vm *vm, struct vm_cpu *vc)
{
	struct vm_thread *vt = vc->vu_running;

	if (vt->vt_event.ve_at != VM_HEAP_NONE)
		vt->vt_left_ps = vm_heap_remove(&vm->vm_heap, &vt->vt_event) -
		    vm->vm_time_ps;
	if (vt->vt_asks != NULL)
		vm_turn_leave(vm, vt);
	if (vt->vt_awaits != NULL) {
		vm_line_cancel(vm, vt);
		vt->vt_left_ps = 0;
	}
	stop(vm, vc, "preempted");
	enqueue(vm, vc, vt);
	dispatch(vm, vc, vt);
}

void
vm_sched_timer(struct vm *vm, struct vm_cpu *vc)
{
	if (vc->vu_queued == 0 || vc->vu_running == NULL)
		return;
	if (may_preempt(vm, vc) && !vc->vu_running->vt_interrupt)
		preempt(vm, vc);
	else
		vc->vu_resched = true;
}

/* A CPU for a thread: an idle one, or the one with the fewest threads. */
static struct vm_cpu *
choose(struct vm *vm, const struct vm_thread *vt)
{
	struct vm_cpu *best, *vc;
	unsigned load, least = UINT32_MAX;

	if (vt->vt_bound != VM_CPU_ANY)
		return (&vm->vm_cpu[vt->vt_bound]);
	if (vt->vt_hold != 0)
		return (&vm->vm_cpu[vt->vt_cpu]);
	best = &vm->vm_cpu[vt->vt_cpu >= 0 ? vt->vt_cpu : 0];
	if (best->vu_running == NULL)
		return (best);
	for (unsigned i = 0; least > 0 && i < vm->vm_topology.tp_cpus; i++) {
		vc = &vm->vm_cpu[i];
		if ((load = vc->vu_queued + (vc->vu_running != NULL)) < least) {
			least = load;
			best = vc;
		}
	}
	return (best);
}

void
vm_sched_ready(struct vm *vm, struct vm_thread *vt)
{
	uint64_t quantum_ps = vm_cost(vm, PROFILE_OS_QUANTUM);
	struct vm_cpu *vc;

	if (vt->vt_host) {
		vt->vt_state = VM_RUNNING;
		vm_heap_add(&vm->vm_heap, &vt->vt_event, vm->vm_time_ps);
		return;
	}
	if (vm_is_controlled(vm)) {
		vm_controlled_ready(vm, vt);
		return;
	}
	vc = choose(vm, vt);
	/* A sleeper gets credit, but at most a quantum. */
	if (vt->vt_fair_ps + quantum_ps < vc->vu_fair_ps)
		vt->vt_fair_ps = vc->vu_fair_ps - quantum_ps;
	if (vt->vt_bound == VM_CPU_ANY && vt->vt_fair_ps > vc->vu_fair_ps)
		vt->vt_fair_ps = vc->vu_fair_ps;
	if (vc->vu_running == NULL && vc->vu_queued == 0) {
		/* The wake-up latency is over already. */
		run_on(vm, vc, vt, 0);
		return;
	}
	enqueue(vm, vc, vt);
	if (vc->vu_running == NULL) {
		dispatch(vm, vc, NULL);
		return;
	}
	if (vc->vu_running->vt_interrupt) {
		arm(vm, vc);
		return;
	}
	if (vt->vt_interrupt || used_now(vm, vc->vu_running,
	    vc->vu_running->vt_fair_ps) >= vt->vt_fair_ps + quantum_ps / 2) {
		/* The waker itself is preempted after its wake-up call. */
		if ((vt->vt_interrupt ? vc->vu_running->vt_held_count == 0 &&
		    vc->vu_running->vt_hold < VM_MASKED :
		    may_preempt(vm, vc)) && (vm->vm_between ||
		    vc->vu_running != vm->vm_self)) {
			preempt(vm, vc);
			return;
		}
		vc->vu_resched = true;
	}
	arm(vm, vc);
}

void
vm_sched_wake(struct vm *vm, struct vm_thread *vt)
{
	const struct vm_cpu *vc;

	MPASS(vt->vt_state == VM_BLOCKED);
	if (vt->vt_event.ve_at != VM_HEAP_NONE)
		vm_heap_remove(&vm->vm_heap, &vt->vt_event);
	if (vt->vt_asleep_at != NULL) {
		TAILQ_REMOVE(&vt->vt_asleep_at->vl_sleepers, vt, vt_link);
		vt->vt_asleep_at = NULL;
	}
	if (vt->vt_untimed || vt->vt_interrupt) {
		vm_sched_ready(vm, vt);
		return;
	}
	vt->vt_slept = true;
	vc = choose(vm, vt);
	if (vc->vu_running != NULL) {
		vm_sched_ready(vm, vt);
		return;
	}
	vt->vt_state = VM_WAKING;
	vm_heap_add(&vm->vm_heap, &vt->vt_event, vm->vm_time_ps +
	    draw(vt, vm->vm_wake_cross_ps));
}

void
vm_sched_leave(struct vm *vm, const char *why)
{
	struct vm_thread *self = vm->vm_self;
	struct vm_cpu *vc;

	if (self->vt_host)
		return;
	if (vm_is_controlled(vm)) {
		vm_controlled_leave(vm, why);
		return;
	}
	MPASS(self->vt_deferred_ps == 0);
	vc = &vm->vm_cpu[self->vt_cpu];
	MPASS(vc->vu_running == self);
	stop(vm, vc, why);
	dispatch(vm, vc, NULL);
}

void
vm_sched_yield(struct vm *vm)
{
	struct vm_thread *self = vm->vm_self;
	struct vm_cpu *vc;

	if (self->vt_host || self->vt_interrupt)
		return;
	vc = &vm->vm_cpu[self->vt_cpu];
	vc->vu_resched = false;
	if (vc->vu_queued == 0)
		return;
	MPASS(self->vt_deferred_ps == 0);
	stop(vm, vc, "yields");
	enqueue(vm, vc, self);
	dispatch(vm, vc, self);
	vm_switch(vm);
}

void
vm_sched_check(struct vm *vm)
{
	struct vm_thread *self = vm->vm_self;

	if (self->vt_untimed || !vm->vm_cpu[self->vt_cpu].vu_resched ||
	    self->vt_hold > VM_PINNED)
		return;
	vm_spend(vm, 0);
	vm_sched_yield(vm);
}
