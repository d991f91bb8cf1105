/*
 * The parts of the virtual machine; for lib/vm*.c.
 *
 * vm.c		the machine: threads' fibers and the event loop
 * vm_stuck.c	who waits for whom where nobody can go on
 * vm_sched.c	CPUs and their run queues
 * vm_choose.c	the same where a chooser says who goes on
 * vm_line.c	cache lines: what an access costs
 * vm_wait.c	who waits for a line to change
 * vm_machine.c	what lib/machine.h promises, in these terms
 * vm_who.c	which thread the caller is
 * vm_costs.c	what a profile's values come to
 * vm_topology.c	which CPUs are near each other
 */
#ifndef LIB_VM_IMPL_H
#define LIB_VM_IMPL_H

#include <sys/queue.h>

#include <errno.h>

#include "lib/fiber.h"
#include "lib/splitmix.h"
#include "lib/vm_heap.h"

#ifndef MACHINE_VIRTUAL
#define	MACHINE_VIRTUAL
#endif
#include "lib/machine.h"

enum {
	VM_LOCKS_HELD_MAX	= 8,	/* by one thread, for reports */
	VM_DRAWS		= 1024,	/* quantiles of a drawn quantity */
	VM_DRAW_SHIFT		= 16,	/* of factors: 1 << 16 is 1 */
	VM_HOUSEKEEPING		= 1 << 14	/* events between */
};

/*
 * Accesses to lines held already are booked as debt and paid with the next step
 * that takes longer, at the latest when so much has come together: their
 * effects come at most so much too early.
 */
#define	VM_DEBT_MAX_PS	UINT64_C(20000)

enum vm_state {
	VM_READY,		/* in a run queue */
	VM_RUNNING,		/* has a CPU, or needs none */
	VM_BLOCKED,		/* asleep */
	VM_WAKING,		/* woken, not yet there */
	VM_ENDED
};

/* Someone who spins until a word changes, or is a value. */
struct vm_waiter {
	const void	*vw_word;
	uint64_t	 vw_value;
	struct vm_thread *vw_thread;
	uint8_t		 vw_size;
	bool		 vw_until_is;
};

struct vm_thread {
	struct vm_event	 vt_event;	/* the next thing that happens to it */
	enum vm_state	 vt_state;
	unsigned	 vt_id;
	int		 vt_bound;	/* the CPU it may use, or ANY */
	int		 vt_cpu;	/* where it runs or ran; -1: nowhere */
	uint64_t	 vt_debt_ps;
	uint64_t	 vt_random;	/* state of its stream of draws */
	struct vm_line	*vt_awaits;	/* a line it spins on; or NULL */
	unsigned	 vt_waiter;	/* its place among the line's waiters */
	bool		 vt_told;	/* a change is on its way to it */
	struct fiber	 vt_fiber;
	struct mthread	*vt_td;
	bool		 vt_host;	/* the first: no CPU, no time */
	bool		 vt_untimed;	/* that, or the order is chosen */
	/* In a chosen order. */
	struct vm_waiter vt_until;	/* what it awaits */
	uint64_t	 vt_wake_ps;	/* the end of its sleep */
	uint64_t	 vt_seen;	/* changes when it last went on */
	bool		 vt_looked;	/* at a word since */
	bool		 vt_fresh;	/* has waited, and done nothing since */
	uint64_t	 vt_private[VM_PRIVATE_WORDS];	/* vm_who()'s */
	/* Scheduling. */
	TAILQ_ENTRY(vm_thread) vt_link;	/* in a run queue, or asleep */
	uint64_t	 vt_left_ps;	/* of what it was at when preempted */
	uint64_t	 vt_on_ps;	/* since when it has its CPU */
	uint64_t	 vt_used_ps;	/* CPU time before that */
	uint64_t	 vt_fair_ps;	/* CPU time for being fair */
	bool		 vt_slept;	/* comes from sleep, not from a queue */
	/* Sleep. */
	struct vm_line	*vt_asleep_at;	/* or NULL */
	const void	*vt_word;	/* NULL: on none */
	bool		 vt_timed_out;
	bool		 vt_interruptible;
	struct vm_thread *vt_joiner;
	/* For reports. */
	const void	*vt_wants;
	const char	*vt_wants_name;
	unsigned	 vt_held_count;
	struct {
		const void	*lock;
		const char	*name;
	}		 vt_held[VM_LOCKS_HELD_MAX];
};

TAILQ_HEAD(vm_queue, vm_thread);

struct vm_cpu {
	struct vm_event	 vc_timer;	/* the end of a slice */
	struct vm_thread *vc_running;	/* or NULL: idle */
	struct vm_queue	 vc_queue;
	unsigned	 vc_queued;
	bool		 vc_resched;	/* at the next chance, others' turn */
	uint64_t	 vc_fair_ps;	/* floor of vt_fair_ps here */
};

