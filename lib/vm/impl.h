/* Between the files of the virtual machine. */
#pragma once

#include <sys/queue.h>

#include "lib/vm/fiber.h"
#include "lib/vm/heap.h"
#include "lib/vm/thread.h"
#include "lib/vm/vm.h"

enum {
	VM_LOCKS_HELD_MAX	= 8,	/* by one thread, for reports */
	VM_DRAWS		= 1024,	/* quantiles of a drawn quantity */
	VM_DRAW_SHIFT		= 16,	/* of factors: 1 << 16 is 1 */
	VM_HOUSEKEEPING		= 1 << 14,	/* events between */
	VM_SPINS_MAX		= 1 << 22,	/* events that are no work */
	VM_LINE_LISTS		= 1 << 13	/* a power of two */
};

/*
 * The time of accesses to lines that the CPU holds is deferred until the next
 * longer step, but by at most this much: that early their effects may come.
 */
#define	VM_DEFERRED_MAX_PS	UINT64_C(20000)

/* Longer than any hold, in which others may spin. */
#define	VM_SPINS_PS		(UINT64_C(100) * 1000 * 1000 * 1000)

enum vm_state {
	VM_READY,		/* in a run queue */
	VM_RUNNING,		/* has a CPU, or needs none */
	VM_BLOCKED,		/* asleep */
	VM_WAKING,		/* woken, not yet on a CPU */
	VM_ENDED
};

/* A thread that spins until a word changes, or is a value. */
struct vm_waiter {
	const void	*wt_word;
	uint64_t	 wt_value;
	struct vm_thread *wt_thread;
	uint8_t		 wt_size;
	bool		 wt_until_is;
};

struct vm_thread {
	struct vm_event	 vt_event;	/* its next event */
	enum vm_state	 vt_state;
	unsigned	 vt_id;
	int		 vt_bound;	/* the CPU it may use, or ANY */
	int		 vt_cpu;	/* where it runs or ran; -1: nowhere */
	unsigned	 vt_hold;	/* enum vm_hold */
	uint64_t	 vt_deferred_ps;
	struct vm_request *vt_asks;	/* for a turn, or has it; or NULL */
	uint64_t	 vt_stored_ps;	/* its store buffer is empty then */
	uint64_t	 vt_plain_ps[2]; /* the last fetch of a load, a store */
	uint64_t	 vt_random;	/* state of its stream of draws */
	struct vm_line	*vt_awaits;	/* the line it spins on; or NULL */
	unsigned	 vt_waiter;	/* its index among the line's waiters */
	bool		 vt_told;	/* it will see a change */
	struct fiber	 vt_fiber;
	struct mthread	*vt_td;
	bool		 vt_host;	/* the first: no CPU, no time */
	bool		 vt_untimed;	/* host, or controlled */
	unsigned	 vt_held_count;	/* of vt_held */
	/* Under the controlled scheduler. */
	uint64_t	 vt_bit;	/* in sets; 0: the first, in none */
	struct vm_waiter vt_until;	/* what it awaits */
	uint64_t	 vt_wake_ps;	/* the end of its sleep */
	uint64_t	 vt_seen;	/* vx_changes when it last ran */
	bool		 vt_looked;	/* it read a word since */
	bool		 vt_fresh;	/* it has only waited since */
	bool		 vt_newest;	/* it was, so it reads the latest */
	const void	*vt_drains;	/* in vx_draining: which stores */
	int		 vt_kernel_cpu;	/* -1: it has not looked */
	uint64_t	 vt_private[VM_PRIVATE_WORDS];	/* vm_who()'s */
	/* Scheduling. */
	TAILQ_ENTRY(vm_thread) vt_link;	/* in a run queue, or asleep */
	uint64_t	 vt_left_ps;	/* of its step when preempted */
	uint64_t	 vt_on_ps;	/* since when it has its CPU */
	uint64_t	 vt_used_ps;	/* CPU time before that */
	uint64_t	 vt_fair_ps;	/* CPU time as fairness counts it */
	bool		 vt_slept;	/* woken since it last ran */
	bool		 vt_interrupt;	/* keeps its CPU until it sleeps */
	/* Sleep. */
	struct vm_line	*vt_asleep_at;	/* or NULL */
	const void	*vt_word;	/* NULL: on none */
	bool		 vt_timed_out, vt_interruptible;
	struct vm_thread *vt_joiner;
	/* For reports. */
	const void	*vt_wants;
	const char	*vt_wants_name;
	struct {
		const void	*lock;
		const char	*name;
	}		 vt_held[VM_LOCKS_HELD_MAX];
};

