/* The simulated machine's functions of lib/machine/machine.h. */
#define	MACHINE_VIRTUAL
#include "lib/machine/machine.h"
#include "lib/vm/impl.h"

enum { CYCLES_PER_NS = 8 };

CTASSERT((int)MACHINE_CPU_ANY == VM_CPU_ANY);
CTASSERT((int)MACHINE_CACHE_LINE == VM_LINE_BYTES);
CTASSERT((int)MTHREAD_NAME_MAX + 1 == VM_NAME_SIZE);

static uint64_t
now_ps(void)
{
	struct vm *vm = vm_get();

	/* Takes no time: a loop that only reads the clock never ends. */
	vm_step(vm);
	vm_uses(vm, &vm->vm_time_ps, 1, VM_USE_LOAD);
	return (vm_self_ps(vm));
}

/* A function that is an expression. */
#define	VIRTUAL(type, name, parameters, value)				\
type									\
name parameters								\
{									\
	return (value);							\
}

VIRTUAL(bool, machine_interrupted, (void),
    machine_curthread()->mt_signalled != 0)
VIRTUAL(uint64_t, machine_cycles, (void),
    now_ps() * CYCLES_PER_NS / VM_PS_PER_NS)
VIRTUAL(int64_t, machine_cycles_to_ns, (uint64_t cycles),
    (int64_t)((cycles + CYCLES_PER_NS / 2) / CYCLES_PER_NS))
VIRTUAL(uint64_t, machine_ns_to_cycles, (uint64_t ns), ns * CYCLES_PER_NS)
VIRTUAL(int64_t, machine_uptime_ns, (void), (int64_t)(now_ps() / VM_PS_PER_NS))
VIRTUAL(unsigned, machine_cpus, (void), vm_get()->vm_topology.tp_cpus)
VIRTUAL(unsigned, machine_cpu_node, (unsigned cpu),
    vm_topology_node(&vm_get()->vm_topology, cpu))
VIRTUAL(unsigned, machine_node, (void), machine_cpu_node(machine_cpu()))
VIRTUAL(unsigned, machine_nodes, (void), vm_get()->vm_topology.tp_nodes)
VIRTUAL(bool, machine_displaced, (void), false)
VIRTUAL(double, machine_thread_delayed, (void), 0)

int64_t
machine_uptime_coarse_ns(void)
{
	const uint64_t tick_ps = vm_cost(vm_get(), PROFILE_OS_TICK);

	return ((int64_t)(now_ps() / tick_ps * tick_ps / VM_PS_PER_NS));
}

unsigned
machine_cpu(void)
{
	const struct vm_thread *self = vm_get()->vm_self;

	return (self->vt_host ? 0 : (unsigned)self->vt_cpu);
}

bool
machine_draw(uint64_t *word)
{
	*word = splitmix_next(&vm_get()->vm_self->vt_random);
	return (true);
}

/* The caller found nothing to do; whether it now spends time at that. */
static bool
spins(struct vm *vm)
{
	if (vm->vm_self->vt_host) {
		vm_host_poll(vm);
		return (false);
	}
	vm_step(vm);
	if (!vm_is_controlled(vm))
		return (true);
	vm_controlled_spin(vm);
	return (false);
}

void
machine_pause(unsigned n)
{
	struct vm *vm = vm_get();

	if (spins(vm))
		vm_spend(vm, n * vm_cost(vm, PROFILE_CPU_PAUSE));
}

void
machine_yield(void)
{
	struct vm *vm = vm_get();

	if (spins(vm)) {
		vm_spend(vm, vm_cost(vm, PROFILE_OS_SYSCALL));
		vm_sched_yield(vm);
	}
}

#define	AWAIT(name, T, type, until_is)					\
unsigned								\
name(struct m##T *p, type v, unsigned most)				\
{									\
	return (vm_await(p, sizeof(p->m_value), v, until_is, most));	\
}

AWAIT(machine_await_32, 32, uint32_t, false)
AWAIT(machine_await_is_32, 32, uint32_t, true)
AWAIT(machine_await_ptr, ptr, uintptr_t, false)

void
machine_failed_32(struct m32 *p, uint32_t v)
{
	if (vm_get()->vm_self->vt_untimed)
		machine_await_32(p, v, 0);
}

void
machine_charge(enum machine_cost cost, size_t n)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;
	uint64_t factor, ps;
	bool gap;

	if (self->vt_host)
		return;
	if (vm_is_controlled(vm)) {
		vm_controlled_point(vm, VM_POINT_CHARGE);
		return;
	}
	if (self->vt_td == NULL || !self->vt_td->mt_aside) {
		vm->vm_worked_events = vm->vm_events;
		vm->vm_worked_ps = vm->vm_time_ps;
	}
	/* The kernel reschedules when it returns from a system call. */
	if (cost == COST_SYSCALL || vm->vm_costs.vc_preempt)
		vm_sched_check(vm);
	n = (n + vm->vm_costs.vc_less[cost]) & ~vm->vm_costs.vc_less[cost];
	ps = vm->vm_costs.vc_cost_ps[cost] +
	    vm->vm_costs.vc_unit_fs[cost] * n / 1000;
	if (ps == 0)
		return;
	gap = cost == COST_SYSCALL || cost == COST_COPYOUT ||
	    cost == COST_UNLOCKED;
	/* A factor in units of 1 << VM_DRAW_SHIFT; a product may not fit. */
	if (vm->vm_costs.vc_jitter[gap] > 0) {
		factor = vm->vm_jitter[gap][splitmix_next(&self->vt_random) %
		    VM_DRAWS];
		ps = (ps >> VM_DRAW_SHIFT) * factor +
		    (ps % (1 << VM_DRAW_SHIFT) * factor >> VM_DRAW_SHIFT);
	}
	vm_spend(vm, ps);
}

