#include "lib/vm/impl.h"

enum {
	STUCK_LINE	= 256,	/* at least a line of a report */
	STUCK_NAMED	= 64	/* locks of one name that are told apart */
};

#define	stuck_add(vm, ...) APPEND((vm)->vm_stuck, VM_STUCK_SIZE, __VA_ARGS__)

static const struct vm_thread *
holder_of(const struct vm *vm, const void *lock)
{
	for (unsigned i = 0; i < vm->vm_threads; i++)
		for (unsigned k = 0; k < vm->vm_thread[i]->vt_held_count; k++)
			if (vm->vm_thread[i]->vt_held[k].lock == lock)
				return (vm->vm_thread[i]);
	return (NULL);
}

/* A lock's name; with a number if several that threads hold or want have it. */
static void
add_name(struct vm *vm, const void *lock, const char *name)
{
	const struct vm_thread *vt;
	const void *seen[STUCK_NAMED];
	unsigned count = 0, k, m, number = 0;

	for (unsigned i = 0; i < vm->vm_threads; i++)
		for (vt = vm->vm_thread[i], k = 0; k <= vt->vt_held_count;
		    k++) {
			const bool held = k < vt->vt_held_count;
			const void *other = held ? vt->vt_held[k].lock :
			    vt->vt_wants;

			if (other == NULL || strcmp(name, held ?
			    vt->vt_held[k].name : vt->vt_wants_name) != 0)
				continue;
			for (m = 0; m < count && seen[m] != other; m++)
				continue;
			if (m == count && count < STUCK_NAMED)
				seen[count++] = other;
			if (other == lock)
				number = m + 1;
		}
	stuck_add(vm, count > 1 ? " %s %u" : " %s", name, number);
}

static const char *
doing(const struct vm_thread *vt)
{
	static const char *const states[] = {
		[VM_READY] = "without a CPU", [VM_RUNNING] = "running",
		[VM_BLOCKED] = "asleep", [VM_WAKING] = "asleep",
		[VM_ENDED] = "ended" };

	return (vt->vt_state == VM_RUNNING && vt->vt_awaits != NULL ?
	    "spinning" : states[vt->vt_state]);
}

/* The thread whose end a thread waits for, or NULL. */
static const struct vm_thread *
joined_by(const struct vm *vm, const struct vm_thread *vt)
{
	for (unsigned i = 0; i < vm->vm_threads; i++)
		if (vm->vm_thread[i]->vt_joiner == vt &&
		    vm->vm_thread[i]->vt_state != VM_ENDED)
			return (vm->vm_thread[i]);
	return (NULL);
}

static void
describe_thread(struct vm *vm, const struct vm_thread *vt)
{
	const struct vm_thread *other;

	stuck_add(vm, "\n  %s (%s)", vt->vt_td->mt_name, doing(vt));
	for (unsigned k = 0; k < vt->vt_held_count; k++) {
		stuck_add(vm, "%s", k == 0 ? " holds" : " and");
		add_name(vm, vt->vt_held[k].lock, vt->vt_held[k].name);
	}
	if (vt->vt_wants != NULL) {
		other = holder_of(vm, vt->vt_wants);
		stuck_add(vm, "%s waits for", vt->vt_held_count > 0 ? "," : "");
		add_name(vm, vt->vt_wants, vt->vt_wants_name);
		stuck_add(vm, ", held by %s", other == NULL ? "no thread" :
		    other->vt_td->mt_name);
	} else if ((other = joined_by(vm, vt)) != NULL)
		stuck_add(vm, "%s waits for %s to end",
		    vt->vt_held_count > 0 ? "," : "", other->vt_td->mt_name);
}

void
vm_describe_stuck(struct vm *vm, const char *why)
{
	const struct vm_thread *vt;
	unsigned left_out = 0;

	vm->vm_stuck[0] = '\0';
	stuck_add(vm, "%s at %.3f ms of virtual time", why,
	    (double)vm->vm_time_ps / 1e9);
	/* 0: it holds a lock; 1: it only waits for one; 2: neither. */
	for (unsigned rank = 0; rank < 3; rank++)
		for (unsigned i = 1; i < vm->vm_threads; i++) {
			vt = vm->vm_thread[i];
			if ((vt->vt_held_count > 0 ? 0 : vt->vt_wants != NULL ?
			    1 : 2u) != rank || (vt->vt_state == VM_ENDED &&
			    rank > 0))
				continue;
			if (strlen(vm->vm_stuck) + STUCK_LINE > VM_STUCK_SIZE)
				left_out++;
			else
				describe_thread(vm, vt);
		}
	if (left_out > 0)
		stuck_add(vm, "\n  and %u more", left_out);
}
