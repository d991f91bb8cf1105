/*
 * The controlled scheduler: a struct vm_control, not time, orders threads.
 *
 * A thread that idles has read words whose change would end its loop.  With
 * vh_polls it can be chosen nevertheless, so that an owner may stand still for
 * all the polls that a waiter counts.
 */
#include "lib/vm/impl.h"

enum { TURNS_MAX = 1 << 12 };	/* without a change; then it is a deadlock */

/* The virtual time of each step. */
#define	STEP_PS	VM_PS_PER_NS

CTASSERT(VM_CONTROLLED_MAX <= 64);	/* a bit each */

void
vm_controlled_init(struct vm *vm)
{
	struct vm_controlled *vx = &vm->vm_controlled;

	TAILQ_INIT(&vx->vx_line.vl_sleepers);
	/* vm_written() returns early without waiters. */
	vx->vx_line.vl_waiters = 1;
	vx->vx_control = vm->vm_config->mc_control;
	if (vx->vx_control->vh_memory != VM_SC)
		memory_init(vm);
	vx->vx_all = vm_is_weak(vm) || vx->vx_control->vh_guarded ||
	    vx->vx_control->vh_access != NULL;
}

/* The lowest of a set. */
static struct vm_thread *
first_of(const struct vm *vm, uint64_t set)
{
	return (vm->vm_thread[__builtin_ctzll(set) + 1]);
}

static bool
is_free(const struct vm *vm, int cpu)
{
	for (unsigned i = 1; i < vm->vm_threads; i++)
		if (vm->vm_thread[i]->vt_cpu == cpu &&
		    vm->vm_thread[i]->vt_state != VM_ENDED)
			return (false);
	return (true);
}

/* A CPU without a thread, the wanted one if possible; ANY: there is none. */
static int
free_cpu(const struct vm *vm, int wanted)
{
	if (wanted != VM_CPU_ANY && is_free(vm, wanted))
		return (wanted);
	for (int cpu = 0; cpu < (int)vm->vm_topology.tp_cpus; cpu++)
		if (is_free(vm, cpu))
			return (cpu);
	return (VM_CPU_ANY);
}

bool
vm_controlled_room(const struct vm *vm)
{
	return (vm->vm_threads <= VM_CONTROLLED_MAX && (!vm_is_weak(vm) ||
	    vm->vm_threads < VM_STORES) &&
	    free_cpu(vm, VM_CPU_ANY) != VM_CPU_ANY);
}

void
vm_controlled_changed(struct vm *vm)
{
	struct vm_controlled *vx = &vm->vm_controlled;

	vx->vx_changes++;
	vx->vx_turns = 0;
	vx->vx_going |= vx->vx_idle;
	vx->vx_idle = 0;
}

void
vm_controlled_ready(struct vm *vm, struct vm_thread *vt)
{
	struct vm_controlled *vx = &vm->vm_controlled;

	if (vt->vt_cpu == VM_CPU_ANY)
		vt->vt_cpu = free_cpu(vm, vt->vt_bound);
	MPASS(vt->vt_cpu != VM_CPU_ANY);
	vt->vt_state = VM_RUNNING;
	vt->vt_on_ps = vm->vm_time_ps;
	vx->vx_sleeping &= ~vt->vt_bit;
	vx->vx_going |= vt->vt_bit;
	vm_controlled_changed(vm);
	vm_uses_as(vm, vt->vt_timed_out ? vt->vt_id : vm->vm_self->vt_id, vt,
	    1, true);
	VM_TELL(vm, vt, .vn_kind = VM_CPU_ON);
}

void
vm_controlled_leave(struct vm *vm, const char *why)
{
	struct vm_thread *self = vm->vm_self;

	self->vt_used_ps += vm->vm_time_ps - self->vt_on_ps;
	vm->vm_controlled.vx_going &= ~self->vt_bit;
	vm_uses(vm, self, 1, VM_USE_STORE);
	VM_TELL(vm, self, .vn_kind = VM_CPU_OFF, .vn_detail = why);
	/* Adaptive spinners see that it no longer runs. */
	vm_controlled_changed(vm);
}