void
machine_event(enum vm_event_kind kind, const void *lock, const char *name)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;

	if (kind == VM_LOCK_WAIT) {
		self->vt_wants = lock;
		self->vt_wants_name = name;
	} else if (kind == VM_LOCK_HELD) {
		self->vt_wants = NULL;
		if (self->vt_held_count < VM_LOCKS_HELD_MAX) {
			self->vt_held[self->vt_held_count].lock = lock;
			self->vt_held[self->vt_held_count++].name = name;
		}
		/* A step of its own: else it would follow the last owner's. */
		if (vm_is_controlled(vm) &&
		    vm->vm_controlled.vx_control->vh_polls == VM_POLLS_ONCE)
			vm_controlled_point(vm, VM_POINT_ACCESS);
	} else if (kind == VM_LOCK_FREE) {
		for (unsigned i = self->vt_held_count; i-- > 0; ) {
			if (self->vt_held[i].lock != lock)
				continue;
			self->vt_held[i] = self->vt_held[--self->vt_held_count];
			break;
		}
	}
	if (vm->vm_observer == NULL)
		return;
	if (kind != VM_LOCK_WAIT)
		vm_uses(vm, lock, 1, VM_USE_STORE);
	VM_TELL(vm, self, .vn_kind = kind, .vn_lock = lock, .vn_detail = name);
	if (vm_is_weak(vm) && (kind == VM_LOCK_HELD || kind == VM_LOCK_FREE))
		memory_guard(vm, lock, name, kind == VM_LOCK_HELD ? VM_ACQUIRE :
		    VM_RELEASE);
}

/* The line with the list of threads that sleep on a word. */
static struct vm_line *
line_of(struct vm *vm, const struct m32 *word)
{
	return (vm_is_controlled(vm) ? &vm->vm_controlled.vx_line :
	    vm_line_of(vm, word));
}

/* Sleeps until woken or timed out; true: woken. */
static bool
block(struct vm *vm, struct vm_line *line, const void *word, int64_t timeout_ns)
{
	struct vm_thread *self = vm->vm_self;

	self->vt_state = VM_BLOCKED;
	self->vt_timed_out = false;
	self->vt_word = word;
	self->vt_asleep_at = line;
	if (line != NULL)
		TAILQ_INSERT_TAIL(&line->vl_sleepers, self, vt_link);
	vm_sched_leave(vm, "sleeps");
	/* A time-out beyond the end of virtual time never comes. */
	if (timeout_ns >= 0 && (uint64_t)timeout_ns <
	    (UINT64_MAX - vm->vm_time_ps) / VM_PS_PER_NS) {
		self->vt_wake_ps = vm->vm_time_ps +
		    (uint64_t)timeout_ns * VM_PS_PER_NS;
		vm->vm_controlled.vx_wake_ps = 0;
		if (vm_is_controlled(vm) && !self->vt_host)
			vm->vm_controlled.vx_sleeping |= self->vt_bit;
		else
			vm_heap_add(&vm->vm_heap, &self->vt_event,
			    self->vt_wake_ps);
	}
	vm_switch(vm);
	vm_uses(vm, self, 1, VM_USE_STORE);
	return (!self->vt_timed_out);
}

/* The line of the kernel's hash bucket of a word, where that takes time. */
static void
use_bucket(struct vm *vm, const struct m32 *word, bool writes)
{
	const void *bucket = (const void *)~(uintptr_t)word;

	if (vm->vm_self->vt_untimed)
		return;
	if (writes)
		(void)vm_own(bucket, 0);
	else
		(void)vm_load(bucket, 0);
}

