/*
 * The CPUs of a kernel, as vm_hold() has it.
 *
 * Which threads can run depends on the threads that have a CPU for themselves.
 * So a thread stops before it becomes one, and while there is one also before
 * its own CPU is chosen: else it would never be where that one was before.
 */
#include "lib/vm/impl.h"

CTASSERT(VM_KERNEL_CPUS_MAX <= VM_STORES);	/* ways of a choice */

/* How a CPU can be had. */
enum use { ALONE, BY_INTERRUPT, BY_ANY };

static enum use
use_of(const struct vm_controlled *vx, unsigned cpu)
{
	const uint64_t alone = vx->vx_held[cpu] & vx->vx_alone;

	return (alone == 0 ? BY_ANY : (alone & (vx->vx_interrupt |
	    vx->vx_masked)) == 0 ? BY_INTERRUPT : ALONE);
}

uint64_t
vm_kernel_kept_off(const struct vm *vm)
{
	const struct vm_controlled *vx = &vm->vm_controlled;
	uint64_t alone, anywhere = UINT64_MAX, off = 0;
	enum use best = ALONE, use;

	for (unsigned i = 0; i < vx->vx_cpus; i++) {
		use = use_of(vx, i);
		best = MAX(use, best);
		anywhere &= ~vx->vx_held[i];
		if (use == BY_ANY)
			continue;
		alone = vx->vx_held[i] & vx->vx_alone;
		if ((alone & vx->vx_interrupt) != 0)
			alone &= vx->vx_interrupt;
		else if (use == BY_INTERRUPT)
			alone |= vx->vx_interrupt;
		off |= vx->vx_held[i] & ~alone;
	}
	return (best == BY_ANY ? off : off | (anywhere & (best == ALONE ?
	    UINT64_MAX : ~vx->vx_interrupt)));
}

static void
tell(struct vm *vm, const char *how)
{
	VM_TELL(vm, vm->vm_self, .vn_kind = VM_KERNEL_CPU, .vn_detail = how,
	    .vn_value = (uint64_t)vm->vm_self->vt_kernel_cpu);
}

/* Whether another thread has a CPU for itself. */
static bool
any_alone(const struct vm_controlled *vx)
{
	return (vx->vx_alone != 0 && vx->vx_cpus > 1);
}

static void
stop(struct vm *vm)
{
	vm->vm_self->vt_fresh = vm->vm_self->vt_newest = false;
	vm_resume(vm, vm_controlled_next(vm, VM_POINT_ACCESS));
	vm_uses(vm, &vm->vm_controlled.vx_cpus, 1, VM_USE_STORE);
}

/* Chooses where the caller is; whether that is another CPU. */
static bool
move(struct vm *vm)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	struct vm_thread *self = vm->vm_self;
	const int was = self->vt_kernel_cpu;
	const enum use least = (vx->vx_interrupt & self->vt_bit) != 0 ?
	    BY_INTERRUPT : BY_ANY;
	unsigned at, cpu[VM_KERNEL_CPUS_MAX], way, ways = 0;

	for (unsigned i = 0; i < vx->vx_cpus; i++) {
		at = ((unsigned)(was >= 0 ? was : self->vt_cpu) + i) %
		    vx->vx_cpus;
		if (use_of(vx, at) >= least)
			cpu[ways++] = at;
	}
	MPASS(ways > 0);
	way = ways == 1 ? 0 : vm_controlled_pick(vm, VM_POINT_CPU, ways);
	/* Another run. */
	if (way > 0)
		vm_happened(vm, vm->vm_time_ps, VM_MOVED + way);
	self->vt_kernel_cpu = (int)cpu[way];
	return (self->vt_kernel_cpu != was);
}

/*
 * A CPU sees its own stores, whichever threads they are of: a thread that comes
 * there those of the last one, a thread that was interrupted there those of the
 * interrupt.  That other CPUs see them then, too, is less than what may happen.
 */
