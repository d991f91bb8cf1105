/*
 * CPUs: where threads are, and what holds them there: critical sections,
 * interrupts that are off, pins.
 *
 * A simulated machine does what a kernel would, vm_hold().  A real one may
 * preempt any thread.  There a word for each CPU keeps apart the threads that
 * have a CPU for themselves, and a thread that is held stays on the CPU that it
 * was on first.  Sources that have no use for CPUs get none of this.
 */
#include "lib/kern/impl.h"

enum { POLLS = 64 };	/* before another thread gets the host's CPU */

static unsigned
cpu_of(const struct kernel *k, const struct kern_thread *kt)
{
	const unsigned cpus = k->k_host.kh_cpus;
	const unsigned at = kt->kt_at >= 0 ? (unsigned)kt->kt_at :
	    kt->kt_cpu >= 0 ? (unsigned)kt->kt_cpu : machine_kernel_cpu(cpus);

	/* Avoids a division. */
	return (at < cpus ? at : at % cpus);
}

unsigned
host_cpu(struct kernel *k, const struct kern_site *site)
{
	const struct kern_thread *kt = kern_thread_of(k);
	const unsigned cpu = cpu_of(k, kt);
	const struct kern_look now = { kt, site, kt->kt_calls, kt->kt_kept };
	struct kern_look *before;

	if (!MACHINE_SIMULATED || k->k_params.kp_ledger == NULL)
		return (cpu);
	before = &k->k_cpu[cpu].kq_look;
	if (before->kk_thread != NULL && before->kk_thread != kt &&
	    before->kk_thread->kt_calls == before->kk_call) {
		k->k_shared[0] = *before;
		k->k_shared[1] = now;
		k->k_shared_cpu = cpu;
	}
	if (kt->kt_kept <= VM_PINNED)
		*before = now;
	return (cpu);
}

unsigned
host_domain(struct kernel *k, int cpu)
{
	return (k->k_params.kp_domains > 0 ? machine_cpu_node((unsigned)cpu) :
	    (unsigned)cpu % k->k_host.kh_domains);
}

bool
kernel_shared_cpu(const struct kernel *k, char *text, size_t n)
{
	static const char *const held[] = {
		"neither pinned nor in a critical section",
		"pinned, not in a critical section", "in a critical section"
	};
	const struct kern_look *a = &k->k_shared[0], *b = &k->k_shared[1];

	if (a->kk_thread == NULL)
		return (false);
	snprintf(text, n, "thread %u was on CPU %u at %s:%d (%s); before it "
	    "returned, thread %u was there at %s:%d (%s)",
	    (unsigned)(a->kk_thread - k->k_thread), k->k_shared_cpu,
	    KERN_AT(a->kk_by), held[a->kk_hold], (unsigned)(b->kk_thread -
	    k->k_thread), KERN_AT(b->kk_by), held[b->kk_hold <= VM_PINNED ?
	    b->kk_hold : 2]);
	return (true);
}

/* Keeps others off the CPU, where the machine does not; or ends that. */
static void
be_alone(struct kernel *k, struct kern_thread *kt, bool alone)
{
	struct m32 *word = &k->k_cpu[cpu_of(k, kt)].kq_alone;

	kt->kt_alone = alone;
	if (!alone) {
		atomic_store_rel_32(word, 0);
		return;
	}
	for (unsigned i = 1; !atomic_cmpset_acq_32(word, 0, 1); i++)
		if (i % POLLS == 0)
			machine_yield();
		else
			machine_pause(1);
}

