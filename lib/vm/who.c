/*
 * The running thread, for monitors.  A file of its own, so that a program with
 * monitors and no simulated machine links.
 */
#include "lib/vm/impl.h"

_Thread_local struct vm *vm_running_machine;

bool
vm_who_inside(struct vm_who *vk)
{
	struct vm *vm = vm_running_machine;

	if (vm->vm_self == NULL)
		return (false);
	vk->wh_private = vm->vm_self->vt_private;
	vk->wh_index = vm->vm_self->vt_td == NULL ? 0 :
	    vm->vm_self->vt_td->mt_index;
	vk->wh_time_ps = vm_self_ps(vm);
	return (true);
}
