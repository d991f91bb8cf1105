/*
 * The chosen order: a chooser says who goes on, in place of time.
 *
 * Before each step that others could see a thread stops, and one of those that
 * can go on does.  A thread that awaits a word can while the word is as it
 * wants it; between its polls it would see no more than that.  One that pauses
 * or yields gives way to others once.  If it has looked at words since it last
 * did, and none was changed meanwhile, its loop would only come round again, so
 * it idles until one is.  Those who idle have turns, one behind the other and
 * without a choice, when nobody else can go on and nobody sleeps to a time:
 * some count their turns and do something else after so many.  One whose sleep
 * is over by the clock counts as awake, so that turns come to it too.
 *
 * With no chooser, none of this is in use.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/vm_impl.h"

enum { TURNS_MAX = 1 << 12 };	/* without a change; then it is a deadlock */

/* A choice, and where there is only one to choose, takes so long. */
#define	STEP_PS	UINT64_C(1000)

CTASSERT(VM_CHOSEN_MAX <= 64);	/* a bit each */
CTASSERT(STEP_PS == VM_PS_PER_NS);

int
vm_choose_init(struct vm *vm)
{
	struct vm_chosen *vx = &vm->vm_chosen;

	if (vx->vx_line == NULL)
		vx->vx_line = calloc(1, sizeof(*vx->vx_line));
	if (vx->vx_line == NULL)
		return (ENOMEM);
	TAILQ_INIT(&vx->vx_line->vl_sleepers);
	/* So that vm_written() looks further. */
	vx->vx_line->vl_waiters = 1;
	vx->vx_chooser = vm->vm_config->mc_chooser;
	return (0);
}

void
vm_choose_fini(struct vm *vm)
{

	free(vm->vm_chosen.vx_line);
}

/* The first thread is in no set. */
static uint64_t
bit_of(const struct vm_thread *vt)
{

	return (vt->vt_host ? 0 : UINT64_C(1) << (vt->vt_id - 1));
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
	unsigned i;

	for (i = 1; i < vm->vm_threads; i++)
		if (vm->vm_thread[i]->vt_cpu == cpu &&
		    vm->vm_thread[i]->vt_state != VM_ENDED)
			return (false);
	return (true);
}

/* A CPU that nobody has, the wanted one if it can be; or ANY: none. */
static int
free_cpu(const struct vm *vm, int wanted)
{
	int cpu;

	if (wanted != MACHINE_CPU_ANY && is_free(vm, wanted))
		return (wanted);
	for (cpu = 0; cpu < (int)vm->vm_topology.vt_cpus; cpu++)
		if (is_free(vm, cpu))
			return (cpu);
	return (MACHINE_CPU_ANY);
}

int
vm_choose_room(const struct vm *vm)
{

	return (vm->vm_threads > VM_CHOSEN_MAX ||
	    free_cpu(vm, MACHINE_CPU_ANY) == MACHINE_CPU_ANY ? EAGAIN : 0);
}

void
vm_choose_changed(struct vm *vm)
{
	struct vm_chosen *vx = &vm->vm_chosen;

	vx->vx_changes++;
	vx->vx_turns = 0;
	vx->vx_going |= vx->vx_idle;
	vx->vx_idle = 0;
}

void
vm_choose_ready(struct vm *vm, struct vm_thread *vt)
{
	struct vm_chosen *vx = &vm->vm_chosen;

	if (vt->vt_cpu == MACHINE_CPU_ANY)
		vt->vt_cpu = free_cpu(vm, vt->vt_bound);
	MPASS(vt->vt_cpu != MACHINE_CPU_ANY);
	vt->vt_state = VM_RUNNING;
	vt->vt_on_ps = vm->vm_time_ps;
	vx->vx_sleeping &= ~bit_of(vt);
	vx->vx_going |= bit_of(vt);
	vm_choose_changed(vm);
	vm_tell(vm, VM_CPU_ON, vt, NULL, 0, NULL);
}

