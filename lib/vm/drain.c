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

unsigned
memory_each(const struct vm *vm, unsigned thread,
    uint16_t number[VM_EACH_STORES])
{
	const struct memory *me = vm->vm_controlled.vx_memory;
	const struct memory_thread *mt = &me->me_thread[thread];
	const unsigned first = VM_EACH + thread * VM_EACH_STORES;
	uint32_t set = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < mt->met_pending; i++)
		if (memory_may_commit(me, mt, i))
			set |= 1u << (me->me_kind == VM_TSO ? 0 :
			    mt->met_store[i].ms_issue % VM_EACH_STORES);
	for (; set != 0; set &= set - 1)
		number[count++] = (uint16_t)(first +
		    (unsigned)__builtin_ctz(set));
	return (count);
}

void
memory_waited(struct vm *vm, unsigned as, const void *which)
{
	const bool all = which == MEMORY_ALL;
	struct memory_thread *mt;
	unsigned *k;

	for (unsigned i = all ? 1 : as; i < (all ? VM_STORES : as + 1); i++) {
		mt = &vm->vm_controlled.vx_memory->me_thread[i];
		k = all ? &mt->met_settled : &mt->met_awaited;
		while (*k < mt->met_issued)
			vm_uses_as(vm, as, memory_store_place(i, ++*k), 1,
			    VM_USE_AFTER);
	}
}

bool
memory_await(struct vm *vm, const void *which)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	struct vm_thread *self = vm->vm_self;

	if (vx->vx_control->vh_polls != VM_POLLS_ONCE || self->vt_host)
		return (false);
	if (which == MEMORY_ALL)
		vm_uses(vm, &vx->vx_storing, 1, VM_USE_STORE);
	self->vt_drains = which;
	if (!is_drained(vm, self)) {
		vx->vx_going &= ~self->vt_bit;
		vx->vx_draining |= self->vt_bit;
		vm_resume(vm, vm_controlled_next(vm, VM_POINT_BLOCKED));
	}
	if (which == MEMORY_ALL || which == MEMORY_OWN)
		memory_waited(vm, self->vt_id, which);
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
