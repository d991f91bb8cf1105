/* The real machine; sleeps: futex(2) of Linux, _umtx_op(2) of FreeBSD. */
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#elif defined(__FreeBSD__)
#include <sys/types.h>
#include <sys/umtx.h>
#include <pthread_np.h>
#endif

#include "lib/machine/machine.h"

enum {
	CPU_SLOTS	= 1024,		/* ranks beyond share */

	/*
	 * Polls in a row with the same owner before machine_running() calls the
	 * kernel.  mtx(9)'s back-off has then waited longer than any hold whose
	 * owner runs, so the system call adds little.
	 */
	PROBE_AFTER	= 12
};

/* No clock has this number: reading it fails. */
#define	NO_CLOCK	UINT32_MAX

_Thread_local struct mthread *machine_self;

/* The bound thread that last ran on each CPU. */
static struct {
	_Alignas(MACHINE_CACHE_LINE) struct mptr slot_thread;
} slots[CPU_SLOTS];

int
real_wait(_Atomic uint32_t *word, uint32_t expect, int64_t timeout_ns)
{
	struct timespec ts;

	ts.tv_sec = timeout_ns / NS_PER_S;
	ts.tv_nsec = timeout_ns % NS_PER_S;
#if defined(__linux__)
	if (syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expect,
	    timeout_ns < 0 ? NULL : &ts, NULL, 0) == 0)
		return (0);
#elif defined(__FreeBSD__)
	if (_umtx_op(word, UMTX_OP_WAIT_UINT_PRIVATE, expect,
	    (void *)(uintptr_t)(timeout_ns < 0 ? 0 : sizeof(ts)),
	    timeout_ns < 0 ? NULL : &ts) == 0)
		return (0);
#else
#error "no way to sleep on a word is known for this system"
#endif
	return (errno == ETIMEDOUT ? ETIMEDOUT : 0);
}

int
machine_wait_32(struct m32 *word, uint32_t expect, int64_t timeout_ns)
{
	struct mthread *td = machine_curthread();
	int error;

	KASSERT(timeout_ns >= -1, ("time-out of %jd ns", (intmax_t)timeout_ns));
	atomic_store_32(&td->mt_offcpu, 1);
	error = real_wait(&word->m_value, expect, timeout_ns);
	atomic_store_32(&td->mt_offcpu, 0);
	return (error);
}

void
real_wake(_Atomic uint32_t *word, int threads)
{
#if defined(__linux__)
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
#elif defined(__FreeBSD__)
	_umtx_op(word, UMTX_OP_WAKE_PRIVATE, (u_long)threads, NULL, NULL);
#endif
}

void
machine_wake(struct m32 *word, int most)
{
	real_wake(&word->m_value, most);
}

int
machine_sleep(int64_t timeout_ns)
{
	struct mthread *td = machine_curthread();
	int64_t end_ns = machine_uptime_ns() + timeout_ns, left_ns = timeout_ns;
	int error = 0;
	uint32_t gen;

	freezer_sleep_begins(td);
	while (left_ns > 0 && error == 0) {
		gen = atomic_load_acq_32(&td->mt_sleep);
		if (atomic_load_acq_32(&td->mt_signalled) != 0)
			error = EINTR;
		else
			machine_wait_32(&td->mt_sleep, gen, left_ns);
		left_ns = end_ns - machine_uptime_ns();
	}
	freezer_sleep_ends(td);
	return (error);
}

void
machine_interrupt(struct mthread *td)
{
	/* The mark before the generation: machine_sleep() reads the reverse. */
	atomic_store_32(&td->mt_signalled, 1);
	atomic_fetchadd_rel_32(&td->mt_sleep, 1);
	machine_wake_32(&td->mt_sleep);
}

/*
 * A user program cannot read another thread's run state.  It can observe
 * whether the owner sleeps in machine_wait_32(); whether the owner is bound to
 * the waiter's own CPU; whether another thread has run on the owner's CPU
 * since; and whether the owner's CPU clock has moved since the last poll.  The
 * last takes a system call, so only long waits use it.
 */
