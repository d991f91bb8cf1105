/*
 * The machine that locks, generators, the harvest thread and readers run on.
 * This header is the contract of every flavour (lib/machine/flavour.h).
 *
 * Code written against it uses no pthread, no C11 atomic, no clock and no sleep
 * of its own.  On the real machine each call inlines to the host's primitive
 * and machine_charge() does nothing, so nothing is added to what is measured.
 * On the virtual machine the same calls act on simulated CPUs.
 *
 * Atomics: lib/machine/atomic.h.
 */
#pragma once

#include "lib/base/atomic_op.h"
#include "lib/base/failpoint.h"

/*
 * A flavour defines the atomics and threads, MACHINE_NAME as --engine calls it,
 * and MACHINE_SIMULATED (0 or 1).  The functions below are inline on the real
 * machine where they are short.
 */
#ifdef MACHINE_VIRTUAL
#include "lib/machine/virtual.h"
#else
#include "lib/machine/real.h"
#endif

/* Swaps the upper 16 bits of a word and does not touch the lower ones. */
uint16_t atomic_swap_hi_acq_rel_32(struct m32 *p, uint16_t v);

/* Stores the lowest 8 bits of a word and does not touch the others. */
void atomic_store_byte_rel_32(struct m32 *p, uint8_t v);

/*
 * Runs fn(arg) on the machine; fn attaches itself.  mc is of a simulated
 * machine (lib/vm/vm.h), else NULL.  Returns: 0, or what vm_run() returns.
 */
int machine_run(const struct machine_config *mc, void (*fn)(void *), void *arg,
    struct machine_outcome *mo);

/*
 * On a simulated machine: draws a word from the run's seed, in place of
 * hardware randomness.  Else false, and nothing is written.
 */
bool machine_draw(uint64_t *word);

/*
 * Events for the simulated machine's traces and deadlock reports: a thread
 * tries a lock, VM_LOCK_WAIT, holds it, VM_LOCK_HELD, or has released it,
 * VM_LOCK_FREE; VM_MARK marks an instant.  No effect on a real machine.
 */
void machine_event(enum vm_event_kind kind, const void *lock, const char *name);

/* About n times cpu_spinwait(), as lock_delay(9) does: touches no memory. */
void machine_pause(unsigned n);

/*
 * Polls of a waiter.  A real machine returns after one poll; a simulated one
 * when *p may differ from seen, or for await_is when it may equal want, or
 * after most polls, unless that is 0.  The caller looks again.  Returns: polls.
 */
unsigned machine_await_32(struct m32 *p, uint32_t seen, unsigned most);
unsigned machine_await_is_32(struct m32 *p, uint32_t want, unsigned most);
unsigned machine_await_ptr(struct mptr *p, uintptr_t seen, unsigned most);

/*
 * After an attempt that failed as *p was v, by a thread that does not look
 * before it tries again.  Where its accesses take no time such a loop would not
 * end: it awaits another value there; else nothing.
 */
void machine_failed_32(struct m32 *p, uint32_t v);

/* Lets another runnable thread have the CPU, sched_yield(2). */
void machine_yield(void);

/* A time stamp for durations; the others convert. */
uint64_t machine_cycles(void);
#define	machine_cycles_since	tick_since
int64_t machine_cycles_to_ns(uint64_t cycles);
uint64_t machine_ns_to_cycles(uint64_t ns);

/* Uptime in ns, exact; and as of the last timer tick, getsbinuptime(9). */
int64_t machine_uptime_ns(void);
int64_t machine_uptime_coarse_ns(void);

/* The caller's CPU, below machine_cpu_ids(). */
unsigned machine_cpu(void);
unsigned machine_cpu_ids(void);

/*
 * Whether the caller was bound to a CPU and runs on another: CPUs go offline,
 * and threads can be moved from outside.
 */
bool machine_displaced(void);

/*
 * What simulated machines have of a kernel's CPUs, as in lib/vm/vm.h.  On a
 * real one nothing is held, and the CPU is machine_cpu().
 */
bool machine_hold(unsigned cpus, unsigned hold, int cpu);
unsigned machine_kernel_cpu(unsigned cpus);

/* CPUs that threads can be bound to, by rank. */
unsigned machine_cpus(void);

/* The NUMA node, below machine_nodes(), of the caller or of a CPU. */
unsigned machine_node(void);
unsigned machine_cpu_node(unsigned cpu);
unsigned machine_nodes(void);

/* Charges simulated time for work; no effect on a real machine. */
void machine_charge(enum machine_cost cost, size_t n);

