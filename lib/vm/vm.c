#include <gsl/gsl_cdf.h>

#include "lib/vm/impl.h"

enum { HOST_STACK_BYTES = 256 * 1024 };

_Thread_local struct vm *vm_running_machine;
_Thread_local struct mthread *vm_curthread;

void
vm_tell(const struct vm *vm, const struct vm_thread *vt, struct vm_note *vn)
{
	vn->vn_time_ps = vm->vm_time_ps + vt->vt_deferred_ps;
	vn->vn_thread = vt->vt_id;
	vn->vn_cpu = vt->vt_cpu;
	vm->vm_observer->vb_note(vm->vm_observer->vb_context, vn);
}

void
vm_bail(struct vm *vm, int error, const char *why)
{
	vm->vm_error = error;
	if (error == EDEADLK)
		vm_describe_stuck(vm, why);
	fiber_exit(&vm->vm_self->vt_fiber, &vm->vm_root);
}

void
vm_abort(int error)
{
	vm_bail(vm_get(), error, "aborted");
}

const void *
vm_stack(void)
{
	return (vm_get()->vm_self->vt_fiber.fb_stack);
}

bool
vm_on_stack(const void *p)
{
	const struct fiber *fb = &vm_get()->vm_self->vt_fiber;

	return ((uintptr_t)p - (uintptr_t)fb->fb_stack < fb->fb_stack_bytes);
}

void
vm_monitored(const void *p, bool store)
{
	vm_uses(vm_get(), p, 1, store ? VM_USE_STORE : VM_USE_LOAD);
}

bool
vm_who_inside(struct vm_who *vk)
{
	struct vm *vm = vm_running_machine;

	vk->wh_private = vm->vm_self->vt_private;
	vk->wh_index = vm->vm_self->vt_td == NULL ? 0 :
	    vm->vm_self->vt_td->mt_index;
	vk->wh_time_ps = vm_self_ps(vm);
	return (true);
}

void __attribute__((noinline, cold))
vm_housekeeping(struct vm *vm)
{
	const struct machine_config *mc = vm->vm_config;

	if (mc->mc_progress_ps != NULL)
		atomic_store_explicit(mc->mc_progress_ps, vm->vm_time_ps,
		    memory_order_relaxed);
	if (vm->vm_events - vm->vm_worked_events > VM_SPINS_MAX &&
	    vm->vm_time_ps - vm->vm_worked_ps > VM_SPINS_PS)
		vm_bail(vm, EDEADLK, "threads only spin");
	/* Any host thread may have taken the signal. */
	if (mc->mc_stop != NULL &&
	    __atomic_load_n(mc->mc_stop, __ATOMIC_RELAXED) != 0)
		vm_bail(vm, EINTR, "stopped");
}

/* What an event is a member of. */
#define	EVENT_OF(ev, s, member)						\
	((struct s *)(void *)((char *)(ev) - offsetof(struct s, member)))

/* Handles events until one is of a running thread; that thread. */
static struct vm_thread *
next_thread(struct vm *vm)
{
	struct vm_thread *vt;
	struct vm_event *ev;

	if (vm_is_controlled(vm))
		return (vm_controlled_next(vm, VM_POINT_BLOCKED));
	vm->vm_between = true;
	for (;;) {
		if (vm->vm_heap.vq_count == 0)
			vm_bail(vm, EDEADLK, "no thread can run");
		ev = vm->vm_heap.vq_entry[0].hn_event;
		if (ev->ve_cpu) {
			vm_happened(vm, vm_heap_remove(&vm->vm_heap, ev),
			    VM_THREADS_MAX);
			vm_sched_timer(vm, EVENT_OF(ev, vm_cpu, vu_timer));
			continue;
		}
		vt = EVENT_OF(ev, vm_thread, vt_event);
		vm_happened(vm, vm_heap_remove(&vm->vm_heap, ev), vt->vt_id);
		switch (vt->vt_state) {
		case VM_RUNNING:
			if (vt->vt_asks != NULL && vm_turn_begin(vm, vt))
				break;
			vm->vm_between = false;
			return (vt);
		case VM_BLOCKED:
			vt->vt_timed_out = true;
			vm_sched_wake(vm, vt);
			break;
		case VM_WAKING:
			vm_sched_ready(vm, vt);
			break;
		case VM_READY:
		case VM_ENDED:
			KASSERT(false, ("%s has an event", vt->vt_td->mt_name));
		}
	}
}

void
vm_switch(struct vm *vm)
{
	vm_resume(vm, next_thread(vm));
}

void
vm_until(struct vm *vm, uint64_t time_ps)
{
	/* No event is earlier: no switch. */
	if (time_ps < vm_heap_first_ps(&vm->vm_heap)) {
		vm_happened(vm, time_ps, vm->vm_self->vt_id);
		return;
	}
	vm_heap_add(&vm->vm_heap, &vm->vm_self->vt_event, time_ps);
	vm_switch(vm);
}

