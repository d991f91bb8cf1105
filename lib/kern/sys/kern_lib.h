/*
 * Small functions, of kern.h: sys/libkern.h, sys/systm.h, sys/time.h, sys/ktr.h,
 * sys/eventhandler.h, machine/fpu.h.
 */

#define	KERN_FIND_BIT(s, type, first, zeros)				\
KERN_CALL(int, ffs##s, (type x), first(x))				\
KERN_CALL(int, fls##s, (type x), x == 0 ? 0 :				\
    (int)sizeof(x) * NBBY - zeros((unsigned type)x))
KERN_FIND_BIT(, int, __builtin_ffs, __builtin_clz)
KERN_FIND_BIT(l, long, __builtin_ffsl, __builtin_clzl)
KERN_FIND_BIT(ll, long long, __builtin_ffsll, __builtin_clzll)
#define	KERN_MIN_MAX(p, s, type)					\
KERN_CALL(type, p##min##s, (type a, type b), MIN(a, b))			\
KERN_CALL(type, p##max##s, (type a, type b), MAX(a, b))
KERN_MIN_MAX(, , u_int) KERN_MIN_MAX(i, , int) KERN_MIN_MAX(l, , long)
KERN_MIN_MAX(ul, , u_long) KERN_MIN_MAX(q, , quad_t)
KERN_MIN_MAX(uq, , u_quad_t) KERN_MIN_MAX(om, , uint64_t)
KERN_CALL(int, abs, (int a), a < 0 ? -a : a)
KERN_CALL(long, labs, (long a), a < 0 ? -a : a)

struct malloc_type;
int	strncmp(const char *, const char *, size_t);
size_t	strnlen(const char *, size_t), strlcpy(char *, const char *, size_t),
	    strlcat(char *, const char *, size_t);
char	*strchr(const char *, int), *strncpy(char *, const char *, size_t),
	    *strdup(const char *, struct malloc_type *);
int	timingsafe_bcmp(const void *, const void *, size_t);

/* Numbers of a sequence, the same in each run: no entropy. */
uint32_t arc4random(void), prng32(void);
KERN_CALL(uint32_t, arc4random_uniform, (uint32_t most),
    (uint32_t)((uint64_t)arc4random() * most >> 32))
KERN_CALL(uint32_t, prng32_bounded, (uint32_t most),
    (uint32_t)((uint64_t)prng32() * most >> 32))
KERN_CALL(u_long, random, (void), prng32() >> 1)
void	arc4random_buf(void *, size_t);

/* Loaders set nothing but what TUNABLE_ and sysctls read. */
#define	kern_getenv(name)	((void)(name), (char *)NULL)
#define	testenv(name)		((void)(name), 0)

#define	CTR0(mask, ...)		((void)(mask))
enum { KTR_GEN = 1, KTR_SPARE2 = 0x20, KTR_SUBSYS = 0x20, KTR_DEV = 4 };

/*
 * Those who are registered for a name; the kernel invokes none, a source may.
 * The name's type is of EVENTHANDLER_DECLARE().
 */
typedef struct kern_handler {
	struct kern_handler *eh_next;	/* by priority */
	const char	*eh_name;
	void		(*eh_func)(void);
	void		*eh_arg;
	int		 eh_priority;
} *eventhandler_tag;
enum { EVENTHANDLER_PRI_FIRST = 0, EVENTHANDLER_PRI_ANY = 10000,
    EVENTHANDLER_PRI_LAST = 20000, SHUTDOWN_PRI_FIRST = 0,
    SHUTDOWN_PRI_DEFAULT = 10000, SHUTDOWN_PRI_LAST = 20000 };
eventhandler_tag kern_handler_add(const char *, void (*)(void), void *, int);
eventhandler_tag kern_handler_next(const char *, eventhandler_tag);
void	kern_handler_remove(eventhandler_tag);
#define	EVENTHANDLER_DECLARE(name, type)				\
	typedef __typeof__(type) kern_handler_##name
#define	EVENTHANDLER_REGISTER(name, func, arg, priority)		\
	kern_handler_add(#name, (void (*)(void))(func), arg, priority)
#define	EVENTHANDLER_DEREGISTER(name, tag)	kern_handler_remove(tag)
#define	EVENTHANDLER_DEFINE(name, func, arg, priority)			\
KERN_RUN(register_##func, SI_SUB_EVENTHANDLER, SI_ORDER_ANY, false,	\
    EVENTHANDLER_REGISTER(name, func, arg, priority))
#define	EVENTHANDLER_INVOKE(name, ...) do {				\
	HOST(may_block, KERN_SITE(), "EVENTHANDLER_INVOKE()");		\
	for (eventhandler_tag kern_eh = NULL;				\
	    (kern_eh = kern_handler_next(#name, kern_eh)) != NULL;)	\
		((kern_handler_##name)kern_eh->eh_func)(		\
		    kern_eh->eh_arg, ##__VA_ARGS__);			\
} while (0)
typedef void (*shutdown_fn)(void *, int);
EVENTHANDLER_DECLARE(shutdown_pre_sync, shutdown_fn);
EVENTHANDLER_DECLARE(shutdown_post_sync, shutdown_fn);
EVENTHANDLER_DECLARE(shutdown_final, shutdown_fn);

/* A program's threads have their own registers: only NOCTX does something. */
enum { FPU_KERN_NORMAL = 0, FPU_KERN_NOWAIT = 1, FPU_KERN_KTHR = 2,
    FPU_KERN_NOCTX = 4 };
struct fpu_kern_ctx { int fp_unused; };
#define	fpu_kern_alloc_ctx(flags)					\
	((struct fpu_kern_ctx *)malloc(sizeof(struct fpu_kern_ctx), NULL, \
	    ((flags) & FPU_KERN_NOWAIT) != 0 ? M_NOWAIT : M_WAITOK))
#define	fpu_kern_free_ctx(ctx)	free(ctx, NULL)
#define	fpu_kern_thread(flags)	((void)(flags), 0)
#define	fpu_kern_enter(td, ctx, flags)					\
	(((flags) & FPU_KERN_NOCTX) != 0 ? critical_enter() : (void)0)
#define	fpu_kern_leave(td, ctx) ((ctx) == NULL ? critical_exit() : (void)0, 0)
