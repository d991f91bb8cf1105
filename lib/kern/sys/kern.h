/*
 * The kernel's interfaces for sources that rngsim compiles: this header stands
 * for all that headers.tbl lists.  What it defines as a function is served by
 * the program, over struct kern_host.
 *
 * An interface that is missing: define it in the kern_*.h of its subject, and
 * add its header's name to headers.tbl; another name of one is in alias.tbl; a
 * family of them has a row of interface.tbl.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <abi.h>

/* The simulated object is compiled to call hooks for its memory accesses. */
#ifdef __clang__
#define	KERN_PLAIN	__attribute__((disable_sanitizer_instrumentation))
#define	KERN_OPAQUE	__attribute__((noinline, optnone))
#else
#define	KERN_PLAIN	__attribute__((no_sanitize("thread")))
#define	KERN_OPAQUE	__attribute__((noipa))
#endif
/* ThreadSanitizer is to see what the source does by way of these. */
#ifdef KERNEL_SIMULATED
#define	KERN_INLINE	KERN_PLAIN static __inline
#else
#define	KERN_INLINE	static __inline
#endif

extern const struct kern_host *kern_host;
#define	HOST(f, ...)	(kern_host->kh_##f(kern_host->kh_self, ##__VA_ARGS__))

/* Whether other threads may have it: a variable, or of malloc(9). */
#define	KERN_SHARED(p)							\
	((uintptr_t)(p) - kern_host->kh_data < kern_host->kh_data_bytes || \
	(uintptr_t)(p) - kern_host->kh_heap < kern_host->kh_heap_bytes)
#ifdef KERNEL_SIMULATED
#define	KERN_ACCESSES(p, n, store)					\
	(KERN_SHARED(p) ? HOST(access, p, n, store) : (void)0)
#else
#define	KERN_ACCESSES(p, n, store)	((void)0)
#endif
#define	KERN_LOADS(p, n)	KERN_ACCESSES(p, n, false)
#define	KERN_STORES(p, n)	KERN_ACCESSES(p, n, true)

/* A function of the kernel that is one expression here. */
#define	KERN_CALL(type, name, args, value)				\
KERN_INLINE type name args { return (value); }

/* sys/cdefs.h, sys/types.h, sys/limits.h */
#define	__FBSDID(x)		struct kern_hack
#define	__BEGIN_DECLS
#define	__CONCAT1(x, y)		x##y
#define	__CONCAT(x, y)		__CONCAT1(x, y)
#define	__STRING(x)		#x
#define	__unused		__attribute__((unused))
#define	__used			__attribute__((used))
#define	__packed		__attribute__((packed))
#define	__aligned(x)		__attribute__((aligned(x)))
#define	__section(x)		__attribute__((section(x)))
#define	__noinline		__attribute__((noinline))
#define	__always_inline		__inline __attribute__((always_inline))
#define	__dead2			__attribute__((noreturn))
#define	__printflike(f, a)	__attribute__((format(printf, f, a)))
#define	__predict_true(x)	__builtin_expect((x) != 0, 1)
#define	__predict_false(x)	__builtin_expect((x) != 0, 0)
#define	__exclusive_cache_line	__aligned(CACHE_LINE_SIZE)
#define	__DECONST(type, v)	((type)(uintptr_t)(const void *)(v))
#define	__DEVOLATILE(type, v)	((type)(uintptr_t)(volatile void *)(v))
#define	__containerof(p, s, m) ((s *)(void *)((char *)(p) - offsetof(s, m)))
#define	__compiler_membar()	__asm__ volatile("" : : : "memory")
#define	__min_size(x)		static (x)
#define	__result_use_check	__attribute__((warn_unused_result))
#define	__nonnull(i)		__attribute__((nonnull(i)))
#define	__pure			__attribute__((pure))
#define	__pure2			__attribute__((const))
#define	__malloc_like		__attribute__((malloc))
#define	__alloc_size(x)		__attribute__((alloc_size(x)))
#define	__weak_symbol		__attribute__((weak))
#define	__fallthrough		__attribute__((fallthrough))
#define	__XSTRING(x)		__STRING(x)
#define	__FreeBSD__		15
#define	__FreeBSD_version	1500000