/*
 * A cache line.  Its holders are the owner, who wrote last, the sharers, who
 * have read it since, and the waiters, who read it again whenever it changes.
 */
struct vm_line {
	uintptr_t	 vl_key;
	int		 vl_owner;	/* CPU; -1: memory */
	int		 vl_last;	/* the sharer that came last */
	uint32_t	 vl_sharers;
	uint32_t	 vl_waiters;
	uint32_t	 vl_waiter_room;
	uint64_t	 vl_busy_ps;	/* until then its home serves nobody */
	uint64_t	 vl_nodes;	/* of sharers, a bit each */
	uint64_t	 vl_wait_nodes;	/* of waiters */
	struct vm_waiter *vl_waiter;
	uint32_t	*vl_wanted;	/* low bits of each one's value */
	const uint32_t	*vl_is_word;	/* what waiters for a value look at */
	uint32_t	 vl_is_seen;	/* its value when they last looked */
	uint32_t	 vl_others;	/* waiters for anything else */
	uint16_t	*vl_node_waiters;	/* how many in each node */
	struct vm_queue	 vl_sleepers;
	uint64_t	 vl_shared[];	/* a bit for each CPU */
};

struct vm_lines {
	struct vm_line	**vs_table;	/* open addressing; a power of two */
	unsigned	 vs_bits;
	unsigned	 vs_count;
	struct vm_line	*vs_hint;	/* the last one asked for */
};

/* Threads in a chosen order; a set has a bit for each, by number less one. */
struct vm_chosen {
	const struct vm_chooser *vx_chooser;	/* NULL: the order is by time */
	uint64_t	 vx_going;	/* can go on */
	uint64_t	 vx_awaiting;	/* can when a word says so */
	uint64_t	 vx_sleeping;	/* until a time */
	uint64_t	 vx_idle;	/* spin, and have seen all there is */
	uint64_t	 vx_changes;	/* that who spins could see */
	unsigned	 vx_turns;	/* of those who idle, since the last */
	unsigned	 vx_last;	/* who had such a turn */
	struct vm_line	*vx_line;	/* in place of every word's */
};

struct vm {
	uint64_t	 vm_time_ps;
	struct vm_thread *vm_self;	/* whose fiber runs */
	bool		 vm_between;	/* it has not been resumed yet */
	struct vm_heap	 vm_heap;
	uint64_t	 vm_limit_ps;
	uint64_t	 vm_events;
	uint64_t	 vm_hash;
	uint64_t	 vm_still;	/* accesses since time last moved */
	struct vm_lines	 vm_lines;
	struct vm_chosen vm_chosen;
	const struct machine_config *vm_config;
	struct vm_topology vm_topology;
	struct vm_costs	 vm_costs;
	const struct vm_observer *vm_observer;
	struct vm_cpu	*vm_cpu;
	unsigned	 vm_floating;	/* queued threads that may move */
	uint64_t	 vm_nodes_used;	/* nodes with bound threads */
	uint64_t	 vm_cong_ppm;	/* vc_cong in whole numbers */
	unsigned	 vm_threads;
	struct fiber	 vm_root;	/* who called vm_run() */
	void		(*vm_main)(void *);
	void		*vm_arg;
	int		 vm_error;
	char		*vm_stuck;
	/* What follows a store keeps, and what the heap and vx_line are in. */
	struct vm_thread **vm_thread;
	unsigned	 vm_thread_made;	/* earlier runs' too */
	unsigned	 vm_thread_room;
	/* Factors of bulk work, and of the median wake-up latencies. */
	uint32_t	 vm_jitter[VM_DRAWS];
	uint64_t	 vm_wake_same_ps[VM_DRAWS];
	uint64_t	 vm_wake_cross_ps[VM_DRAWS];
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

	return (vm->vm_time_ps + vm->vm_self->vt_debt_ps);
}

static inline uint64_t
vm_cost(const struct vm *vm, enum profile_key key)
{

	return (vm->vm_costs.vc_ps[key]);
}

/*
 * Lets the caller go on at a time not before now, others first; its debt is
 * forgotten.
 */
void vm_until(struct vm *vm, uint64_t time_ps);

/* The same after dt and the debt. */
static inline void
vm_spend(struct vm *vm, uint64_t dt_ps)
{
	uint64_t due = vm_self_ps(vm) + dt_ps;

	vm->vm_self->vt_debt_ps = 0;
	if (!vm->vm_self->vt_untimed && due != vm->vm_time_ps)
		vm_until(vm, due);
}

/* The first thread spins: it has no CPU, but others must get on. */
void vm_host_poll(struct vm *vm);

