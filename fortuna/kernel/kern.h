/*
 * The kernel's interfaces, for a source compiled by "rngsim kernel": this one
 * header stands for all that headers.tbl lists.  What it defines as a function
 * is served by the program, over struct kernel_host.
 *
 * An interface that is missing: define it here, and add its header's name to
 * headers.tbl.  What needs types of the source's tree is in glue.c.
 */
#ifndef KERN_H
#define KERN_H

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

static const struct kernel_host *kern_host;
#define	HOST(f, ...)	(kern_host->kh_##f(kern_host->kh_self, ##__VA_ARGS__))
#ifdef KERNEL_SIMULATED
#define	KERN_LOADS(p, n)	HOST(access, p, n, false)
#define	KERN_STORES(p, n)	HOST(access, p, n, true)
#else
#define	KERN_LOADS(p, n)	((void)0)
#define	KERN_STORES(p, n)	((void)0)
#endif

/* A function of the kernel that is one expression here. */
#define	KERN_CALL(type, name, args, value)				\
KERN_PLAIN static __inline type name args { return (value); }

/* sys/cdefs.h, sys/types.h, sys/limits.h */
#define	__FBSDID(x)		struct kern_hack
#define	__BEGIN_DECLS
#define	__END_DECLS
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
#define	__read_frequently
#define	__read_mostly
#define	__exclusive_cache_line	__aligned(CACHE_LINE_SIZE)
#define	__DECONST(type, v)	((type)(uintptr_t)(const void *)(v))
#define	__DEVOLATILE(type, v)	((type)(uintptr_t)(volatile void *)(v))
#define	__containerof(p, s, m)						\
	((s *)(void *)((char *)(p) - offsetof(s, m)))
#define	__compiler_membar()	__asm__ volatile("" : : : "memory")
#define	__diagused		__unused
#define	__min_size(x)		static (x)

typedef unsigned char	u_char;
typedef unsigned short	u_short;
typedef unsigned int	u_int;
typedef unsigned long	u_long;
typedef uint8_t		u_int8_t;
typedef uint16_t	u_int16_t;
typedef uint32_t	u_int32_t;
typedef uint64_t	u_int64_t;
typedef int64_t		sbintime_t;
typedef int64_t		time_t;
typedef intptr_t	ssize_t;

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

/* sys/errno.h: the kernel's numbers */
enum { EPERM = 1, ENOENT = 2, EINTR = 4, EIO = 5, E2BIG = 7, EAGAIN = 35,
    ENOMEM = 12, EFAULT = 14, EBUSY = 16, EINVAL = 22, EWOULDBLOCK = 35,
    EOPNOTSUPP = 45 };

