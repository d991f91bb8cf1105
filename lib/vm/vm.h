/*
 * The virtual machine: simulated CPUs and time for threads, on one host thread.
 *
 * Runs code that was compiled for the virtual flavour (lib/machine/machine.h).
 * Every atomic, pause, sleep and charge takes the time that the profile gives
 * it.  An atomic acts on a simulated cache line, so its cost depends on which
 * CPUs used the line before.  Outcomes depend on the configuration alone, its
 * seed included.  The model and its limits: rngsim-virtual(7).
 *
 * Machines on different host threads are independent.
 */
#pragma once

#include <stdatomic.h>

#include "lib/vm/topology.h"

/*
 * Work that the real machine does and a simulated one charges for.  A run has
 * one cipher, so costs do not name it.
 */
enum machine_cost {
#define	COST(name)	COST_##name,
#include "lib/base/cost.tbl"
	MACHINE_COSTS
};

enum {
	VM_THREADS_MAX	= 4096,		/* of a run, ended ones included */
	VM_CONTROLLED_MAX = 64,		/* beside the first */
	/*
	 * Numbers in choices, where memory is not VM_SC and so threads are
	 * fewer: the stores of thread n, and values older by n.
	 */
	VM_STORES	= 16,
	VM_OLDER	= 2 * VM_STORES,
	/* The CPUs of a kernel, after the one that a thread was on. */
	VM_MOVED	= VM_OLDER + VM_STORES,
	VM_KERNEL_CPUS_MAX = 16,
	/* With VM_POLLS_ONCE: each store that can be committed. */
	VM_EACH		= VM_MOVED + VM_STORES,
	VM_EACH_STORES	= 8,
	VM_NUMBERS	= VM_EACH + VM_STORES * VM_EACH_STORES,
	VM_STACK_BYTES	= 64 * 1024,
	VM_STUCK_SIZE	= 2048
};

/* Events that an observer sees. */
enum vm_event_kind {
	VM_THREAD_START,	/* vn_detail: its name */
	VM_THREAD_END,
	VM_CPU_ON,		/* vn_thread runs on vn_cpu from now */
	VM_CPU_OFF,		/* it leaves its CPU; vn_detail: why */
	VM_LOCK_WAIT,		/* for vn_lock; vn_detail: its name */
	VM_LOCK_HELD,
	VM_LOCK_FREE,
	VM_MARK,		/* an instant of the run: vn_detail */
	VM_KERNEL_CPU,		/* vn_detail: how; vn_value: the CPU */
	/* Of weak memory, with vn_word and vn_value: vn_thread's accesses. */
	VM_STORE_SEEN,		/* others see a store from now on */
	VM_OLD_VALUE		/* a load that is not the latest value */
};

struct vm_note {
	enum vm_event_kind vn_kind;
	uint64_t	 vn_time_ps;
	unsigned	 vn_thread;	/* in order of starting, 0 the first */
	int		 vn_cpu;	/* -1: none */
	const void	*vn_lock;	/* identifies a lock; or NULL */
	const char	*vn_detail;	/* or NULL; valid during the call */
	unsigned	 vn_word;	/* from 1 by first store; 0: unknown */
	uint64_t	 vn_value;
};

/*
 * Called on the machine's host thread, in the order in which events take
 * effect.  Timestamps may run backwards, by at most 20 ns.
 */
struct vm_observer {
	void		(*vb_note)(void *context, const struct vm_note *note);
	void		*vb_context;
};

/* Kinds of scheduling points. */
enum vm_point {
	VM_POINT_ACCESS,	/* before an atomic or what counts as one */
	VM_POINT_CHARGE,	/* bulk work is done */
	VM_POINT_VALUE,		/* of a load, or which store is committed */
	VM_POINT_CPU,		/* where it is in its kernel: vm_hold() */
	VM_POINT_LIMIT,		/* whether a wait with a limit ends at once */
	VM_POINT_YIELD,		/* it spins or yields */
	VM_POINT_BLOCKED	/* it is asleep, awaits a word, has ended */
};

/* A choice among runnable threads. */
struct vm_choice {
	enum vm_point	 vo_point;
	int		 vo_self;	/* in vo_thread, or -1: it cannot */
	unsigned	 vo_count;	/* 2..VM_CONTROLLED_MAX */
	/*
	 * Threads' numbers, ascending; observers see their names.  VM_STORES +
	 * n: a store of thread n is committed, and VM_EACH + VM_EACH_STORES *
	 * n + k: the next of those that have k as remainder.  Of
	 * VM_POINT_VALUE: the thread, for the latest value or the oldest
	 * store, and from VM_OLDER + 1 on the others.  Of VM_POINT_CPU: the
	 * thread, for the CPU that it was on, and from VM_MOVED + 1 on the
	 * others.  Of VM_POINT_LIMIT: the thread, for no, and VM_OLDER + 1.
	 */
	const uint16_t	*vo_thread;
	/* Bit i: vo_thread[i] sleeps, and its time-out has not come yet. */
	uint64_t	 vo_asleep;
};

