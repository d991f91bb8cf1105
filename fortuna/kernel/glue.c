/*
 * The kernel under a source that "rngsim kernel" compiles: what include/kern.h
 * declares, over struct kernel_host.  It follows the source in one translation
 * unit, so that it sees the tree's own types.
 */

#define	KERN_EXPORT	__attribute__((visibility("default")))
/* The simulated object is compiled to call hooks for its memory accesses. */
#ifdef __clang__
#define	KERN_PLAIN	__attribute__((disable_sanitizer_instrumentation))
#else
#define	KERN_PLAIN	__attribute__((no_sanitize("thread")))
#endif

enum { KERN_SYSCTLS_MAX = 64, KERN_PATH_SIZE = 128 };

static const struct kernel_host *kern_host;
static struct sysctl_oid kern_added[KERN_SYSCTLS_MAX];
static unsigned kern_added_count;

static const uint8_t kern_zeros[ZERO_REGION_SIZE];
const void *const zero_region = kern_zeros;
int hz = 1000;
struct malloc_type M_ENTROPY[1] = { { "entropy" } };

#define	HOST(f, ...)	(kern_host->kh_##f(kern_host->kh_self, ##__VA_ARGS__))

int	vsnprintf(char *, size_t, const char *, va_list);

void
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

/* Memory. */

#ifdef KERNEL_SIMULATED
#define	KERN_LOADS(p, n)	HOST(load, p, n)
#define	KERN_STORES(p, n)	HOST(store, p, n)
#else
#define	KERN_LOADS(p, n)	((void)0)
#define	KERN_STORES(p, n)	((void)0)
#endif

/* Where nothing is known of its arguments it cannot become a memcpy(). */
#ifdef __clang__
__attribute__((noinline, optnone))
#else
__attribute__((noipa))
#endif
KERN_PLAIN static void *
kern_move(void *to, const void *from, size_t n)
{

	return (__builtin_memmove(to, from, n));
}

KERN_PLAIN void *
kern_memcpy(void *to, const void *from, size_t n)
{

	if (n >= KERNEL_CIPHER_STATE)
		HOST(copying, to, from, n);
	KERN_LOADS(from, n);
	KERN_STORES(to, n);
	return (kern_move(to, from, n));
}

KERN_PLAIN void *
kern_memset(void *p, int c, size_t n)
{

	if (n >= KERNEL_CIPHER_STATE)
		HOST(clearing, p, n);
	KERN_STORES(p, n);
	__builtin_memset(p, c, n);
	/* What is cleared last is not read again. */
	__asm__ volatile("" : : "r"(p) : "memory");
	return (p);
}

/* What compilers call to copy a structure. */
#undef memcpy
KERN_PLAIN void *
memcpy(void *to, const void *from, size_t n)
{

	return (kern_memcpy(to, from, n));
}

void *
kern_malloc(size_t n, int flags)
{

	return (HOST(malloc, n, (flags & M_ZERO) != 0));
}

void
kern_free(void *p)
{

	HOST(free, p);
}

/* Time and CPUs. */

static sbintime_t
kern_uptime(bool coarse)
{
	const uint64_t ns = (uint64_t)HOST(uptime_ns, coarse);

	/* Whole milliseconds, so that 100 of them are not more than 0.1 s. */
	return ((sbintime_t)(ns / 1000000 * SBT_1MS +
	    ns % 1000000 * SBT_1MS / 1000000));
}

sbintime_t
getsbinuptime(void)
{

	return (kern_uptime(true));
}

sbintime_t
sbinuptime(void)
{

	return (kern_uptime(false));
}

uint64_t
get_cyclecount(void)
{

	return (HOST(cycles));
}

void
cpu_spinwait(void)
{

	HOST(pause);
}

int
kern_curcpu(void)
{

	return ((int)HOST(cpu));
}

int
kern_ncpus(void)
{

	return ((int)kern_host->kh_cpus);
}

/* Mutexes. */

void
mtx_init(struct mtx *m, const char *name, const char *type, int opts)
{

	(void)type;
	m->lock_object.lo_name = name;
	m->mtx_lock = HOST(lock_new, name, (opts & MTX_SPIN) != 0 ?
	    KERNEL_LOCK_SPIN : 0);
	if (m->mtx_lock == NULL)
		kern_panic(__FILE__, __LINE__, "no memory for mutex %s", name);
}

void
mtx_destroy(struct mtx *m)
{

	HOST(lock_free, m->mtx_lock);
	m->mtx_lock = NULL;
}