typedef unsigned char	u_char;
typedef unsigned short	u_short;
typedef unsigned int	u_int;
typedef unsigned long	u_long;
typedef uint8_t		u_int8_t;
typedef uint16_t	u_int16_t;
typedef uint32_t	u_int32_t;
typedef uint64_t	u_int64_t, u_quad_t, vm_offset_t, vm_paddr_t, vm_size_t;
typedef int64_t		sbintime_t, time_t, off_t, quad_t;
typedef int		pid_t;
typedef intptr_t	ssize_t;
typedef char		*caddr_t;

#define	INT_MAX			__INT_MAX__
#define	INT_MIN			(-INT_MAX - 1)
#define	UINT_MAX		(INT_MAX * 2u + 1)
#define	LONG_MAX		__LONG_MAX__
#define	ULONG_MAX		(LONG_MAX * 2ul + 1)

/* sys/param.h */
#define	PAGE_SIZE		4096
#define	CACHE_LINE_SIZE		64
#define	MAXCPU			1024
#define	NBBY			8
#define	MIN(a, b)		((a) < (b) ? (a) : (b))
#define	MAX(a, b)		((a) > (b) ? (a) : (b))
#define	nitems(x)		(sizeof(x) / sizeof((x)[0]))
#define	howmany(x, y)		(((x) + ((y) - 1)) / (y))
#define	rounddown(x, y)		((x) / (y) * (y))
#define	roundup(x, y)		(howmany(x, y) * (y))
#define	rounddown2(x, y)	((x) & ~((__typeof__(x))(y) - 1))
#define	roundup2(x, y)		(((x) + ((y) - 1)) & ~((__typeof__(x))(y) - 1))
#define	powerof2(x)		((((x) - 1) & (x)) == 0)
#define	ilog2(x)		(flsll((long long)(x)) - 1)
#define	bitcount32(x)		__builtin_popcount(x)
#define	bitcount64(x)		__builtin_popcountll(x)
#define	bswap16(x)		__builtin_bswap16(x)
#define	bswap32(x)		__builtin_bswap32(x)
#define	bswap64(x)		__builtin_bswap64(x)
/* A run ends with its first panic. */
#define	KERNEL_PANICKED()	false
#define	setbit(a, i)	(((u_char *)(a))[(i) / NBBY] |= 1 << (i) % NBBY)
#define	clrbit(a, i)	(((u_char *)(a))[(i) / NBBY] &= ~(1 << (i) % NBBY))
#define	isset(a, i)	(((const u_char *)(a))[(i) / NBBY] & 1 << (i) % NBBY)
#define	isclr(a, i)	(isset(a, i) == 0)
#define	PAGE_MASK		(PAGE_SIZE - 1)
#define	PAGE_SHIFT		12
#define	PCATCH			0x100
#define	PUSER			120
enum { PSWP = 80, PVM = 84, PINOD = 88, PRIBIO = 92, PVFS = 96, PZERO = 100,
    PSOCK = 104, PWAIT = 108, PLOCK = 112, PPAUSE = 116 };

/* sys/errno.h: the kernel's numbers */
enum { EPERM = 1, ENOENT = 2, ESRCH = 3, EINTR = KERN_EINTR, EIO = 5, ENXIO = 6,
    E2BIG = 7, EBADF = 9, EDEADLK = 11, ENOMEM = 12, EACCES = 13, EFAULT = 14,
    EBUSY = 16, EEXIST = 17, ENODEV = 19, EINVAL = 22, ENOTTY = 25, ENOSPC = 28,
    EROFS = 30, EDOM = 33, ERANGE = 34, EAGAIN = KERN_EWOULDBLOCK,
    EWOULDBLOCK = KERN_EWOULDBLOCK, EINPROGRESS = 36, EALREADY = 37,
    EMSGSIZE = 40, EOPNOTSUPP = 45, ENOBUFS = 55, ETIMEDOUT = 60, ENOSYS = 78,
    EOVERFLOW = 84, ECANCELED = 85, EDOOFUS = 88, EINTEGRITY = 97,
    ENOTSUP = EOPNOTSUPP, ESTALE = 70, ERESTART = -1, EJUSTRETURN = -2 };