enum vm_memory {
	VM_SC,			/* sequentially consistent */
	VM_TSO,			/* total store order, as x86 */
	VM_WEAK,		/* as C11 has it; lib/vm/memory.c */
	VM_MEMORIES
};

/* "sc", "tso", "weak"; NULL after the last. */
extern const char *const vm_memory_names[VM_MEMORIES + 1];

/* Which threads that have nothing to do may run although another one can. */
enum vm_polls {
	VM_POLLS_LAST,		/* no, as above */
	VM_POLLS_ANY,		/* those whose loops only repeat */
	/*
	 * One that pauses or yields, unless its loop only repeats.  A wait with
	 * a limit may end at once.
	 */
	VM_POLLS_ONCE
};

/* What a step does with memory. */
enum vm_use {
	VM_USE_LOAD,
	VM_USE_STORE,		/* in the values with that bit */
	/* It waits for the last store: never before it, so not in a race. */
	VM_USE_AFTER,
	VM_USE_VALUE,		/* a store; loads may return what was before */
	/*
	 * Its next step cannot be chosen before the word has a value, or
	 * another one: n is whether it is to be p, of the next call.
	 */
	VM_USE_AWAIT,
	VM_USE_UNTIL
};

/*
 * Replaces time-ordered scheduling; the first thread, which has no CPU, is not
 * scheduled.  Costs are ignored.  Each thread has a CPU of its own, the one
 * that it is bound to if that is free; machine_spawn() returns EAGAIN when
 * none is left.  Where only one thread is runnable it runs without a choice,
 * so the same choices make the same run.
 *
 * A thread stops before each access, sleep, wake-up and interrupt, and where
 * bulk work is charged.  The first read after an await, a pause or a yield is
 * an exception.  A stopped thread is runnable
 *
 * - that awaits a word without a limit: while its condition holds;
 * - that sleeps with a time-out: always, as all others may be slow;
 * - that pauses, yields, or awaits a word with a limit (which may end at once):
 *   when no other awake thread is runnable.  If it has read a word since its
 *   last such step and nothing has changed since, only after the next change:
 *   a store, or a thread that falls asleep, wakes or ends.  When all other
 *   threads wait and none has a time-out, such threads run in turn; when that
 *   changes nothing, the run ends with EDEADLK;
 * - else always.
 *
 * Each step takes a nanosecond.  If the chosen thread sleeps, time goes to the
 * end of its sleep if that is later.  The first thread's sleeps and polls end
 * when their time comes, or when no other thread is runnable.
 */
struct vm_control {
	/* Returns: an index into vo_thread. */
	unsigned	(*vh_choose)(void *context, const struct vm_choice *vo);
	/*
	 * The result of machine_running() for an owner that is neither asleep
	 * nor ended; false: it was preempted.  NULL: always true.
	 */
	bool		(*vh_running)(void *context);
	void		*vh_context;
	enum vm_polls	 vh_polls;
	/* Steps after which the run ends with EDEADLK; 0: no limit. */
	uint64_t	 vh_steps_max;
	enum vm_memory	 vh_memory;
	/* Plain accesses of a thread that owns locks are choices, too. */
	bool		 vh_guarded;
	/*
	 * VM_WEAK: nothing orders this use of a lock or of guarded data after
	 * its last one, by thread before.  Locks: only with an observer.
	 */
	void		(*vh_unordered)(void *context, const void *object,
			    const char *what, unsigned thread, unsigned before);
	/*
	 * NULL, or told what the steps of threads use: their memory, and what
	 * the machine and its monitors keep of them.  Steps of two threads that
	 * use nothing in common, or only read it, can be swapped.  thread: as
	 * in vo_thread.  p NULL: a step begins, chosen or not.
	 */
	void		(*vh_access)(void *context, unsigned thread,
			    const void *p, size_t n, enum vm_use use);
};

/* The thread whose store is committed with VM_POLLS_ONCE, or which it is. */
static inline unsigned
vm_owner(unsigned number)
{
	return (number > VM_EACH ? (number - VM_EACH) / VM_EACH_STORES :
	    number);
}

/* A machine; also the stacks and other memory that a run leaves to the next. */
struct vm;

/* How a run is done. */
struct machine_config {
	struct vm_topology mc_topology;
	uint64_t	 mc_seed;
	/* From vm_costs(); a pause and a tick take more than 0. */
	struct vm_costs {
		uint64_t vc_lat_ps[VM_DISTANCES];	/* SELF: a hit */
		uint64_t vc_service_ps[VM_DISTANCES];
		uint64_t vc_ps[PROFILE_VALUES];	/* as the profile's, or 0 */
		uint64_t vc_cost_ps[MACHINE_COSTS];	/* each charge */
		uint64_t vc_unit_fs[MACHINE_COSTS];	/* each unit, 1e-15 s */
		/* Units are charged by blocks of a power of two: less 1. */
		size_t	 vc_less[MACHINE_COSTS];
		uint64_t vc_cong_ppm;	/* lat.cong */
		uint64_t vc_keep_ppm;	/* line.keep */
		uint64_t vc_local_ppm;	/* line.local */
		uint64_t vc_ahead_ppm;	/* line.ahead */
		bool	 vc_shared;	/* line.shared */
		bool	 vc_stores;	/* cpu.stores */
		bool	 vc_strict;	/* line.strict */
		double	 vc_jitter[2];	/* jitter.cv; between holds */
		bool	 vc_preempt;
	}		 mc_costs;
	/* Virtual time after which a run counts as stuck; 0: never. */
	uint64_t	 mc_limit_ps;
	const struct vm_observer *mc_observer;	/* or NULL */
	const struct vm_control *mc_control;	/* or NULL: by time */
	struct vm	*mc_store;	/* from vm_store_new(), or NULL */
	/* Set to the virtual time, at intervals; or NULL. */
	_Atomic uint64_t *mc_progress_ps;
	/* Set by a signal handler: end soon, with EINTR; or NULL. */
	const volatile sig_atomic_t *mc_stop;
};