/* Lets others go on until an event resumes the caller. */
void vm_switch(struct vm *vm);

/* Gives up: no thread goes on; does not return. */
void vm_bail(struct vm *vm, int error, const char *why)
    __attribute__((noreturn));

/*
 * vm_stuck.c: writes down why, who holds what and who waits for whom, owners
 * first: not all of many threads find room.
 */
void vm_describe_stuck(struct vm *vm, const char *why);

/* Counts a step that may take no time; bails where time stands still. */
static inline void
vm_step(struct vm *vm)
{

	if (++vm->vm_still > 100 * 1000 * 1000)
		vm_bail(vm, EDEADLK, "virtual time stands still");
}

/* Tells and asks others, now and then. */
void vm_housekeeping(struct vm *vm);

/* Time moves to an event of a thread, or of none. */
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

/* Hands the host thread to a thread that goes on. */
static inline void
vm_resume(struct vm *vm, struct vm_thread *next)
{
	struct vm_thread *self = vm->vm_self;

	if (next == self)
		return;
	vm->vm_self = next;
	fiber_switch(&self->vt_fiber, &next->vt_fiber);
}

/* Tells the observer, if there is one. */
void vm_tell(struct vm *vm, enum vm_event_kind kind, struct vm_thread *vt,
    const void *lock, uint64_t ps, const char *detail);

/* Starts a thread; 0, EAGAIN or ENOMEM. */
int vm_thread_start(struct vm *vm, struct mthread *td, int cpu);

/* vm_sched.c */

int vm_sched_init(struct vm *vm);
void vm_sched_fini(struct vm *vm);

/* A thread that has no CPU can go on: on an idle CPU, or in a queue. */
void vm_sched_ready(struct vm *vm, struct vm_thread *vt);

/* A sleeper is woken: after the time that takes, it is ready. */
void vm_sched_wake(struct vm *vm, struct vm_thread *vt);

/* The caller leaves its CPU; its state says how. */
void vm_sched_leave(struct vm *vm, const char *why);

/* If others want the caller's CPU, it gets into the queue behind them. */
void vm_sched_yield(struct vm *vm);

/* The same if its slice is over. */
void vm_sched_check(struct vm *vm);

/* A CPU's timer. */
void vm_sched_timer(struct vm *vm, struct vm_cpu *vc);

/* CPU time of a thread until now. */
uint64_t vm_sched_used_ps(const struct vm *vm, const struct vm_thread *vt);

/* vm_line.c */

int vm_line_init(struct vm *vm);
void vm_line_fini(struct vm *vm);

/* The line of a word; objects that are fetched as a whole have one each. */
struct vm_line *vm_line_of(struct vm *vm, const void *p);
struct vm_line *vm_line_of_object(struct vm *vm, const void *object);

/* vm_wait.c: a thread no longer spins on the line it awaits. */
void vm_line_cancel(struct vm *vm, struct vm_thread *vt);

/* Whether a wait for a word may be over. */
static inline bool
vm_waiter_over(const struct vm_waiter *vw)
{
	uint64_t v;

	if (vw->vw_size == sizeof(uint32_t))
		v = *(const uint32_t *)vw->vw_word;
	else
		v = *(const uint64_t *)vw->vw_word;
	return ((v == vw->vw_value) == vw->vw_until_is);
}

/* vm_choose.c; all but the first two are for threads in a chosen order. */

int vm_choose_init(struct vm *vm);
void vm_choose_fini(struct vm *vm);

static inline bool
vm_is_chosen(const struct vm *vm)
{

	return (vm->vm_chosen.vx_chooser != NULL);
}

/* Whether one more thread can be started: 0 or EAGAIN. */
int vm_choose_room(const struct vm *vm);

/* A thread begins, or is no longer blocked; the caller goes on. */
void vm_choose_ready(struct vm *vm, struct vm_thread *vt);

/* The caller is blocked or has ended; its state says which. */
void vm_choose_leave(struct vm *vm, const char *why);

/* So long at most, if it is blocked. */
void vm_choose_sleep(struct vm *vm, uint64_t until_ps);

/* Who goes on: the caller, when it is nobody else. */
struct vm_thread *vm_choose_next(struct vm *vm, enum vm_point point);

/* The caller could go on, and others may before it; of the first, nothing. */
void vm_choose_point(struct vm *vm, enum vm_point point);

/* The caller found nothing to do. */
void vm_choose_spin(struct vm *vm);

/* As vm_await(). */
unsigned vm_choose_await(struct vm *vm, const struct vm_waiter *vw,
    unsigned most);

/* A word, or what else who spins could see, has changed. */
void vm_choose_changed(struct vm *vm);

/* What machine_running() says of a thread. */
bool vm_choose_running(struct vm *vm, const struct vm_thread *vt);

#endif