void
vm_choose_leave(struct vm *vm, const char *why)
{
	struct vm_thread *self = vm->vm_self;

	self->vt_used_ps += vm->vm_time_ps - self->vt_on_ps;
	vm->vm_chosen.vx_going &= ~bit_of(self);
	vm_tell(vm, VM_CPU_OFF, self, NULL, 0, why);
	/* Who spins while it runs can see that it does not. */
	vm_choose_changed(vm);
}

void
vm_choose_sleep(struct vm *vm, uint64_t until_ps)
{

	vm->vm_self->vt_wake_ps = until_ps;
	vm->vm_chosen.vx_sleeping |= bit_of(vm->vm_self);
}

/* Those of a set that await what is so. */
static uint64_t
whose_wait_is_over(const struct vm *vm, uint64_t set)
{
	uint64_t over = 0;

	for (; set != 0; set &= set - 1)
		if (vm_waiter_over(&first_of(vm, set)->vt_until))
			over |= set & -set;
	return (over);
}

/* Those of a set that sleep to a time that has come. */
static uint64_t
whose_sleep_is_over(const struct vm *vm, uint64_t set)
{
	uint64_t over = 0;

	for (; set != 0; set &= set - 1)
		if (first_of(vm, set)->vt_wake_ps <= vm->vm_time_ps)
			over |= set & -set;
	return (over);
}

/* Asks the chooser for one of a set, of which some are awake. */
static struct vm_thread *
choose(struct vm *vm, enum vm_point point, uint64_t set, uint64_t awake)
{
	const struct vm_chooser *vh = vm->vm_chosen.vx_chooser;
	struct vm_choice vo = { .vo_point = point, .vo_self = -1 };
	uint16_t thread[VM_CHOSEN_MAX];
	unsigned i;

	for (; set != 0; set &= set - 1) {
		i = vo.vo_count++;
		thread[i] = (uint16_t)(__builtin_ctzll(set) + 1);
		if (thread[i] == vm->vm_self->vt_id)
			vo.vo_self = (int)i;
		if ((awake & set & -set) == 0)
			vo.vo_asleep |= UINT64_C(1) << i;
	}
	vo.vo_thread = thread;
	i = vh->vh_choose(vh->vh_context, &vo);
	KASSERT(i < vo.vo_count, ("choice %u of %u", i, vo.vo_count));
	return (vm->vm_thread[thread[i]]);
}

/* One of those who idle, each in its turn. */
static struct vm_thread *
next_idle(struct vm *vm)
{
	struct vm_chosen *vx = &vm->vm_chosen;
	uint64_t behind = vx->vx_idle &
	    ~((UINT64_C(2) << vx->vx_last) - 1);

	if (++vx->vx_turns > TURNS_MAX)
		vm_bail(vm, EDEADLK, "all that can run spin");
	vx->vx_last = (unsigned)__builtin_ctzll(behind != 0 ? behind :
	    vx->vx_idle);
	return (vm->vm_thread[vx->vx_last + 1]);
}

/* A thread goes on, at a time. */
static void
go_on(struct vm *vm, struct vm_thread *vt, uint64_t time_ps)
{
	uint64_t most = vm->vm_chosen.vx_chooser->vh_steps_max;

	vm_happened(vm, time_ps, vt->vt_id);
	if (most != 0 && vm->vm_events > most)
		vm_bail(vm, EDEADLK, "too many choices");
}

/* The first thread, whose event is due or is all that is left. */
static struct vm_thread *
next_host(struct vm *vm)
{
	struct vm_event *ev = vm->vm_heap.vh_entry[0].he_event;
	struct vm_thread *first = vm->vm_thread[0];
	uint64_t time_ps = vm_heap_remove(&vm->vm_heap, ev);

	MPASS(ev == &first->vt_event);
	go_on(vm, first, time_ps > vm->vm_time_ps ? time_ps : vm->vm_time_ps);
	if (first->vt_state == VM_BLOCKED) {
		first->vt_timed_out = true;
		vm_sched_wake(vm, first);
		vm_heap_remove(&vm->vm_heap, ev);
	}
	vm_choose_changed(vm);
	return (first);
}