/*
 * Charges for fetching data that a lock guards and another thread may have
 * written, at least one cache line of it; no effect on a real machine.
 */
void machine_touch(const void *object, unsigned lines);

/*
 * Before a plain access to n bytes at p that other threads may use; no effect
 * on a real machine.  Under the controlled scheduler it is a scheduling point
 * if the caller owns no lock.
 */
void machine_access(const void *p, size_t n, bool store);

/* An atomic on a word of a source, simulated: vm_atomic(). */
uint64_t machine_atomic(void *p, unsigned how, uint64_t v, uint64_t old);

/* Of the simulated machine, from 1; 0: the machine is real. */
uint64_t machine_run_number(void);

/* The calling thread, spawned or attached. */
struct mthread *machine_curthread(void);

/*
 * Sleeps while *word equals expect: until machine_wake_32(), a spurious wake-up
 * or the time-out, -1 for none.  machine_wake_32() after a store to *word is
 * never missed; machine_interrupt() ends no sleep.  Returns: 0 or ETIMEDOUT.
 */
int machine_wait_32(struct m32 *word, uint32_t expect, int64_t timeout_ns);

/* Wakes so many threads at the most that sleep in machine_wait_32() on word. */
void machine_wake(struct m32 *word, int most);
#define	machine_wake_32(word)		machine_wake(word, INT32_MAX)
#define	machine_wake_one_32(word)	machine_wake(word, 1)

/* Stores another value, and wakes all that wait for that. */
static inline void
machine_set_32(struct m32 *word, uint32_t v)
{
	atomic_store_rel_32(word, v);
	machine_wake_32(word);
}

/* Sleeps like tsleep(9).  Returns: 0 after timeout_ns, EINTR if interrupted. */
int machine_sleep(int64_t timeout_ns);

/* Gives a thread, for its life, a pending signal: ends its machine_sleep(). */
void machine_interrupt(struct mthread *td);
bool machine_interrupted(void);

/* For machine_running(): the caller is on its CPU, as it gets a lock. */
void machine_oncpu(void);

/*
 * Whether the owner of a lock is on a CPU, TD_IS_RUNNING(), as far as this
 * machine can observe; it may have released since.  probe is of this wait, zero
 * at the start.  Returns: false only if owner was off CPU at some time since
 * its last machine_oncpu(): true for one that runs during its whole hold.
 */
bool machine_running(struct mthread *owner, struct machine_probe *probe);

/*
 * Starts a thread that runs fn(arg), bound to the CPU of a rank unless that is
 * MACHINE_CPU_ANY; its name is cut to MTHREAD_NAME_MAX characters.  The
 * caller's *td must outlive machine_join() and all threads that wait for locks
 * it owned.  Returns: 0, or an errno value; a refused binding is none: see
 * td->mt_bound.
 */
int machine_spawn(struct mthread *td, const char *name, int cpu,
    void (*fn)(void *), void *arg);

/* Waits for a spawned thread to end. */
void machine_join(struct mthread *td);

/* Makes a thread that was not spawned a machine thread; and undoes that. */
void machine_attach(struct mthread *td, const char *name);
void machine_detach(void);

/*
 * From now on the caller runs as an interrupt: no other thread gets its CPU
 * until it sleeps, and it gets its CPU at once unless the thread there owns a
 * lock.  A real machine only has the CPU that it is bound to.
 */
void machine_interrupt_context(void);

/*
 * Leaves the CPU to other threads until an interrupt comes, in ns.  Returns:
 * false on a real machine, where nothing was waited for.
 */
bool machine_interrupt_wait(uint64_t ns);

/* CPU time of a thread, ns; 0 before it runs and after it ended. */
int64_t machine_thread_cpu_ns(struct mthread *td);

/*
 * Of the time in which the caller was ready to run, the share in which it had
 * no CPU, 0..1; 0 also where the machine does not show it.
 */
double machine_thread_delayed(void);

/* Work of so many ns: charged, or, where nothing is charged, time goes by. */
static inline void
machine_work(uint64_t ns)
{
	uint64_t start;

	machine_charge(COST_WORK, (size_t)ns);
	if (MACHINE_SIMULATED || ns == 0)
		return;
	start = machine_cycles();
	while (machine_cycles_to_ns(machine_cycles_since(start,
	    machine_cycles())) < (int64_t)ns)
		;
}

/* The actions of fail points on this machine. */
extern const struct failpoint_machine FLAVOURED(failpoint_machine);