/* What holds the thread has changed, or it is held to another CPU. */
static void
hold(struct kernel *k, struct kern_thread *kt, int cpu)
{
	const unsigned now = (kt->kt_critical > 0 ? VM_CRITICAL : 0u) |
	    (kt->kt_masked > 0 ? VM_MASKED : 0u) | (kt->kt_pinned > 0 ?
	    VM_PINNED : 0u) | (kt->kt_interrupt ? VM_INTERRUPT : 0u);
	const bool alone = now > VM_PINNED;
	bool kept;

	if (now == kt->kt_kept && cpu == MACHINE_CPU_ANY)
		return;
	if (kt->kt_alone && (!alone || cpu != MACHINE_CPU_ANY))
		be_alone(k, kt, false);
	/* By time, spin mutexes hold off preemption in any source. */
	kept = machine_hold(k->k_cpu == NULL ? 0 : k->k_host.kh_cpus, now, cpu);
	kt->kt_kept = now;
	if (k->k_cpu == NULL)
		return;
	if (!MACHINE_SIMULATED || cpu != MACHINE_CPU_ANY || now == 0)
		kt->kt_at = now == 0 ? MACHINE_CPU_ANY :
		    cpu != MACHINE_CPU_ANY ? cpu : (int)cpu_of(k, kt);
	/* A simulated interrupt does not wait for a critical section. */
	if (alone && !kept && !kt->kt_alone &&
	    !(MACHINE_SIMULATED && kt->kt_interrupt))
		be_alone(k, kt, true);
}

CTASSERT((int)KERN_PINNED == (int)VM_PINNED);
CTASSERT((int)KERN_CRITICAL == (int)VM_CRITICAL);
CTASSERT((int)KERN_MASKED == (int)VM_MASKED);

void
host_nest(struct kernel *k, unsigned what, int delta,
    const struct kern_site *site)
{
	static const char *const begin[] = { [VM_PINNED] = "sched_pin",
	    [VM_CRITICAL] = "critical_enter", [VM_MASKED] = "intr_disable",
	    [VM_CRITICAL | VM_MASKED] = "spinlock_enter" };
	struct kern_thread *kt = kern_thread_of(k);
	unsigned *const nested[] = { &kt->kt_pinned, &kt->kt_critical,
	    &kt->kt_masked };

	if (what == VM_PINNED && kt->kt_pinned == 0)
		kt->kt_pinned_site = site;
	if (what != VM_PINNED && kt->kt_critical + kt->kt_masked == 0)
		kt->kt_critical_site = site;
	for (unsigned i = 0; i < nitems(nested); i++) {
		if ((what >> i & 1) == 0)
			continue;
		if (delta < 0 && *nested[i] == 0)
			kernel_stop(k, site, "no %s() before this",
			    begin[what]);
		*nested[i] += (unsigned)delta;
	}
	hold(k, kt, MACHINE_CPU_ANY);
}

void
host_bind(struct kernel *k, int cpu, bool interrupt,
    const struct kern_site *site)
{
	struct kern_thread *kt = kern_thread_of(k);

	if (cpu >= (int)k->k_host.kh_cpus)
		kernel_stop(k, site, "there is no CPU %d", cpu);
	if (!interrupt) {
		host_may_block(k, site, "sched_bind()");
		if (kt->kt_pinned == 0)
			kt->kt_pinned_site = site;
		kt->kt_pinned += (cpu >= 0) - (unsigned)kt->kt_bound;
		kt->kt_bound = cpu >= 0;
		hold(k, kt, cpu);
		return;
	}
	if (!kt->kt_interrupt)
		kt->kt_home = kt->kt_pinned > 0 ? (int)cpu_of(k, kt) :
		    MACHINE_CPU_ANY;
	kt->kt_interrupt = kt->kt_filter = cpu >= 0;
	hold(k, kt, cpu >= 0 ? cpu : kt->kt_home);
}

void
kern_interrupt(struct kernel *k, bool begins)
{
	struct kern_thread *kt = kern_thread_of(k);

	kt->kt_filter = begins;
	/* A host's thread that is no interrupt waits for no other thread. */
	kt->kt_interrupt = begins && MACHINE_SIMULATED && k->k_cpu != NULL;
	hold(k, kt, MACHINE_CPU_ANY);
}

unsigned *
host_curthread(struct kernel *k)
{
	struct kern_thread *kt = kern_thread_of(k);

	kt->kt_td[0] = machine_curthread()->mt_index;
	kt->kt_td[1] = kt->kt_critical + kt->kt_filter;
	kt->kt_td[2] = kt->kt_pinned;
	kt->kt_td[3] = 0;
	for (unsigned i = 0; i < kt->kt_held; i++)
		kt->kt_td[3] += kern_is_section(kt->kt_hold[i].hd_lock);
	return (kt->kt_td);
}