struct machine_outcome {
	uint64_t	mo_events;	/* of the machine; 0: a real one */
	uint64_t	mo_time_ps;	/* virtual time */
	uint64_t	mo_hash;	/* of all events' times and threads */
	/* After EDEADLK: locks that threads hold and wait for. */
	char		mo_stuck[VM_STUCK_SIZE];
};

/* A profile's costs of "aes" or "chacha20", native: by CPU instructions. */
void vm_costs(const struct profile *pr, const char *cipher, bool native,
    struct vm_costs *vc);

/* An upper bound of a machine's memory, in bytes. */
uint64_t vm_memory_bytes(unsigned threads);

/*
 * Runs main(arg) as the machine's first thread until it returns.  It has no
 * CPU, only its waits take time, and it joins all threads that it starts.
 * Returns: 0; EDEADLK when no thread could run, virtual time stood still, or
 * mc_limit_ps was over; EINTR; ENOMEM.  After an error threads were abandoned
 * where they stood, with the memory that they had allocated.
 */
int vm_run(const struct machine_config *mc, void (*main)(void *), void *arg,
    struct machine_outcome *mo);

/* Ends the run of the caller's machine with that error.  Does not return. */
void vm_abort(int error) __attribute__((noreturn));

/* Makes all stores so far visible, as time does; no effect with VM_SC. */
void vm_settle(void);

/*
 * In weak memory: a mark, before the caller writes; whether the caller would
 * see what was written after it, in VM_TSO before it; whether it would not, but
 * has read a later atomic of the writer.  Elsewhere 0, true and false.
 */
uint64_t vm_mark(void);
bool vm_sees(uint64_t mark);
bool vm_misses(uint64_t mark);

/* Whether the caller runs under the controlled scheduler. */
bool vm_explores(void);

/* How a kernel's thread is held to a CPU; 0: it may be moved. */
enum vm_hold {
	VM_PINNED	= 1 << 0,	/* others may run there */
	VM_CRITICAL	= 1 << 1,	/* it is not preempted */
	VM_MASKED	= 1 << 2,	/* nor interrupted */
	VM_INTERRUPT	= 1 << 3	/* it interrupts, even VM_CRITICAL */
};

/*
 * Holds the caller to the CPU that it is on in a kernel with so many (0: no
 * thread looks where it is), or to cpu unless VM_CPU_ANY; or ends that.
 *
 * Under the controlled scheduler a thread's CPU is no CPU of the machine.  A
 * thread that is not held may be anywhere: where it is, is a choice when it is
 * held and when it asks.  Of the threads that are held to one CPU, and where no
 * other is left of all threads, only one runs that is more than VM_PINNED; a
 * VM_INTERRUPT runs before others, unless they are VM_MASKED.
 *
 * By time, CPUs are the machine's.  What is more than VM_PINNED defers the end
 * of a quantum, and nothing is interrupted.
 *
 * Returns: false if others could nevertheless run as if on that CPU, or need
 * not see there what was stored there.
 */
bool vm_hold(unsigned cpus, unsigned hold, int cpu);

/* The caller's CPU, of a kernel with so many. */
unsigned vm_kernel_cpu(unsigned cpus);

/* The lowest byte of the running thread's stack, and whether p is on that. */
const void *vm_stack(void);
bool vm_on_stack(const void *p);

/* A monitor of the running thread uses what it keeps at p: vh_access. */
void vm_monitored(const void *p, bool store);

/* The running thread, for monitors, which are called from anywhere. */
enum { VM_PRIVATE_WORDS = 3 };

struct vm_who {
	uint64_t	*wh_private;	/* its own words, 0 at its start */
	unsigned	 wh_index;	/* mt_index */
	uint64_t	 wh_time_ps;
};

/* The machine of this host thread; NULL outside vm_run(). */
extern _Thread_local struct vm *vm_running_machine;

/* The running thread's; NULL: it is not attached, or there is none. */
extern _Thread_local struct mthread *vm_curthread;

bool vm_who_inside(struct vm_who *vk);

/* Takes no time.  Returns: false outside a machine. */
static inline bool
vm_who(struct vm_who *vk)
{
	return (vm_running_machine != NULL && vm_who_inside(vk));
}

/* A store for one run at a time; NULL when there is no memory. */
struct vm *vm_store_new(void);
void vm_store_free(struct vm *vm);
