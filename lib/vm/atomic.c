/*
 * The atomics of kernel sources, lib/kern/sys/kern_atomic.h, on words of 1, 2,
 * 4 or 8 bytes; and what plain accesses do to such words.
 *
 * Where threads are ordered by time an atomic costs what a plain access does.
 * Under the controlled scheduler it is a scheduling point, whatever locks the
 * caller owns, and has its place in weak memory.  Words that overlap have no
 * order of their own: stores to one are committed before the other is used.
 */
#include "lib/base/atomic_op.h"
#include "lib/vm/memory.h"

enum { LATE_ONE_IN = 8, LATE_TURNS = 128, LATE_UNTIL = 4096 /* steps */ };

static inline bool
overlap(uintptr_t a, size_t a_bytes, uintptr_t b, size_t b_bytes)
{
	return (a < b + b_bytes && b < a + a_bytes);
}

/* The words that overlap with one that is used now. */
static void
settle_others(struct vm *vm, const void *p, unsigned size)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	const struct memory_store *ms;
	struct memory_thread *mt;

	me->me_low = MIN(me->me_low, (uintptr_t)p);
	me->me_high = MAX(me->me_high, (uintptr_t)p + size);
	for (unsigned i = 1; i < VM_STORES; i++) {
		mt = &me->me_thread[i];
		for (unsigned k = 0; k < mt->met_pending; k++) {
			ms = &mt->met_store[k];
			if ((ms->ms_word != p || ms->ms_size != size) &&
			    overlap((uintptr_t)ms->ms_word, ms->ms_size,
			    (uintptr_t)p, size))
				memory_drain(vm, i);
		}
	}
}

/* What loads of any order have found of an entry of views. */
static uint32_t
found(unsigned i)
{
	const struct memory_thread *mt = memory_self(vm_running_machine);

	return (MAX(view_at(&mt->met_view, i), view_at(&mt->met_acquires, i)));
}

/*
 * As CPUs have it: what any loads have found is passed on by a release, and is
 * there for accesses by a pointer that was loaded.  Any load of that size does.
 */
static void
pass_on(struct vm *vm)
{
	for (unsigned i = 1; vm_is_weak(vm) && i < vm->vm_threads; i++)
		view_set(&memory_self(vm)->met_view, MEMORY_PASSED + i,
		    MAX(found(i), found(MEMORY_PASSED + i)));
}

void
memory_plain(struct vm *vm, const void *p, size_t n, bool store)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	struct memory_thread *mt = memory_self(vm);
	struct memory_word *mw;

	if (store && me->me_kind == VM_TSO)
		vm_barrier(vm);
	for (unsigned i = 0; i < mt->met_pending; i++)
		if (overlap((uintptr_t)mt->met_store[i].ms_word,
		    mt->met_store[i].ms_size, (uintptr_t)p, n))
			vm_barrier(vm);
	if (store)
		vm_uses(vm, memory_begin_place(p), n, VM_USE_STORE);
	if (me->me_high == 0 || !overlap(me->me_low,
	    me->me_high - me->me_low, (uintptr_t)p, n))
		return;
	for (unsigned i = 0; i < me->me_words; i++) {
		mw = &me->me_word[i];
		if (!overlap((uintptr_t)mw->mw_word, mw->mw_size, (uintptr_t)p,
		    n))
			continue;
		if (store)
			mw->mw_oldest = mw->mw_newest;
		else
			view_join(&mt->met_acquires,
			    &mw->mw_view[mw->mw_newest % MEMORY_VALUES]);
		view_set(&mt->met_view, memory_place(me, mw), mw->mw_newest);
		if (!store && mw->mw_size == sizeof(void *))
			pass_on(vm);
	}
}

void
vm_barrier(struct vm *vm)
{
	pass_on(vm);
	if (vm_is_weak(vm) && !memory_await(vm, MEMORY_OWN))
		memory_drain(vm, vm->vm_self->vt_id);
}

uint64_t
vm_mark(void)
{
	struct vm *vm = vm_running_machine;
	struct memory_view *mv;
	unsigned id;

	if (vm == NULL || !vm_is_weak(vm) || vm->vm_self->vt_host)
		return (0);
	mv = &memory_self(vm)->met_view;
	id = vm->vm_self->vt_id;
	if (vm->vm_controlled.vx_memory->me_kind == VM_TSO)
		return ((uint64_t)id << 32 | memory_self(vm)->met_issued);
	view_set(mv, id, view_at(mv, id) + 1);
	return ((uint64_t)id << 32 | view_at(mv, id));
}

bool
vm_sees(uint64_t mark)
{
	struct vm *vm = vm_running_machine;
	const unsigned id = (unsigned)(mark >> 32);
	const struct memory_thread *mt;

	if (mark == 0 || vm == NULL || vm->vm_self->vt_host)
		return (true);
	mt = &vm->vm_controlled.vx_memory->me_thread[id];
	if (vm->vm_controlled.vx_memory->me_kind == VM_TSO) {
		/* Its commit is a step that this depends on. */
		vm_uses(vm, memory_store_place(id, (uint32_t)mark), 1,
		    VM_USE_LOAD);
		return (id == vm->vm_self->vt_id || mt->met_issued -
		    mt->met_pending >= (uint32_t)mark);
	}
	return (view_at(&memory_self(vm)->met_view, id) >= (uint32_t)mark);
}