/* sys/systm.h, sys/kassert.h, sys/libkern.h, sys/syslog.h */
#define	CTASSERT(x)		_Static_assert(x, #x)
#define	panic(...)		kern_panic(__FILE__, __LINE__, __VA_ARGS__)
#ifdef INVARIANTS
#define	KASSERT(exp, msg) do {						\
	if (__predict_false(!(exp)))					\
		panic msg;						\
} while (0)
#else
#define	KASSERT(exp, msg)	((void)sizeof(!(exp)))
#endif
#define	MPASS(exp)							\
	KASSERT(exp, ("Assertion %s failed at %s:%d", #exp, __FILE__, __LINE__))
#define	printf(...)		((void)sizeof(kern_format(__VA_ARGS__)))
#define	log(level, ...)		printf(__VA_ARGS__)
enum { LOG_EMERG, LOG_ALERT, LOG_CRIT, LOG_ERR, LOG_WARNING, LOG_NOTICE,
    LOG_INFO, LOG_DEBUG };
#define	VNASSERT(exp, vp, msg)	KASSERT(exp, msg)
#define	bootverbose		0

__dead2 __printflike(3, 4) void kern_panic(const char *, int, const char *,
	    ...);
int	kern_format(const char *, ...) __printflike(1, 2);
int	vsnprintf(char *, size_t, const char *, va_list);
int	snprintf(char *, size_t, const char *, ...) __printflike(3, 4);
int	memcmp(const void *, const void *, size_t);
size_t	strlen(const char *);
int	strcmp(const char *, const char *);
#include <kern_lib.h>
uint32_t jenkins_hash(const void *, size_t, uint32_t);
KERN_CALL(int, nullop, (void), 0)

/* Where nothing is known of its arguments it cannot become a memcpy(). */
void	*kern_move(void *, const void *, size_t);

/*
 * A kernel copies and clears without a stack of its own, so what a function
 * has left below its caller's stays there.
 */
#ifdef KERNEL_SIMULATED
KERN_PLAIN __noinline void kern_copying(void *, const void *, size_t);
KERN_PLAIN __noinline void kern_clearing(void *, size_t);
#else
#define	kern_copying(to, from, n)	HOST(copying, to, from, n)
#define	kern_clearing(p, n)		HOST(clearing, p, n)
#endif

KERN_INLINE void *
kern_memcpy(void *to, const void *from, size_t n)
{
	KERN_LOADS(from, n);
	KERN_STORES(to, n);
	if (n >= KERN_KEY_BYTES && kern_host->kh_follows)
		kern_copying(to, from, n);
	/* A block is copied without a call. */
	return (__builtin_constant_p(n) && n < KERN_KEY_BYTES ?
	    __builtin_memmove(to, from, n) : kern_move(to, from, n));
}

KERN_INLINE void *
kern_memset(void *p, int c, size_t n)
{
	KERN_STORES(p, n);
	if (n >= KERN_KEY_BYTES && kern_host->kh_follows)
		kern_clearing(p, n);
	__builtin_memset(p, c, n);
	/* What is cleared last is not read again. */
	__asm__ volatile("" : : "r"(p) : "memory");
	return (p);
}
#define	memcpy(d, s, n)		kern_memcpy(d, s, n)
#define	memmove(d, s, n)	kern_memcpy(d, s, n)
#define	bcopy(s, d, n)		((void)kern_memcpy(d, s, n))
#define	explicit_bzero(p, n)	((void)kern_memset(p, 0, n))
#ifdef KERNEL_SIMULATED
/*
 * The compiler drops a memset() where a kernel's would.  What is then left of
 * a key is found by its bytes.
 */
KERN_PLAIN __noinline void kern_filling(void *, size_t);
static __always_inline void *
kern_fill(void *p, int c, size_t n)
{
	kern_filling(p, n);
	return (__builtin_memset(p, c, n));
}
#define	memset(p, c, n)		kern_fill(p, c, n)
#else
#define	memset(p, c, n)		kern_memset(p, c, n)
#endif
#define	bzero(p, n)		((void)memset(p, 0, n))

enum { ZERO_REGION_SIZE = 64 * 1024 };
extern const uint8_t kern_zeros[ZERO_REGION_SIZE];
#define	zero_region		((const void *)kern_zeros)
#define	hz			1000

/* sys/endian.h */
#define	_BYTE_ORDER		__BYTE_ORDER__
#define	LITTLE_ENDIAN		__ORDER_LITTLE_ENDIAN__
#define	BIG_ENDIAN		__ORDER_BIG_ENDIAN__
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define	KERN_ORDER(little, big)	little
#else
#define	KERN_ORDER(little, big)	big
#endif
#define	htole16(x)	KERN_ORDER(((uint16_t)(x)), __builtin_bswap16(x))
#define	htole32(x)	KERN_ORDER(((uint32_t)(x)), __builtin_bswap32(x))
#define	htole64(x)	KERN_ORDER(((uint64_t)(x)), __builtin_bswap64(x))
#define	htobe32(x)	KERN_ORDER(__builtin_bswap32(x), ((uint32_t)(x)))
#define	htobe64(x)	KERN_ORDER(__builtin_bswap64(x), ((uint64_t)(x)))
#define	KERN_CODEC(order, bits)						\
static __always_inline uint##bits##_t						\
order##bits##dec(const void *p)						\
{									\
	uint##bits##_t v;						\
									\
	__builtin_memcpy(&v, p, sizeof(v));				\
	return (hto##order##bits(v));					\
}									\
									\
static __always_inline void						\
order##bits##enc(void *p, uint##bits##_t v)				\
{									\
	v = hto##order##bits(v);					\
	__builtin_memcpy(p, &v, sizeof(v));				\
}
KERN_CODEC(le, 16) KERN_CODEC(le, 32) KERN_CODEC(le, 64) KERN_CODEC(be, 32)
KERN_CODEC(be, 64)

/* sys/time.h, machine/cpu.h */
#define	SBT_1S			((sbintime_t)1 << 32)
#define	SBT_1M			(SBT_1S * 60)
#define	SBT_1MS			(SBT_1S / 1000)
#define	SBT_1US			(SBT_1S / 1000000)
#define	SBT_1NS			(SBT_1S / 1000000000)
#define	SBT_MAX			INT64_MAX
#define	tick_sbt		(SBT_1S / hz)
#define	sbttons(t)		((int64_t)((1000000000 * (__int128)(t)) >> 32))

/* Whole milliseconds, so that 100 of them are not more than 0.1 s. */
KERN_CALL(sbintime_t, kern_sbt, (int64_t ns),
    ns / 1000000 * SBT_1MS + ns % 1000000 * SBT_1MS / 1000000)
/* Before r349154 the first reseed, too, is later than the pace. */
#ifdef RANDOM_READ_BLOCKS
#define	KERN_BOOT_NS		1000000000
#else
#define	KERN_BOOT_NS		0
#endif
KERN_CALL(sbintime_t, getsbinuptime, (void),
    kern_sbt(KERN_BOOT_NS + HOST(uptime_ns, true)))
KERN_CALL(sbintime_t, sbinuptime, (void), kern_sbt(HOST(uptime_ns, false)))
KERN_CALL(uint64_t, get_cyclecount, (void), HOST(cycles))
/* What a thread of its own CPU spins for may never come. */
#define	cpu_spinwait()		((void)KERN_HOLD(), kern_host->kh_pause(1))
#define	DELAY(us)		kern_host->kh_work((uint64_t)(us) * 1000)
KERN_CALL(time_t, kern_uptime_s, (void), HOST(uptime_ns, true) / 1000000000)
#define	time_uptime		kern_uptime_s()
/* It wraps a minute after boot; a kernel's after ten. */
#define	ticks			((int)((u_int)INT_MAX - 60 * (u_int)hz +	\
    (u_int)(getsbinuptime() / (SBT_1S / hz))))
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; long tv_usec; };
struct bintime { time_t sec; uint64_t frac; };
KERN_CALL(sbintime_t, nstosbt, (int64_t ns),
    (sbintime_t)((((__int128)ns << 32) + 999999999) / 1000000000))