/* The body of every fiber. */
static void
thread_main(void *arg)
{
	struct vm_thread *next, *vt = arg;
	struct vm *vm = vm_get();

	if (vt->vt_host) {
		vm->vm_main(vm->vm_arg);
		vt->vt_state = VM_ENDED;
		fiber_exit(&vt->vt_fiber, &vm->vm_root);
	}
	vt->vt_td->mt_fn(vt->vt_td->mt_arg);
	vm_spend(vm, 0);
	VM_TELL(vm, vt, .vn_kind = VM_THREAD_END);
	vt->vt_state = VM_ENDED;
	vm_sched_leave(vm, "ended");
	if (vt->vt_joiner != NULL)
		vm_sched_ready(vm, vt->vt_joiner);
	next = next_thread(vm);
	vm_set_self(vm, next);
	fiber_exit(&vt->vt_fiber, &next->vt_fiber);
}

/* A thread with a stack, an earlier run's or a new one; NULL: no memory. */
static struct vm_thread *
thread_make(struct vm *vm, size_t stack_bytes)
{
	const unsigned id = vm->vm_threads;
	struct vm_thread *vt = vm->vm_thread[id];

	if (vt != NULL) {
		fiber_again(&vt->vt_fiber, vt->vt_state != VM_ENDED);
	} else {
		vt = calloc(1, sizeof(*vt));
		if (vt == NULL || fiber_make(&vt->vt_fiber, stack_bytes,
		    thread_main, vt) != 0) {
			free(vt);
			return (NULL);
		}
		vm->vm_thread[id] = vt;
	}
	*vt = (struct vm_thread){
		.vt_fiber = vt->vt_fiber, .vt_id = id,
		.vt_event.ve_at = VM_HEAP_NONE, .vt_bound = VM_CPU_ANY,
		.vt_cpu = VM_CPU_ANY, .vt_kernel_cpu = VM_CPU_ANY,
		.vt_untimed = vm_is_controlled(vm), .vt_seen = UINT64_MAX,
		.vt_bit = id == 0 ? 0 : UINT64_C(1) << (id - 1) % 64,
		.vt_random = vm->vm_config->mc_seed ^
		    ((uint64_t)id + 1) * UINT64_C(0xd1342543de82ef95),
	};
	vm->vm_threads++;
	return (vt);
}

int
vm_thread_start(struct vm *vm, struct mthread *td, int cpu)
{
	struct vm_thread *vt;

	if (vm->vm_threads == VM_THREADS_MAX ||
	    (vm_is_controlled(vm) && !vm_controlled_room(vm)))
		return (EAGAIN);
	if ((vt = thread_make(vm, VM_STACK_BYTES)) == NULL)
		return (ENOMEM);
	if (vm_is_weak(vm))
		memory_start(vm, vt);
	vt->vt_td = td;
	td->mt_thread = vt;
	vt->vt_bound = cpu;
	if (cpu != VM_CPU_ANY)
		vm->vm_groups_used |= UINT64_C(1) << vm->vm_place[cpu].vp_group;
	VM_TELL(vm, vt, .vn_kind = VM_THREAD_START, .vn_detail = td->mt_name);
	vm_sched_ready(vm, vt);
	return (0);
}

/*
 * Quantiles of a lognormal quantity of median 1.  Draws come from a table of
 * them, so that they are the same with all compilers.
 */
static double
quantile(unsigned i, double sigma)
{
	return (exp(sigma * gsl_cdf_ugaussian_Pinv(((double)i + 0.5) /
	    VM_DRAWS)));
}

/* Factors of mean 1. */
static void
fill_jitter(uint32_t factor[VM_DRAWS], double cv)
{
	const double sigma = sqrt(log1p(cv * cv));
	double sum = 0;

	for (unsigned i = 0; i < VM_DRAWS; i++)
		sum += quantile(i, sigma);
	for (unsigned i = 0; i < VM_DRAWS; i++)
		factor[i] = (uint32_t)lround(quantile(i, sigma) / sum *
		    VM_DRAWS * (1 << VM_DRAW_SHIFT));
}

/* Times, from median and 99th percentile. */
static void
fill_wake(uint64_t wake_ps[VM_DRAWS], uint64_t p50, uint64_t p99)
{
	const double sigma = p50 == 0 || p99 <= p50 ? 0 :
	    log((double)p99 / (double)p50) / gsl_cdf_ugaussian_Pinv(0.99);

	for (unsigned i = 0; i < VM_DRAWS; i++)
		wake_ps[i] = (uint64_t)llround((double)p50 *
		    quantile(i, sigma));
}

struct vm *
vm_store_new(void)
{
	return (calloc(1, sizeof(struct vm)));
}