static void
kern_check(const struct mtx *m, const char *file, int line)
{

	if (m->mtx_lock == NULL)
		kern_panic(file, line, "a mutex that was not initialized");
}

KERN_PLAIN void
kern_lock(struct mtx *m, const struct kernel_site *site)
{

	kern_check(m, site->kt_file, site->kt_line);
	HOST(lock, m->mtx_lock, site);
}

KERN_PLAIN int
kern_trylock(struct mtx *m, const struct kernel_site *site)
{

	kern_check(m, site->kt_file, site->kt_line);
	return (HOST(trylock, m->mtx_lock, site));
}

KERN_PLAIN void
kern_unlock(struct mtx *m, const char *file, int line)
{

	kern_assert(m, MA_OWNED, file, line);
	HOST(unlock, m->mtx_lock);
}

KERN_PLAIN int
kern_owned(const struct mtx *m)
{

	return (m->mtx_lock != NULL && HOST(owned, m->mtx_lock));
}

KERN_PLAIN void
kern_assert(const struct mtx *m, int what, const char *file, int line)
{

	kern_check(m, file, line);
	if (kern_owned(m) != ((what & MA_OWNED) != 0))
		kern_panic(file, line, "mutex %s %s", m->lock_object.lo_name,
		    (what & MA_OWNED) != 0 ? "not owned" : "owned");
}

/* Atomics: the object for a simulated machine reports them. */

#undef KERN_ATOMIC
#define	KERN_ATOMIC(suffix, type)					\
KERN_PLAIN type								\
atomic_load_##suffix(volatile const type *p)				\
{									\
	KERN_LOADS(__DEVOLATILE(const void *, p), sizeof(*p));		\
	return (__atomic_load_n(p, __ATOMIC_RELAXED));			\
}									\
									\
KERN_PLAIN type								\
atomic_load_acq_##suffix(volatile const type *p)			\
{									\
	KERN_LOADS(__DEVOLATILE(const void *, p), sizeof(*p));		\
	return (__atomic_load_n(p, __ATOMIC_ACQUIRE));			\
}									\
									\
KERN_PLAIN void								\
atomic_store_##suffix(volatile type *p, type v)				\
{									\
	KERN_STORES(__DEVOLATILE(void *, p), sizeof(*p));		\
	__atomic_store_n(p, v, __ATOMIC_RELAXED);			\
}									\
									\
KERN_PLAIN void								\
atomic_store_rel_##suffix(volatile type *p, type v)			\
{									\
	KERN_STORES(__DEVOLATILE(void *, p), sizeof(*p));		\
	__atomic_store_n(p, v, __ATOMIC_RELEASE);			\
}									\
									\
KERN_PLAIN int								\
atomic_fcmpset_##suffix(volatile type *p, type *old, type new)		\
{									\
	KERN_STORES(__DEVOLATILE(void *, p), sizeof(*p));		\
	return (__atomic_compare_exchange_n(p, old, new, false,		\
	    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));			\
}									\
									\
