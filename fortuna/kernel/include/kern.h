/*
 * The kernel's interfaces, for a source compiled by "rngsim kernel": this one
 * header stands for all that are listed in include/.  Functions without a body
 * here are in fortuna/kernel/glue.c.
 *
 * An interface that is missing: declare it here, define it in the glue, and add
 * a one-line header of its name if it has one of its own.
 */
#ifndef KERN_H
#define KERN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"

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
#define	memcpy(d, s, n)		kern_memcpy(d, s, n)
#define	memmove(d, s, n)	kern_memcpy(d, s, n)
#define	bcopy(s, d, n)		((void)kern_memcpy(d, s, n))
#define	memset(p, c, n)		kern_memset(p, c, n)
#define	bzero(p, n)		((void)kern_memset(p, 0, n))
#define	explicit_bzero(p, n)	((void)kern_memset(p, 0, n))

int	kern_format(const char *, ...) __printflike(1, 2);
void	kern_panic(const char *, int, const char *, ...) __printflike(3, 4)
	    __dead2;
void	*kern_memcpy(void *, const void *, size_t);
void	*kern_memset(void *, int, size_t);
int	memcmp(const void *, const void *, size_t);
size_t	strlen(const char *);
int	strcmp(const char *, const char *);
int	snprintf(char *, size_t, const char *, ...) __printflike(3, 4);

extern const void *const zero_region;
enum { ZERO_REGION_SIZE = 64 * 1024 };
extern int hz;

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
	v = hto##order##bits(v);						\
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
sbintime_t getsbinuptime(void);
sbintime_t sbinuptime(void);
uint64_t get_cyclecount(void);
void	cpu_spinwait(void);
#define	time_uptime		((time_t)(getsbinuptime() >> 32))
#define	ticks			((int)(getsbinuptime() / (SBT_1S / hz)))

/* sys/kernel.h: SI_SUB_ and SI_ORDER_ in the kernel's order */
enum sysinit_sub_id { SI_SUB_TUNABLES, SI_SUB_LOCK, SI_SUB_CPU, SI_SUB_RANDOM,
    SI_SUB_DRIVERS, SI_SUB_SMP, SI_SUB_LAST };
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
#define	malloc(size, type, flags)	kern_malloc(size, flags)
#define	free(p, type)			kern_free(p)
#define	zfree(p, type)			kern_free(p)
void	*kern_malloc(size_t, int);
void	kern_free(void *);

/* sys/mutex.h, sys/lock.h */
enum { MTX_DEF = 0, MTX_SPIN = 1, MTX_RECURSE = 4, MTX_NOWITNESS = 8,
    MTX_DUPOK = 0x20, MTX_NEW = 0x40, MTX_NOPROFILE = 0x80 };
