/*
 * The virtual machine: threads on simulated CPUs in simulated time, on one
 * thread of the host.
 *
 * Runs code that was compiled for the virtual flavour (lib/machine.h).  Every
 * atomic, pause, sleep and charge takes the time that the profile gives it; an
 * atomic acts on a simulated cache line, so what sharing costs depends on who
 * else touched the line.  Deterministic: outcomes depend on the configuration
 * alone, its seed included.  The model and its limits: rngsim(7).
 *
 * Machines on different host threads are independent.
 */
#ifndef LIB_VM_H
#define LIB_VM_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/cost.h"
#include "lib/kassert.h"
#include "lib/profile.h"
#include "lib/vm_topology.h"

enum {
	VM_THREADS_MAX	= 4096,		/* of a run, ended ones included */
	VM_CHOSEN_MAX	= 64,		/* beside the first, if chosen */
	VM_STACK_BYTES	= 64 * 1024,
	VM_STUCK_SIZE	= 2048
};

/* What an observer is told of. */
enum vm_event_kind {
	VM_THREAD_START,	/* exists; vn_detail: its name */
	VM_THREAD_END,
	VM_CPU_ON,		/* vn_thread runs on vn_cpu from now */
	VM_CPU_OFF,		/* and leaves it; vn_detail: why */
	VM_LOCK_WAIT,		/* asks for vn_lock; vn_detail: its name */
	VM_LOCK_HELD,
	VM_LOCK_FREE,
	VM_WORK,		/* vn_detail: what; it takes vn_ps from now */
	VM_MARK			/* vn_detail: which instant of the run it is */
};

struct vm_note {
	enum vm_event_kind vn_kind;
	uint64_t	 vn_time_ps;
	unsigned	 vn_thread;	/* in order of starting, 0 the first */
	int		 vn_cpu;	/* -1: none */
	const void	*vn_lock;	/* tells locks apart; or NULL */
	uint64_t	 vn_ps;
	const char	*vn_detail;	/* or NULL; valid during the call */
};

/*
 * Called on the machine's host thread, in the order in which things take
 * effect.  A thread is ahead of the machine by what it owes for accesses to
 * lines that it has, so times may be behind earlier ones by that little.
 */
struct vm_observer {
	void		(*vo_note)(void *context, const struct vm_note *note);
	void		*vo_context;
};

/* Why a thread is where others may go on instead of it. */
enum vm_point {
	VM_POINT_ACCESS,	/* before an atomic or what counts as one */
	VM_POINT_CHARGE,	/* bulk work is done */
	VM_POINT_YIELD,		/* it found nothing to do: it spins or yields */
	VM_POINT_BLOCKED	/* it cannot go on: asleep, awaiting, ended */
};

/* Who could go on: at least two. */
struct vm_choice {
	enum vm_point	 vo_point;
	int		 vo_self;	/* in vo_thread, or -1: it cannot */
	unsigned	 vo_count;	/* 2..VM_CHOSEN_MAX */
	/* Threads' numbers, ascending; their names are told to the observer. */
	const uint16_t	*vo_thread;
	/* Bit i: thread vo_thread[i] is asleep; its time-out, which has not
	   come, would end that. */
	uint64_t	 vo_asleep;
};

/*
 * Chooses in place of time who goes on; the first thread, which has no CPU, is
 * not among those.  Costs are not looked at.  Each thread has a CPU, the one it
 * is bound to if no other has it; machine_spawn() says EAGAIN when there is
 * none left.  Where only one thread can go on it does, without a choice: the
 * same choices make the same run.
 *
 * A thread stops before each access, sleep, wake-up and interrupt, and where
 * bulk work is charged; but not before the access with which it looks again
 * after awaiting, pausing or yielding.  Who can go on from there:
 *
 * - who is not told of below;
 * - who awaits a word without a limit: while the word is as it wants it;
 * - who sleeps with a time-out: always, others are only slow;
 * - who pauses, yields, or awaits a word with a limit, which then may be over
 *   at once: not itself if anybody is awake who can.  If it has looked at words
 *   since it last did so, and meanwhile none was stored to and nobody fell
 *   asleep, was woken or ended, then not before that happens.  When all others
 *   wait for something and none sleeps to a time, such threads go on in turn,
 *   in case they count; when that changes nothing either, it is EDEADLK.
 *
 * Time moves on by a nanosecond whenever a thread goes on; with a sleeper to
 * the end of its sleep, if that is later.  The first thread's sleeps and polls
 * end when time comes there, or when nobody else can go on.
 */
