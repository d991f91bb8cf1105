/*
 * What lib/machine.h promises, on the simulated machine.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/vm_impl.h"

/* What the first thread waits for takes about so long. */
#define	HOST_POLL_PS	UINT64_C(1000000)

static const char *const cost_names[MACHINE_COSTS] = {
	[COST_KEYSTREAM] = "keystream",
	[COST_KEYSTREAM_MORE] = "keystream",
	[COST_REKEY] = "rekey",
	[COST_WIPE] = "wipe",
	[COST_EVENT] = "event",
	[COST_RESEED] = "reseed",
	[COST_COPYOUT] = "copyout",
	[COST_SYSCALL] = "request",
	[COST_SOURCE_READ] = "source",
	[COST_LOCK] = "lock",
	[COST_UNLOCKED] = "unlocked",
	[COST_WORK] = "work",
};

struct mthread *
vm_curthread(void)
{

	return (vm_get()->vm_self->vt_td);
}

uint64_t
vm_now_ps(void)
{
	struct vm *vm = vm_get();

	/* Takes no time: who waits for a time by looking waits for ever. */
	vm_step(vm);
	return (vm_self_ps(vm));
}

unsigned
vm_cpu(void)
{
	const struct vm_thread *self = vm_get()->vm_self;

	return (self->vt_host ? 0 : (unsigned)self->vt_cpu);
}

const struct vm_topology *
vm_topology(void)
{

	return (&vm_get()->vm_topology);
}

uint64_t
vm_draw(void)
{

	return (splitmix_next(&vm_get()->vm_self->vt_random));
}

int64_t
vm_coarse_ns(void)
{
	struct vm *vm = vm_get();
	uint64_t tick_ps = vm_cost(vm, PROFILE_OS_TICK);

	vm_step(vm);
	return ((int64_t)(vm_self_ps(vm) / tick_ps * tick_ps / VM_PS_PER_NS));
}

void
vm_host_poll(struct vm *vm)
{

	vm_heap_add(&vm->vm_heap, &vm->vm_self->vt_event, vm->vm_time_ps +
	    HOST_POLL_PS);
	vm_switch(vm);
}

void
vm_pause(unsigned n)
{
	struct vm *vm = vm_get();

	if (vm->vm_self->vt_host) {
		vm_host_poll(vm);
		return;
	}
	vm_step(vm);
	if (vm_is_chosen(vm)) {
		vm_choose_spin(vm);
		return;
	}
	vm_spend(vm, n * vm_cost(vm, PROFILE_CPU_PAUSE));
}

void
vm_yield(void)
{
	struct vm *vm = vm_get();

	if (vm->vm_self->vt_host) {
		vm_host_poll(vm);
		return;
	}
	vm_step(vm);
	if (vm_is_chosen(vm)) {
		vm_choose_spin(vm);
		return;
	}
	vm_spend(vm, vm_cost(vm, PROFILE_OS_SYSCALL));
	vm_sched_yield(vm);
}

/* A factor in units of 1 << VM_DRAW_SHIFT; the product alone may not fit. */
static uint64_t
jittered(uint64_t ps, uint64_t factor)
{
	const uint64_t low = (UINT64_C(1) << VM_DRAW_SHIFT) - 1;

	return ((ps >> VM_DRAW_SHIFT) * factor +
	    ((ps & low) * factor >> VM_DRAW_SHIFT));
}

void
vm_charge(enum machine_cost cost, size_t n)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;
	uint64_t ps;

	if (self->vt_host)
		return;
	if (vm_is_chosen(vm)) {
		vm_tell(vm, VM_WORK, self, NULL, VM_PS_PER_NS,
		    cost_names[cost]);
		vm_choose_point(vm, VM_POINT_CHARGE);
		return;
	}
	/* Between requests a thread is where the kernel would return. */
	if (cost == COST_SYSCALL || vm->vm_costs.vc_preempt)
		vm_sched_check(vm);
	n = (n + vm->vm_costs.vc_less[cost]) & ~vm->vm_costs.vc_less[cost];
	ps = vm->vm_costs.vc_cost_ps[cost] +
	    vm->vm_costs.vc_unit_fs[cost] * n / 1000;
	if (ps == 0)
		return;
	if (vm->vm_costs.vc_jitter > 0)
		ps = jittered(ps, vm->vm_jitter[splitmix_next(
		    &self->vt_random) % VM_DRAWS]);
	if (vm->vm_observer != NULL)
		vm_tell(vm, VM_WORK, self, NULL, ps, cost_names[cost]);
	vm_spend(vm, ps);
}

