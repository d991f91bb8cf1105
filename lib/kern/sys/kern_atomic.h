/*
 * machine/atomic.h, of kern.h: stronger than asked for, which no test can show.
 * The object for a simulated machine reports them.
 */
#ifndef KERN_ATOMIC_H
#define	KERN_ATOMIC_H

#define	KERN_ATOMIC(type, name, args, access, value)			\
KERN_PLAIN static __inline type						\
atomic_##name args							\
{									\
	access(__DEVOLATILE(void *, p), sizeof(*p));			\
	return (value);							\
}
#define	KERN_UPDATE(suffix, type, name, builtin)			\
KERN_ATOMIC(type, name##_##suffix, (volatile type *p, type v), KERN_STORES, \
    builtin(p, v, __ATOMIC_ACQ_REL))
#define	KERN_ATOMICS(suffix, type)					\
KERN_ATOMIC(type, load_acq_##suffix, (volatile const type *p), KERN_LOADS, \
    __atomic_load_n(p, __ATOMIC_ACQUIRE))				\
KERN_ATOMIC(void, store_rel_##suffix, (volatile type *p, type v), KERN_STORES, \
    __atomic_store_n(p, v, __ATOMIC_RELEASE))				\
KERN_ATOMIC(int, fcmpset_##suffix, (volatile type *p, type *old, type new), \
    KERN_STORES, __atomic_compare_exchange_n(p, old, new, false,	\
    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))				\
KERN_CALL(int, atomic_cmpset_##suffix, (volatile type *p, type old, type new), \
    atomic_fcmpset_##suffix(p, &old, new))				\
KERN_UPDATE(suffix, type, swap, __atomic_exchange_n)			\
KERN_UPDATE(suffix, type, fetchadd, __atomic_fetch_add)			\
KERN_UPDATE(suffix, type, or, __atomic_fetch_or)			\
KERN_UPDATE(suffix, type, and, __atomic_fetch_and)			\
KERN_CALL(type, atomic_load_##suffix, (volatile const type *p),		\
    atomic_load_acq_##suffix(p))					\
KERN_CALL(void, atomic_store_##suffix, (volatile type *p, type v),	\
    atomic_store_rel_##suffix(p, v))					\
KERN_CALL(int, atomic_cmpset_acq_##suffix, (volatile type *p, type old,	\
    type new), atomic_fcmpset_##suffix(p, &old, new))			\
KERN_CALL(int, atomic_cmpset_rel_##suffix, (volatile type *p, type old,	\
    type new), atomic_fcmpset_##suffix(p, &old, new))			\
KERN_CALL(type, atomic_readandclear_##suffix, (volatile type *p),	\
    atomic_swap_##suffix(p, 0))						\
KERN_CALL(void, atomic_add_##suffix, (volatile type *p, type v),	\
    (void)atomic_fetchadd_##suffix(p, v))				\
KERN_CALL(void, atomic_subtract_##suffix, (volatile type *p, type v),	\
    (void)atomic_fetchadd_##suffix(p, (type)-v))			\
KERN_CALL(void, atomic_set_##suffix, (volatile type *p, type v),	\
    (void)atomic_or_##suffix(p, v))					\
KERN_CALL(void, atomic_clear_##suffix, (volatile type *p, type v),	\
    (void)atomic_and_##suffix(p, (type)~v))
KERN_ATOMICS(8, uint8_t)
KERN_ATOMICS(32, uint32_t)
KERN_ATOMICS(64, uint64_t)
KERN_ATOMICS(int, u_int)
KERN_ATOMICS(long, u_long)
KERN_ATOMICS(ptr, uintptr_t)
#define	atomic_load_bool(p)						\
	(atomic_load_8((volatile const uint8_t *)(p)) != 0)
#define	atomic_store_bool(p, v)	atomic_store_8((volatile uint8_t *)(p), v)
#define	atomic_testandset_acq_long(p, bit)				\
	((atomic_or_long(p, 1ul << (bit) % 64) >> (bit) % 64 & 1) != 0)
#define	atomic_thread_fence_acq()	__compiler_membar()
#define	atomic_thread_fence_rel()	__compiler_membar()
#define	atomic_thread_fence_acq_rel()	__compiler_membar()
#define	atomic_thread_fence_seq_cst()	__sync_synchronize()

#endif