TAILQ_HEAD(vm_queue, vm_thread);

struct vm_cpu {
	struct vm_event	 vu_timer;	/* the end of a slice */
	struct vm_thread *vu_running;	/* or NULL: idle */
	struct vm_queue	 vu_queue;
	unsigned	 vu_queued;
	bool		 vu_resched;	/* yield at the next chance */
	uint64_t	 vu_fair_ps;	/* floor of vt_fair_ps here */
	/* A line that was asked for and leaves only then. */
	const struct vm_line *vu_kept;
	uint64_t	 vu_kept_ps;
};

/*
 * A cache line.  CPUs with a copy are the owner, which wrote last, the sharers,
 * which have read it since, and the waiters, which read it after each change.
 * With vc_shared the hardware threads of a core count as one.
 */
struct vm_line {
	uintptr_t	 vl_key;
	struct vm_line	*vl_next;	/* in its list */
	int		 vl_owner;	/* CPU; -1: memory */
	int		 vl_last;	/* the latest sharer */
	uint32_t	 vl_sharers, vl_waiters, vl_waiter_room;
	uint32_t	 vl_wait_cores;	/* of waiters */
	uint32_t	 vl_wait_caches;	/* last-level ones */
	uint64_t	 vl_free_ps;	/* its home is, then: arbiter.c */
	uint64_t	 vl_unread_ps, vl_read_ps;	/* wait.c */
	uint64_t	 vl_owned_ps;	/* when the owner has it */
	uint64_t	 vl_nodes;	/* of sharers, a bit each */
	uint64_t	 vl_wait_nodes;	/* of waiters */
	struct vm_waiter *vl_waiter;
	uint32_t	*vl_wanted;	/* low bits of each waiter's value */
	const uint32_t	*vl_is_word;	/* the word of waiters for a value */
	uint32_t	 vl_is_seen;	/* its value at their last poll */
	uint32_t	 vl_others;	/* waiters for anything else */
	uint16_t	*vl_counts;	/* of waiters: wait.c */
	struct vm_queue	 vl_sleepers;
	struct vm_queue	 vl_askers;	/* wait for a turn */
	struct vm_thread *vl_turn;	/* whose turn it is, or will be */
	uint64_t	 vl_shared[VM_CPUS_MAX / 64]; /* a bit for each CPU */
};

/* The controlled scheduler; sets have bit i for thread i + 1. */
struct vm_controlled {
	const struct vm_control *vx_control;	/* NULL: the order is by time */
	bool		 vx_all;	/* accesses under a lock matter, too */
	uint64_t	 vx_going;	/* runnable */
	uint64_t	 vx_awaiting;	/* until a word is a value */
	uint64_t	 vx_sleeping;	/* until a time */
	uint64_t	 vx_wake_ps;	/* the first of these; 0: not known */
	uint64_t	 vx_idle;	/* spin, and have seen all changes */
	uint64_t	 vx_changes;	/* that a spinning thread could see */
	unsigned	 vx_turns;	/* of idle threads, since a change */
	unsigned	 vx_last;	/* the thread of the last turn */
	struct vm_line	 vx_line;	/* in place of every word's */
	struct memory	*vx_memory;	/* NULL: VM_SC */
	const void	*vx_owns;	/* the word that is written now */
	uint64_t	 vx_storing;	/* have stores that are not committed */
	uint64_t	 vx_draining;	/* until stores are: drain.c */
	uint64_t	 vx_tried;	/* sleep on until all are */
	/* The last choice, but for stores: of which; that sleep. */
	uint64_t	 vx_set, vx_asleep;
	struct vm_choice vx_choice;
	uint8_t		 vx_at[VM_CONTROLLED_MAX];	/* in vx_thread */
	uint16_t	 vx_thread[VM_CONTROLLED_MAX + VM_EACH_STORES];
	/* The kernel's CPUs, once one is asked for: kernel_cpu.c. */
	unsigned	 vx_cpus;
	unsigned	 vx_latest[VM_KERNEL_CPUS_MAX];	/* there, a vt_id */
	uint64_t	 vx_held[VM_KERNEL_CPUS_MAX];	/* there */
	uint64_t	 vx_alone;	/* keep others off their CPUs */
	uint64_t	 vx_masked, vx_interrupt;
};

