/*
 * Weak memory where all schedules are run: a thread commits no store, so that
 * each store is committed in a step of its own.  What elsewhere commits those
 * of a thread, or of all, waits for that here.
 */
#include "lib/vm/memory.h"

/* Whether the stores that a thread waits for are committed. */
static bool
is_drained(struct vm *vm, const struct vm_thread *vt)
{
	const struct memory_thread *mt =
	    &vm->vm_controlled.vx_memory->me_thread[vt->vt_id];

	if (vt->vt_drains == MEMORY_ALL)
		return (vm->vm_controlled.vx_storing == 0);
	if (vt->vt_drains == MEMORY_OWN)
		return (mt->met_pending == 0);
	for (unsigned i = 0; i < mt->met_pending; i++)
		if (mt->met_store[i].ms_word == vt->vt_drains)
			return (false);
	return (true);
}

void
memory_look(struct vm *vm, unsigned as, const void *which)
{
	const struct memory_thread *mt;

	if (which == MEMORY_ALL)
		vm_uses_as(vm, as, &vm->vm_controlled.vx_storing, 1, true);
	for (unsigned i = 1; i < VM_STORES; i++) {
		mt = &vm->vm_controlled.vx_memory->me_thread[i];
		if (which == MEMORY_ALL || i == as)
			for (unsigned k = mt->met_committed; k <=
			    mt->met_issued; k++)
				vm_uses_as(vm, as, memory_store_place(i, k), 1,
				    false);
	}
}

bool
memory_await(struct vm *vm, const void *which)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	struct vm_thread *self = vm->vm_self;

	if (vx->vx_control->vh_polls != VM_POLLS_ONCE || self->vt_host)
		return (false);
	memory_look(vm, self->vt_id, which);
	self->vt_drains = which;
	if (!is_drained(vm, self)) {
		vx->vx_going &= ~(UINT64_C(1) << (self->vt_id - 1));
		vx->vx_draining |= UINT64_C(1) << (self->vt_id - 1);
		vm_resume(vm, vm_controlled_next(vm, VM_POINT_BLOCKED));
		memory_look(vm, self->vt_id, which);
	}
	return (true);
}

void
memory_drained(struct vm *vm)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	const struct vm_thread *vt;

	for (uint64_t set = vx->vx_draining; set != 0; set &= set - 1) {
		vt = vm->vm_thread[__builtin_ctzll(set) + 1];
		if (is_drained(vm, vt)) {
			vx->vx_draining &= ~(set & -set);
			vx->vx_going |= set & -set;
		}
	}
}
