/*
 * Memory and what is counted in it, of kern.h: malloc(9)'s other forms, uma(9),
 * zpcpu, refcount(9), counter(9), buf_ring(9).
 */

#define	KERN_PRODUCT(n, size) ({					\
	size_t kern_product;						\
									\
	if (__builtin_mul_overflow((size_t)(n), (size_t)(size), &kern_product)) \
		panic("mallocarray: %zu times %zu", (size_t)(n), (size_t)(size)); \
	kern_product;							\
})
#define	mallocarray(n, size, type, flags)				\
	malloc(KERN_PRODUCT(n, size), type, flags)
#define	malloc_domain(size, type, domain, flags)			\
	((void)(domain), malloc(size, type, flags))
/* Blocks begin on a cache line. */
#define	malloc_aligned(size, align, type, flags) ({			\
	KASSERT((align) <= CACHE_LINE_SIZE, ("malloc_aligned: %zu",	\
	    (size_t)(align)));						\
	malloc(size, type, flags);					\
})
#define	malloc_usable_size(p)	HOST(size, p)
#define	KERN_REALLOC(p, n, type, flags, fails) ({			\
	const size_t kern_n = (n);					\
	void *kern_from = (p), *kern_to = malloc(kern_n, type, flags);	\
									\
	if (kern_to != NULL && kern_from != NULL)			\
		memcpy(kern_to, kern_from, MIN(kern_n,			\
		    malloc_usable_size(kern_from)));			\
	if (kern_to != NULL || (fails))					\
		free(kern_from, type);					\
	kern_to;							\
})
#define	realloc(p, n, type, flags)	KERN_REALLOC(p, n, type, flags, false)
#define	reallocf(p, n, type, flags)	KERN_REALLOC(p, n, type, flags, true)

/* No zone keeps what it was given back; limits and init alone are ignored. */
typedef int (*uma_ctor)(void *, int, void *, int);
typedef void (*uma_dtor)(void *, int, void *);
typedef int (*uma_init)(void *, int, int);
typedef void (*uma_fini)(void *, int);
typedef struct uma_zone { const char *uz_name; size_t uz_size; uma_ctor uz_ctor;
    uma_dtor uz_dtor; uma_init uz_init; uma_fini uz_fini; int uz_flags; }
    *uma_zone_t;
enum { UMA_ZONE_PCPU = 0x8000, UMA_ZONE_NOFREE = 0x20, UMA_ZONE_ZINIT = 2,
    UMA_ZONE_NODUMP = 0x40, UMA_ZONE_SMR = 0x100000, UMA_ALIGN_PTR = 7,
    UMA_ALIGN_CACHE = CACHE_LINE_SIZE - 1, UMA_ALIGN_LONG = 7,
    UMA_ALIGN_INT = 3, UMA_ALIGN_SHORT = 1, UMA_ALIGN_CHAR = 0,
    UMA_ALIGNOF = 63, UMA_PCPU_ALLOC_SIZE = PAGE_SIZE, UMA_ZONE_NOTRASH = 0x400,
    UMA_ZONE_ROUNDROBIN = 0x1000000, UMA_ZONE_FIRSTTOUCH = 0x800000 };
uma_zone_t uma_zcreate(const char *, size_t, uma_ctor, uma_dtor, uma_init,
	    uma_fini, int, uint32_t);
void	*kern_uma_made(uma_zone_t, void *, void *, int);
void	kern_uma_given(uma_zone_t, void *, void *);
#define	uma_zalloc_arg(zone, arg, flags)				\
	kern_uma_made(zone, malloc((zone)->uz_size, NULL, (flags) |	\
	    (zone)->uz_flags), arg, flags)
