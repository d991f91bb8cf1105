/*
 * The kernel under a source that "rngsim kernel" compiles: what needs the types
 * of its tree.  It follows the source in one translation unit.
 */

#define	KERN_EXPORT	__attribute__((visibility("default")))

enum { KERN_SYSCTLS_MAX = 64, KERN_PATH_SIZE = 128 };

static struct sysctl_oid kern_added[KERN_SYSCTLS_MAX];
static unsigned kern_added_count;

/* What compilers call to copy a structure. */
#undef memcpy
KERN_PLAIN void *
memcpy(void *to, const void *from, size_t n)
{
	return (kern_memcpy(to, from, n));
}

KERN_PLAIN static void
kern_object_timer(int64_t now_ns)
{
	struct timeout_task *tt;
	sbintime_t delay;

	for (unsigned i = 0; i < KERN_TASKS_MAX && kern_task[i] != NULL; i++) {
		tt = kern_task[i];
		if (tt->tt_due_ns != 0 && now_ns >= tt->tt_due_ns) {
			tt->tt_due_ns = 0;
			tt->tt_func(tt->tt_context, 1);
		}
		delay = __atomic_exchange_n(&tt->tt_delay, 0, __ATOMIC_ACQUIRE);
		if (delay != 0)
			tt->tt_due_ns = now_ns + sbttons(delay);
	}
}

/* sysctl(9). */

/* _kern_random is kern.random; a path stays as it is. */
static void
kern_sysctl_name(const struct sysctl_oid *oid, char name[KERN_PATH_SIZE])
{
	const char *parent = oid->oid_parent;

	if (parent[0] == '_') {
		snprintf(name, KERN_PATH_SIZE, "%s.%s", parent + 1,
		    oid->oid_name);
		for (size_t i = 0; i < strlen(parent) - 1 &&
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
	HOST(hash_init, context, KERNEL_HASH_BYTES);
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
	uint8_t le[16];

	le128enc(le, *ctr);
	KERN_LOADS(context, KERN_KEY_BYTES(context));
	KERN_STORES(d_out, size);
	uint128_add64(ctr, HOST(keystream, context, le64dec(le),
	    le64dec(le + 8), d_out, size));
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

/* A source of the same kind; the release may have fewer. */
static uint8_t
kern_source(const struct kernel_event *ke)
{
	return (uint8_t)(ke->ke_vmgenid ? RANDOM_PURE_VMGENID :
	    ke->ke_source < ke->ke_pure ?
	    MIN(ke->ke_source, RANDOM_ENVIRONMENTAL_END) :
	    MIN(RANDOM_PURE_START + ke->ke_source - ke->ke_pure,
	    ENTROPYSOURCE - 1));
}

static void
kern_object_event(const struct kernel_event *ke)
{
	struct kern_event event = {
		.he = {
			.he_somecounter = ke->ke_counter,
			.he_size = ke->ke_size,
			.he_destination = ke->ke_destination,
			.he_source = kern_source(ke),
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

	kern_host = kh;
	random_chachamode = kh->kh_chacha20;
	for (int sub = 0; sub < SI_SUB_LAST; sub++)
		for (int order = 0; order <= SI_ORDER_ANY; order++)
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
#ifdef KERNEL_STORED_BYTES
	.ko_stored_bytes = KERNEL_STORED_BYTES,
#elif defined(FXRNG_BUFRNG_SZ)
	.ko_stored_bytes = FXRNG_BUFRNG_SZ,
#endif
	.ko_sites = __start_kern_sites,
	.ko_site_count = kern_site_count,
	.ko_boot = kern_object_boot,
	.ko_sysctl = kern_sysctl,
	.ko_pre_read = kern_object_pre_read,
	.ko_seeded = kern_object_seeded,
	.ko_read = kern_object_read,
	.ko_event = kern_object_event,
	.ko_timer = kern_object_timer,
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
