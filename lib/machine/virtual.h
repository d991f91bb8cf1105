/*
 * The simulated machine: threads of lib/vm/vm.h on simulated cache lines and in
 * simulated time.
 *
 * Included by lib/machine/machine.h alone, which has the contract.  Costs of
 * operations: lib/vm/line.c, lib/vm/vm.h and rngsim-virtual(7).
 */
#pragma once

#include "lib/machine/atomic.h"
#include "lib/machine/flavour.h"
#include "lib/machine/tick.h"
#include "lib/vm/thread.h"
#include "lib/vm/vm.h"

enum { MACHINE_SIMULATED = 1 };

#define	MACHINE_NAME	"virtual"

/* Besides functions of virtual.c, which found/flavoured.h renames. */
#define	machine_thread_delayed	virtual_thread_delayed
#define	machine_cpu_ids		machine_cpus
#define	machine_run		vm_run
#define	machine_touch		vm_touch
#define	machine_access		vm_plain
#define	machine_atomic		vm_atomic
#define	machine_run_number	vm_run_number
#define	machine_hold		vm_hold
#define	machine_kernel_cpu	vm_kernel_cpu

static inline struct mthread *
machine_curthread(void)
{
	return (vm_curthread);
}

struct machine_probe {
	struct mthread	*mr_owner;	/* unused */
};

/* Each form calls lib/vm/line.c before the access, and after a store. */
#define	MACHINE_WORD(type)	type

#define	VIRTUAL_relaxed	0
#define	VIRTUAL_acquire	VM_ACQUIRE
#define	VIRTUAL_release	VM_RELEASE
#define	VIRTUAL_acq_rel	(VM_ACQUIRE | VM_RELEASE)
#define	VIRTUAL_ACCESS(kind, order, type)				\
	((unsigned)(kind) | VIRTUAL_##order |				\
	    (unsigned)sizeof(type) << VM_SIZE_SHIFT)
#define	VIRTUAL_OWN(p, kind, order, type)				\
	vm_own(p, VIRTUAL_ACCESS(kind, order, type))

#define	MACHINE_INIT(T, type, name)					\
static inline void							\
name##_##T(struct m##T *p, type v)					\
{									\
	struct vm_line *line = vm_forget(p,				\
	    VIRTUAL_ACCESS(VM_STORE, relaxed, type));			\
									\
	p->m_value = v;							\
	if (line != NULL)						\
		vm_written(line);					\
}

#define	MACHINE_LOAD(T, type, name, order)				\
static inline type							\
name##_##T(struct m##T *p)						\
{									\
	return (((const struct m##T *)vm_load(p,			\
	    VIRTUAL_ACCESS(VM_LOAD, order, type)))->m_value);		\
}

#define	MACHINE_STORE(T, type, name, order)				\
static inline void							\
name##_##T(struct m##T *p, type v)					\
{									\
	struct vm_line *line = VIRTUAL_OWN(p, VM_STORE, order, type);	\
									\
	p->m_value = v;							\
	vm_written(line);						\
}

#define	MACHINE_FCMPSET(T, type, name, order)				\
static inline bool							\
name##_##T(struct m##T *p, type *old, type new)				\
{									\
	struct vm_line *line = VIRTUAL_OWN(p, VM_RMW, order, type);	\
									\
	if (p->m_value != *old) {					\
		*old = p->m_value;					\
		vm_compared();						\
		return (false);						\
	}								\
	p->m_value = new;						\
	vm_written(line);						\
	return (true);							\
}

#define	MACHINE_CMPSET(T, type, name, order)				\
MACHINE_FCMPSET(T, type, virtual_##name, order)				\
static inline bool							\
name##_##T(struct m##T *p, type old, type new)				\
{									\
	return (virtual_##name##_##T(p, &old, new));			\
}

#define	MACHINE_FETCH(T, type, name, order, operation, value)		\
static inline type							\
name##_##T(struct m##T *p, type v)					\
{									\
	struct vm_line *line = VIRTUAL_OWN(p, VM_RMW, order, type);	\
	type old = p->m_value;						\
									\
	p->m_value = value;						\
	vm_written(line);						\
	return (old);							\
}

#define	MACHINE_NOTE(T, type)						\
static inline type							\
machine_note_load_##T(const struct m##T *p)				\
{									\
	return (p->m_value);						\
}									\
									\
static inline void							\
machine_note_store_##T(struct m##T *p, type v)				\
{									\
	p->m_value = v;							\
}

MACHINE_ATOMICS

static inline uint16_t
atomic_swap_hi_acq_rel_32(struct m32 *p, uint16_t v)
{
	struct vm_line *line = VIRTUAL_OWN(p, VM_RMW, acq_rel, uint32_t);
	uint32_t old = p->m_value;

	p->m_value = (old & UINT16_MAX) | (uint32_t)v << 16;
	vm_written(line);
	return ((uint16_t)(old >> 16));
}

static inline void
atomic_store_byte_rel_32(struct m32 *p, uint8_t v)
{
	/* One store, but the word's other bytes are kept. */
	struct vm_line *line = VIRTUAL_OWN(p, VM_STORE | VM_RMW, release,
	    uint32_t);

	p->m_value = (p->m_value & ~(uint32_t)UINT8_MAX) | v;
	vm_written(line);
}