struct vm_thread *
vm_choose_next(struct vm *vm, enum vm_point point)
{
	struct vm_chosen *vx = &vm->vm_chosen;
	uint64_t awake, self = bit_of(vm->vm_self), set, time_ps;
	struct vm_thread *vt;

	if (vm_heap_first_ps(&vm->vm_heap) <= vm->vm_time_ps)
		return (next_host(vm));
	awake = vx->vx_going | whose_wait_is_over(vm, vx->vx_awaiting) |
	    whose_sleep_is_over(vm, vx->vx_sleeping);
	if (point == VM_POINT_YIELD && (awake & ~self) != 0)
		awake &= ~self;
	set = awake | vx->vx_sleeping;
	if (set == 0 && vm->vm_heap.vh_count > 0)
		return (next_host(vm));
	if (set == 0 && vx->vx_idle == 0)
		vm_bail(vm, EDEADLK, "no thread can run");
	if (set == 0)
		vt = next_idle(vm);
	else if ((set & (set - 1)) == 0)
		vt = first_of(vm, set);
	else
		vt = choose(vm, point, set, awake);
	time_ps = vm->vm_time_ps + STEP_PS;
	self = bit_of(vt);
	if ((vx->vx_sleeping & self) == 0) {
		go_on(vm, vt, time_ps);
		vx->vx_going |= self;
		vx->vx_awaiting &= ~self;
		vx->vx_idle &= ~self;
		return (vt);
	}
	go_on(vm, vt, vt->vt_wake_ps > time_ps ? vt->vt_wake_ps : time_ps);
	vt->vt_timed_out = true;
	vm_sched_wake(vm, vt);
	return (vt);
}

void
vm_choose_point(struct vm *vm, enum vm_point point)
{
	struct vm_thread *self = vm->vm_self;
	bool fresh = self->vt_fresh;

	if (self->vt_host)
		return;
	self->vt_fresh = false;
	self->vt_looked |= point == VM_POINT_ACCESS;
	/* It was chosen in order to look again. */
	if (fresh && point == VM_POINT_ACCESS)
		return;
	vm_resume(vm, vm_choose_next(vm, point));
}

void
vm_choose_spin(struct vm *vm)
{
	struct vm_chosen *vx = &vm->vm_chosen;
	struct vm_thread *self = vm->vm_self;

	if (self->vt_looked && self->vt_seen == vx->vx_changes) {
		vx->vx_going &= ~bit_of(self);
		vx->vx_idle |= bit_of(self);
	}
	self->vt_awaits = vx->vx_line;
	vm_resume(vm, vm_choose_next(vm, VM_POINT_YIELD));
	self->vt_awaits = NULL;
	self->vt_looked = false;
	self->vt_fresh = true;
	self->vt_seen = vx->vx_changes;
}

unsigned
vm_choose_await(struct vm *vm, const struct vm_waiter *vw, unsigned most)
{
	struct vm_chosen *vx = &vm->vm_chosen;
	struct vm_thread *self = vm->vm_self;

	self->vt_looked = true;
	/* It may give up at any time, as others may be slow. */
	if (most > 0 || vm_waiter_over(vw)) {
		vm_choose_spin(vm);
		return (most > 0 && !vm_waiter_over(vw) ? most : 1);
	}
	self->vt_until = *vw;
	self->vt_awaits = vx->vx_line;
	vx->vx_going &= ~bit_of(self);
	vx->vx_awaiting |= bit_of(self);
	vm_resume(vm, vm_choose_next(vm, VM_POINT_BLOCKED));
	self->vt_awaits = NULL;
	self->vt_fresh = true;
	return (1);
}

bool
vm_choose_running(struct vm *vm, const struct vm_thread *vt)
{
	const struct vm_chooser *vh = vm->vm_chosen.vx_chooser;

	return (vt->vt_state == VM_RUNNING && (vt == vm->vm_self ||
	    vh->vh_running == NULL || vh->vh_running(vh->vh_context)));
}
