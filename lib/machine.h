/*
 * The machine that locks, generators, the harvest thread and the readers run
 * on: the contract of every flavour (lib/flavour.h).
 *
 * Code written against this header uses no pthread, no C11 atomic, no clock
 * and no sleep of its own.  On the real machine each call inlines to the host's
 * primitive and charging costs nothing, so nothing is added to what is
 * measured; another flavour may route the same calls to simulated CPUs.
 *
 * Atomics carry the names of atomic(9): the type's size last, _acq and _rel for
 * the orderings, no suffix for relaxed.  fcmpset updates *expect on failure and
 * may fail spuriously; cmpset does neither.  An atomic word is a struct, so
 * that a flavour can attach a cache line to it and plain access does not
 * compile:
 *
 *	struct m32	uint32_t
 *	struct m64	uint64_t
 *	struct mptr	uintptr_t
 *
 * For T in 32, 64, ptr:
 *
 *	atomic_init_T(p, v)			before anyone else knows p
 *	atomic_load_T(p)			atomic_load_acq_T(p)
 *	atomic_store_T(p, v)			atomic_store_rel_T(p, v)
 *	atomic_cmpset_acq_T(p, old, new)	atomic_cmpset_rel_T(p, old, new)
 *	atomic_cmpset_acq_rel_T(p, old, new)
 *	atomic_fcmpset_acq_T(p, &old, new)	and _rel_ likewise
 *	atomic_fetchadd_T(p, v)			atomic_fetchadd_rel_T(p, v)
 *	atomic_swap_acq_T(p, v)			atomic_swap_acq_rel_T(p, v)
 *
 * and atomic_swap_hi_acq_rel_32(p, v), which swaps the upper 16 bits of a word
 * and leaves the lower ones to others.
 */
#ifndef LIB_MACHINE_H
#define LIB_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cost.h"
#ifdef MACHINE_VIRTUAL
#include "lib/machine_virtual.h"
#else
#include "lib/machine_real.h"
#endif

/*
 * MACHINE_NAME is what --engine calls the machine, MACHINE_SIMULATED whether
 * time, CPUs and costs are simulated.
 */

/*
 * Runs fn(arg) on the machine; it attaches itself.
 *
 *   mc  in   of a simulated machine: how (lib/vm.h); else NULL
 *   mo  out
 *
 * Returns: 0, or what vm_run() returns.
 */
static inline int machine_run(const struct machine_config *mc,
    void (*fn)(void *), void *arg, struct machine_outcome *mo);

/*
 * On a simulated machine: a word drawn from the run's seed, in place of what
 * hardware would give; else false, and nothing is written.
 */
static inline bool machine_draw(uint64_t *word);

/*
 * Words that take no time where costs are modelled: for notes about a run that
 * are not part of what is measured, and for assertions.  Relaxed atomics.  For
 * T in 32, 64, and for loads ptr:
 *
 *	machine_note_load_T(p)			machine_note_store_T(p, v)
 */

/*
 * Tells a simulated machine about a lock, for its traces and for saying who
 * waits for whom: it is asked for, held, free again.  Nothing on a real one.
 */
static inline void machine_lock_wait(const void *lock, const char *name);
static inline void machine_lock_held(const void *lock, const char *name);
static inline void machine_lock_free(const void *lock, const char *name);

/* Tells a simulated machine which instant of the run it is, for its traces. */
static inline void machine_mark(const char *what);

/*
 * Spins for about n pause instructions without touching memory: cpu_spinwait()
 * in a loop, as lock_delay(9) does.
 */
static inline void machine_pause(unsigned n);

/*
 * Polls of a waiter: return after one, or where polls are simulated when *p may
 * hold another value than seen, or may hold want.  The caller looks again.
 *
 *   most  in  polls after which to return anyway; 0: any number
 *
 * Returns: how many polls that was.
 */
static inline unsigned machine_await_32(struct m32 *p, uint32_t seen,
    unsigned most);
static inline unsigned machine_await_is_32(struct m32 *p, uint32_t want,
    unsigned most);
static inline unsigned machine_await_ptr(struct mptr *p, uintptr_t seen,
    unsigned most);

/* Gives the CPU to somebody else who can run, sched_yield(2). */
static inline void machine_yield(void);