struct vm_chooser {
	/* Returns: an index into vo_thread. */
	unsigned	(*vh_choose)(void *context, const struct vm_choice *vo);
	/*
	 * Whether machine_running() is to say so of an owner that is neither
	 * asleep nor at an end: it may have been passed over.  NULL: it does.
	 */
	bool		(*vh_running)(void *context);
	void		*vh_context;
	/* Times that a thread goes on; then it is EDEADLK.  0: any number. */
	uint64_t	 vh_steps_max;
};

/* Threads' stacks and what else one run can leave to the next. */
struct vm;
struct vm_store;

/* How a run is done. */
struct machine_config {
	struct vm_topology mc_topology;
	uint64_t	 mc_seed;
	/*
	 * Costs, from vm_costs(): latencies by distance, the rest by name; a
	 * pause and a tick take some time.
	 */
	struct vm_costs {
		uint64_t vc_lat_ps[VM_DISTANCES];	/* SELF: a hit */
		uint64_t vc_service_ps[VM_DISTANCES];
		uint64_t vc_ps[PROFILE_VALUES];	/* as the profile's, or 0 */
		uint64_t vc_cost_ps[MACHINE_COSTS];	/* each charge */
		uint64_t vc_unit_fs[MACHINE_COSTS];	/* each unit, 1e-15 s */
		/* A block of units less 1; blocks are powers of two. */
		size_t	 vc_less[MACHINE_COSTS];
		double	 vc_cong;
		double	 vc_jitter;
		bool	 vc_preempt;
	}		 mc_costs;
	/* Virtual time after which a run counts as stuck; 0: never. */
	uint64_t	 mc_limit_ps;
	const struct vm_observer *mc_observer;	/* or NULL */
	const struct vm_chooser *mc_chooser;	/* or NULL: by time */
	struct vm_store	*mc_store;	/* or NULL: made anew for each run */
	/* Told the virtual time done, now and then; or NULL. */
	_Atomic uint64_t *mc_progress_ps;
	/* Set by a signal handler: end soon, with EINTR; or NULL. */
	const volatile sig_atomic_t *mc_stop;
};

struct machine_outcome {
	uint64_t	mo_events;	/* of the machine; 0: a real one */
	uint64_t	mo_time_ps;	/* virtual time */
	uint64_t	mo_hash;	/* of when each thread did what */
	/* After EDEADLK: who holds what and who waits for whom. */
	char		mo_stuck[VM_STUCK_SIZE];
};

/*
 * The costs of a profile for one cipher.
 *
 *   cipher  in  "aes" or "chacha20"
 *   native  in  whether it has the CPU's instructions
 */
void vm_costs(const struct profile *pr, const char *cipher, bool native,
    struct vm_costs *vc);

/* Bytes of memory that a machine of so many threads needs at most. */
uint64_t vm_memory_bytes(unsigned threads, unsigned cpus);

/*
 * Runs main(arg) as the machine's first thread, which has no CPU and whose
 * doings take no time but for waiting, until it returns; it has then joined all
 * it started.
 *
 *   mo  out
 *
 * Returns: 0; EDEADLK when no thread could run any more, or virtual time stood
 * still, or mc_limit_ps was over; EINTR; ENOMEM.  In the first two cases
 * threads were dropped where they stood and what they had allocated is lost.
 */
int vm_run(const struct machine_config *mc, void (*main)(void *), void *arg,
    struct machine_outcome *mo);

/*
 * Ends the run of the caller's machine with that error, from any of its
 * threads: a monitor has seen enough.  Does not return.
 */
void vm_abort(int error) __attribute__((noreturn));

/* The lowest byte of the running thread's stack. */
const void *vm_stack(void);

/*
 * For a monitor of what threads do, wherever it is called from: the running
 * thread.
 */
enum { VM_PRIVATE_WORDS = 3 };

struct vm_who {
	uint64_t	*vk_private;	/* its own words, 0 at its start */
	unsigned	 vk_index;	/* mt_index */
	uint64_t	 vk_time_ps;
};

/* The machine of this host thread; NULL outside vm_run(). */
extern _Thread_local struct vm *vm_running_machine;

bool vm_who_inside(struct vm_who *vk);

/* Takes no time.  Returns: false outside a machine. */
static inline bool
vm_who(struct vm_who *vk)
{

	return (vm_running_machine != NULL && vm_who_inside(vk));
}

/* A store for one run at a time; NULL when there is no memory. */
struct vm_store *vm_store_new(void);
void vm_store_free(struct vm_store *vs);

#endif
