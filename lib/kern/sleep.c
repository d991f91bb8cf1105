/*
 * sleep(9), and the kernel's process.
 */
#include <errno.h>

#include "lib/kern/impl.h"

/* The channel of an address; those after the last share one. */
static struct channel *
channel_of(struct kernel *k, const void *ident)
{
	unsigned i;

	kern_tables_take(k);
	for (i = 0; i < k->k_channels && k->k_channel[i].ch_ident != ident;)
		i++;
	if (i == k->k_channels && i < KERN_CHANNELS - 1) {
		k->k_channel[i].ch_ident = ident;
		k->k_channels++;
	}
	kern_tables_drop(k);
	return (&k->k_channel[i]);
}

/* A process gives way to what is above the kernel, and ends early with it. */
static int
process_sleep(struct kernel *k, int64_t timeout_ns)
{
	const struct kernel_above *ka = k->k_params.kp_above;

	atomic_fetchadd_rel_32(&k->k_passes, 1);
	machine_wake_32(&k->k_passes);
	ka->ka_idle(k->k_params.kp_above_arg, &timeout_ns);
	if (!atomic_load(&k->k_stopping))
		(void)machine_sleep(timeout_ns);
	return (KERN_EWOULDBLOCK);
}

static int
kh_sleep(void *self, const void *ident, bool catch, int64_t timeout_ns)
{
	struct kernel *k = self;
	const struct kernel_above *ka = k->k_params.kp_above;
	struct kern_thread *kt = kern_thread_of(k);
	struct channel *ch;
	uint32_t woken;
	int error;

	if (kt->kt_process && timeout_ns >= 0)
		return (process_sleep(k, timeout_ns));
	if (catch && machine_interrupted())
		return (KERN_EINTR);
	ch = channel_of(k, ident);
	woken = atomic_load_acq_32(&ch->ch_woken);
	/* Less than a tick: only signals are looked for. */
	if (timeout_ns >= 0 && timeout_ns < 1000)
		return (KERN_EWOULDBLOCK);
	ka->ka_sleeping(k->k_params.kp_above_arg);
	error = machine_wait_32(&ch->ch_woken, woken, timeout_ns);
	ka->ka_slept(k->k_params.kp_above_arg, error == 0);
	if (catch && machine_interrupted())
		return (KERN_EINTR);
	return (error == 0 ? 0 : KERN_EWOULDBLOCK);
}

static void
kh_wakeup(void *self, const void *ident)
{
	struct channel *ch = channel_of(self, ident);

	atomic_fetchadd_rel_32(&ch->ch_woken, 1);
	machine_wake_32(&ch->ch_woken);
}

static void
kh_process(void *self, const char *name, void (*func)(void *), void *arg)
{
	struct kernel *k = self;

	if (k->k_process != NULL)
		kernel_stop(k, KERN_HERE, "%s is a second process", name);
	k->k_process = func;
	k->k_process_arg = arg;
}

void
kernel_process(struct kernel *k)
{
	struct kern_thread *kt = kern_thread_of(k);

	if (k->k_process == NULL)
		return;
	kernel_enter(k, KERNEL_CPU_HERE);
	kt->kt_process = true;
	atomic_store(&k->k_processing, machine_curthread());
	k->k_process(k->k_process_arg);
	atomic_store(&k->k_processing, NULL);
	kt->kt_process = false;
	kernel_leave(k);
}

static void
wait_passes(struct kernel *k, uint32_t until)
{
	uint32_t passes;

	while ((int32_t)((passes = atomic_load_acq_32(&k->k_passes)) -
	    until) < 0)
		machine_wait_32(&k->k_passes, passes, -1);
}

void
kernel_shutdown(struct kernel *k)
{
	const struct kern_copy *kc = k->k_copy;
	struct mthread *td;

	/* One that has not begun would not see that it is to end. */
	wait_passes(k, 1);
	atomic_store(&k->k_stopping, true);
	td = atomic_load(&k->k_processing);
	if (td != NULL)
		machine_interrupt(td);
	/* The end of the pass that goes on, and a whole one. */
	wait_passes(k, atomic_load_acq_32(&k->k_passes) + 2);
	kernel_enter(k, KERNEL_CPU_HERE);
	for (unsigned i = 0; i < kc->kc_uninit_count; i++)
		kc->kc_inits[kc->kc_init_count + i]->ki_func(
		    kc->kc_inits[kc->kc_init_count + i]->ki_arg);
	kernel_leave(k);
}

void
kern_host_sleep(struct kern_host *kh)
{
	kh->kh_sleep = kh_sleep;
	kh->kh_wakeup = kh_wakeup;
	kh->kh_process = kh_process;
}