KERN_CALL(sbintime_t, ustosbt, (int64_t us), nstosbt(us * 1000))
KERN_CALL(sbintime_t, mstosbt, (int64_t ms), nstosbt(ms * 1000000))
#define	sbintime_getsec(t)	((int)((t) >> 32))
KERN_CALL(int64_t, sbttous, (sbintime_t t), sbttons(t) / 1000)
KERN_CALL(int64_t, sbttoms, (sbintime_t t), sbttons(t) / 1000000)
KERN_CALL(struct timespec, sbttots, (sbintime_t t), ((struct timespec){ t >> 32,
    (long)(sbttons(t) % 1000000000) }))
KERN_CALL(struct timeval, sbttotv, (sbintime_t t), ((struct timeval){ t >> 32,
    (long)(sbttous(t) % 1000000) }))
KERN_CALL(struct bintime, sbttobt, (sbintime_t t), ((struct bintime){ t >> 32,
    (uint64_t)t << 32 }))
KERN_CALL(sbintime_t, tstosbt, (struct timespec ts),
    (ts.tv_sec << 32) + nstosbt(ts.tv_nsec))
KERN_CALL(sbintime_t, tvtosbt, (struct timeval tv),
    (tv.tv_sec << 32) + ustosbt(tv.tv_usec))