void
vm_note_lock(enum vm_event_kind kind, const void *lock, const char *name)
{
	struct vm *vm = vm_get();
	struct vm_thread *vt = vm->vm_self;
	unsigned i;

	switch (kind) {
	case VM_LOCK_WAIT:
		vt->vt_wants = lock;
		vt->vt_wants_name = name;
		break;
	case VM_LOCK_HELD:
		vt->vt_wants = NULL;
		if (vt->vt_held_count == VM_LOCKS_HELD_MAX)
			break;
		vt->vt_held[vt->vt_held_count].lock = lock;
		vt->vt_held[vt->vt_held_count++].name = name;
		break;
	default:
		MPASS(kind == VM_LOCK_FREE);
		for (i = vt->vt_held_count; i-- > 0; ) {
			if (vt->vt_held[i].lock != lock)
				continue;
			vt->vt_held[i] = vt->vt_held[--vt->vt_held_count];
			break;
		}
	}
	if (vm->vm_observer != NULL)
		vm_tell(vm, kind, vt, lock, 0, name);
}

void
vm_mark(const char *what)
{
	struct vm *vm = vm_get();

	vm_tell(vm, VM_MARK, vm->vm_self, NULL, 0, what);
}

/* Where who sleeps on a word is found. */
static struct vm_line *
line_of(struct vm *vm, const struct m32 *word)
{

	return (vm_is_chosen(vm) ? vm->vm_chosen.vx_line :
	    vm_line_of(vm, word));
}

/* Asleep until woken, or for so long; whether it was woken. */
static bool
block(struct vm *vm, struct vm_line *line, const void *word,
    int64_t timeout_ns)
{
	struct vm_thread *self = vm->vm_self;
	uint64_t until_ps;

	self->vt_state = VM_BLOCKED;
	self->vt_timed_out = false;
	self->vt_word = word;
	self->vt_asleep_at = line;
	if (line != NULL)
		TAILQ_INSERT_TAIL(&line->vl_sleepers, self, vt_link);
	vm_sched_leave(vm, "sleeps");
	/* One that is longer than time can be told is none. */
	if (timeout_ns >= 0 && (uint64_t)timeout_ns <
	    (UINT64_MAX - vm->vm_time_ps) / VM_PS_PER_NS) {
		until_ps = vm->vm_time_ps + (uint64_t)timeout_ns * VM_PS_PER_NS;
		if (vm_is_chosen(vm) && !self->vt_host)
			vm_choose_sleep(vm, until_ps);
		else
			vm_heap_add(&vm->vm_heap, &self->vt_event, until_ps);
	}
	vm_switch(vm);
	return (!self->vt_timed_out);
}

int
machine_wait_32(struct m32 *word, uint32_t expect, int64_t timeout_ns)
{
	struct vm *vm = vm_get();
	bool woken;

	KASSERT(timeout_ns >= -1, ("time-out of %jd ns", (intmax_t)timeout_ns));
	vm_step(vm);
	vm_load(word);
	vm_spend(vm, vm_cost(vm, PROFILE_OS_SYSCALL));
	if (word->m_value != expect)
		return (0);
	/* Who stores from here on wakes whoever is on the list. */
	if (!vm->vm_self->vt_host) {
		vm_spend(vm, vm_cost(vm, PROFILE_OS_PARK));
		if (word->m_value != expect)
			return (0);
	}
	woken = block(vm, line_of(vm, word), word, timeout_ns);
	return (woken ? 0 : ETIMEDOUT);
}

