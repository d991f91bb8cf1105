/*
 * Atomic words, with the names of atomic(9): the type's size last, _acq and
 * _rel for the orderings, no suffix for relaxed.
 *
 * A word is a struct, so that plain access does not compile: struct m32
 * (uint32_t), struct m64 (uint64_t), struct mptr (uintptr_t).  cmpset stores
 * new if the word is old; fcmpset does so too, may fail spuriously, and updates
 * *old on failure.  fetchadd and swap return the old value.
 *
 * machine_note_load_T() and machine_note_store_T() are relaxed and take no
 * simulated time: for assertions, and notes about a run that are not measured.
 *
 * Each flavour defines a macro for each form and expands MACHINE_ATOMICS.
 * FETCH has C11's name of the operation, and the new value.
 */
#pragma once

#define	MACHINE_ATOMIC(T, type)						\
struct m##T {								\
	MACHINE_WORD(type)	m_value;				\
};									\
									\
/* Before other threads use the word. */				\
MACHINE_INIT(T, type, atomic_init)					\
MACHINE_LOAD(T, type, atomic_load, relaxed)				\
MACHINE_LOAD(T, type, atomic_load_acq, acquire)				\
MACHINE_STORE(T, type, atomic_store, relaxed)				\
MACHINE_STORE(T, type, atomic_store_rel, release)			\
MACHINE_CMPSET(T, type, atomic_cmpset_acq, acquire)			\
MACHINE_CMPSET(T, type, atomic_cmpset_rel, release)			\
MACHINE_CMPSET(T, type, atomic_cmpset_acq_rel, acq_rel)			\
MACHINE_FCMPSET(T, type, atomic_fcmpset_acq, acquire)			\
MACHINE_FCMPSET(T, type, atomic_fcmpset_rel, release)			\
MACHINE_FETCH(T, type, atomic_fetchadd, relaxed, fetch_add, old + v)	\
MACHINE_FETCH(T, type, atomic_fetchadd_rel, release, fetch_add, old + v) \
MACHINE_FETCH(T, type, atomic_swap_acq, acquire, exchange, v)		\
MACHINE_FETCH(T, type, atomic_swap_acq_rel, acq_rel, exchange, v)	\
MACHINE_NOTE(T, type)

#define	MACHINE_ATOMICS							\
MACHINE_ATOMIC(32, uint32_t)						\
MACHINE_ATOMIC(64, uint64_t)						\
MACHINE_ATOMIC(ptr, uintptr_t)