struct vm {
	uint64_t	 vm_time_ps;
	struct vm_thread *vm_self;	/* its fiber runs */
	bool		 vm_between;	/* an event is handled: none runs */
	struct vm_heap	 vm_heap;	/* of vm_entry */
	uint64_t	 vm_limit_ps, vm_events, vm_hash;
	uint64_t	 vm_number;	/* vm_run_number() */
	uint64_t	 vm_still;	/* accesses since time last moved */
	/* When a thread, not aside, last worked or took or dropped a lock. */
	uint64_t	 vm_worked_events, vm_worked_ps;
	struct vm_controlled vm_controlled;
	const struct machine_config *vm_config;
	struct vm_topology vm_topology;
	struct vm_costs	 vm_costs;
	const struct vm_observer *vm_observer;
	unsigned	 vm_floating;	/* queued threads that may move */
	uint64_t	 vm_groups_used; /* of nodes with bound threads */
	unsigned	 vm_threads;
	struct fiber	 vm_root;	/* the caller of vm_run() */
	void		(*vm_main)(void *);
	void		*vm_arg;
	int		 vm_error;
	char		*vm_stuck;
	/* A store keeps the rest, and a run sets up what it needs of it. */
	struct memory	*vm_memory_kept;
	struct vm_thread *vm_thread[VM_THREADS_MAX];	/* earlier runs' too */
	struct vm_heap_entry vm_entry[VM_THREADS_MAX + VM_CPUS_MAX];
	struct vm_cpu	 vm_cpu[VM_CPUS_MAX];
	struct vm_place	 vm_place[VM_CPUS_MAX];	/* of each CPU */
	struct vm_line	*vm_lines[VM_LINE_LISTS];
	/* Factors of bulk work, and of the median wake-up latencies. */
	uint32_t	 vm_jitter[2][VM_DRAWS];	/* as vc_jitter */
	uint64_t	 vm_wake_same_ps[VM_DRAWS], vm_wake_cross_ps[VM_DRAWS];
};

static inline struct vm *
vm_get(void)
{
	MPASS(vm_running_machine != NULL);
	return (vm_running_machine);
}

/* The caller's own time. */
static inline uint64_t
vm_self_ps(const struct vm *vm)
{
	return (vm->vm_time_ps + vm->vm_self->vt_deferred_ps);
}

static inline uint64_t
vm_cost(const struct vm *vm, enum profile_key key)
{
	return (vm->vm_costs.vc_ps[key]);
}

/* Suspends the caller until a time, at least now; clears its deferred time. */
void vm_until(struct vm *vm, uint64_t time_ps);

/* Suspends it for dt and its deferred time. */
static inline void
vm_spend(struct vm *vm, uint64_t dt_ps)
{
	uint64_t due = vm_self_ps(vm) + dt_ps;

	vm->vm_self->vt_deferred_ps = 0;
	if (!vm->vm_self->vt_untimed && due != vm->vm_time_ps)
		vm_until(vm, due);
}

/* The first thread spins: it has no CPU, but others must run. */
void vm_host_poll(struct vm *vm);

/* Runs others until an event resumes the caller. */
void vm_switch(struct vm *vm);

/* Ends the run with an error; does not return. */
void vm_bail(struct vm *vm, int error, const char *why)
    __attribute__((noreturn));

/*
 * stuck.c: writes the reason, which locks threads hold and what they wait for,
 * lock holders first, as far as there is room.
 */
void vm_describe_stuck(struct vm *vm, const char *why);

/* Counts a step that may take no time; bails where time stands still. */
static inline void
vm_step(struct vm *vm)
{
	if (++vm->vm_still > 100 * 1000 * 1000)
		vm_bail(vm, EDEADLK, "virtual time stands still");
}