static void
wake(struct m32 *word, unsigned most)
{
	struct vm *vm = vm_get();
	struct vm_line *line = line_of(vm, word);
	struct vm_thread *next, *vt;

	if (vm_is_chosen(vm))
		vm_choose_point(vm, VM_POINT_ACCESS);
	TAILQ_FOREACH(vt, &line->vl_sleepers, vt_link)
		if (vt->vt_word == word)
			break;
	vm_step(vm);
	vm_spend(vm, vm_cost(vm, vt != NULL ? PROFILE_OS_WAKE_CALL :
	    PROFILE_OS_SYSCALL));
	for (vt = TAILQ_FIRST(&line->vl_sleepers); vt != NULL && most > 0;
	    vt = next) {
		next = TAILQ_NEXT(vt, vt_link);
		if (vt->vt_word != word)
			continue;
		vm_sched_wake(vm, vt);
		most--;
	}
	if (vm->vm_costs.vc_preempt)
		vm_sched_check(vm);
}

void
machine_wake_32(struct m32 *word)
{

	wake(word, UINT32_MAX);
}

void
machine_wake_one_32(struct m32 *word)
{

	wake(word, 1);
}

int
machine_sleep(int64_t timeout_ns)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;

	if (vm_is_chosen(vm))
		vm_choose_point(vm, VM_POINT_ACCESS);
	if (self->vt_td->mt_signalled != 0)
		return (EINTR);
	vm_step(vm);
	if (timeout_ns <= 0)
		return (0);
	vm_spend(vm, vm_cost(vm, PROFILE_OS_SYSCALL));
	/* Who interrupts from here on finds it asleep. */
	if (self->vt_td->mt_signalled != 0)
		return (EINTR);
	self->vt_interruptible = true;
	block(vm, NULL, NULL, timeout_ns);
	self->vt_interruptible = false;
	return (self->vt_td->mt_signalled != 0 ? EINTR : 0);
}

void
machine_interrupt(struct mthread *td)
{
	struct vm_thread *vt = td->mt_thread;
	struct vm *vm = vm_get();

	if (vm_is_chosen(vm))
		vm_choose_point(vm, VM_POINT_ACCESS);
	td->mt_signalled = 1;
	if (vt->vt_state == VM_BLOCKED && vt->vt_interruptible)
		vm_sched_wake(vm, vt);
}

bool
machine_running(struct mthread *owner, struct machine_probe *probe)
{

	struct vm *vm = vm_get();

	(void)probe;
	if (vm_is_chosen(vm))
		return (vm_choose_running(vm, owner->mt_thread));
	return (owner->mt_thread->vt_state == VM_RUNNING);
}

int
machine_spawn(struct mthread *td, const char *name, int cpu,
    void (*fn)(void *), void *arg)
{
	struct vm *vm = vm_get();
	int error;

	memset(td, 0, sizeof(*td));
	td->mt_cpu = cpu == MACHINE_CPU_ANY ? cpu :
	    (int)((unsigned)cpu % vm->vm_topology.vt_cpus);
	td->mt_bound = cpu != MACHINE_CPU_ANY;
	td->mt_fn = fn;
	td->mt_arg = arg;
	snprintf(td->mt_name, sizeof(td->mt_name), "%s", name);
	error = vm_thread_start(vm, td, td->mt_cpu);
	td->mt_spawned = error == 0;
	return (error);
}

void
machine_join(struct mthread *td)
{
	struct vm *vm = vm_get();

	KASSERT(td->mt_spawned, ("%s was not spawned", td->mt_name));
	vm_step(vm);
	vm_spend(vm, 0);
	if (td->mt_thread->vt_state != VM_ENDED) {
		td->mt_thread->vt_joiner = vm->vm_self;
		block(vm, NULL, NULL, -1);
	}
	td->mt_spawned = false;
}

void
machine_attach(struct mthread *td, const char *name)
{
	struct vm_thread *self = vm_get()->vm_self;

	KASSERT(self->vt_td == NULL, ("already attached"));
	memset(td, 0, sizeof(*td));
	snprintf(td->mt_name, sizeof(td->mt_name), "%s", name);
	td->mt_cpu = MACHINE_CPU_ANY;
	td->mt_thread = self;
	self->vt_td = td;
}

void
machine_detach(void)
{

	vm_get()->vm_self->vt_td = NULL;
}

int64_t
machine_thread_cpu_ns(struct mthread *td)
{

	if (td->mt_thread->vt_state == VM_ENDED)
		return (0);
	return ((int64_t)(vm_sched_used_ps(vm_get(), td->mt_thread) /
	    VM_PS_PER_NS));
}