#define	uma_zfree_arg(zone, p, arg) do {				\
	void *kern_given = (p);						\
									\
	kern_uma_given(zone, kern_given, arg);				\
	HOST(free, kern_given, KERN_ITEM, KERN_SITE());			\
} while (0)
#define	uma_zalloc(zone, flags)		uma_zalloc_arg(zone, NULL, flags)
#define	uma_zfree(zone, p)		uma_zfree_arg(zone, p, NULL)
#define	uma_zdestroy(zone)		free(zone, NULL)
#define	uma_prealloc(zone, n)		((void)(zone))
#define	uma_zone_set_max(zone, n)	((void)(zone), (n))
uma_zone_t kern_pcpu_zone(void);
#define	pcpu_zone_4		kern_pcpu_zone()

/* An item has a page of each CPU. */
#define	zpcpu_get_cpu(p, cpu)						\
	((__typeof__(p))(void *)((char *)(p) + UMA_PCPU_ALLOC_SIZE * (cpu)))
#define	zpcpu_get(p)		zpcpu_get_cpu(p, curcpu)
#define	KERN_OWN_PART(p)	(curthread->td_critnest > 0 ?		\
	zpcpu_get(p) : (panic("not in a critical section"), (p)))
#define	zpcpu_sub_protected(p, v)	(*KERN_OWN_PART(p) -= (v))
#define	zpcpu_add_protected(p, v)	(*KERN_OWN_PART(p) += (v))
#define	zpcpu_set_protected(p, v)	(*KERN_OWN_PART(p) = (v))
#define	zpcpu_replace(p, v) ({						\
	__typeof__(p) kern_mine = zpcpu_get(p);				\
	__typeof__(*kern_mine) kern_was = *kern_mine;			\
									\
	*kern_mine = (v);						\
	kern_was;							\
})
#define	zpcpu_replace_cpu(p, v, cpu) (*zpcpu_get_cpu(p, cpu) = (v))

#define	REFCOUNT_SATURATED(v)	(((v) & (1u << 31)) != 0)
#define	REFCOUNT_COUNT(v)	((v) & ~(1u << 31))
KERN_CALL(void, refcount_init, (volatile u_int *c, u_int v),
    atomic_store_int(c, v))
KERN_CALL(u_int, refcount_load, (volatile u_int *c), atomic_load_int(c))
u_int	kern_refcount(volatile u_int *, u_int, int, const char *, int,
	    const char *);
#define	KERN_REFCOUNT(c, least, n)					\
	kern_refcount(c, least, n, __FILE__, __LINE__, #c)
#define	refcount_acquire(c)	KERN_REFCOUNT(c, 0, 1)
#define	refcount_acquiren(c, n)	KERN_REFCOUNT(c, 0, (int)(n))
#define	refcount_acquire_checked(c)	(refcount_acquire(c), true)
#define	refcount_acquire_if_gt(c, n)	(KERN_REFCOUNT(c, (n) + 1, 1) != 0)
#define	refcount_acquire_if_not_zero(c)	refcount_acquire_if_gt(c, 0)
#define	refcount_releasen(c, n)	(KERN_REFCOUNT(c, 0, -(int)(n)) != 0)
#define	refcount_release(c)	refcount_releasen(c, 1)
#define	refcount_release_if_gt(c, n)	(KERN_REFCOUNT(c, (n) + 1, -1) != 0)
#define	refcount_release_if_not_last(c)	refcount_release_if_gt(c, 1)

/* sys/blockcount.h; a waiter looks each tick. */
typedef struct { u_int __count; } blockcount_t;
#define	blockcount_init(c)	atomic_store_int(&(c)->__count, 0)
#define	blockcount_read(c)	atomic_load_int(&(c)->__count)
#define	blockcount_acquire(c, n)	atomic_add_acq_int(&(c)->__count, n)
#define	blockcount_release(c, n)	refcount_releasen(&(c)->__count, n)
#define	blockcount_sleep(c, l, wmesg, priority)				\
	(atomic_load_acq_int(&(c)->__count) == 0 ? 0 : (KERN_SLEEP(c,	\
	    (struct lock_object *)(l) == NULL ? NULL :			\
	    ((struct lock_object *)(l))->lo_witness, priority, 1000000,	\
	    wmesg), EAGAIN))
#define	blockcount_wait(c, l, wmesg, priority) do {			\
} while (blockcount_sleep(c, l, wmesg, priority) == EAGAIN)