void
vm_store_free(struct vm *vm)
{
	if (vm == NULL)
		return;
	for (unsigned i = 0; i < VM_THREADS_MAX && vm->vm_thread[i] != NULL;
	    i++) {
		fiber_free(&vm->vm_thread[i]->vt_fiber);
		free(vm->vm_thread[i]);
	}
	free(vm->vm_memory_kept);
	free(vm);
}

uint64_t
vm_memory_bytes(unsigned threads)
{
	const uint64_t line = sizeof(struct vm_line) + 64 * sizeof(uint16_t);
	uint64_t lines = (uint64_t)threads * 16 + 1024;

	return ((uint64_t)threads * (VM_STACK_BYTES + 8192) + lines * line);
}

/* Sets up the scheduler by time, or the controlled one. */
static void
order_init(struct vm *vm)
{
	const uint64_t *ps = vm->vm_costs.vc_ps;

	if (vm->vm_config->mc_control != NULL) {
		vm_controlled_init(vm);
		return;
	}
	fill_jitter(vm->vm_jitter[0], vm->vm_costs.vc_jitter[0]);
	fill_jitter(vm->vm_jitter[1], vm->vm_costs.vc_jitter[1]);
	fill_wake(vm->vm_wake_same_ps, ps[PROFILE_OS_WAKE_SAME_P50],
	    ps[PROFILE_OS_WAKE_SAME_P99]);
	fill_wake(vm->vm_wake_cross_ps, ps[PROFILE_OS_WAKE_CROSS_P50],
	    ps[PROFILE_OS_WAKE_CROSS_P99]);
	memset(vm->vm_cpu, 0, sizeof(vm->vm_cpu));
	for (unsigned i = 0; i < vm->vm_topology.tp_cpus; i++) {
		vm->vm_place[i] = vm_topology_place(&vm->vm_topology, i);
		vm->vm_cpu[i].vu_timer.ve_at = VM_HEAP_NONE;
		vm->vm_cpu[i].vu_timer.ve_cpu = true;
		TAILQ_INIT(&vm->vm_cpu[i].vu_queue);
	}
}

static void
free_lines(struct vm *vm)
{
	struct vm_line *vl;

	for (unsigned i = 0; i < VM_LINE_LISTS; i++)
		while ((vl = vm->vm_lines[i]) != NULL) {
			vm->vm_lines[i] = vl->vl_next;
			free(vl->vl_waiter);
			free(vl->vl_wanted);
			free(vl->vl_counts);
			free(vl);
		}
}

/* Runs of all host threads. */
static _Atomic uint64_t runs;

uint64_t
vm_run_number(void)
{
	return (vm_get()->vm_number);
}

int
vm_run(const struct machine_config *mc, void (*main)(void *), void *arg,
    struct machine_outcome *mo)
{
	struct vm_thread *first;
	int error = ENOMEM;
	struct vm *vm;

	memset(mo, 0, sizeof(*mo));
	KASSERT(vm_running_machine == NULL, ("a machine in a machine"));
	/* They are divisors. */
	KASSERT(mc->mc_costs.vc_ps[PROFILE_CPU_PAUSE] > 0 &&
	    mc->mc_costs.vc_ps[PROFILE_OS_TICK] > 0,
	    ("a pause or a tick without time"));
	vm = mc->mc_store != NULL ? mc->mc_store : vm_store_new();
	if (vm == NULL)
		return (ENOMEM);
	memset(vm, 0, offsetof(struct vm, vm_memory_kept));
	vm->vm_heap.vq_entry = vm->vm_entry;
	vm->vm_heap.vq_room = nitems(vm->vm_entry);
	vm->vm_number = atomic_fetch_add(&runs, 1) + 1;
	vm->vm_config = mc;
	vm->vm_topology = mc->mc_topology;
	vm->vm_costs = mc->mc_costs;
	vm->vm_observer = mc->mc_observer;
	vm->vm_limit_ps = mc->mc_limit_ps == 0 ? UINT64_MAX : mc->mc_limit_ps;
	vm->vm_hash = mc->mc_seed;
	vm->vm_main = main;
	vm->vm_arg = arg;
	vm->vm_stuck = mo->mo_stuck;
	fiber_init_thread(&vm->vm_root);
	order_init(vm);
	if ((first = thread_make(vm, HOST_STACK_BYTES)) != NULL) {
		first->vt_host = first->vt_untimed = true;
		first->vt_state = VM_RUNNING;
		vm_set_self(vm, first);
		vm_running_machine = vm;
		fiber_switch(&vm->vm_root, &first->vt_fiber);
		vm_running_machine = NULL;
		vm_curthread = NULL;
		error = vm->vm_error;
		mo->mo_events = vm->vm_events;
		mo->mo_time_ps = vm->vm_time_ps;
		mo->mo_hash = vm->vm_hash;
	}
	if (mc->mc_control == NULL)
		free_lines(vm);
	if (mc->mc_store == NULL)
		vm_store_free(vm);
	return (error);
}