enum { MA_OWNED = 1, MA_NOTOWNED = 2 };
struct lock_object { const char *lo_name; };
struct mtx {
	struct lock_object	lock_object;
	void			*mtx_lock;	/* the program's */
};
/* The site of a call is a constant in an array that the program reads. */
#define	KERN_LOCK(f, m) ({						\
	static const struct kernel_site kern_site			\
	    __section("kern_sites") __used __aligned(8) =		\
	    { __FILE__, __LINE__ };					\
	f(m, &kern_site);						\
})
#define	mtx_lock(m)		KERN_LOCK(kern_lock, m)
#define	mtx_lock_spin(m)	KERN_LOCK(kern_lock, m)
#define	mtx_trylock(m)		KERN_LOCK(kern_trylock, m)
#define	mtx_trylock_spin(m)	KERN_LOCK(kern_trylock, m)
#define	mtx_unlock(m)		kern_unlock(m, __FILE__, __LINE__)
#define	mtx_unlock_spin(m)	kern_unlock(m, __FILE__, __LINE__)
#define	mtx_assert(m, what)	kern_assert(m, what, __FILE__, __LINE__)
#define	mtx_initialized(m)	((m)->mtx_lock != NULL)
#define	mtx_owned(m)		kern_owned(m)
#define	MTX_SYSINIT(name, mtx, desc, opts)				\
static void								\
kern_mtx_##name(void *arg __unused)					\
{									\
	mtx_init(mtx, desc, NULL, opts);				\
}									\
SYSINIT(mtx_##name, SI_SUB_LOCK, SI_ORDER_MIDDLE, kern_mtx_##name, NULL)
void	mtx_init(struct mtx *, const char *, const char *, int);
void	mtx_destroy(struct mtx *);
void	kern_lock(struct mtx *, const struct kernel_site *);
int	kern_trylock(struct mtx *, const struct kernel_site *);
void	kern_unlock(struct mtx *, const char *, int);
void	kern_assert(const struct mtx *, int, const char *, int);
int	kern_owned(const struct mtx *);

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
#define	SYSCTL_BOOL(parent, nbr, name, access, ptr, val, descr)		\
	KERN_SYSCTL(parent, name, CTLTYPE_U8 | (access), ptr, val,	\
	    sysctl_handle_bool, descr)
#define	SYSCTL_INT(parent, nbr, name, access, ptr, val, descr)		\
	KERN_SYSCTL(parent, name, CTLTYPE_INT | (access), ptr, val,	\
	    sysctl_handle_int, descr)
#define	SYSCTL_UINT(parent, nbr, name, access, ptr, val, descr)		\
	KERN_SYSCTL(parent, name, CTLTYPE_UINT | (access), ptr, val,	\
	    sysctl_handle_int, descr)
#define	SYSCTL_PROC(parent, nbr, name, access, ptr, arg, handler, fmt, descr) \
	KERN_SYSCTL(parent, name, access, ptr, arg, handler, descr)
#define	SYSCTL_ADD_NODE(ctx, parent, nbr, name, access, handler, descr)	\
	kern_sysctl_add(parent, name, CTLTYPE_NODE, NULL, 0, NULL, descr)
#define	SYSCTL_ADD_BOOL(ctx, parent, nbr, name, access, ptr, val, descr) \
	kern_sysctl_add(parent, name, CTLTYPE_U8 | (unsigned)(access), ptr, \
	    val, sysctl_handle_bool, descr)
#define	SYSCTL_ADD_INT(ctx, parent, nbr, name, access, ptr, val, descr)	\
	kern_sysctl_add(parent, name, CTLTYPE_INT | (unsigned)(access), ptr, \
	    val, sysctl_handle_int, descr)
#define	SYSCTL_ADD_UINT(ctx, parent, nbr, name, access, ptr, val, descr) \
	kern_sysctl_add(parent, name, CTLTYPE_UINT | (unsigned)(access), ptr, \
	    val, sysctl_handle_int, descr)
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
	const int RETURN_VALUE = kern_failpoint(#name);			\
									\
	if (__predict_false(RETURN_VALUE != 0))				\
		__VA_ARGS__						\
} while (0)
int	kern_failpoint(const char *);
#define	SDT_PROVIDER_DECLARE(p)		struct kern_hack
#define	SDT_PROVIDER_DEFINE(p)		struct kern_hack
#define	SDT_PROBE_DEFINE(...)		struct kern_hack
#define	SDT_PROBE_DEFINE1(...)		struct kern_hack
#define	SDT_PROBE_DEFINE2(...)		struct kern_hack
#define	SDT_PROBE_DEFINE3(...)		struct kern_hack
#define	SDT_PROBE_DEFINE4(...)		struct kern_hack
#define	SDT_PROBE1(...)			((void)0)
#define	SDT_PROBE2(...)			((void)0)
#define	SDT_PROBE3(...)			((void)0)
#define	SDT_PROBE4(...)			((void)0)

/* sys/proc.h, sys/smp.h, sys/pcpu.h: a CPU's part has lines of its own */
struct thread;
#define	curcpu			kern_curcpu()
#define	mp_ncpus		kern_ncpus()
#define	mp_maxid		(kern_ncpus() - 1)
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
int	kern_curcpu(void);
int	kern_ncpus(void);

/* machine/atomic.h: stronger than asked for, which no test can tell */
#define	KERN_ATOMIC(suffix, type)					\
type	atomic_load_##suffix(volatile const type *);			\
type	atomic_load_acq_##suffix(volatile const type *);		\
void	atomic_store_##suffix(volatile type *, type);			\
void	atomic_store_rel_##suffix(volatile type *, type);		\
void	atomic_add_##suffix(volatile type *, type);			\
void	atomic_subtract_##suffix(volatile type *, type);		\
void	atomic_set_##suffix(volatile type *, type);			\
void	atomic_clear_##suffix(volatile type *, type);			\
type	atomic_fetchadd_##suffix(volatile type *, type);		\
type	atomic_swap_##suffix(volatile type *, type);			\
type	atomic_readandclear_##suffix(volatile type *);			\
int	atomic_cmpset_##suffix(volatile type *, type, type);		\
int	atomic_cmpset_acq_##suffix(volatile type *, type, type);	\
int	atomic_cmpset_rel_##suffix(volatile type *, type, type);	\
int	atomic_fcmpset_##suffix(volatile type *, type *, type);
#define	KERN_ATOMICS							\
KERN_ATOMIC(8, uint8_t)							\
KERN_ATOMIC(32, uint32_t)						\
KERN_ATOMIC(64, uint64_t)						\
KERN_ATOMIC(int, u_int)							\
KERN_ATOMIC(long, u_long)						\
KERN_ATOMIC(ptr, uintptr_t)
KERN_ATOMICS
#define	atomic_load_bool(p)						\
	(atomic_load_8((volatile const uint8_t *)(p)) != 0)
#define	atomic_store_bool(p, v)	atomic_store_8((volatile uint8_t *)(p), v)
#define	atomic_thread_fence_acq()	__compiler_membar()
#define	atomic_thread_fence_rel()	__compiler_membar()
#define	atomic_thread_fence_acq_rel()	__compiler_membar()
#define	atomic_thread_fence_seq_cst()	__sync_synchronize()

/*
 * ../ciphers/crypto/: the shapes that dev/random/hash.h is made of.  Their
 * contents are the program's.  The sizes are about the kernel's.
 */
#ifndef KERN_CRYPTO_SOURCE
typedef struct { uint64_t kern_state[KERNEL_HASH_STATE / 8 + 9]; } SHA256_CTX;
typedef struct { uint64_t kern_state[62]; } keyInstance;
typedef struct { uint64_t kern_state[3]; } cipherInstance;
struct chacha_ctx { uint32_t input[16]; };
#define	CHACHA_BLOCKLEN		64
#define	CHACHA_MINKEYLEN	16
#define	SHA256_DIGEST_LENGTH	32
#define	SHA256_BLOCK_LENGTH	64
#endif

#endif