/* Threads whose condition holds, or whose time-out has come. */
static inline uint64_t
waits_over(struct vm *vm)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	uint64_t over = 0, set, wake_ps;

	for (set = vx->vx_awaiting; set != 0; set &= set - 1)
		if (vm_waiter_over(&first_of(vm, set)->vt_until))
			over |= set & -set;
	if (vm->vm_time_ps < vx->vx_wake_ps)
		return (over);
	vx->vx_wake_ps = UINT64_MAX;
	for (set = vx->vx_sleeping; set != 0; set &= set - 1) {
		wake_ps = first_of(vm, set)->vt_wake_ps;
		vx->vx_wake_ps = MIN(vx->vx_wake_ps, wake_ps);
		if (wake_ps <= vm->vm_time_ps)
			over |= set & -set;
	}
	return (over);
}

/* Lists the threads of a set, of which some sleep. */
static void
list(struct vm_controlled *vx, uint64_t set, uint64_t asleep)
{
	struct vm_choice vo = { .vo_thread = vx->vx_thread };
	unsigned thread;

	vx->vx_set = set;
	vx->vx_asleep = asleep;
	for (; set != 0; set &= set - 1) {
		thread = (unsigned)__builtin_ctzll(set);
		vo.vo_asleep |= (asleep >> thread & 1) << vo.vo_count;
		vx->vx_at[thread] = (uint8_t)vo.vo_count;
		vx->vx_thread[vo.vo_count++] = (uint16_t)(thread + 1);
	}
	vx->vx_choice = vo;
}

/*
 * Lets the strategy choose one of a set, of which some are awake, or a thread
 * whose store is committed.  Returns: its number.
 */
static inline unsigned __attribute__((always_inline))
choose(struct vm *vm, enum vm_point point, uint64_t set, uint64_t awake)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	const struct vm_control *vh = vx->vx_control;
	const uint64_t self = set & vm->vm_self->vt_bit;
	const bool each = vh->vh_polls == VM_POLLS_ONCE;
	uint64_t storing = vx->vx_storing;
	uint16_t *thread = vx->vx_thread;
	struct vm_choice vo;
	unsigned i;

	if (set != vx->vx_set || (set & ~awake) != vx->vx_asleep)
		list(vx, set, set & ~awake);
	vo = vx->vx_choice;
	vo.vo_point = point;
	vo.vo_self = self == 0 ? -1 : vx->vx_at[vm->vm_self->vt_id - 1];
	for (; storing != 0 && !each; storing &= storing - 1)
		thread[vo.vo_count++] = (uint16_t)(VM_STORES + 1 +
		    __builtin_ctzll(storing));
	for (; storing != 0 && vo.vo_count < VM_CONTROLLED_MAX; storing &=
	    storing - 1)
		vo.vo_count += memory_each(vm, 1 + (unsigned)__builtin_ctzll(
		    storing), thread + vo.vo_count);
	vo.vo_count = MIN(vo.vo_count, VM_CONTROLLED_MAX);
	i = vo.vo_count == 1 ? 0 : vh->vh_choose(vh->vh_context, &vo);
	KASSERT(i < vo.vo_count, ("choice %u of %u", i, vo.vo_count));
	return (thread[i]);
}

unsigned
vm_controlled_pick(struct vm *vm, enum vm_point point, unsigned ways)
{
	const struct vm_control *vh = vm->vm_controlled.vx_control;
	const unsigned others = point == VM_POINT_CPU ? VM_MOVED : VM_OLDER;
	uint16_t thread[VM_STORES];
	const struct vm_choice vo = { .vo_point = point,
	    .vo_count = ways, .vo_thread = thread };
	unsigned i;

	MPASS(ways <= VM_STORES);
	thread[0] = (uint16_t)vm->vm_self->vt_id;
	for (i = 1; i < ways; i++)
		thread[i] = (uint16_t)(others + i);
	i = vh->vh_choose(vh->vh_context, &vo);
	KASSERT(i < ways, ("choice %u of %u", i, ways));
	return (i);
}

/* The next of the idle threads, in turn. */
static struct vm_thread *
next_idle(struct vm *vm, uint64_t idle)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	uint64_t after = idle & ~((UINT64_C(2) << vx->vx_last) - 1);

	if (++vx->vx_turns > TURNS_MAX)
		vm_bail(vm, EDEADLK, "all that can run spin");
	vx->vx_last = (unsigned)__builtin_ctzll(after != 0 ? after : idle);
	return (vm->vm_thread[vx->vx_last + 1]);
}