/* Updates the progress and checks for signals, at intervals. */
void vm_housekeeping(struct vm *vm);

/* Advances time to an event of a thread, or of a CPU. */
static inline void
vm_happened(struct vm *vm, uint64_t time_ps, unsigned id)
{
	if (time_ps > vm->vm_limit_ps)
		vm_bail(vm, EDEADLK, "no end in sight");
	if (time_ps != vm->vm_time_ps) {
		vm->vm_time_ps = time_ps;
		vm->vm_still = 0;
	}
	vm_step(vm);
	vm->vm_hash = (vm->vm_hash ^ (time_ps + ((uint64_t)id << 48))) *
	    UINT64_C(0x9e3779b97f4a7c15);
	vm->vm_hash ^= vm->vm_hash >> 29;
	if (++vm->vm_events % VM_HOUSEKEEPING == 0)
		vm_housekeeping(vm);
}

static inline void
vm_set_self(struct vm *vm, struct vm_thread *vt)
{
	vm->vm_self = vt;
	vm_curthread = vt->vt_td;
}

/* Switches to a thread. */
static inline void
vm_resume(struct vm *vm, struct vm_thread *next)
{
	struct vm_thread *self = vm->vm_self;

	if (next == self)
		return;
	vm_set_self(vm, next);
	fiber_switch(&self->vt_fiber, &next->vt_fiber);
}

/* Notifies the observer, if there is one, of an event of a thread. */
#define	VM_TELL(vm, vt, ...) do {					\
	if ((vm)->vm_observer != NULL)					\
		vm_tell(vm, vt, &(struct vm_note){ __VA_ARGS__ });	\
} while (0)

void vm_tell(const struct vm *vm, const struct vm_thread *vt,
    struct vm_note *vn);

/* Starts a thread; 0, EAGAIN or ENOMEM. */
int vm_thread_start(struct vm *vm, struct mthread *td, int cpu);

/* sched.c */

/* A thread becomes runnable: on an idle CPU, or in a queue. */
void vm_sched_ready(struct vm *vm, struct vm_thread *vt);

/* Wakes a sleeper: it is ready after the time that takes. */
void vm_sched_wake(struct vm *vm, struct vm_thread *vt);

/* The caller leaves its CPU; its state is set. */
void vm_sched_leave(struct vm *vm, const char *why);

/* Puts the caller behind others in its CPU's queue, if there are any. */
void vm_sched_yield(struct vm *vm);

/* The same if its slice is over. */
void vm_sched_check(struct vm *vm);

/* A CPU's timer. */
void vm_sched_timer(struct vm *vm, struct vm_cpu *vc);

/* CPU time of a thread until now. */
uint64_t vm_sched_used_ps(const struct vm *vm, const struct vm_thread *vt);

/* line.c: the line of a word. */
struct vm_line *vm_line_of(struct vm *vm, const void *p);

/* wait.c: a thread no longer spins on the line it awaits. */
void vm_line_cancel(struct vm *vm, struct vm_thread *vt);

/*
 * arbiter.c: an event of a thread that asks, perhaps its turn; whether it waits
 * on, for the line.  One that is preempted leaves its turn to others.
 */
bool vm_turn_begin(struct vm *vm, struct vm_thread *vt);
void vm_turn_leave(struct vm *vm, struct vm_thread *vt);

/* Whether a wait for a word may be over. */
static inline bool
vm_waiter_over(const struct vm_waiter *vw)
{
	const uint64_t v = vw->wt_size == sizeof(uint32_t) ?
	    *(const uint32_t *)vw->wt_word : *(const uint64_t *)vw->wt_word;

	return ((v == vw->wt_value) == vw->wt_until_is);
}

/* controlled_scheduler.c; only for its threads, but for the first two. */

void vm_controlled_init(struct vm *vm);

static inline bool
vm_is_controlled(const struct vm *vm)
{
	return (vm->vm_controlled.vx_control != NULL);
}

/* Whether there is weak memory. */
static inline bool
vm_is_weak(const struct vm *vm)
{
	return (vm->vm_controlled.vx_memory != NULL);
}