static void
share_stores(struct vm *vm, bool comes)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	const unsigned cpu = (unsigned)vm->vm_self->vt_kernel_cpu;
	const unsigned self = vm->vm_self->vt_id, latest = vx->vx_latest[cpu];
	uint64_t others = comes ? 0 : vx->vx_held[cpu] & ~vm->vm_self->vt_bit;

	vx->vx_latest[cpu] = self;
	if (!vm_is_weak(vm))
		return;
	if (comes && latest != self)
		memory_follow(vm, self, latest);
	for (; others != 0; others &= others - 1)
		memory_follow(vm, (unsigned)__builtin_ctzll(others) + 1, self);
}

/* Puts the caller into a set, or takes it out of it. */
static void
put(struct vm *vm, uint64_t *set, bool in)
{
	const uint64_t bit = vm->vm_self->vt_bit;

	*set = in ? *set | bit : *set & ~bit;
}

static const char *
how(unsigned hold)
{
	return ((hold & VM_INTERRUPT) != 0 ? "interrupts CPU" :
	    hold > VM_PINNED ? "critical, CPU" : hold != 0 ? "pinned, CPU" :
	    "may leave CPU");
}

static void
hold_controlled(struct vm *vm, unsigned hold, int cpu)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	struct vm_thread *self = vm->vm_self;
	const bool alone = hold > VM_PINNED;
	const unsigned was = self->vt_hold;

	put(vm, &vx->vx_interrupt, (hold & VM_INTERRUPT) != 0);
	if (cpu != VM_CPU_ANY && (was == 0 || cpu != self->vt_kernel_cpu)) {
		if (was != 0)
			put(vm, &vx->vx_held[self->vt_kernel_cpu], false);
		/* It goes there when that CPU is free. */
		put(vm, &vx->vx_alone, false);
		self->vt_kernel_cpu = cpu;
		put(vm, &vx->vx_held[cpu], true);
		stop(vm);
	} else if (was == 0) {
		if (alone || any_alone(vx))
			stop(vm);
		(void)move(vm);
	} else if (alone && was <= VM_PINNED)
		stop(vm);
	share_stores(vm, hold != 0);
	self->vt_hold = hold;
	put(vm, &vx->vx_held[self->vt_kernel_cpu], hold != 0);
	put(vm, &vx->vx_alone, alone);
	put(vm, &vx->vx_masked, (hold & VM_MASKED) != 0);
	if (how(hold) != how(was))
		tell(vm, how(hold));
}

/* false: the caller has no CPU. */
static bool
begin(struct vm *vm, unsigned cpus)
{
	vm->vm_controlled.vx_cpus = MIN(cpus, VM_KERNEL_CPUS_MAX);
	vm_uses(vm, &vm->vm_controlled.vx_cpus, 1, VM_USE_STORE);
	return (!vm->vm_self->vt_host);
}

bool
vm_hold(unsigned cpus, unsigned hold, int cpu)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;

	if ((cpus == 0 && vm_is_controlled(vm)) || !begin(vm, cpus))
		return (true);
	if (vm_is_controlled(vm)) {
		if (hold != self->vt_hold || cpu != VM_CPU_ANY)
			hold_controlled(vm, hold, cpu == VM_CPU_ANY ? cpu :
			    cpu % (int)vm->vm_controlled.vx_cpus);
		return (!vm_is_weak(vm));
	}
	self->vt_hold = hold;
	/* The quantum may be over. */
	vm_sched_check(vm);
	return (false);
}

unsigned
vm_kernel_cpu(unsigned cpus)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;

	if (!begin(vm, cpus))
		return (0);
	if (!vm_is_controlled(vm))
		return ((unsigned)self->vt_cpu);
	if (self->vt_hold != 0)
		return ((unsigned)self->vt_kernel_cpu);
	if (any_alone(&vm->vm_controlled))
		stop(vm);
	if (move(vm))
		tell(vm, "on CPU");
	share_stores(vm, true);
	return ((unsigned)self->vt_kernel_cpu);
}
