/*
 * The simulated machine: threads of lib/vm.h, simulated cache lines and time.
 *
 * Included by lib/machine.h, where the contract stands; never by others.  What
 * each operation costs: lib/vm_line.h, lib/vm.h and rngsim(7).
 */
#ifndef LIB_MACHINE_VIRTUAL_H
#define LIB_MACHINE_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cost.h"
#include "lib/tick.h"
#include "lib/vm.h"

enum {
	MACHINE_SIMULATED	= 1,
	MACHINE_CACHE_LINE	= 64,
	MACHINE_CPU_ANY		= -1,
	MTHREAD_NAME_MAX	= 15
};

#define	MACHINE_NAME	"virtual"

/* Names of functions: the real machine's are in the same program. */
#define	machine_wait_32		virtual_wait_32
#define	machine_wake_32		virtual_wake_32
#define	machine_wake_one_32	virtual_wake_one_32
#define	machine_sleep		virtual_sleep
#define	machine_interrupt	virtual_interrupt
#define	machine_running		virtual_running
#define	machine_spawn		virtual_spawn
#define	machine_join		virtual_join
#define	machine_attach		virtual_attach
#define	machine_detach		virtual_detach
#define	machine_thread_cpu_ns	virtual_thread_cpu_ns

struct vm_line;
struct vm_thread;

/*
 * What an atomic does before and after it touches its word: gets the line, as
 * long as that takes; tells who waits for a change.
 */
enum vm_access {
	VM_STORE,
	VM_RMW
};

void vm_load(const void *p);
struct vm_line *vm_own(const void *p, enum vm_access access);
void vm_written(struct vm_line *line);
void vm_forget(const void *p);

#define	MACHINE_ATOMIC(T, type)						\
struct m##T {								\
	type	m_value;						\
};									\
									\
static inline void							\
atomic_init_##T(struct m##T *p, type v)					\
{									\
	vm_forget(p);							\
	p->m_value = v;							\
}									\
									\
static inline type							\
atomic_load_##T(struct m##T *p)						\
{									\
	vm_load(p);							\
	return (p->m_value);						\
}									\
									\