bool
machine_running(struct mthread *owner, struct machine_probe *probe)
{
	struct mptr *slot;
	int64_t cpu_ns;

	if (atomic_load_32(&owner->mt_offcpu) != 0)
		return (false);
	slot = machine_slot(owner);
	if (slot == machine_slot(machine_curthread()))
		return (false);
	machine_oncpu();
	if (atomic_load_ptr(slot) != (uintptr_t)owner)
		return (false);
	if (probe->mr_owner != owner) {
		probe->mr_owner = owner;
		probe->mr_asked = 0;
		probe->mr_cpu_ns = -1;
	}
	if (++probe->mr_asked < PROBE_AFTER)
		return (true);
	/* An owner that released and ended has no clock: keep spinning. */
	cpu_ns = tick_read_ns((clockid_t)atomic_load_32(&owner->mt_clock));
	if (cpu_ns < 0)
		return (true);
	if (probe->mr_cpu_ns == cpu_ns)
		return (false);
	probe->mr_cpu_ns = cpu_ns;
	return (true);
}

static void
thread_reset(struct mthread *td, const char *name)
{
	memset(td, 0, sizeof(*td));
	td->mt_cpu = MACHINE_CPU_ANY;
	td->mt_node = cpu_nodes() == 1 ? 0 : -1;
	atomic_init_ptr(&td->mt_slot, (uintptr_t)&td->mt_noslot);
	atomic_init_32(&td->mt_clock, NO_CLOCK);
	TEXT_SET(td->mt_name, name);
}

/* The part of starting that the thread itself must do. */
static void
thread_begin(struct mthread *td)
{
	clockid_t clock;

	if (pthread_getcpuclockid(pthread_self(), &clock) == 0)
		atomic_store_32(&td->mt_clock, (uint32_t)clock);
	machine_oncpu();
}

static void *
thread_main(void *arg)
{
	struct freezer_member member;
	struct mthread *td = arg;

	machine_self = td;
	freezer_enter(td->mt_freezer, &member);
	while (atomic_load_acq_32(&td->mt_go) == 0)
		real_wait(&td->mt_go.m_value, 0, -1);
	if (td->mt_bound)
		atomic_store_ptr(&td->mt_slot,
		    (uintptr_t)&slots[td->mt_cpu % CPU_SLOTS].slot_thread);
	thread_begin(td);
#if defined(__linux__)
	pthread_setname_np(pthread_self(), td->mt_name);
#elif defined(__FreeBSD__)
	pthread_set_name_np(pthread_self(), td->mt_name);
#endif
	td->mt_fn(td->mt_arg);
	freezer_leave(&member);
	return (NULL);
}

int
machine_spawn(struct mthread *td, const char *name, int cpu,
    void (*fn)(void *), void *arg)
{
	int error;

	thread_reset(td, name);
	td->mt_fn = fn;
	td->mt_arg = arg;
	td->mt_freezer = freezer_self;
	if (cpu != MACHINE_CPU_ANY)
		td->mt_cpu = (int)((unsigned)cpu % cpu_count());
	error = pthread_create(&td->mt_pthread, NULL, thread_main, td);
	if (error != 0)
		return (error);
	td->mt_spawned = true;
	/* Not in the thread: binding allocates, which may fail there. */
	if (cpu != MACHINE_CPU_ANY)
		td->mt_bound = cpu_bind(td->mt_pthread,
		    (unsigned)td->mt_cpu) == 0;
	if (td->mt_bound)
		td->mt_node = (int)cpu_node(cpu_os_index((unsigned)td->mt_cpu));
	machine_set_32(&td->mt_go, 1);
	return (0);
}

void
machine_join(struct mthread *td)
{
	int error;

	KASSERT(td->mt_spawned, ("%s was not spawned", td->mt_name));
	error = pthread_join(td->mt_pthread, NULL);
	KASSERT(error == 0, ("joining %s: %d", td->mt_name, error));
	td->mt_spawned = false;
}

void
machine_attach(struct mthread *td, const char *name)
{
	KASSERT(machine_self == NULL, ("already attached"));
	thread_reset(td, name);
	td->mt_pthread = pthread_self();
	machine_self = td;
	thread_begin(td);
}

void
machine_detach(void)
{
	KASSERT(machine_self != NULL, ("not attached"));
	machine_self = NULL;
}

int64_t
machine_thread_cpu_ns(struct mthread *td)
{
	const int64_t ns =
	    tick_read_ns((clockid_t)atomic_load_32(&td->mt_clock));

	return (ns < 0 ? 0 : ns - (int64_t)atomic_load_64(&td->mt_stopping_ns));
}

double
machine_thread_delayed(void)
{
	double ns[2];	/* that it ran, and that it waited for a CPU */

	return (system_numbers(ns, 2, "/proc/thread-self/schedstat") == 2 &&
	    ns[1] > 0 ? ns[1] / (ns[0] + ns[1]) : 0);
}