/* A thread continues at a time, or its store is committed: its number. */
static inline void __attribute__((always_inline))
proceed(struct vm *vm, unsigned number, uint64_t time_ps)
{
	uint64_t most = vm->vm_controlled.vx_control->vh_steps_max;

	vm_happened(vm, time_ps, number);
	vm_uses_as(vm, number, NULL, 0, VM_USE_LOAD);
	if (most != 0 && vm->vm_events > most)
		vm_bail(vm, EDEADLK, "too many choices");
}

/* The first thread, whose event is due or the only one. */
static struct vm_thread *
next_host(struct vm *vm)
{
	struct vm_event *ev = vm->vm_heap.vq_entry[0].hn_event;
	struct vm_thread *first = vm->vm_thread[0];
	uint64_t time_ps = vm_heap_remove(&vm->vm_heap, ev);

	MPASS(ev == &first->vt_event);
	proceed(vm, 0, MAX(time_ps, vm->vm_time_ps));
	if (first->vt_state == VM_BLOCKED) {
		first->vt_timed_out = true;
		vm_sched_wake(vm, first);
		vm_heap_remove(&vm->vm_heap, ev);
	}
	vm_controlled_changed(vm);
	return (first);
}

static void
commit(struct vm *vm, unsigned number)
{
	proceed(vm, number, vm->vm_time_ps + STEP_PS);
	memory_commit(vm, number);
}

/* The thread that runs next; NULL: none does yet. */
static struct vm_thread *
next_or_store(struct vm *vm, enum vm_point point)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	uint64_t awake, idle, may, self = vm->vm_self->vt_bit, set;
	unsigned number;

	if (vm_heap_first_ps(&vm->vm_heap) <= vm->vm_time_ps)
		return (next_host(vm));
	may = vx->vx_alone == 0 ? UINT64_MAX : ~vm_kernel_kept_off(vm);
	idle = vx->vx_idle & may;
	awake = (vx->vx_going | waits_over(vm)) & may;
	if (point == VM_POINT_YIELD && ((awake & ~self) | vx->vx_storing) !=
	    0 && vx->vx_control->vh_polls != VM_POLLS_ONCE)
		awake &= ~self;
	if (vx->vx_control->vh_polls == VM_POLLS_ANY &&
	    (awake | vx->vx_storing) != 0)
		awake |= idle;
	set = awake | (vx->vx_sleeping & may & ~vx->vx_tried);
	if (set == 0 && vx->vx_storing == 0) {
		if (vm->vm_heap.vq_count > 0)
			return (next_host(vm));
		if (idle == 0)
			vm_bail(vm, EDEADLK, "no thread can run");
		return (next_idle(vm, idle));
	}
	if ((set & (set - 1)) == 0 && vx->vx_storing == 0)
		return (first_of(vm, set));
	number = choose(vm, point, set, awake);
	if (number >= VM_STORES && vm_is_weak(vm))
		commit(vm, number);
	else if (vx->vx_storing == 0 ||
	    vx->vx_control->vh_polls != VM_POLLS_ONCE ||
	    (vx->vx_sleeping & vm->vm_thread[number]->vt_bit) == 0)
		return (vm->vm_thread[number]);
	else {
		/*
		 * A sleep does not time out before all stores are committed.
		 * Of all schedules this is a step: they could be later, too.
		 */
		proceed(vm, number, vm->vm_time_ps + STEP_PS);
		vm_uses_as(vm, number, &vx->vx_storing, 1, VM_USE_STORE);
		memory_waited(vm, number, MEMORY_ALL);
		vx->vx_tried |= vm->vm_thread[number]->vt_bit;
	}
	return (NULL);
}

void
vm_controlled_join(struct vm *vm)
{
	if (!vm_is_weak(vm))
		return;
	for (unsigned i = 1; i < vm->vm_threads; i++)
		if (vm->vm_thread[i]->vt_state != VM_ENDED)
			return;
	while (vm->vm_controlled.vx_storing != 0)
		commit(vm, choose(vm, VM_POINT_BLOCKED, 0, 0));
}

