/*
 * The real machine: this host's threads, atomics and clocks.  Included by
 * lib/machine/machine.h alone, which has the contract.
 */
#pragma once

#include <sched.h>

#include "lib/machine/atomic.h"
#include "lib/machine/cpu.h"
#include "lib/machine/freezer.h"
#include "lib/machine/tick.h"
#include "lib/vm/vm.h"

enum { MACHINE_SIMULATED = 0 };

#define	MACHINE_NAME	"real"

#define	MACHINE_WORD(type)	_Atomic type

#define	MACHINE_INIT(T, type, name)					\
static inline void							\
name##_##T(struct m##T *p, type v)					\
{									\
	atomic_init(&p->m_value, v);					\
}

#define	MACHINE_LOAD(T, type, name, order)				\
static inline type							\
name##_##T(struct m##T *p)						\
{									\
	return (atomic_load_explicit(&p->m_value,			\
	    memory_order_##order));					\
}

#define	MACHINE_STORE(T, type, name, order)				\
static inline void							\
name##_##T(struct m##T *p, type v)					\
{									\
	atomic_store_explicit(&p->m_value, v, memory_order_##order);	\
}

#define	MACHINE_CMPSET(T, type, name, order)				\
static inline bool							\
name##_##T(struct m##T *p, type old, type new)				\
{									\
	return (atomic_compare_exchange_strong_explicit(&p->m_value,	\
	    &old, new, memory_order_##order, memory_order_relaxed));	\
}

#define	MACHINE_FCMPSET(T, type, name, order)				\
static inline bool							\
name##_##T(struct m##T *p, type *old, type new)				\
{									\
	return (atomic_compare_exchange_weak_explicit(&p->m_value,	\
	    old, new, memory_order_##order, memory_order_relaxed));	\
}

#define	MACHINE_FETCH(T, type, name, order, operation, value)		\
static inline type							\
name##_##T(struct m##T *p, type v)					\
{									\
	return (atomic_##operation##_explicit(&p->m_value, v,		\
	    memory_order_##order));					\
}

#define	MACHINE_NOTE(T, type)						\
MACHINE_LOAD(T, type, machine_note_load, relaxed)			\
MACHINE_STORE(T, type, machine_note_store, relaxed)

MACHINE_ATOMICS

/* Half of a word: C has no name for that object, the CPU can swap it. */
typedef uint16_t __attribute__((may_alias)) machine_half_t;

enum { MACHINE_LITTLE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

static inline uint16_t
atomic_swap_hi_acq_rel_32(struct m32 *p, uint16_t v)
{
	machine_half_t *half = (machine_half_t *)(void *)&p->m_value;

	return (__atomic_exchange_n(half + MACHINE_LITTLE, v,
	    __ATOMIC_ACQ_REL));
}

static inline void
atomic_store_byte_rel_32(struct m32 *p, uint8_t v)
{
	unsigned char *byte = (unsigned char *)(void *)&p->m_value;

	__atomic_store_n(MACHINE_LITTLE ? byte : byte + 3, v, __ATOMIC_RELEASE);
}

/*
 * A thread.  Other threads may read its atomic members while it runs: it sets
 * mt_offcpu around its sleeps, and mt_slot and mt_clock before its function
 * runs.  mt_cpu and mt_bound may be read after joining it.
 */
struct mthread {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	mt_offcpu;	/* asleep, not preempted */
	struct m32	mt_signalled;	/* machine_interrupt() was called */
	struct m32	mt_sleep;	/* what machine_sleep() sleeps on */
	/*
	 * The thread last known to run on the CPU that this one is bound to;
	 * of a thread that floats, its own mt_noslot.
	 */
	struct mptr	mt_slot, mt_noslot;
	struct m32	mt_clock;	/* its CPU clock, once it runs */
	struct m64	mt_stopping_ns;	/* of its CPU time: what stops took */
	struct m64	mt_stopped_ns;	/* freezer.c's */
	struct m32	mt_go;		/* its starter has bound it */
	int		mt_cpu;		/* rank it is bound to, or ANY */
	int		mt_node;	/* of that CPU; -1: it floats */
	bool		mt_bound;	/* the binding was granted */
	bool		mt_spawned;	/* and so must be joined */
	pthread_t	mt_pthread;
	struct freezer	*mt_freezer;	/* of its starter, or NULL */
	void		(*mt_fn)(void *);
	void		*mt_arg;
	unsigned	mt_index;	/* its row in lock profiles */
	bool		mt_aside;	/* what it does shows no progress */
	char		mt_name[MTHREAD_NAME_MAX + 1];
};

struct machine_probe {
	struct mthread	*mr_owner;	/* of these notes */
	int64_t		mr_cpu_ns;	/* owner's CPU time at the last poll */
	unsigned	mr_asked;	/* polls in a row with this owner */
};

extern _Thread_local struct mthread *machine_self;

static inline void
machine_pause(unsigned n)
{
	while (n-- > 0) {
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#elif defined(__aarch64__)
		__asm__ volatile("isb" : : : "memory");
#else
		__asm__ volatile("" : : : "memory");
#endif
	}
}

#define	MACHINE_AWAIT(name, T, type)					\
static inline unsigned							\
machine_##name##_##T(struct m##T *p __unused, type v __unused,		\
    unsigned most __unused)						\
{									\
	machine_pause(1);						\
	return (1);							\
}

MACHINE_AWAIT(await, 32, uint32_t)
MACHINE_AWAIT(await_is, 32, uint32_t)
MACHINE_AWAIT(await, ptr, uintptr_t)

static inline void
machine_yield(void)
{
	sched_yield();
}

#define	machine_cycles_to_ns	tick_cycles_to_ns
#define	machine_ns_to_cycles	tick_ns_to_cycles
#define	machine_cpu		cpu_current
#define	machine_cpus		cpu_count
#define	machine_cpu_ids		cpu_ids
#define	machine_nodes		cpu_nodes
#define	machine_cpu_node	cpu_node

/* A clock less what was lost; reads again if the thread was stopped between. */
#define	MACHINE_CLOCK(name, type, clock, lost)				\
static inline type							\
name(void)								\
{									\
	type before, now;						\
									\
	do {								\
		before = freezer_lost.lost;				\
		now = clock();						\
	} while (before != freezer_lost.lost);				\
	return (now - before);						\
}

MACHINE_CLOCK(machine_cycles, uint64_t, tick_cycles, fzl_cycles)
MACHINE_CLOCK(machine_uptime_ns, int64_t, tick_ns, fzl_ns)
MACHINE_CLOCK(machine_uptime_coarse_ns, int64_t, tick_coarse_ns, fzl_ns)

static inline unsigned
machine_node(void)
{
	int node = machine_self->mt_node;

	return (node >= 0 ? (unsigned)node : cpu_node(cpu_current()));
}

/* Calls for simulated machines alone. */
#define	MACHINE_INERT(type, name, body, ...)				\
static inline type							\
name(__VA_ARGS__)							\
{									\
	body;								\
}
#define	MACHINE_NOTHING(name, type1, type2)				\
MACHINE_INERT(void, name, , type1 a __unused, type2 b __unused)

MACHINE_NOTHING(machine_charge, enum machine_cost, size_t)
MACHINE_NOTHING(machine_touch, const void *, unsigned)
MACHINE_NOTHING(machine_failed_32, struct m32 *, uint32_t)
MACHINE_INERT(void, machine_interrupt_context, , void)
MACHINE_INERT(void, machine_event, , enum vm_event_kind kind __unused,
    const void *lock __unused, const char *name __unused)
MACHINE_INERT(void, machine_access, , const void *p __unused,
    size_t n __unused, bool store __unused)
MACHINE_INERT(bool, machine_interrupt_wait, return (false),
    uint64_t ns __unused)
MACHINE_INERT(bool, machine_draw, return (false), uint64_t *word __unused)
MACHINE_INERT(bool, machine_hold, return (false), unsigned cpus __unused,
    unsigned hold __unused, int cpu __unused)
MACHINE_INERT(unsigned, machine_kernel_cpu, return (machine_cpu()),
    unsigned cpus __unused)
MACHINE_INERT(uint64_t, machine_run_number, return (0), void)
MACHINE_INERT(uint64_t, machine_atomic, return (old), void *p __unused,
    unsigned how __unused, uint64_t v __unused, uint64_t old)

static inline int
machine_run(const struct machine_config *mc __unused, void (*fn)(void *),
    void *arg, struct machine_outcome *mo)
{
	*mo = (struct machine_outcome){ .mo_events = 0 };
	fn(arg);
	return (0);
}

static inline struct mthread *
machine_curthread(void)
{
	return (machine_self);
}

static inline bool
machine_displaced(void)
{
	const struct mthread *td = machine_curthread();

	return (td->mt_bound && cpu_current() !=
	    cpu_os_index((unsigned)td->mt_cpu));
}

/* The futex of machine_wait_32(), without a machine thread. */
int real_wait(_Atomic uint32_t *word, uint32_t expect, int64_t timeout_ns);
void real_wake(_Atomic uint32_t *word, int threads);

/* For this file and lib/machine/real.c. */
static inline struct mptr *
machine_slot(struct mthread *td)
{
	return ((struct mptr *)atomic_load_ptr(&td->mt_slot));
}

static inline void
machine_oncpu(void)
{
	struct mthread *td = machine_self;

	/* Load first: waiters share the line, and it seldom changes. */
	if (atomic_load_ptr(machine_slot(td)) != (uintptr_t)td)
		atomic_store_ptr(machine_slot(td), (uintptr_t)td);
}

static inline bool
machine_interrupted(void)
{
	return (atomic_load_32(&machine_self->mt_signalled) != 0);
}