/* A line for each CPU; by an atomic, as the thread may have left that CPU. */
typedef uint64_t *counter_u64_t;
enum { KERN_COUNTER_WORDS = CACHE_LINE_SIZE / 8 };
#define	counter_u64_alloc(flags)					\
	((counter_u64_t)malloc(CACHE_LINE_SIZE * (size_t)mp_ncpus, NULL, \
	    (flags) | M_ZERO))
#define	counter_u64_free(c)	free(c, NULL)
#define	counter_u64_add(c, n)						\
	atomic_add_64(&(c)[KERN_COUNTER_WORDS * curcpu], (uint64_t)(n))
uint64_t counter_u64_fetch(counter_u64_t);
void	counter_u64_zero(counter_u64_t);
#define	COUNTER_U64_SYSINIT(c)						\
KERN_RUN(counter_init_##c, SI_SUB_COUNTER, SI_ORDER_ANY, false,		\
    c = counter_u64_alloc(M_WAITOK));					\
KERN_RUN(counter_fini_##c, SI_SUB_COUNTER, SI_ORDER_ANY, true,		\
    counter_u64_free(c))
#define	COUNTER_U64_DEFINE_EARLY(c)	counter_u64_t c; COUNTER_U64_SYSINIT(c)

/* A ring of pointers: many producers, one or many consumers. */
struct buf_ring {
	volatile u_int	 br_prod_head, br_prod_tail;
	u_int		 br_mask;
	__aligned(CACHE_LINE_SIZE) volatile u_int br_cons_head;
	volatile u_int	 br_cons_tail;
	__aligned(CACHE_LINE_SIZE) uintptr_t br_ring[];
};
#define	buf_ring_alloc(count, type, flags, mtx)				\
	kern_ring_made(malloc(sizeof(struct buf_ring) + (size_t)(count) * \
	    sizeof(void *), type, (flags) | M_ZERO), (u_int)(count))
struct buf_ring *kern_ring_made(void *, u_int);
int	buf_ring_enqueue(struct buf_ring *, void *);
void	*buf_ring_dequeue_mc(struct buf_ring *);
#define	buf_ring_enqueue(br, buf) ((void)KERN_HOLD(), buf_ring_enqueue(br, buf))
#define	buf_ring_dequeue_mc(br)	((void)KERN_HOLD(), buf_ring_dequeue_mc(br))
KERN_CALL(void *, buf_ring_peek, (struct buf_ring *br), ({
	const u_int head = atomic_load_int(&br->br_cons_head);

	head == atomic_load_acq_int(&br->br_prod_tail) ? NULL :
	    (void *)atomic_load_ptr(&br->br_ring[head & br->br_mask]);
}))
void	buf_ring_advance_sc(struct buf_ring *);
KERN_CALL(void *, buf_ring_dequeue_sc, (struct buf_ring *br), ({
	void *buf = buf_ring_peek(br);

	if (buf != NULL)
		buf_ring_advance_sc(br);
	buf;
}))
KERN_CALL(void, buf_ring_putback_sc, (struct buf_ring *br, void *buf),
    atomic_store_ptr(&br->br_ring[atomic_load_int(&br->br_cons_head) &
    br->br_mask], buf))
KERN_CALL(u_int, buf_ring_count, (struct buf_ring *br),
    (atomic_load_int(&br->br_prod_tail) - atomic_load_int(&br->br_cons_tail)) &
    br->br_mask)
KERN_CALL(int, buf_ring_empty, (struct buf_ring *br),
    atomic_load_int(&br->br_cons_head) == atomic_load_int(&br->br_prod_tail))
KERN_CALL(int, buf_ring_full, (struct buf_ring *br),
    atomic_load_int(&br->br_prod_head) - atomic_load_int(&br->br_cons_tail) ==
    br->br_mask)