struct vm_thread *
vm_controlled_next(struct vm *vm, enum vm_point point)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	struct vm_thread *vt;
	uint64_t time_ps;

	while ((vt = next_or_store(vm, point)) == NULL)
		continue;
	if (vt->vt_host)
		return (vt);
	time_ps = vm->vm_time_ps + STEP_PS;
	if ((vx->vx_sleeping & vt->vt_bit) == 0) {
		proceed(vm, vt->vt_id, time_ps);
		vx->vx_going |= vt->vt_bit;
		vx->vx_awaiting &= ~vt->vt_bit;
		vx->vx_idle &= ~vt->vt_bit;
		return (vt);
	}
	if (vt->vt_wake_ps > time_ps) {
		time_ps = vt->vt_wake_ps;
		/* Milliseconds pass: no store takes as long. */
		if (vx->vx_storing != 0)
			vm_settle();
		else if (vm_is_weak(vm))
			memory_age(vm, vt->vt_id);
	}
	proceed(vm, vt->vt_id, time_ps);
	vm_uses_as(vm, vt->vt_id, &vm->vm_time_ps, 1, VM_USE_STORE);
	vm_uses_as(vm, vt->vt_id, &vx->vx_storing, 1, VM_USE_STORE);
	vt->vt_timed_out = true;
	vm_sched_wake(vm, vt);
	return (vt);
}

void
vm_controlled_point(struct vm *vm, enum vm_point point)
{
	struct vm_thread *self = vm->vm_self;
	bool fresh = self->vt_fresh;

	if (self->vt_host)
		return;
	self->vt_fresh = false;
	self->vt_newest = fresh;
	self->vt_looked |= point == VM_POINT_ACCESS;
	/* It was chosen to read again. */
	if (fresh && point == VM_POINT_ACCESS)
		return;
	vm_resume(vm, vm_controlled_next(vm, point));
}

void
vm_controlled_call(struct vm *vm)
{
	if (vm_is_controlled(vm))
		vm_controlled_point(vm, VM_POINT_ACCESS);
	vm_barrier(vm);
}

void
vm_controlled_spin(struct vm *vm)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	struct vm_thread *self = vm->vm_self;

	if (self->vt_looked && self->vt_seen == vx->vx_changes) {
		vx->vx_going &= ~self->vt_bit;
		vx->vx_idle |= self->vt_bit;
	}
	self->vt_awaits = &vx->vx_line;
	vm_resume(vm, vm_controlled_next(vm, VM_POINT_YIELD));
	self->vt_awaits = NULL;
	self->vt_looked = false;
	self->vt_fresh = true;
	self->vt_seen = vx->vx_changes;
}

unsigned
vm_controlled_await(struct vm *vm, const struct vm_waiter *vw, unsigned most)
{
	struct vm_controlled *vx = &vm->vm_controlled;
	struct vm_thread *self = vm->vm_self;
	const bool once = vx->vx_control->vh_polls == VM_POLLS_ONCE;

	self->vt_looked = true;
	if (vm_is_weak(vm))
		memory_flush(vm, vw->wt_word);
	vm_uses(vm, vw->wt_word, vw->wt_size, most == 0 && once ?
	    VM_USE_AWAIT : VM_USE_LOAD);
	if (most == 0 && once)
		vm_uses(vm, (const void *)(uintptr_t)vw->wt_value,
		    vw->wt_until_is, VM_USE_UNTIL);
	/* With a limit it may give up at any time. */
	if (most > 0 && !vm_waiter_over(vw) && once &&
	    vm_controlled_pick(vm, VM_POINT_LIMIT, 2) > 0)
		return (most);
	/* Where all schedules are run it cannot be chosen before it is over. */
	if (most > 0 || (vm_waiter_over(vw) && !once)) {
		vm_controlled_spin(vm);
		return (most > 0 && !vm_waiter_over(vw) ? most : 1);
	}
	self->vt_until = *vw;
	self->vt_awaits = &vx->vx_line;
	vx->vx_going &= ~self->vt_bit;
	vx->vx_awaiting |= self->vt_bit;
	vm_resume(vm, vm_controlled_next(vm, VM_POINT_BLOCKED));
	vm_uses(vm, vw->wt_word, vw->wt_size, VM_USE_LOAD);
	self->vt_awaits = NULL;
	self->vt_fresh = true;
	return (1);
}