KERN_CALL(sbintime_t, bttosbt, (struct bintime bt),
    (bt.sec << 32) + (sbintime_t)(bt.frac >> 32))
KERN_CALL(int, ratecheck, (struct timeval *last, const struct timeval *least),
    tvtosbt(*last) != 0 && sbinuptime() - tvtosbt(*last) < tvtosbt(*least) ?
    0 : (*last = sbttotv(MAX(sbinuptime(), SBT_1MS)), 1))
KERN_CALL(int, ppsratecheck, (struct timeval *last, int *n, int most),
    (*n = ratecheck(last, &(struct timeval){ 1, 0 }) ? 1 : *n + 1,
    most < 0 || *n <= most))
/* The time of day is the uptime, but set an hour on and back now and then. */
KERN_CALL(sbintime_t, kern_day, (sbintime_t t), t + t / (SBT_1S / 8) % 2 * 60 *
    SBT_1M)
#define	time_second		((time_t)(kern_day(getsbinuptime()) >> 32))
#define	KERN_CLOCK(name, sbt, type, convert)				\
KERN_CALL(void, name, (struct type *to), (void)(*to = convert(sbt)))
#define	KERN_CLOCKS(p, sbt)						\
KERN_CLOCK(p##nanouptime, sbt(), timespec, sbttots)			\
KERN_CLOCK(p##microuptime, sbt(), timeval, sbttotv)			\
KERN_CLOCK(p##binuptime, sbt(), bintime, sbttobt)			\
KERN_CLOCK(p##nanotime, kern_day(sbt()), timespec, sbttots)		\
KERN_CLOCK(p##microtime, kern_day(sbt()), timeval, sbttotv)		\
KERN_CLOCK(p##bintime, kern_day(sbt()), bintime, sbttobt)
KERN_CLOCKS(, sbinuptime)
KERN_CLOCKS(get, getsbinuptime)

/* sys/kernel.h: SI_SUB_ and SI_ORDER_ in the kernel's order */
enum sysinit_sub_id { SI_SUB_DUMMY, SI_SUB_TUNABLES, SI_SUB_COPYRIGHT, SI_SUB_VM,
    SI_SUB_COUNTER, SI_SUB_KMEM, SI_SUB_WITNESS, SI_SUB_MTX_POOL_DYNAMIC,
    SI_SUB_LOCK, SI_SUB_EVENTHANDLER, SI_SUB_KLD, SI_SUB_CPU, SI_SUB_KDTRACE,
    SI_SUB_RANDOM, SI_SUB_MAC, SI_SUB_INTRINSIC, SI_SUB_VM_CONF,
    SI_SUB_RUN_QUEUE, SI_SUB_CREATE_INIT, SI_SUB_SCHED_IDLE, SI_SUB_MBUF,
    SI_SUB_INTR, SI_SUB_TASKQ, SI_SUB_EPOCH, SI_SUB_SMP, SI_SUB_SOFTINTR,
    SI_SUB_DEVFS, SI_SUB_DRIVERS, SI_SUB_CONFIGURE, SI_SUB_VFS, SI_SUB_CLOCKS,
    SI_SUB_PSEUDO, SI_SUB_EXEC, SI_SUB_KICK_SCHEDULER, SI_SUB_ROOT_CONF,
    SI_SUB_INTRINSIC_POST, SI_SUB_SYSCALLS, SI_SUB_KTHREAD_INIT,
    SI_SUB_KTHREAD_IDLE, SI_SUB_LAST };
/* 0; ends the run if boot has not come to what that needs. */
int	kern_booted(enum sysinit_sub_id, const char *, const char *, int);
#define	KERN_BOOTED(sub, what)						\
	kern_booted(sub, what " too early in boot: before " #sub,	\
	    __FILE__, __LINE__)
enum sysinit_elem_order { SI_ORDER_FIRST, SI_ORDER_SECOND, SI_ORDER_THIRD,
    SI_ORDER_FOURTH, SI_ORDER_MIDDLE, SI_ORDER_ANY };
#define	KERN_SYSINIT(name, sub, order, func, arg, uninit)		\
static const struct kern_sysinit kern_sysinit_##name			\
    __section("kern_sysinits") __used __aligned(8) = {			\
	sub, order, uninit,						\
	__builtin_strcmp(#name, "un_random_device_h_init") == 0,	\
	(void (*)(void *))(void (*)(void))func,				\
	__DECONST(void *, arg) }
#define	SYSINIT(name, sub, order, func, arg)				\
KERN_SYSINIT(name, sub, order, func, arg, false)
#define	SYSUNINIT(name, sub, order, func, arg)				\
KERN_SYSINIT(un_##name, sub, order, func, arg, true)
/* The same of a statement. */
#define	KERN_RUN(name, sub, order, uninit, ...)				\
static void								\
kern_run_##name(void *kern_arg __unused)				\
{									\
	__VA_ARGS__;							\
}									\
KERN_SYSINIT(name, sub, order, kern_run_##name, NULL, uninit)

/* sys/malloc.h */
struct malloc_type { const char *ks_shortdesc; };
#define	MALLOC_DECLARE(type)	extern struct malloc_type type[1]
#define	MALLOC_DEFINE(type, shortdesc, longdesc)			\
	struct malloc_type type[1] = { { shortdesc } }
enum { M_NOWAIT = 1, M_WAITOK = KERN_WAITOK, M_ZERO = KERN_ZERO, M_NOVM = 0x200,
    M_USE_RESERVE = 0x400, M_NODUMP = 0x800, M_FIRSTFIT = 0x1000,
    M_BESTFIT = 0x2000, M_EXEC = 0x4000, M_NEXTFIT = 0x8000 };
MALLOC_DECLARE(M_TEMP);
MALLOC_DECLARE(M_DEVBUF);
MALLOC_DECLARE(M_CACHE);
#define	malloc(size, type, flags)					\
	((void)(type), HOST(malloc, size, flags, KERN_SITE()))
#define	KERN_MAY_WAIT(flags)	(((flags) & M_WAITOK) != 0 ?		\
	HOST(may_sleep, KERN_SITE(), "malloc(M_WAITOK)") :		\
	HOST(may_block, KERN_SITE(), "malloc(M_NOWAIT)"))
#define	free(p, type)			HOST(free, p, 0, KERN_SITE())
#define	zfree(p, type)			HOST(free, p, KERN_ZERO, KERN_SITE())
/* sys/domainset.h, vm/vm_phys.h: memory is of one domain */
struct domainset;
#define	VM_DOMAIN_EMPTY(domain)		((void)(domain), false)
#define	DOMAINSET_PREF(domain)		NULL
#define	malloc_domainset(size, type, ds, flags)				\
	((void)(ds), malloc(size, type, flags))

/* sys/fail.h, sys/sdt.h */
#define	DEBUG_FP		0
#define	KFAIL_POINT_CODE(parent, name, ...) do {			\
	static const char *const kern_point				\
	    __section("kern_points") __used __aligned(8) = #name;	\
	const int RETURN_VALUE = HOST(failpoint, kern_point);		\
									\
	if (__predict_false(RETURN_VALUE != 0))				\
		{ __VA_ARGS__ }						\
} while (0)
#define	KFAIL_POINT_RETURN(parent, name)				\
	KFAIL_POINT_CODE(parent, name, return (RETURN_VALUE);)
#define	KFAIL_POINT_ERROR(parent, name, var)				\
	KFAIL_POINT_CODE(parent, name, (var) = RETURN_VALUE;)
#define	SDT_PROBE_DEFINE(...)		struct kern_hack
#define	SDT_PROBES_ENABLED()		0
#define	SDT_PROBE(...)			((void)0)

/*
 * No kernel has these.  Writes that many cache lines, fetched as one; works for
 * that many ns, or a time that is drawn with that mean.
 */
KERN_INLINE void
kern_touch(void *p, u_int lines)
{
	if (lines > 0)
		kern_host->kh_touch(p, lines);
	for (u_int i = 0; i < lines; i++)
		__atomic_store_n((uint64_t *)p + i * CACHE_LINE_SIZE / 8, i + 1,
		    __ATOMIC_RELAXED);
}
#define	kern_hold(ns, drawn)	HOST(hold, ns, drawn)

#include <kern_bits.h>
#include <kern_mutex.h>
#include <kern_sched.h>
#include <kern_sysctl.h>
#include <kern_queue.h>
#include <kern_dev.h>
#include <kern_atomic.h>
#include <kern_lock.h>
#include <kern_epoch.h>
#include <kern_task.h>
#include <kern_mem.h>
#include <kern_alias.h>

#ifndef KERN_CRYPTO_SOURCE
#include <kern_crypto.h>
#endif
