/*
 * The real machine: this host's threads, atomics and clocks.
 *
 * Included by lib/machine.h, where the contract stands; never by others.
 */
#ifndef LIB_MACHINE_REAL_H
#define LIB_MACHINE_REAL_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cost.h"
#include "lib/cpu.h"
#include "lib/tick.h"
#include "lib/vm.h"

enum {
	MACHINE_SIMULATED	= 0,
	MACHINE_CACHE_LINE	= 64,
	MACHINE_CPU_ANY		= -1,
	MTHREAD_NAME_MAX	= 15
};

#define	MACHINE_NAME	"real"

#define	MACHINE_ATOMIC(T, type)						\
struct m##T {								\
	_Atomic type	m_value;					\
};									\
									\
static inline void							\
atomic_init_##T(struct m##T *p, type v)					\
{									\
	atomic_init(&p->m_value, v);					\
}									\
									\
static inline type							\
atomic_load_##T(struct m##T *p)						\
{									\
	return (atomic_load_explicit(&p->m_value,			\
	    memory_order_relaxed));					\
}									\
									\
static inline type							\
atomic_load_acq_##T(struct m##T *p)					\
{									\
	return (atomic_load_explicit(&p->m_value,			\
	    memory_order_acquire));					\
}									\
									\
static inline void							\
atomic_store_##T(struct m##T *p, type v)				\
{									\
	atomic_store_explicit(&p->m_value, v, memory_order_relaxed);	\
}									\
									\
static inline void							\
atomic_store_rel_##T(struct m##T *p, type v)				\
{									\
	atomic_store_explicit(&p->m_value, v, memory_order_release);	\
}									\
									\
static inline bool							\
atomic_cmpset_acq_##T(struct m##T *p, type old, type new)		\
{									\
	return (atomic_compare_exchange_strong_explicit(&p->m_value,	\
	    &old, new, memory_order_acquire, memory_order_relaxed));	\
}									\
									\
static inline bool							\
atomic_cmpset_rel_##T(struct m##T *p, type old, type new)		\
{									\
	return (atomic_compare_exchange_strong_explicit(&p->m_value,	\
	    &old, new, memory_order_release, memory_order_relaxed));	\
}									\
									\
static inline bool							\
atomic_cmpset_acq_rel_##T(struct m##T *p, type old, type new)		\
{									\
	return (atomic_compare_exchange_strong_explicit(&p->m_value,	\
	    &old, new, memory_order_acq_rel, memory_order_relaxed));	\
}									\
									\
static inline bool							\
atomic_fcmpset_acq_##T(struct m##T *p, type *old, type new)		\
{									\
	return (atomic_compare_exchange_weak_explicit(&p->m_value,	\
	    old, new, memory_order_acquire, memory_order_relaxed));	\
}									\
									\
static inline bool							\
atomic_fcmpset_rel_##T(struct m##T *p, type *old, type new)		\
{									\
	return (atomic_compare_exchange_weak_explicit(&p->m_value,	\
	    old, new, memory_order_release, memory_order_relaxed));	\
}									\
									\
static inline type							\
atomic_fetchadd_##T(struct m##T *p, type v)				\
{									\
	return (atomic_fetch_add_explicit(&p->m_value, v,		\
	    memory_order_relaxed));					\
}									\
									\
static inline type							\
atomic_fetchadd_rel_##T(struct m##T *p, type v)				\
{									\
	return (atomic_fetch_add_explicit(&p->m_value, v,		\
	    memory_order_release));					\
}									\
									\
static inline type							\
atomic_swap_acq_##T(struct m##T *p, type v)				\
{									\
	return (atomic_exchange_explicit(&p->m_value, v,		\
	    memory_order_acquire));					\
}									\
									\
static inline type							\
atomic_swap_acq_rel_##T(struct m##T *p, type v)				\
{									\
	return (atomic_exchange_explicit(&p->m_value, v,		\
	    memory_order_acq_rel));					\
}

MACHINE_ATOMIC(32, uint32_t)
MACHINE_ATOMIC(64, uint64_t)
MACHINE_ATOMIC(ptr, uintptr_t)

/* Half of a word, which is an object of its own to C but not to the CPU. */
typedef uint16_t __attribute__((may_alias)) machine_half_t;

static inline uint16_t
atomic_swap_hi_acq_rel_32(struct m32 *p, uint16_t v)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	machine_half_t *half = (machine_half_t *)(void *)&p->m_value;
#else
	machine_half_t *half = (machine_half_t *)(void *)&p->m_value + 1;
#endif

	return (__atomic_exchange_n(half, v, __ATOMIC_ACQ_REL));
}

#define	machine_note_load_32	atomic_load_32
#define	machine_note_load_64	atomic_load_64
#define	machine_note_load_ptr	atomic_load_ptr
#define	machine_note_store_32	atomic_store_32
#define	machine_note_store_64	atomic_store_64

