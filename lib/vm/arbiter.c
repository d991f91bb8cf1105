/*
 * The arbiter of a line: which request is served next, and when.
 *
 * A line's home serves one request at a time.  In order of arrival the time of
 * a request is known when it comes, and it is served then, for later.  With
 * line.local a line that is free goes to any of the requests from behind the
 * cache of the CPU that has it, else to the oldest.  So it stays with a socket,
 * the order is not that of arrival, and a request waits for its turn.
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

/* The turn comes when the line is free; vt may be NULL. */
static void
give(struct vm *vm, struct vm_line *vl, struct vm_thread *vt)
{
	vl->vl_turn = vt;
	if (vt == NULL)
		return;
	TAILQ_REMOVE(&vl->vl_askers, vt, vt_link);
	vm_heap_add(&vm->vm_heap, &vt->vt_event,
	    MAX(vm->vm_time_ps, vl->vl_free_ps));
}

/* The turn of a thread ends, if it has one. */
static void
pass(struct vm *vm, struct vm_line *vl, struct vm_thread *vt)
{
	if (vt->vt_asks == NULL)
		return;
	vt->vt_asks = NULL;
	give(vm, vl, choose(vm, vl, &vt->vt_random));
}

/* Returns: when the thread goes on. */
static uint64_t
serve(struct vm *vm, struct vm_thread *vt, struct vm_request *rq,
    uint64_t now_ps)
{
	struct vm_line *vl = rq->vr_line;

	rq->vr_serve(vm, vt, rq, MAX(now_ps, vl->vl_free_ps));
	vl->vl_free_ps = rq->vr_free_ps;
	if (!rq->vr_keeps)
		pass(vm, vl, vt);
	return (rq->vr_until_ps);
}

bool
vm_turn_begin(struct vm *vm, struct vm_thread *vt)
{
	uint64_t until_ps;

	if (vt->vt_asks->vr_begun)
		return (false);
	vt->vt_asks->vr_begun = true;
	if ((until_ps = serve(vm, vt, vt->vt_asks, vm->vm_time_ps)) > 0)
		vm_heap_add(&vm->vm_heap, &vt->vt_event, until_ps);
	return (until_ps > 0);
}

void
vm_turn_leave(struct vm *vm, struct vm_thread *vt)
{
	struct vm_line *vl = vt->vt_asks->vr_line;

	if (vl->vl_turn == vt) {
		pass(vm, vl, vt);
	} else {
		vt->vt_asks = NULL;
		TAILQ_REMOVE(&vl->vl_askers, vt, vt_link);
	}
}

/* The next one's turn comes before the caller's next access. */
static void
turn_end(struct vm *vm, struct vm_line *vl)
{
	struct vm_thread *next, *self = vm->vm_self;
	const uint64_t now_ps = vm->vm_time_ps;

	if (self->vt_asks == NULL || vm_heap_first_ps(&vm->vm_heap) <= now_ps) {
		pass(vm, vl, self);
		if (vl->vl_turn != NULL)
			vm_until(vm, now_ps);
		return;
	}
	/* The same without the heap. */
	self->vt_asks = NULL;
	if ((next = vl->vl_turn = choose(vm, vl, &self->vt_random)) == NULL)
		return;
	TAILQ_REMOVE(&vl->vl_askers, next, vt_link);
	vm_happened(vm, now_ps, next->vt_id);
	if (vm_turn_begin(vm, next)) {
		vm_happened(vm, now_ps, self->vt_id);
	} else {
		vm_heap_add(&vm->vm_heap, &self->vt_event, now_ps);
		vm_resume(vm, next);
	}
}

/* Waits until the caller's request was served, in its turn. */
static void
turn_await(struct vm *vm, struct vm_request *rq)
{
	struct vm_thread *self = vm->vm_self;
	struct vm_line *vl = rq->vr_line;

	vm_spend(vm, 0);
	/* Again if it was preempted. */
	while (!rq->vr_begun) {
		self->vt_asks = rq;
		TAILQ_INSERT_TAIL(&vl->vl_askers, self, vt_link);
		if (vl->vl_turn == NULL)
			give(vm, vl, self);
		vm_switch(vm);
	}
}

void
vm_request(struct vm *vm, struct vm_request *rq)
{
	const bool turns = vm->vm_costs.vc_local_ppm > 0;
	struct vm_thread *self = vm->vm_self;
	struct vm_line *vl = rq->vr_line;
	uint64_t until_ps;

	rq->vr_asked_ps = vm_self_ps(vm);
	rq->vr_waited = vl->vl_turn != NULL || vl->vl_free_ps > vm_self_ps(vm);
	rq->vr_had = has_copy(vm, vl, (unsigned)self->vt_cpu);
	if (turns && rq->vr_waited) {
		turn_await(vm, rq);
	} else {
		rq->vr_begun = true;
		if (turns) {
			vl->vl_turn = self;
			self->vt_asks = rq;
		}
		until_ps = serve(vm, self, rq, vm_self_ps(vm));
		vm_step(vm);
		if (until_ps > 0) {
			self->vt_deferred_ps = 0;
			vm_until(vm, until_ps);
		}
	}
	if (rq->vr_keeps)
		turn_end(vm, vl);
}