/* A time stamp for measuring durations; the others convert. */
static inline uint64_t machine_cycles(void);
static inline uint64_t machine_cycles_since(uint64_t then, uint64_t now);
static inline int64_t machine_cycles_to_ns(uint64_t cycles);
static inline uint64_t machine_ns_to_cycles(uint64_t ns);

/* Uptime in ns, exact; and as of the last timer tick, getsbinuptime(9). */
static inline int64_t machine_uptime_ns(void);
static inline int64_t machine_uptime_coarse_ns(void);

/* The number of the CPU the caller runs on. */
static inline unsigned machine_cpu(void);

/*
 * Whether the caller was bound to a CPU and runs on another one: who manages
 * the host can move threads, and CPUs go offline.
 */
static inline bool machine_displaced(void);

/* CPUs that threads can be bound to, by rank. */
static inline unsigned machine_cpus(void);

/* What machine_cpu() stays below. */
static inline unsigned machine_cpu_ids(void);

/* The NUMA node the caller runs on, 0..machine_nodes() - 1; and how many. */
static inline unsigned machine_node(void);
static inline unsigned machine_nodes(void);

/* Pays for bulk work; nothing on the real machine, where it is done. */
static inline void machine_charge(enum machine_cost cost, size_t n);

/*
 * Fetches data that a lock guards and that another thread may have written;
 * nothing on the real machine, where using it does.
 *
 *   object  in  tells objects apart
 *   lines   in  cache lines of it that are used, at least 1
 */
static inline void machine_touch(const void *object, unsigned lines);

/* The calling thread; it was started by machine_spawn() or attached. */
static inline struct mthread *machine_curthread(void);

/*
 * Sleeps while *word equals expect: until machine_wake_32(), a spurious wake-up
 * or the time-out, whichever is first.  The comparison and falling asleep are
 * one step against a machine_wake_32() that follows a store to *word.
 *
 *   timeout_ns  in  duration, or -1 for none
 *
 * Returns: 0 or ETIMEDOUT.  machine_interrupt() does not end this sleep.
 */
int machine_wait_32(struct m32 *word, uint32_t expect, int64_t timeout_ns);

/* Wakes all who sleep in machine_wait_32() on word. */
void machine_wake_32(struct m32 *word);

/* Wakes one of them, whichever, if there is any. */
void machine_wake_one_32(struct m32 *word);

/*
 * Sleeps, tsleep(9)'s way: for timeout_ns, or until interrupted.
 *
 * Returns: 0 after the whole time, EINTR when interrupted.
 */
int machine_sleep(int64_t timeout_ns);

/*
 * Marks a thread as having a signal pending and ends its interruptible sleep.
 * The mark stays until the thread ends.
 */
void machine_interrupt(struct mthread *td);

/* Whether machine_interrupt() was called on the calling thread. */
static inline bool machine_interrupted(void);

/*
 * Tells whoever asks machine_running() about the caller that it is on a CPU; an
 * owner says so when it gets a lock.
 */
static inline void machine_oncpu(void);

/*
 * Whether the owner of a lock is on a CPU, TD_IS_RUNNING(), as well as this
 * machine can tell.
 *
 *   owner  in      the thread read from the lock word; may have released since
 *   probe  in/out  the waiter's notes about this wait; zero it at the start
 *
 * Returns: false only when owner was certainly not running at some instant
 * since its last machine_oncpu(), so a waiter that blocks on false never blocks
 * on a thread that ran throughout its hold.
 */
bool machine_running(struct mthread *owner, struct machine_probe *probe);

/*
 * Starts a thread.
 *
 *   td    out  caller's storage; it must outlive machine_join() and all threads
 *              that wait for locks it owned
 *   name  in   at most MTHREAD_NAME_MAX characters count
 *   cpu   in   rank of the CPU to bind to, or MACHINE_CPU_ANY
 *   fn    in   run with arg
 *
 * Returns: 0, or the errno value of the refusal.  A refused binding is no
 * error: td->mt_bound says.
 */
int machine_spawn(struct mthread *td, const char *name, int cpu,
    void (*fn)(void *), void *arg);

/* Waits for a spawned thread to end. */
void machine_join(struct mthread *td);

/* Makes the caller a machine thread; for threads nobody spawned. */
void machine_attach(struct mthread *td, const char *name);

/* Undoes machine_attach(). */
void machine_detach(void);

/* CPU time td has used, ns; 0 before it runs and after it ended. */
int64_t machine_thread_cpu_ns(struct mthread *td);

#endif