bool
vm_explores(void)
{
	const struct vm *vm = vm_running_machine;

	return (vm != NULL && vm_is_controlled(vm));
}

bool
vm_misses(uint64_t mark)
{
	const unsigned i = (unsigned)(mark >> 32);

	return (!vm_sees(mark) && view_at(&memory_self(vm_running_machine)->
	    met_view, MEMORY_PASSED + i) < (uint32_t)mark &&
	    MAX(found(i), found(MEMORY_TOLD + i)) >= (uint32_t)mark);
}

static void
fence(struct vm *vm, unsigned order)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	struct memory_thread *mt = memory_self(vm);

	if (me->me_kind == VM_TSO && order != __ATOMIC_SEQ_CST)
		return;
	if (order != __ATOMIC_RELEASE)
		view_join(&mt->met_view, &mt->met_acquires);
	if (order == __ATOMIC_ACQUIRE)
		return;
	vm_barrier(vm);
	/* Each full one is ordered with all others. */
	if (order == __ATOMIC_SEQ_CST) {
		vm_uses(vm, &me->me_fence, 1, VM_USE_STORE);
		view_join(&mt->met_view, &me->me_fence);
		view_copy(&me->me_fence, &mt->met_view);
	}
	view_copy(&mt->met_released, &mt->met_view);
}

static uint64_t
use(struct vm *vm, void *p, enum machine_op op, unsigned access, uint64_t v,
    uint64_t old)
{
	const unsigned size = access >> VM_SIZE_SHIFT;
	const bool weak = vm_is_weak(vm);
	uint64_t was;

	if (!weak || !memory_defers(access))
		vm_uses(vm, p, size, VM_USE_LOAD);
	if (weak) {
		settle_others(vm, p, size);
		if (op == MACHINE_OP_LOAD)
			return (memory_get(memory_load(vm, p, access), size));
		memory_own(vm, p, access);
	}
	was = memory_get(p, size);
	/* On each of the kernel's CPUs one that fails acquires, too. */
	if (op == MACHINE_OP_CMPSET && was != old) {
		(void)memory_latest(vm, p, access);
		return (was);
	}
	if (op == MACHINE_OP_LOAD)
		return (was);
	/* Who reads it is told how far this thread was. */
	if (weak)
		view_set(&memory_self(vm)->met_released, MEMORY_TOLD + vm->
		    vm_self->vt_id, view_at(&memory_self(vm)->met_view,
		    vm->vm_self->vt_id));
	memory_put(p, size, op == MACHINE_OP_ADD ? was + v : op ==
	    MACHINE_OP_OR ? was | v : op == MACHINE_OP_AND ? was & v : v);
	if (vm_is_controlled(vm) && (!weak || memory_written(vm))) {
		vm_uses(vm, p, size, weak ? VM_USE_VALUE : VM_USE_STORE);
		vm_controlled_changed(vm);
	}
	return (was);
}

/* Waits a while for a word to change, and to be the same again. */
static void
be_late(struct vm *vm, const void *p, unsigned size, uint64_t old)
{
	bool changed = false;

	for (unsigned i = 0; i < LATE_TURNS && (!changed ||
	    memory_get(p, size) != old); i++) {
		changed |= memory_get(p, size) != old;
		vm->vm_self->vt_looked = true;
		vm_controlled_spin(vm);
	}
	vm->vm_self->vt_fresh = false;
}

uint64_t
vm_atomic(void *p, unsigned how, uint64_t v, uint64_t old)
{
	const enum machine_op op = how % (1 << MACHINE_OP_BITS);
	const unsigned size = how >> MACHINE_SIZE_BITS;
	const unsigned order = how % (1 << MACHINE_SIZE_BITS) >>
	    MACHINE_OP_BITS;
	struct vm *vm = vm_get();
	uint64_t was;

	if (op == MACHINE_OP_FENCE) {
		if (vm_is_weak(vm) && !vm->vm_self->vt_host)
			fence(vm, order);
		return (0);
	}
	if (!vm_is_controlled(vm)) {
		vm_plain(p, size, op != MACHINE_OP_LOAD);
	} else {
		vm_step(vm);
		vm_controlled_point(vm, VM_POINT_ACCESS);
		if (op == MACHINE_OP_CMPSET && !vm->vm_self->vt_host &&
		    vm->vm_events % LATE_ONE_IN == 0 && vm->vm_events <
		    LATE_UNTIL && vm->vm_controlled.vx_control->vh_polls !=
		    VM_POLLS_ONCE)
			be_late(vm, p, size, old);
	}
	was = use(vm, p, op, (order % __ATOMIC_RELEASE == 0 ? 0u :
	    VM_ACQUIRE) | (order < __ATOMIC_RELEASE ? 0u : VM_RELEASE) |
	    size << VM_SIZE_SHIFT | (unsigned)(op == MACHINE_OP_LOAD ? VM_LOAD :
	    op == MACHINE_OP_STORE ? VM_STORE : VM_RMW), v, old);
	if (op != MACHINE_OP_STORE && size == sizeof(void *))
		pass_on(vm);
	return (was);
}