static inline type							\
atomic_load_acq_##T(struct m##T *p)					\
{									\
	return (atomic_load_##T(p));					\
}									\
									\
static inline void							\
atomic_store_##T(struct m##T *p, type v)				\
{									\
	struct vm_line *line = vm_own(p, VM_STORE);			\
									\
	p->m_value = v;							\
	vm_written(line);						\
}									\
									\
static inline void							\
atomic_store_rel_##T(struct m##T *p, type v)				\
{									\
	atomic_store_##T(p, v);						\
}									\
									\
static inline bool							\
atomic_cmpset_acq_##T(struct m##T *p, type old, type new)		\
{									\
	struct vm_line *line = vm_own(p, VM_RMW);			\
									\
	if (p->m_value != old)						\
		return (false);						\
	p->m_value = new;						\
	vm_written(line);						\
	return (true);							\
}									\
									\
static inline bool							\
atomic_cmpset_rel_##T(struct m##T *p, type old, type new)		\
{									\
	return (atomic_cmpset_acq_##T(p, old, new));			\
}									\
									\
static inline bool							\
atomic_cmpset_acq_rel_##T(struct m##T *p, type old, type new)		\
{									\
	return (atomic_cmpset_acq_##T(p, old, new));			\
}									\
									\
static inline bool							\
atomic_fcmpset_acq_##T(struct m##T *p, type *old, type new)		\
{									\
	if (atomic_cmpset_acq_##T(p, *old, new))			\
		return (true);						\
	*old = p->m_value;						\
	return (false);							\
}									\
									\
static inline bool							\
atomic_fcmpset_rel_##T(struct m##T *p, type *old, type new)		\
{									\
	return (atomic_fcmpset_acq_##T(p, old, new));			\
}									\
									\
static inline type							\
atomic_swap_acq_##T(struct m##T *p, type v)				\
{									\
	struct vm_line *line = vm_own(p, VM_RMW);			\
	type old = p->m_value;						\
									\
	p->m_value = v;							\
	vm_written(line);						\
	return (old);							\
}									\
									\
static inline type							\
atomic_swap_acq_rel_##T(struct m##T *p, type v)				\
{									\
	return (atomic_swap_acq_##T(p, v));				\
}									\
									\
static inline type							\
atomic_fetchadd_##T(struct m##T *p, type v)				\
{									\
	struct vm_line *line = vm_own(p, VM_RMW);			\
	type old = p->m_value;						\
									\
	p->m_value = (type)(old + v);					\
	vm_written(line);						\
	return (old);							\
}									\
									\
static inline type							\
atomic_fetchadd_rel_##T(struct m##T *p, type v)				\
{									\
	return (atomic_fetchadd_##T(p, v));				\
}									\
									\
static inline type							\
machine_note_load_##T(struct m##T *p)					\
{									\
	return (p->m_value);						\
}									\
									\
static inline void							\
machine_note_store_##T(struct m##T *p, type v)				\
{									\
	p->m_value = v;							\
}

MACHINE_ATOMIC(32, uint32_t)
MACHINE_ATOMIC(64, uint64_t)
MACHINE_ATOMIC(ptr, uintptr_t)

static inline uint16_t
atomic_swap_hi_acq_rel_32(struct m32 *p, uint16_t v)
{
	struct vm_line *line = vm_own(p, VM_RMW);
	uint32_t old = p->m_value;

	p->m_value = (old & UINT16_MAX) | (uint32_t)v << 16;
	vm_written(line);
	return ((uint16_t)(old >> 16));
}

/* A thread; what others may ask about it is in its vm_thread. */
struct mthread {
	struct vm_thread *mt_thread;
	int		mt_cpu;		/* rank it is bound to, or ANY */
	bool		mt_bound;	/* the binding was granted */
	bool		mt_spawned;	/* and so must be joined */
	uint32_t	mt_signalled;	/* machine_interrupt() was called */
	void		(*mt_fn)(void *);
	void		*mt_arg;
	unsigned	mt_index;	/* its row in lock profiles */
	char		mt_name[MTHREAD_NAME_MAX + 1];
};

struct machine_probe {
	struct mthread	*mp_owner;	/* whom the last answer was about */
};

/* For this header; the contracts stand in lib/machine.h. */
struct mthread *vm_curthread(void);
uint64_t vm_now_ps(void);
unsigned vm_cpu(void);
const struct vm_topology *vm_topology(void);
void vm_pause(unsigned n);
unsigned vm_await(const void *p, size_t size, uint64_t value, bool until_is,
    unsigned most);
void vm_yield(void);
void vm_charge(enum machine_cost cost, size_t n);
void vm_touch(const void *object, unsigned lines);
uint64_t vm_draw(void);
int64_t vm_coarse_ns(void);
void vm_note_lock(enum vm_event_kind kind, const void *lock, const char *name);
void vm_mark(const char *what);

/* A cycle is an eighth of a ns. */
enum { VM_CYCLES_PER_NS = 8, VM_PS_PER_NS = 1000 };

static inline void
machine_pause(unsigned n)
{

	vm_pause(n);
}

static inline unsigned
machine_await_32(struct m32 *p, uint32_t seen, unsigned most)
{

	return (vm_await(p, sizeof(p->m_value), seen, false, most));
}

static inline unsigned
machine_await_is_32(struct m32 *p, uint32_t want, unsigned most)
{

	return (vm_await(p, sizeof(p->m_value), want, true, most));
}

static inline unsigned
machine_await_ptr(struct mptr *p, uintptr_t seen, unsigned most)
{

	return (vm_await(p, sizeof(p->m_value), seen, false, most));
}

static inline void
machine_yield(void)
{

	vm_yield();
}

static inline uint64_t
machine_cycles(void)
{

	return (vm_now_ps() * VM_CYCLES_PER_NS / VM_PS_PER_NS);
}

static inline uint64_t
machine_cycles_since(uint64_t then, uint64_t now)
{

	return (now - then);
}

static inline int64_t
machine_cycles_to_ns(uint64_t cycles)
{

	return ((int64_t)((cycles + VM_CYCLES_PER_NS / 2) / VM_CYCLES_PER_NS));
}

static inline uint64_t
machine_ns_to_cycles(uint64_t ns)
{

	return (ns * VM_CYCLES_PER_NS);
}

static inline int64_t
machine_uptime_ns(void)
{

	return ((int64_t)(vm_now_ps() / VM_PS_PER_NS));
}

static inline int64_t
machine_uptime_coarse_ns(void)
{

	return (vm_coarse_ns());
}

static inline unsigned
machine_cpu(void)
{

	return (vm_cpu());
}

static inline bool
machine_displaced(void)
{

	return (false);
}

static inline unsigned
machine_cpus(void)
{

	return (vm_topology()->vt_cpus);
}

static inline unsigned
machine_cpu_ids(void)
{

	return (machine_cpus());
}

static inline unsigned
machine_node(void)
{

	return (vm_topology_node(vm_topology(), vm_cpu()));
}

static inline unsigned
machine_nodes(void)
{

	return (vm_topology()->vt_nodes);
}

static inline void
machine_charge(enum machine_cost cost, size_t n)
{

	vm_charge(cost, n);
}

static inline void
machine_touch(const void *object, unsigned lines)
{

	vm_touch(object, lines);
}

static inline void
machine_lock_wait(const void *lock, const char *name)
{

	vm_note_lock(VM_LOCK_WAIT, lock, name);
}

static inline void
machine_lock_held(const void *lock, const char *name)
{

	vm_note_lock(VM_LOCK_HELD, lock, name);
}

static inline void
machine_lock_free(const void *lock, const char *name)
{

	vm_note_lock(VM_LOCK_FREE, lock, name);
}

static inline void
machine_mark(const char *what)
{

	vm_mark(what);
}

static inline bool
machine_draw(uint64_t *word)
{

	*word = vm_draw();
	return (true);
}

static inline int
machine_run(const struct machine_config *mc, void (*fn)(void *), void *arg,
    struct machine_outcome *mo)
{

	return (vm_run(mc, fn, arg, mo));
}

static inline struct mthread *
machine_curthread(void)
{

	return (vm_curthread());
}

/* The machine knows who runs. */
static inline void
machine_oncpu(void)
{
}

static inline bool
machine_interrupted(void)
{

	return (vm_curthread()->mt_signalled != 0);
}

#endif