/*
 * A thread.
 *
 * What others may look at while it runs is atomic: mt_offcpu, which it sets
 * around its sleeps, and mt_slot and mt_clock, which it sets before its
 * function runs.  mt_cpu and mt_bound are for whoever joined it.
 */
struct mthread {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	mt_offcpu;	/* asleep of its own will */
	struct m32	mt_signalled;	/* machine_interrupt() was called */
	struct m32	mt_sleep;	/* what machine_sleep() sleeps on */
	/*
	 * The thread last known to run on the CPU that this one is bound to;
	 * of a thread that floats, its own mt_noslot.
	 */
	struct mptr	mt_slot;
	struct mptr	mt_noslot;
	struct m32	mt_clock;	/* its CPU clock, once it runs */
	struct m32	mt_go;		/* its starter has bound it */
	int		mt_cpu;		/* rank it is bound to, or ANY */
	int		mt_node;	/* of that CPU; -1: it floats */
	bool		mt_bound;	/* the binding was granted */
	bool		mt_spawned;	/* and so must be joined */
	pthread_t	mt_pthread;
	void		(*mt_fn)(void *);
	void		*mt_arg;
	unsigned	mt_index;	/* its row in lock profiles */
	char		mt_name[MTHREAD_NAME_MAX + 1];
};

struct machine_probe {
	struct mthread	*mp_owner;	/* whom the notes are about */
	int64_t		mp_cpu_ns;	/* owner's CPU time when last seen */
	unsigned	mp_asked;	/* times in a row with this owner */
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

static inline unsigned
machine_await_32(struct m32 *p, uint32_t seen, unsigned most)
{

	(void)p;
	(void)seen;
	(void)most;
	machine_pause(1);
	return (1);
}

static inline unsigned
machine_await_is_32(struct m32 *p, uint32_t want, unsigned most)
{

	return (machine_await_32(p, want, most));
}

static inline unsigned
machine_await_ptr(struct mptr *p, uintptr_t seen, unsigned most)
{

	(void)p;
	(void)seen;
	(void)most;
	machine_pause(1);
	return (1);
}

static inline void
machine_yield(void)
{

	sched_yield();
}

static inline uint64_t
machine_cycles(void)
{

	return (tick_cycles());
}

static inline uint64_t
machine_cycles_since(uint64_t then, uint64_t now)
{

	return (tick_since(then, now));
}

static inline int64_t
machine_cycles_to_ns(uint64_t cycles)
{

	return (tick_cycles_to_ns(cycles));
}

static inline uint64_t
machine_ns_to_cycles(uint64_t ns)
{

	return (tick_ns_to_cycles(ns));
}

static inline int64_t
machine_uptime_ns(void)
{

	return (tick_ns());
}

static inline int64_t
machine_uptime_coarse_ns(void)
{

	return (tick_coarse_ns());
}

static inline unsigned
machine_cpu(void)
{

	return (cpu_current());
}

static inline unsigned
machine_cpus(void)
{

	return (cpu_count());
}

static inline unsigned
machine_cpu_ids(void)
{

	return (cpu_ids());
}

static inline unsigned
machine_node(void)
{
	int node = machine_self->mt_node;

	return (node >= 0 ? (unsigned)node : cpu_node(cpu_current()));
}

static inline unsigned
machine_nodes(void)
{

	return (cpu_nodes());
}

static inline void
machine_charge(enum machine_cost cost, size_t n)
{

	(void)cost;
	(void)n;
}

static inline void
machine_touch(const void *object, unsigned lines)
{

	(void)object;
	(void)lines;
}

static inline void
machine_lock_wait(const void *lock, const char *name)
{

	(void)lock;
	(void)name;
}

static inline void
machine_lock_held(const void *lock, const char *name)
{

	(void)lock;
	(void)name;
}

static inline void
machine_lock_free(const void *lock, const char *name)
{

	(void)lock;
	(void)name;
}

static inline void
machine_mark(const char *what)
{

	(void)what;
}

static inline bool
machine_draw(uint64_t *word)
{

	(void)word;
	return (false);
}

static inline int
machine_run(const struct machine_config *mc, void (*fn)(void *), void *arg,
    struct machine_outcome *mo)
{

	(void)mc;
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

/* For this file and machine_real.c. */
static inline struct mptr *
machine_slot(struct mthread *td)
{

	return ((struct mptr *)atomic_load_ptr(&td->mt_slot));
}

static inline void
machine_oncpu(void)
{
	struct mthread *td = machine_self;

	/* Looked at first: waiters share the line, and it seldom changes. */
	if (atomic_load_ptr(machine_slot(td)) != (uintptr_t)td)
		atomic_store_ptr(machine_slot(td), (uintptr_t)td);
}

static inline bool
machine_interrupted(void)
{

	return (atomic_load_32(&machine_self->mt_signalled) != 0);
}

#endif
