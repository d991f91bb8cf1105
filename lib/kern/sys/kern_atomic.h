/*
 * machine/atomic.h, of kern.h: each with the order that its name has, none
 * without one.  The object for a simulated machine leaves those on shared words
 * to the program, which knows weak memory.
 */

#ifdef KERNEL_SIMULATED
#define	KERN_SIMULATE(p, op, order, v, old)				\
	HOST(atomic, __DEVOLATILE(void *, p), (unsigned)(KERN_##op |	\
	    __ATOMIC_##order << 4 | (int)sizeof(*(p)) << 8), v, old)
#define	KERN_EITHER(p, simulated, inlined)				\
	(KERN_SHARED(p) ? simulated : (inlined))
#define	atomic_thread_fence(order)					\
	((void)HOST(atomic, NULL, KERN_FENCE | order << 4, 0, 0))
#else
#define	KERN_SIMULATE(p, op, order, v, old)	0
#define	KERN_EITHER(p, simulated, inlined)	(inlined)
#define	atomic_thread_fence(order)	__atomic_thread_fence(order)
#endif

/* What the word was. */
#define	KERN_FETCH(type, name, args, op, order, builtin, v)		\
KERN_CALL(type, name, args, KERN_EITHER(p, (type)KERN_SIMULATE(p, op,	\
    order, (uint64_t)(v), 0), builtin(p, v, __ATOMIC_##order)))

/* A compare-and-set that fails has the order % __ATOMIC_RELEASE: no release. */
#define	KERN_ATOMICS_OF(o, order, s, type)				\
KERN_FETCH(type, kern_ADD_##order##_##s, (volatile type *p, type v), ADD, \
    order, __atomic_fetch_add, v)					\
KERN_FETCH(type, kern_OR_##order##_##s, (volatile type *p, type v), OR,	\
    order, __atomic_fetch_or, v)					\
KERN_FETCH(type, kern_AND_##order##_##s, (volatile type *p, type v), AND, \
    order, __atomic_fetch_and, v)					\
KERN_CALL(void, atomic_add_##o##s, (volatile type *p, type v),		\
    (void)kern_ADD_##order##_##s(p, v))					\
KERN_CALL(void, atomic_subtract_##o##s, (volatile type *p, type v),	\
    (void)kern_ADD_##order##_##s(p, (type)-v))				\
KERN_CALL(void, atomic_set_##o##s, (volatile type *p, type v),		\
    (void)kern_OR_##order##_##s(p, v))					\
KERN_CALL(void, atomic_clear_##o##s, (volatile type *p, type v),	\
    (void)kern_AND_##order##_##s(p, (type)~v))				\
KERN_INLINE int								\
atomic_fcmpset_##o##s(volatile type *p, type *old, type v)		\
{									\
	const type was __unused = *old;					\
									\
	return (KERN_EITHER(p, (*old = (type)KERN_SIMULATE(p, CMPSET,	\
	    order, v, was)) == was, __atomic_compare_exchange_n(p, old, v, \
	    false, __ATOMIC_##order, __ATOMIC_##order % __ATOMIC_RELEASE)));	\
}									\
KERN_CALL(int, atomic_cmpset_##o##s, (volatile type *p, type old, type v), \
    atomic_fcmpset_##o##s(p, &old, v))

#define	KERN_LOAD_STORE(s, type, acq, acquire, rel, release)		\
KERN_CALL(type, atomic_load_##acq##s, (volatile const type *p),		\
    KERN_EITHER(p, (type)KERN_SIMULATE(p, LOAD, acquire, 0, 0),		\
    __atomic_load_n(p, __ATOMIC_##acquire)))				\
KERN_CALL(void, atomic_store_##rel##s, (volatile type *p, type v),	\
    KERN_EITHER(p, (void)KERN_SIMULATE(p, STORE, release, v, 0),	\
    __atomic_store_n(p, v, __ATOMIC_##release)))

#define	KERN_ATOMICS(s, type)						\
KERN_ATOMICS_OF(, RELAXED, s, type)					\
KERN_ATOMICS_OF(acq_, ACQUIRE, s, type)					\
KERN_ATOMICS_OF(rel_, RELEASE, s, type)					\
KERN_LOAD_STORE(s, type, , RELAXED, , RELAXED)				\
KERN_LOAD_STORE(s, type, acq_, ACQUIRE, rel_, RELEASE)			\
KERN_FETCH(type, atomic_swap_##s, (volatile type *p, type v), SWAP, RELAXED, \
    __atomic_exchange_n, v)						\
KERN_CALL(type, atomic_fetchadd_##s, (volatile type *p, type v),	\
    kern_ADD_RELAXED_##s(p, v))						\
KERN_CALL(type, atomic_readandclear_##s, (volatile type *p),		\
    atomic_swap_##s(p, 0))						\
KERN_CALL(type, kern_bit_##s, (u_int bit),				\
    (type)((type)1 << bit % (NBBY * sizeof(type))))			\
KERN_CALL(int, atomic_testandset_##s, (volatile type *p, u_int bit),	\
    (kern_OR_RELAXED_##s(p, kern_bit_##s(bit)) & kern_bit_##s(bit)) != 0) \
KERN_CALL(int, atomic_testandset_acq_##s, (volatile type *p, u_int bit), \
    (kern_OR_ACQUIRE_##s(p, kern_bit_##s(bit)) & kern_bit_##s(bit)) != 0) \
KERN_CALL(int, atomic_testandclear_##s, (volatile type *p, u_int bit),	\
    (kern_AND_RELAXED_##s(p, (type)~kern_bit_##s(bit)) &		\
    kern_bit_##s(bit)) != 0)
KERN_ATOMICS(8, uint8_t) KERN_ATOMICS(16, uint16_t) KERN_ATOMICS(32, uint32_t)
KERN_ATOMICS(64, uint64_t) KERN_ATOMICS(char, u_char)
KERN_ATOMICS(short, u_short) KERN_ATOMICS(int, u_int)
KERN_ATOMICS(long, u_long) KERN_ATOMICS(ptr, uintptr_t)
/* Those keep the type of the pointer. */
#define	atomic_load_ptr(p)						\
	((__typeof__(*(p)))(atomic_load_ptr)((volatile const uintptr_t *)(p)))
#define	atomic_load_consume_ptr(p)					\
	((__typeof__(*(p)))atomic_load_acq_ptr((volatile uintptr_t *)(p)))
#define	atomic_store_ptr(p, v)						\
	(atomic_store_ptr)((volatile uintptr_t *)(p), (uintptr_t)(v))
#define	atomic_load_bool(p) (atomic_load_8((volatile const uint8_t *)(p)) != 0)
#define	atomic_store_bool(p, v)						\
	atomic_store_8((volatile uint8_t *)(p), (bool)(v))
#define	atomic_thread_fence_acq()	atomic_thread_fence(__ATOMIC_ACQUIRE)
#define	atomic_thread_fence_rel()	atomic_thread_fence(__ATOMIC_RELEASE)
#define	atomic_thread_fence_acq_rel()	atomic_thread_fence(__ATOMIC_ACQ_REL)
#define	atomic_thread_fence_seq_cst()	atomic_thread_fence(__ATOMIC_SEQ_CST)
