/*
 * Turns of requests for a line.
 *
 * Requests that come while a line's home is busy wait.  With line.local a line
 * that is free goes to any of those behind the cache of the CPU that has it,
 * and only in the other cases to the oldest.  So it stays with a socket, and
 * the order is not that of arrival.
 */
#include "lib/vm/line.h"

static bool
near_by(const struct vm *vm, const struct vm_line *vl,
    const struct vm_thread *vt)
{
	return (vl->vl_owner >= 0 && vm->vm_place[vl->vl_owner].vp_cache ==
	    vm->vm_place[vt->vt_cpu].vp_cache);
}

static struct vm_thread *
choose(struct vm *vm, const struct vm_line *vl, uint64_t *random)
{
	struct vm_thread *vt;
	uint64_t k = 0;

	if (TAILQ_EMPTY(&vl->vl_askers) ||
	    splitmix_next(random) % 1000000 >= vm->vm_costs.vc_local_ppm)
		return (TAILQ_FIRST(&vl->vl_askers));
	TAILQ_FOREACH(vt, &vl->vl_askers, vt_link)
		k += near_by(vm, vl, vt);
	if (k == 0)
		return (TAILQ_FIRST(&vl->vl_askers));
	k = splitmix_next(random) % k;
	TAILQ_FOREACH(vt, &vl->vl_askers, vt_link)
		if (near_by(vm, vl, vt) && k-- == 0)
			break;
	return (vt);
}

static void
give(struct vm *vm, struct vm_line *vl, struct vm_thread *vt)
{
	vl->vl_turn = vt;
	if (vt == NULL)
		return;
	TAILQ_REMOVE(&vl->vl_askers, vt, vt_link);
	vm_heap_add(&vm->vm_heap, &vt->vt_event,
	    MAX(vm->vm_time_ps, vl->vl_busy_ps));
}

void
vm_turn_next(struct vm *vm, struct vm_line *vl, struct vm_thread *vt)
{
	vt->vt_asks = NULL;
	give(vm, vl, choose(vm, vl, &vt->vt_random));
}

void
vm_turn_leave(struct vm *vm, struct vm_thread *vt)
{
	struct vm_line *vl = vt->vt_asks;

	vt->vt_asks = NULL;
	if (vl->vl_turn == vt)
		vm_turn_next(vm, vl, vt);
	else
		TAILQ_REMOVE(&vl->vl_askers, vt, vt_link);
}

bool
vm_turn_begin(struct vm *vm, struct vm_thread *vt)
{
	struct vm_line *vl = vt->vt_asks;
	uint64_t until;

	vt->vt_begun = true;
	until = vt->vt_serve(vm, vl, vt, MAX(vm->vm_time_ps, vl->vl_busy_ps));
	if (until > 0)
		vm_heap_add(&vm->vm_heap, &vt->vt_event, until);
	return (until > 0);
}

void
vm_turn_end(struct vm *vm, struct vm_line *vl)
{
	struct vm_thread *next, *self = vm->vm_self;
	const uint64_t now = vm->vm_time_ps;

	if (self->vt_asks != vl || vm_heap_first_ps(&vm->vm_heap) <= now) {
		vm_turn_pass(vm, vl, self);
		if (vl->vl_turn != NULL)
			vm_until(vm, now);
		return;
	}
	/* The same without the heap. */
	self->vt_asks = NULL;
	next = vl->vl_turn = choose(vm, vl, &self->vt_random);
	if (next == NULL)
		return;
	TAILQ_REMOVE(&vl->vl_askers, next, vt_link);
	vm_happened(vm, now, next->vt_id);
	if (vm_turn_begin(vm, next)) {
		vm_happened(vm, now, self->vt_id);
	} else {
		vm_heap_add(&vm->vm_heap, &self->vt_event, now);
		vm_resume(vm, next);
	}
}

bool
vm_turn_wait(struct vm *vm, struct vm_line *vl)
{
	struct vm_thread *self = vm->vm_self;

	if (vl->vl_turn == NULL && vl->vl_busy_ps <= vm_self_ps(vm)) {
		vl->vl_turn = self;
		self->vt_asks = vl;
		return (false);
	}
	vm_spend(vm, 0);
	self->vt_waited = true;
	self->vt_begun = false;
	/* Again if it was preempted. */
	while (!self->vt_begun) {
		self->vt_asks = vl;
		TAILQ_INSERT_TAIL(&vl->vl_askers, self, vt_link);
		if (vl->vl_turn == NULL)
			give(vm, vl, self);
		vm_switch(vm);
	}
	return (true);
}