/* Tells what a step uses. */
static inline void
vm_uses_as(const struct vm *vm, unsigned thread, const void *p, size_t n,
    enum vm_use use)
{
	const struct vm_control *vh = vm->vm_controlled.vx_control;

	if (vh != NULL && vh->vh_access != NULL)
		vh->vh_access(vh->vh_context, thread, p, n, use);
}

static inline void
vm_uses(const struct vm *vm, const void *p, size_t n, enum vm_use use)
{
	vm_uses_as(vm, vm->vm_self->vt_id, p, n, use);
}

/* controlled_scheduler.c */

/* Whether one more thread can be started. */
bool vm_controlled_room(const struct vm *vm);

/* A thread starts, or is no longer blocked; the caller keeps running. */
void vm_controlled_ready(struct vm *vm, struct vm_thread *vt);

/* The caller is blocked or has ended; its state is set. */
void vm_controlled_leave(struct vm *vm, const char *why);

/* The thread that runs next; may be the caller. */
struct vm_thread *vm_controlled_next(struct vm *vm, enum vm_point point);

/* A scheduling point: others may run before the caller continues. */
void vm_controlled_point(struct vm *vm, enum vm_point point);

/* The same before a system call, which is a full barrier; on any machine. */
void vm_controlled_call(struct vm *vm);

/* A thread was joined: after the last one commits all stores, in any order. */
void vm_controlled_join(struct vm *vm);

/* A choice of the caller's ways: 0 is the usual one. */
unsigned vm_controlled_pick(struct vm *vm, enum vm_point point, unsigned ways);

/* The caller found nothing to do. */
void vm_controlled_spin(struct vm *vm);

/* As vm_await(). */
unsigned vm_controlled_await(struct vm *vm, const struct vm_waiter *vw,
    unsigned most);

/* Something that a spinning thread could see has changed. */
void vm_controlled_changed(struct vm *vm);

/* kernel_cpu.c: threads that cannot run, as others have their CPUs. */
uint64_t vm_kernel_kept_off(const struct vm *vm);

/* memory.c */

/* Makes the memory of a run, in the store. */
void memory_init(struct vm *vm);

/* The first thread starts a thread. */
void memory_start(struct vm *vm, const struct vm_thread *vt);

/* Where the value of a load is. */
const void *memory_load(struct vm *vm, const void *p, unsigned access);

/*
 * Around a store to a word, its initialisation or an atomic update.  The latter
 * returns whether others can see it now.
 */
void memory_own(struct vm *vm, const void *p, unsigned access);
bool memory_written(struct vm *vm);

/*
 * A word's latest value was read.  Returns: its history; NULL: it has none, it
 * was read by the first thread, or memory is not weak.
 */
struct memory_word *memory_latest(struct vm *vm, const void *p,
    unsigned access);

/* From now on loads return the latest values, as a step of a thread. */
void memory_age(struct vm *vm, unsigned as);

/* Until all stores of all threads are, or all of the caller's. */
#define	MEMORY_ALL	((const void *)-1)
#define	MEMORY_OWN	NULL

/* A step of a thread has waited until stores were committed. */
void memory_waited(struct vm *vm, unsigned as, const void *which);

/* The numbers of a thread's stores that can be committed, and how many. */
unsigned memory_each(const struct vm *vm, unsigned thread,
    uint16_t number[VM_EACH_STORES]);

/* Commits a store by its number; the caller's up to its last one to a word. */
void memory_commit(struct vm *vm, unsigned number);
void memory_flush(struct vm *vm, const void *p);

/* atomic.c: before a plain access that overlaps with words of vm_atomic(). */
void memory_plain(struct vm *vm, const void *p, size_t n, bool store);

/* Commits all of the caller's, on every machine. */
void vm_barrier(struct vm *vm);

/* A thread sees what another one has stored and seen: one CPU has both. */
void memory_follow(struct vm *vm, unsigned thread, unsigned other);

/*
 * VM_ACQUIRE: checks that the last release or use of an object is in the
 * caller's view.  VM_RELEASE: the caller has released or used it.
 */
void memory_guard(struct vm *vm, const void *object, const char *what,
    unsigned access);