int
machine_wait_32(struct m32 *word, uint32_t expect, int64_t timeout_ns)
{
	struct vm *vm = vm_get();

	KASSERT(timeout_ns >= -1, ("time-out of %jd ns", (intmax_t)timeout_ns));
	vm_step(vm);
	(void)vm_load(word, 0);
	vm_barrier(vm);
	(void)memory_latest(vm, word, sizeof(*word) << VM_SIZE_SHIFT);
	/* It goes on the list that wakers look at. */
	vm_uses(vm, word, sizeof(*word), VM_USE_STORE);
	vm_spend(vm, vm_cost(vm, PROFILE_OS_SYSCALL));
	use_bucket(vm, word, true);
	if (word->m_value != expect) {
		/* Of the call, what a wake-up of no sleeper does not need. */
		vm_spend(vm, vm_cost(vm, PROFILE_OS_SYSCALL));
		return (0);
	}
	/* Stores from here on find the caller on the list. */
	if (!vm->vm_self->vt_host) {
		vm_spend(vm, vm_cost(vm, PROFILE_OS_PARK));
		if (word->m_value != expect)
			return (0);
	}
	return (block(vm, line_of(vm, word), word, timeout_ns) ? 0 : ETIMEDOUT);
}

void
machine_wake(struct m32 *word, int most)
{
	struct vm *vm = vm_get();
	struct vm_line *line = line_of(vm, word);
	struct vm_thread *next, *vt;

	vm_controlled_call(vm);
	vm_uses(vm, word, 1, VM_USE_STORE);
	TAILQ_FOREACH(vt, &line->vl_sleepers, vt_link)
		if (vt->vt_word == word)
			break;
	vm_step(vm);
	use_bucket(vm, word, vt != NULL);
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
machine_interrupt_context(void)
{
	vm_get()->vm_self->vt_interrupt = true;
}

bool
machine_interrupt_wait(uint64_t ns)
{
	struct vm *vm = vm_get();

	vm_step(vm);
	vm_spend(vm, 0);
	block(vm, NULL, NULL, (int64_t)ns);
	return (true);
}

int
machine_sleep(int64_t timeout_ns)
{
	struct vm *vm = vm_get();
	struct vm_thread *self = vm->vm_self;

	vm_controlled_call(vm);
	if (self->vt_td->mt_signalled != 0)
		return (EINTR);
	vm_step(vm);
	if (timeout_ns <= 0)
		return (0);
	vm_spend(vm, vm_cost(vm, PROFILE_OS_SYSCALL));
	/* Interrupts from here on find it asleep. */
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

	vm_controlled_call(vm);
	td->mt_signalled = 1;
	if (vt->vt_state == VM_BLOCKED && vt->vt_interruptible)
		vm_sched_wake(vm, vt);
}

bool
machine_running(struct mthread *owner, struct machine_probe *probe __unused)
{
	struct vm *vm = vm_get();
	const struct vm_control *vh = vm->vm_controlled.vx_control;
	const struct vm_thread *vt = owner->mt_thread;

	vm_uses(vm, vt, 1, VM_USE_LOAD);
	return (vt->vt_state == VM_RUNNING && (vh == NULL || vt ==
	    vm->vm_self || vh->vh_running == NULL || vh->vh_running(
	    vh->vh_context)));
}

int
machine_spawn(struct mthread *td, const char *name, int cpu,
    void (*fn)(void *), void *arg)
{
	struct vm *vm = vm_get();
	int error;

	memset(td, 0, sizeof(*td));
	td->mt_cpu = cpu == MACHINE_CPU_ANY ? cpu :
	    (int)((unsigned)cpu % vm->vm_topology.tp_cpus);
	td->mt_bound = cpu != MACHINE_CPU_ANY;
	td->mt_fn = fn;
	td->mt_arg = arg;
	(void)memccpy(td->mt_name, name, '\0', sizeof(td->mt_name) - 1);
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
	vm_controlled_join(vm);
}

void
machine_attach(struct mthread *td, const char *name)
{
	struct vm_thread *self = vm_get()->vm_self;

	KASSERT(self->vt_td == NULL, ("already attached"));
	memset(td, 0, sizeof(*td));
	(void)memccpy(td->mt_name, name, '\0', sizeof(td->mt_name) - 1);
	td->mt_cpu = MACHINE_CPU_ANY;
	td->mt_thread = self;
	vm_curthread = self->vt_td = td;
}

void
machine_detach(void)
{
	vm_curthread = vm_get()->vm_self->vt_td = NULL;
}

void
machine_oncpu(void)
{
}

int64_t
machine_thread_cpu_ns(struct mthread *td)
{
	if (td->mt_thread->vt_state == VM_ENDED)
		return (0);
	return ((int64_t)(vm_sched_used_ps(vm_get(), td->mt_thread) /
	    VM_PS_PER_NS));
}