KERN_PLAIN int								\
atomic_cmpset_##suffix(volatile type *p, type old, type new)		\
{									\
	return (atomic_fcmpset_##suffix(p, &old, new));			\
}									\
									\
KERN_PLAIN int								\
atomic_cmpset_acq_##suffix(volatile type *p, type old, type new)	\
{									\
	return (atomic_fcmpset_##suffix(p, &old, new));			\
}									\
									\
KERN_PLAIN int								\
atomic_cmpset_rel_##suffix(volatile type *p, type old, type new)	\
{									\
	return (atomic_fcmpset_##suffix(p, &old, new));			\
}									\
									\
KERN_FETCH(suffix, type, swap, __atomic_exchange_n)			\
KERN_FETCH(suffix, type, fetchadd, __atomic_fetch_add)			\
KERN_FETCH(suffix, type, or, __atomic_fetch_or)				\
KERN_FETCH(suffix, type, and, __atomic_fetch_and)			\
									\
KERN_PLAIN type								\
atomic_readandclear_##suffix(volatile type *p)				\
{									\
	return (atomic_swap_##suffix(p, 0));				\
}									\
									\
KERN_PLAIN void								\
atomic_add_##suffix(volatile type *p, type v)				\
{									\
	(void)atomic_fetchadd_##suffix(p, v);				\
}									\
									\
KERN_PLAIN void								\
atomic_subtract_##suffix(volatile type *p, type v)			\
{									\
	(void)atomic_fetchadd_##suffix(p, (type)-v);			\
}									\
									\
KERN_PLAIN void								\
atomic_set_##suffix(volatile type *p, type v)				\
{									\
	(void)atomic_or_##suffix(p, v);					\
}									\
									\
KERN_PLAIN void								\
atomic_clear_##suffix(volatile type *p, type v)				\
{									\
	(void)atomic_and_##suffix(p, (type)~v);				\
}
#define	KERN_FETCH(suffix, type, name, builtin)				\
KERN_PLAIN type								\
atomic_##name##_##suffix(volatile type *p, type v)			\
{									\
	KERN_STORES(__DEVOLATILE(void *, p), sizeof(*p));		\
	return (builtin(p, v, __ATOMIC_ACQ_REL));			\
}
KERN_ATOMICS

/* sysctl(9). */

/* _kern_random is kern.random; a path stays as it is. */
static void
kern_sysctl_name(const struct sysctl_oid *oid, char name[KERN_PATH_SIZE])
{
	const char *parent = oid->oid_parent;
	size_t i;

	if (parent[0] == '_') {
		snprintf(name, KERN_PATH_SIZE, "%s.%s", parent + 1,
		    oid->oid_name);
		for (i = 0; i < strlen(parent) - 1 &&
		    i < KERN_PATH_SIZE - 1; i++)
			if (name[i] == '_')
				name[i] = '.';
	} else {
		snprintf(name, KERN_PATH_SIZE, "%s%s%s", parent,
		    parent[0] == '\0' ? "" : ".", oid->oid_name);
	}
}

const char *
kern_sysctl_path(const struct sysctl_oid *oid)
{
	static char path[KERN_SYSCTLS_MAX][KERN_PATH_SIZE];
	const size_t i = (size_t)(oid - kern_added);

	kern_sysctl_name(oid, path[i]);
	return (path[i]);
}

struct sysctl_oid *
kern_sysctl_add(struct sysctl_oid_list *parent, const char *name,
    unsigned kind, void *arg1, intmax_t arg2,
    int (*handler)(SYSCTL_HANDLER_ARGS), const char *descr)
{

	if (kern_added_count == KERN_SYSCTLS_MAX)
		panic("more than %d sysctls", KERN_SYSCTLS_MAX);
	kern_added[kern_added_count] = (struct sysctl_oid){ parent->path,
	    name, kind, arg1, arg2, handler, descr };
	return (&kern_added[kern_added_count++]);
}

int
sysctl_handle_int(SYSCTL_HANDLER_ARGS)
{

	(void)oidp;
	(void)arg2;
	if (req->newptr != NULL && arg1 == NULL)
		return (EPERM);
	if (req->newptr != NULL)
		*(int *)arg1 = (int)*req->newptr;
	return (0);
}

int
sysctl_handle_bool(SYSCTL_HANDLER_ARGS)
{

	(void)oidp;
	(void)arg2;
	if (req->newptr != NULL)
		*(bool *)arg1 = *req->newptr != 0;
	return (0);
}

extern struct sysctl_oid __start_kern_sysctls[] __attribute__((weak)),
    __stop_kern_sysctls[] __attribute__((weak));

static int
kern_sysctl_set(struct kernel_sysctl *kx, int64_t value)
{
	struct sysctl_oid *oid = kx->kx_oid;
	struct sysctl_req set = { &value }, get = { NULL };
	int error;

	error = oid->oid_handler(oid, oid->oid_arg1, oid->oid_arg2, &set);
	/* A handler may correct the value the next time it is called. */
	if (error == 0)
		error = oid->oid_handler(oid, oid->oid_arg1, oid->oid_arg2,
		    &get);
	return (error);
}

static struct kernel_sysctl *
kern_sysctl(unsigned i)
{
	const unsigned fixed = (unsigned)(__stop_kern_sysctls -
	    __start_kern_sysctls);
	static struct kernel_sysctl kx;
	static char name[KERN_PATH_SIZE];
	struct sysctl_oid *oid;
	unsigned k;

	for (k = 0; k < fixed + kern_added_count; k++) {
		oid = k < fixed ? &__start_kern_sysctls[k] :
		    &kern_added[k - fixed];
		if (oid->oid_handler == NULL || oid->oid_arg1 == NULL ||
		    (oid->oid_kind & (CTLFLAG_WR | CTLFLAG_TUN)) == 0)
			continue;
		if (i-- > 0)
			continue;
		kern_sysctl_name(oid, name);
		kx = (struct kernel_sysctl){ .kx_name = name,
		    .kx_descr = oid->oid_descr, .kx_type =
		    (oid->oid_kind & CTLTYPE) == CTLTYPE_U8 ?
		    KERNEL_SYSCTL_BOOL : (oid->oid_kind & CTLTYPE) ==
		    CTLTYPE_UINT ? KERNEL_SYSCTL_UINT : KERNEL_SYSCTL_INT,
		    .kx_value = oid->oid_arg1, .kx_set = kern_sysctl_set,
		    .kx_oid = oid };
		return (&kx);
	}
	return (NULL);
}

int
kern_failpoint(const char *name)
{

	return (HOST(failpoint, name));
}

/* random(4): ciphers, hashes, events. */

#ifdef KERN_CRYPTO_SOURCE
#include <dev/random/hash.c>
#include <crypto/rijndael/rijndael-alg-fst.c>
#include <crypto/rijndael/rijndael-api-fst.c>
#include <crypto/sha2/sha256c.c>
#else
bool random_chachamode;

/* What a cipher uses of a key: ChaCha20's is its input, AES's a schedule. */
#define	KERN_KEY_BYTES(key)						\
	(random_chachamode ? sizeof(struct chacha_ctx) : sizeof(*(key)))

CTASSERT(sizeof(union randomdev_key) >= KERNEL_CIPHER_STATE);
CTASSERT(sizeof(struct randomdev_hash) >= KERNEL_HASH_STATE);

void
randomdev_hash_init(struct randomdev_hash *context)
{

	KERN_STORES(context, sizeof(*context));
	HOST(hash_init, context);
}

void
randomdev_hash_iterate(struct randomdev_hash *context, const void *data,
    size_t size)
{

	KERN_STORES(context, sizeof(*context));
	HOST(hash_add, context, data, size);
}

void
randomdev_hash_finish(struct randomdev_hash *context, void *buf)
{

	KERN_STORES(context, sizeof(*context));
	HOST(hash_finish, context, buf);
}

void
randomdev_encrypt_init(union randomdev_key *context, const void *data)
{

	KERN_STORES(context, KERN_KEY_BYTES(context));
	HOST(key_set, context, data);
}

/* Older releases have a u_int for the size. */
void
randomdev_keystream(union randomdev_key *context, uint128_t *ctr, void *d_out,
    __typeof__(__builtin_choose_expr(__builtin_types_compatible_p(
    __typeof__(randomdev_keystream), void(union randomdev_key *, uint128_t *,
    void *, u_int)), (u_int)0, (size_t)0)) size)
{
	uint64_t words[2];
	uint8_t le[16];

	le128enc(le, *ctr);
	words[0] = le64dec(le);
	words[1] = le64dec(le + 8);
	KERN_LOADS(context, KERN_KEY_BYTES(context));
	HOST(keystream, context, words, d_out, size);
	le64enc(le, words[0]);
	le64enc(le + 8, words[1]);
	*ctr = le128dec(le);
}

void
randomdev_getkey(union randomdev_key *context, const void **key_out,
    size_t *size_out)
{

	*key_out = HOST(key_get, context);
	*size_out = RANDOM_KEYSIZE;
}
#endif

void
randomdev_unblock(void)
{

	HOST(unblock);
}

/* An event as the source gets it; the program's is found from it. */
struct kern_event {
	struct harvest_event	he;
	const void		*event;
};

bool	random_harvest_healthtest(const struct harvest_event *);

bool
random_harvest_healthtest(const struct harvest_event *event)
{
	const struct kern_event *ke = (const struct kern_event *)
	    (const void *)event;

	return (HOST(accepts, ke->event));
}

static void
kern_object_event(const struct kernel_event *ke)
{
	struct kern_event event = {
		.he = {
			.he_somecounter = ke->ke_counter,
			.he_size = ke->ke_size,
			.he_destination = ke->ke_destination,
			.he_source = (uint8_t)(ke->ke_vmgenid ?
			    RANDOM_PURE_VMGENID : ke->ke_pure ?
			    RANDOM_PURE_START : RANDOM_INTERRUPT),
		},
		.event = ke->ke_event,
	};

	__builtin_memcpy(event.he.he_entropy, ke->ke_entropy,
	    sizeof(ke->ke_entropy));
	random_alg_context.ra_event_processor(&event.he);
}

static bool
kern_object_seeded(void)
{

	return (random_alg_context.ra_seeded());
}

static void
kern_object_pre_read(void)
{

	random_alg_context.ra_pre_read();
}

static void
kern_object_read(uint8_t *buf, size_t n)
{

	random_alg_context.ra_read(buf, n);
}

extern const struct kern_sysinit __start_kern_sysinit[] __attribute__((weak)),
    __stop_kern_sysinit[] __attribute__((weak));
extern const struct kernel_site __start_kern_sites[] __attribute__((weak)),
    __stop_kern_sites[] __attribute__((weak));

KERN_PLAIN static void
kern_object_boot(const struct kernel_host *kh)
{
	const struct kern_sysinit *ki;
	int sub, order;

	kern_host = kh;
	random_chachamode = kh->kh_chacha20;
	for (sub = 0; sub < SI_SUB_LAST; sub++)
		for (order = 0; order <= SI_ORDER_ANY; order++)
			for (ki = __start_kern_sysinit;
			    ki < __stop_kern_sysinit; ki++)
				if ((int)ki->ki_sub == sub &&
				    (int)ki->ki_order == order)
					ki->ki_func(ki->ki_arg);
}

static unsigned
kern_site_count(void)
{

	return ((unsigned)(__stop_kern_sites - __start_kern_sites));
}

KERN_EXPORT const struct kernel_object kernel_object = {
	.ko_abi = KERNEL_ABI,
	.ko_algorithm = &random_alg_context.ra_ident,
	.ko_poolcount = &random_alg_context.ra_poolcount,
	.ko_sites = __start_kern_sites,
	.ko_site_count = kern_site_count,
	.ko_boot = kern_object_boot,
	.ko_sysctl = kern_sysctl,
	.ko_pre_read = kern_object_pre_read,
	.ko_seeded = kern_object_seeded,
	.ko_read = kern_object_read,
	.ko_event = kern_object_event,
#ifndef KERNEL_NO_PROBE
	.ko_state = kern_probe_state,
#endif
#if !defined(KERNEL_NO_PROBE) && !defined(KERN_CRYPTO_SOURCE)
	.ko_counter = kern_probe_counter,
	.ko_key = kern_probe_key,
#endif
};

/* Calls that compilers insert with -fsanitize=thread. */
#ifdef KERNEL_SIMULATED
#define	KERN_HOOK	KERN_PLAIN __attribute__((used))
#define	KERN_ACCESS(n)							\
void	__tsan_read##n(void *), __tsan_write##n(void *),		\
	    __tsan_unaligned_read##n(void *),				\
	    __tsan_unaligned_write##n(void *);				\
KERN_HOOK void __tsan_read##n(void *p) { KERN_LOADS(p, n); }		\
KERN_HOOK void __tsan_write##n(void *p) { KERN_STORES(p, n); }		\
KERN_HOOK void __tsan_unaligned_read##n(void *p) { KERN_LOADS(p, n); }	\
KERN_HOOK void __tsan_unaligned_write##n(void *p) { KERN_STORES(p, n); }
KERN_ACCESS(1)
KERN_ACCESS(2)
KERN_ACCESS(4)
KERN_ACCESS(8)
KERN_ACCESS(16)
void	__tsan_read_range(void *, size_t), __tsan_write_range(void *, size_t),
	    __tsan_func_entry(void *), __tsan_func_exit(void),
	    __tsan_init(void), *__tsan_memcpy(void *, const void *, size_t),
	    *__tsan_memmove(void *, const void *, size_t),
	    *__tsan_memset(void *, int, size_t);
KERN_HOOK void __tsan_read_range(void *p, size_t n) { KERN_LOADS(p, n); }
KERN_HOOK void __tsan_write_range(void *p, size_t n) { KERN_STORES(p, n); }
KERN_HOOK void __tsan_func_entry(void *p) { (void)p; }
KERN_HOOK void __tsan_func_exit(void) { }
KERN_HOOK void __tsan_init(void) { }

KERN_HOOK void *
__tsan_memcpy(void *to, const void *from, size_t n)
{

	return (kern_memcpy(to, from, n));
}

KERN_HOOK void *
__tsan_memmove(void *to, const void *from, size_t n)
{

	return (kern_memcpy(to, from, n));
}

KERN_HOOK void *
__tsan_memset(void *p, int c, size_t n)
{

	return (kern_memset(p, c, n));
}
#endif