/* sys/systm.h, sys/kassert.h, sys/libkern.h */
#define	CTASSERT(x)		_Static_assert(x, #x)
#define	panic(...)		kern_panic(__FILE__, __LINE__, __VA_ARGS__)
#define	KASSERT(exp, msg) do {						\
	if (__predict_false(!(exp)))					\
		panic msg;						\
} while (0)
#define	MPASS(exp)							\
	KASSERT(exp, ("Assertion %s failed at %s:%d", #exp, __FILE__, __LINE__))
#define	printf(...)		((void)sizeof(kern_format(__VA_ARGS__)))

int	kern_format(const char *, ...) __printflike(1, 2);
int	vsnprintf(char *, size_t, const char *, va_list);
int	snprintf(char *, size_t, const char *, ...) __printflike(3, 4);
int	memcmp(const void *, const void *, size_t);
size_t	strlen(const char *);
int	strcmp(const char *, const char *);
KERN_CALL(int, nullop, (void), 0)

static __dead2 __printflike(3, 4) void
kern_panic(const char *file, int line, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	HOST(panic, file, line, text);
	__builtin_unreachable();
}

/* Where nothing is known of its arguments it cannot become a memcpy(). */
KERN_PLAIN KERN_OPAQUE static void *
kern_move(void *to, const void *from, size_t n)
{
	return (__builtin_memmove(to, from, n));
}

KERN_PLAIN static __inline void *
kern_memcpy(void *to, const void *from, size_t n)
{
	if (n >= KERNEL_KEY_BYTES)
		HOST(copying, to, from, n);
	KERN_LOADS(from, n);
	KERN_STORES(to, n);
	return (kern_move(to, from, n));
}

KERN_PLAIN static __inline void *
kern_memset(void *p, int c, size_t n)
{
	if (n >= KERNEL_CIPHER_STATE)
		HOST(clearing, p);
	KERN_STORES(p, n);
	__builtin_memset(p, c, n);
	/* What is cleared last is not read again. */
	__asm__ volatile("" : : "r"(p) : "memory");
	return (p);
}
#define	memcpy(d, s, n)		kern_memcpy(d, s, n)
#define	memmove(d, s, n)	kern_memcpy(d, s, n)
#define	bcopy(s, d, n)		((void)kern_memcpy(d, s, n))
#define	memset(p, c, n)		kern_memset(p, c, n)
#define	bzero(p, n)		((void)kern_memset(p, 0, n))
#define	explicit_bzero(p, n)	((void)kern_memset(p, 0, n))

enum { ZERO_REGION_SIZE = 64 * 1024 };
static const uint8_t kern_zeros[ZERO_REGION_SIZE];
#define	zero_region		((const void *)kern_zeros)
#define	hz			1000

#define	critical_enter()	((void)0)
#define	critical_exit()		((void)0)
#define	sched_pin()		((void)0)
#define	sched_unpin()		((void)0)

/* sys/endian.h */
#define	_BYTE_ORDER		__BYTE_ORDER__
#define	BYTE_ORDER		__BYTE_ORDER__
#define	LITTLE_ENDIAN		__ORDER_LITTLE_ENDIAN__
#define	BIG_ENDIAN		__ORDER_BIG_ENDIAN__
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define	htole16(x)		((uint16_t)(x))
#define	htole32(x)		((uint32_t)(x))
#define	htole64(x)		((uint64_t)(x))
#define	htobe32(x)		__builtin_bswap32(x)
#define	htobe64(x)		__builtin_bswap64(x)
#else
#define	htole16(x)		__builtin_bswap16(x)
#define	htole32(x)		__builtin_bswap32(x)
#define	htole64(x)		__builtin_bswap64(x)
#define	htobe32(x)		((uint32_t)(x))
#define	htobe64(x)		((uint64_t)(x))
#endif
#define	KERN_CODEC(order, bits)						\
static __inline uint##bits##_t						\
order##bits##dec(const void *p)						\
{									\
	uint##bits##_t v;						\
									\
	__builtin_memcpy(&v, p, sizeof(v));				\
	return (hto##order##bits(v));					\
}									\
									\
static __inline void							\
order##bits##enc(void *p, uint##bits##_t v)				\
{									\
	v = hto##order##bits(v);					\
	__builtin_memcpy(p, &v, sizeof(v));				\
}
KERN_CODEC(le, 16)
KERN_CODEC(le, 32)
KERN_CODEC(le, 64)
KERN_CODEC(be, 32)
KERN_CODEC(be, 64)
#define	le32toh(x)		htole32(x)
#define	le64toh(x)		htole64(x)

/* sys/time.h, machine/cpu.h */
#define	SBT_1S			((sbintime_t)1 << 32)
#define	SBT_1M			(SBT_1S * 60)
#define	SBT_1MS			(SBT_1S / 1000)
#define	SBT_1US			(SBT_1S / 1000000)
#define	sbttons(t)		((int64_t)((1000000000 * (__int128)(t)) >> 32))

/* Whole milliseconds, so that 100 of them are not more than 0.1 s. */
KERN_CALL(sbintime_t, kern_sbt, (int64_t ns),
    ns / 1000000 * SBT_1MS + ns % 1000000 * SBT_1MS / 1000000)
KERN_CALL(sbintime_t, getsbinuptime, (void), kern_sbt(HOST(uptime_ns, true)))
KERN_CALL(sbintime_t, sbinuptime, (void), kern_sbt(HOST(uptime_ns, false)))
KERN_CALL(uint64_t, get_cyclecount, (void), HOST(cycles))
#define	cpu_spinwait()		HOST(pause)
#define	time_uptime		((time_t)(getsbinuptime() >> 32))
#define	ticks			((int)(getsbinuptime() / (SBT_1S / hz)))

/* sys/kernel.h: SI_SUB_ and SI_ORDER_ in the kernel's order */
enum sysinit_sub_id { SI_SUB_TUNABLES, SI_SUB_LOCK, SI_SUB_CPU, SI_SUB_RANDOM,
    SI_SUB_TASKQ, SI_SUB_DRIVERS, SI_SUB_EXEC, SI_SUB_SMP, SI_SUB_LAST };
enum sysinit_elem_order { SI_ORDER_FIRST, SI_ORDER_SECOND, SI_ORDER_THIRD,
    SI_ORDER_FOURTH, SI_ORDER_MIDDLE, SI_ORDER_ANY };
struct kern_sysinit {
	enum sysinit_sub_id	ki_sub;
	enum sysinit_elem_order	ki_order;
	void			(*ki_func)(void *);
	void			*ki_arg;
};
#define	SYSINIT(name, sub, order, func, arg)				\
static const struct kern_sysinit kern_sysinit_##name			\
    __section("kern_sysinit") __used __aligned(8) = {			\
	sub, order, (void (*)(void *))(void (*)(void))func,		\
	__DECONST(void *, arg) }
#define	SYSUNINIT(name, sub, order, func, arg)				\
	struct kern_hack

/* sys/malloc.h */
struct malloc_type { const char *ks_shortdesc; };
#define	MALLOC_DECLARE(type)	extern struct malloc_type type[1]
#define	MALLOC_DEFINE(type, shortdesc, longdesc)			\
	struct malloc_type type[1] = { { shortdesc } }
enum { M_NOWAIT = 1, M_WAITOK = 2, M_ZERO = 0x100 };
#define	malloc(size, type, flags)					\
	HOST(malloc, size, ((flags) & M_ZERO) != 0)
#define	free(p, type)			HOST(free, p)
#define	zfree(p, type)			HOST(free, p)
/* sys/domainset.h, vm/vm_phys.h: memory is of one domain */
struct domainset;
#define	VM_DOMAIN_EMPTY(domain)		((void)(domain), false)
#define	DOMAINSET_PREF(domain)		NULL
#define	DOMAINSET_FIXED(domain)		NULL
#define	malloc_domainset(size, type, ds, flags)				\
	((void)(ds), malloc(size, type, flags))

/* sys/mutex.h, sys/lock.h */
enum { MTX_DEF = 0, MTX_SPIN = 1, MTX_RECURSE = 4, MTX_NOWITNESS = 8,
    MTX_DUPOK = 0x20, MTX_NEW = 0x40, MTX_NOPROFILE = 0x80 };
enum { MA_OWNED = 1, MA_NOTOWNED = 2 };
struct lock_object { const char *lo_name; };
struct mtx {
	struct lock_object	lock_object;
	void			*mtx_lock;	/* the program's */
};
/* The site of a call; of calls that lock in an array for the program. */
#define	KERN_SITE(...) ({						\
	static const struct kernel_site kern_site __VA_ARGS__ =		\
	    { __FILE__, __LINE__ };					\
	&kern_site;							\
})
#define	KERN_LOCK(m, try)						\
	kern_lock(m, KERN_SITE(__section("kern_sites") __used __aligned(8)), \
	    try)
#define	mtx_lock(m)		((void)KERN_LOCK(m, false))
#define	mtx_lock_spin(m)	mtx_lock(m)
#define	mtx_trylock(m)		KERN_LOCK(m, true)
#define	mtx_trylock_spin(m)	KERN_LOCK(m, true)
#define	mtx_unlock(m)		kern_unlock(m, KERN_SITE())
#define	mtx_unlock_spin(m)	mtx_unlock(m)
#define	mtx_assert(m, what)	kern_assert(m, what, __FILE__, __LINE__)
#define	mtx_initialized(m)	((m)->mtx_lock != NULL)
#define	mtx_owned(m)		HOST(owned, (m)->mtx_lock)
KERN_CALL(bool, kern_lock, (struct mtx *m, const struct kernel_site *site,
    bool try), HOST(lock, m->mtx_lock, site, try))
KERN_CALL(void, kern_unlock, (struct mtx *m, const struct kernel_site *site),
    HOST(unlock, m->mtx_lock, site))
KERN_CALL(void, mtx_destroy, (struct mtx *m), HOST(lock_free, m->mtx_lock))

KERN_PLAIN static __inline void
mtx_init(struct mtx *m, const char *name, const char *type __unused, int opts)
{
	m->lock_object.lo_name = name;
	m->mtx_lock = HOST(lock_new, name, (opts & MTX_SPIN) != 0 ?
	    KERNEL_LOCK_SPIN : 0, m);
	if (m->mtx_lock == NULL)
		panic("no memory for mutex %s", name);
}

KERN_PLAIN static __inline void
kern_assert(const struct mtx *m, int what, const char *file, int line)
{
	if (mtx_owned(m) != ((what & MA_OWNED) != 0))
		kern_panic(file, line, "mutex %s %s", m->lock_object.lo_name,
		    (what & MA_OWNED) != 0 ? "not owned" : "owned");
}

#define	MTX_SYSINIT(name, mtx, desc, opts)				\
static void								\
kern_mtx_##name(void *arg __unused)					\
{									\
	mtx_init(mtx, desc, NULL, opts);				\
}									\
SYSINIT(mtx_##name, SI_SUB_LOCK, SI_ORDER_MIDDLE, kern_mtx_##name, NULL)
/* sys/sysctl.h */
#define	OID_AUTO		(-1)
enum { CTLTYPE_NODE = 1, CTLTYPE_INT = 2, CTLTYPE_STRING = 3, CTLTYPE_U8 = 0xa,
    CTLTYPE_UINT = 6, CTLTYPE = 0xf, CTLFLAG_RD = 0x80000000u,
    CTLFLAG_WR = 0x40000000, CTLFLAG_RW = 0xc0000000u, CTLFLAG_TUN = 0x80000,
    CTLFLAG_RDTUN = 0x80080000u, CTLFLAG_RWTUN = 0xc0080000u,
    CTLFLAG_MPSAFE = 0x40000, CTLFLAG_NOFETCH = 0x200, CTLFLAG_SKIP = 0x1000000,
    CTLFLAG_STATS = 0x2000 };
struct sysctl_ctx_list { int unused; };
struct sysctl_oid_list { const char *path; };
struct sysctl_req { const int64_t *newptr; };
struct sysctl_oid;
#define	SYSCTL_HANDLER_ARGS						\
	struct sysctl_oid *oidp, void *arg1, intmax_t arg2,		\
	struct sysctl_req *req
struct sysctl_oid {
	const char	*oid_parent;	/* as in _kern_random, or a path */
	const char	*oid_name;
	unsigned	 oid_kind;
	void		*oid_arg1;
	intmax_t	 oid_arg2;
	int		(*oid_handler)(SYSCTL_HANDLER_ARGS);
	const char	*oid_descr;
};
#define	SYSCTL_DECL(name)	extern struct sysctl_oid_list sysctl_##name
#define	SYSCTL_STATIC_CHILDREN(name)	(&(struct sysctl_oid_list){ #name })
#define	SYSCTL_CHILDREN(oid)						\
	(&(struct sysctl_oid_list){ kern_sysctl_path(oid) })
#define	KERN_SYSCTL(parent, name, kind, arg1, arg2, handler, descr)	\
static struct sysctl_oid kern_sysctl_##parent##_##name			\
    __section("kern_sysctls") __used __aligned(8) = {			\
	#parent, #name, (unsigned)(kind), arg1, arg2, handler, descr }
#define	SYSCTL_NODE(parent, nbr, name, access, handler, descr)		\
	KERN_SYSCTL(parent, name, CTLTYPE_NODE, NULL, 0, NULL, descr)
#define	KERN_SYSCTL_OF(parent, name, type, access, ptr, handler, descr)	\
	KERN_SYSCTL(parent, name, CTLTYPE_##type | (unsigned)(access), ptr, 0, \
	    sysctl_handle_##handler, descr)
#define	SYSCTL_BOOL(parent, nbr, name, access, ptr, val, descr)		\
	KERN_SYSCTL_OF(parent, name, U8, access, ptr, bool, descr)
#define	SYSCTL_INT(parent, nbr, name, access, ptr, val, descr)		\
	KERN_SYSCTL_OF(parent, name, INT, access, ptr, int, descr)
#define	SYSCTL_UINT(parent, nbr, name, access, ptr, val, descr)		\
	KERN_SYSCTL_OF(parent, name, UINT, access, ptr, int, descr)
#define	SYSCTL_PROC(parent, nbr, name, access, ptr, arg, handler, fmt, descr) \
	KERN_SYSCTL(parent, name, access, ptr, arg, handler, descr)
#define	SYSCTL_ADD_NODE(ctx, parent, nbr, name, access, handler, descr)	\
	kern_sysctl_add(parent, name, CTLTYPE_NODE, NULL, 0, NULL, descr)
#define	KERN_SYSCTL_ADD(parent, name, type, access, ptr, handler, descr) \
	kern_sysctl_add(parent, name, CTLTYPE_##type | (unsigned)(access), \
	    ptr, 0, sysctl_handle_##handler, descr)
#define	SYSCTL_ADD_BOOL(ctx, parent, nbr, name, access, ptr, val, descr) \
	KERN_SYSCTL_ADD(parent, name, U8, access, ptr, bool, descr)
#define	SYSCTL_ADD_INT(ctx, parent, nbr, name, access, ptr, val, descr)	\
	KERN_SYSCTL_ADD(parent, name, INT, access, ptr, int, descr)
#define	SYSCTL_ADD_UINT(ctx, parent, nbr, name, access, ptr, val, descr) \
	KERN_SYSCTL_ADD(parent, name, UINT, access, ptr, int, descr)
#define	SYSCTL_ADD_PROC(ctx, parent, nbr, name, access, ptr, arg, handler, \
	    fmt, descr)							\
	kern_sysctl_add(parent, name, (unsigned)(access), ptr, arg, handler, \
	    descr)
#define	sysctl_ctx_init(ctx)	(0)
#define	sysctl_ctx_free(ctx)	(0)
int	sysctl_handle_int(SYSCTL_HANDLER_ARGS);
int	sysctl_handle_bool(SYSCTL_HANDLER_ARGS);
const char *kern_sysctl_path(const struct sysctl_oid *);
struct sysctl_oid *kern_sysctl_add(struct sysctl_oid_list *, const char *,
	    unsigned, void *, intmax_t, int (*)(SYSCTL_HANDLER_ARGS),
	    const char *);
#define	TUNABLE_INT(path, ptr)						\
static struct sysctl_oid __CONCAT(kern_tunable_, __LINE__)		\
    __section("kern_sysctls") __used __aligned(8) = {			\
	"", path, CTLTYPE_INT | CTLFLAG_RDTUN, ptr, 0, sysctl_handle_int, "" }

/* sys/fail.h, sys/sdt.h */
#define	DEBUG_FP		0
#define	KFAIL_POINT_CODE(parent, name, ...) do {			\
	const int RETURN_VALUE = HOST(failpoint, #name);		\
									\
	if (__predict_false(RETURN_VALUE != 0))				\
		__VA_ARGS__						\
} while (0)
#define	SDT_PROVIDER_DECLARE(p)		struct kern_hack
#define	SDT_PROVIDER_DEFINE(p)		struct kern_hack
#define	SDT_PROBE_DEFINE(...)		struct kern_hack
#define	SDT_PROBE_DEFINE1		SDT_PROBE_DEFINE
#define	SDT_PROBE_DEFINE2		SDT_PROBE_DEFINE
#define	SDT_PROBE_DEFINE3		SDT_PROBE_DEFINE
#define	SDT_PROBE_DEFINE4		SDT_PROBE_DEFINE
#define	SDT_PROBE(...)			((void)0)
#define	SDT_PROBE1			SDT_PROBE
#define	SDT_PROBE2			SDT_PROBE
#define	SDT_PROBE3			SDT_PROBE
#define	SDT_PROBE4			SDT_PROBE

/* sys/proc.h, sys/smp.h, sys/pcpu.h: a CPU's part has lines of its own */
struct thread;
KERN_CALL(int, kern_curcpu, (void), (int)HOST(cpu))
KERN_CALL(int, kern_ncpus, (void), (int)kern_host->kh_cpus)
#define	curcpu			kern_curcpu()
#define	mp_ncpus		kern_ncpus()
#define	mp_maxid		(mp_ncpus - 1)
#define	CPU_ABSENT(i)		((u_int)(i) >= (u_int)mp_ncpus)
#define	CPU_FOREACH(i)		for ((i) = 0; (i) < mp_ncpus; (i)++)
#define	DPCPU_DEFINE(type, name)					\
	struct { __aligned(CACHE_LINE_SIZE) __typeof__(type) v; }	\
	    dpcpu_##name[MAXCPU]
#define	DPCPU_DEFINE_STATIC(type, name)	static DPCPU_DEFINE(type, name)
#define	DPCPU_ID_PTR(i, name)	(&dpcpu_##name[i].v)
#define	DPCPU_PTR(name)		DPCPU_ID_PTR(curcpu, name)
#define	DPCPU_GET(name)		(*DPCPU_PTR(name))
#define	DPCPU_SET(name, x)	(*DPCPU_PTR(name) = (x))
#define	DPCPU_ZERO(name) do {						\
	for (int kern_i = 0; kern_i < mp_ncpus; kern_i++)		\
		bzero(DPCPU_ID_PTR(kern_i, name), sizeof(dpcpu_##name[0].v)); \
} while (0)
/* A CPU's dynamic part is its number. */
struct pcpu { int pc_dynamic, pc_domain; };
#define	get_pcpu()		(&(struct pcpu){ curcpu, 0 })
#define	_DPCPU_PTR(i, name)	DPCPU_ID_PTR(i, name)

/* sys/taskqueue.h: the program's timer runs tasks; sys/vdso.h */
struct timeout_task {
	void		(*tt_func)(void *, int);
	void		*tt_context;
	sbintime_t	 tt_delay;	/* since the timer runs next; 0: none */
	int64_t		 tt_due_ns;	/* the timer's; 0: none */
};
enum { KERN_TASKS_MAX = 8 };
static struct timeout_task *kern_task[KERN_TASKS_MAX];
#define	C_PREL(x)			0
#define	TIMEOUT_TASK_INIT(queue, task, priority, func, context)		\
	kern_task_init(task, func, context)
#define	taskqueue_enqueue_timeout_sbt(queue, task, sbt, precision, flags) \
	kern_task_after(task, sbt)
#define	fxrng_push_seed_generation(generation)	((void)(generation))
/* Any thread sets tt_delay, and the timer the rest. */
KERN_CALL(void, kern_task_after, (struct timeout_task *tt, sbintime_t sbt),
    __atomic_store_n(&tt->tt_delay, sbt < 0 ? -sbt : sbt, __ATOMIC_RELEASE))

static void
kern_task_init(struct timeout_task *tt, void (*func)(void *, int),
    void *context)
{
	unsigned i;

	for (i = 0; i < KERN_TASKS_MAX && kern_task[i] != NULL; i++)
		continue;
	if (i == KERN_TASKS_MAX)
		panic("more than %d tasks", KERN_TASKS_MAX);
	*tt = (struct timeout_task){ func, context, 0, 0 };
	kern_task[i] = tt;
}

#include <kern_atomic.h>

/* sys/bitset.h */
#define	BITSET_DEFINE(name, size)					\
struct name { u_long __bits[howmany(size, 64)]; }
#define	__bitset_word(size, i)	((i) / 64)

#ifndef KERN_CRYPTO_SOURCE
#include <kern_crypto.h>
#endif

#endif
