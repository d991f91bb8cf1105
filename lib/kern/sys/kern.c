/*
 * The kernel under the sources of an object: what is no inline function of
 * kern.h, and what the object exports.
 */
#include <kern.h>

const struct kern_host *kern_host;
const uint8_t kern_zeros[ZERO_REGION_SIZE];

KERN_PLAIN void
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

KERN_PLAIN KERN_OPAQUE void *
kern_move(void *to, const void *from, size_t n)
{
	return (__builtin_memmove(to, from, n));
}

/* What compilers call to copy a structure. */
#undef memcpy
KERN_PLAIN void *
memcpy(void *to, const void *from, size_t n)
{
	return (kern_memcpy(to, from, n));
}

/*
 * Bob Jenkins's hashlittle() of 2006, lookup3.  The address of an event would
 * make simulated runs differ: there it counts from the object's variables.
 */
#define	JENKINS_ROT(x, k)	((x) << (k) | (x) >> (32 - (k)))
#define	JENKINS_STEP(a, b, c, k)					\
	(a) -= (c), (a) ^= JENKINS_ROT(c, k), (c) += (b)
#define	JENKINS_LAST(a, b, k)	(a) ^= (b), (a) -= JENKINS_ROT(b, k)

/* The next 12 bytes, or the last ones with zeros. */
KERN_PLAIN static void
jenkins_add(uint32_t word[3], const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < MIN(n, 12); i++)
		word[i / 4] += (uint32_t)p[i] << (8 * (i % 4));
}

KERN_PLAIN uint32_t
jenkins_hash(const void *data, size_t n, uint32_t init)
{
#ifdef KERNEL_SIMULATED
	if (init - (uint32_t)kern_host->kh_data < kern_host->kh_data_bytes)
		init -= (uint32_t)kern_host->kh_data;
#endif
	const uint32_t start = 0xdeadbeef + (uint32_t)n + init;
	uint32_t w[3] = { start, start, start };
	const uint8_t *p = data;

	if (n == 0)
		return (start);
#ifdef KERNEL_SIMULATED
	/* Guessed: 2 bytes a ns; an event's cost has two words of it. */
	if (n > 16)
		kern_host->kh_work((n - 16) / 2);
#endif
	for (; n > 12; n -= 12, p += 12) {
		jenkins_add(w, p, n);
		JENKINS_STEP(w[0], w[1], w[2], 4);
		JENKINS_STEP(w[1], w[2], w[0], 6);
		JENKINS_STEP(w[2], w[0], w[1], 8);
		JENKINS_STEP(w[0], w[1], w[2], 16);
		JENKINS_STEP(w[1], w[2], w[0], 19);
		JENKINS_STEP(w[2], w[0], w[1], 4);
	}
	jenkins_add(w, p, n);
	JENKINS_LAST(w[2], w[1], 14);
	JENKINS_LAST(w[0], w[2], 11);
	JENKINS_LAST(w[1], w[0], 25);
	JENKINS_LAST(w[2], w[1], 16);
	JENKINS_LAST(w[0], w[2], 4);
	JENKINS_LAST(w[1], w[0], 14);
	JENKINS_LAST(w[2], w[1], 24);
	return (w[2]);
}

/* Processes, epochs, tasks. */

KERN_PLAIN void
kproc_start(const void *arg)
{
	const struct kproc_desc *kp = arg;

	if (kp->global_procpp != NULL)
		*kp->global_procpp = (struct proc *)kp->global_procpp;
	HOST(process, kp->arg0, (void (*)(void *))(void (*)(void))kp->func,
	    NULL);
}

/* Sections in progress, of two sides; the side that is entered now. */
struct kern_epoch {
	u_int		ep_sections[2];
	u_int		ep_side;
};

epoch_t
epoch_alloc(const char *name __unused, int flags __unused)
{
	return (malloc(sizeof(struct kern_epoch), NULL, M_ZERO));
}

void
epoch_enter_preempt(epoch_t ep, struct epoch_tracker *et)
{
	et->et_side = atomic_load_acq_int(&ep->ep_side);
	atomic_add_int(&ep->ep_sections[et->et_side], 1);
}

void
epoch_exit_preempt(epoch_t ep, struct epoch_tracker *et)
{
	atomic_subtract_int(&ep->ep_sections[et->et_side], 1);
}

/* Twice, as a section may enter the side that it has just read as the other. */
void
epoch_wait_preempt(epoch_t ep)
{
	u_int side;

	for (int i = 0; i < 2; i++) {
		side = atomic_load_acq_int(&ep->ep_side);
		atomic_store_rel_int(&ep->ep_side, side ^ 1);
		while (atomic_load_acq_int(&ep->ep_sections[side]) != 0)
			pause("epoch", 1);
	}
}

enum { KERN_TASKS_MAX = 8 };
static struct timeout_task *kern_task[KERN_TASKS_MAX];

void
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

/* What was enqueued is counted from now. */
KERN_PLAIN static void
kern_task_set(struct timeout_task *tt, int64_t now_ns)
{
	const sbintime_t delay = __atomic_exchange_n(&tt->tt_delay, 0,
	    __ATOMIC_ACQUIRE);

	if (delay != 0)
		tt->tt_due_ns = now_ns + sbttons(delay);
}

KERN_PLAIN static bool
kern_timer(int64_t now_ns)
{
	struct timeout_task *tt;

	for (unsigned i = 0; i < KERN_TASKS_MAX && kern_task[i] != NULL; i++) {
		tt = kern_task[i];
		kern_task_set(tt, now_ns);
		if (tt->tt_due_ns == 0 || now_ns < tt->tt_due_ns)
			continue;
		tt->tt_due_ns = 0;
		tt->tt_func(tt->tt_context, 1);
		kern_task_set(tt, now_ns);
	}
	return (kern_task[0] != NULL);
}

/* Devices. */

KERN_PLAIN int
uiomove(void *buf, int n, struct uio *uio)
{
	struct iovec *iov = uio->uio_iov;
	const size_t move = MIN((size_t)n, (size_t)uio->uio_resid);

	if (uio->uio_rw == UIO_READ)
		HOST(copyout, iov->iov_base, buf, move);
	else
		(void)kern_memcpy(buf, iov->iov_base, move);
	iov->iov_base = (char *)iov->iov_base + move;
	iov->iov_len -= move;
	uio->uio_resid -= (ssize_t)move;
	uio->uio_offset += (off_t)move;
	return (0);
}

volatile u_int arc4rand_iniseed_state;

static struct { void *addr; size_t size; } kern_preloaded;

void *
preload_search_by_type(const char *type)
{
	kern_preloaded.addr = HOST(preload, type, &kern_preloaded.size);
	return (kern_preloaded.addr == NULL ? NULL : &kern_preloaded);
}

void *
preload_fetch_addr(void *module __unused)
{
	return (kern_preloaded.addr);
}

size_t
preload_fetch_size(void *module __unused)
{
	return (kern_preloaded.size);
}

/* Ciphers, where a source does not bring its own. */

#ifndef KERN_CRYPTO_SOURCE
KERN_PLAIN int
rijndael_blockEncrypt(cipherInstance *cipher, keyInstance *key,
    const u_int8_t *in, int bits, u_int8_t *out)
{
	const size_t n = (size_t)bits / 8;
	uint64_t first[2], next[2], lo, expected;
	size_t i, run;

	KERN_LOADS(cipher, sizeof(*cipher));
	KERN_LOADS(key, sizeof(*key));
	KERN_STORES(out, n);
	for (i = 0; i < n; i += run) {
		__builtin_memcpy(first, in + i, sizeof(first));
		expected = lo = htole64(first[0]);
		/* Counters that follow each other are one call. */
		for (run = 16; i + run < n; run += 16) {
			__builtin_memcpy(next, in + i + run, sizeof(next));
			if (++expected == 0 || next[1] != first[1] ||
			    htole64(next[0]) != expected)
				break;
		}
		(void)HOST(keystream, key->keyMaterial, lo, htole64(first[1]),
		    out + i, run);
	}
	return (bits);
}

KERN_PLAIN void
chacha_keysetup(struct chacha_ctx *x, const u_char *key, u_int bits)
{
	static const u_int32_t sigma[4] = { 0x61707865, 0x3320646e, 0x79622d32,
	    0x6b206574 };

	MPASS(bits == KERN_KEY_BYTES * 8);
	KERN_STORES(x, sizeof(*x));
	__builtin_memcpy(x->input, sigma, sizeof(sigma));
	HOST(key_set, &x->input[4], key);
}

/* Older sources encrypt zeros. */
KERN_PLAIN void
chacha_encrypt_bytes(struct chacha_ctx *x, const u_char *text __unused,
    u_char *out, u_int n)
{
	const uint64_t lo = le64dec(&x->input[12]);
	const uint64_t hi = le64dec(&x->input[14]);
	uint64_t next;

	KERN_LOADS(x, sizeof(*x));
	KERN_STORES(out, n);
	next = lo + HOST(keystream, &x->input[4], lo, hi, out, n);
	le64enc(&x->input[12], next);
	le64enc(&x->input[14], hi + (next < lo));
}
#endif

/* sysctl(9). */

enum { KERN_SYSCTLS_MAX = 64, KERN_PATHS_SIZE = 64 * KERN_SYSCTLS_MAX };

static struct sysctl_oid kern_added[KERN_SYSCTLS_MAX];
static unsigned kern_added_count;

extern struct sysctl_oid __start_kern_sysctls[] __attribute__((weak)),
    __stop_kern_sysctls[] __attribute__((weak));

/* How many bytes at a parent's end are the name of a node of the source. */
KERN_PLAIN static size_t
kern_sysctl_last(const char *parent)
{
	const size_t all = strlen(parent);
	const struct sysctl_oid *node;
	size_t n;

	for (node = __start_kern_sysctls; node < __stop_kern_sysctls; node++) {
		if (node->oid_handler != NULL)
			continue;
		n = strlen(node->oid_name);
		if (all > n && strcmp(parent + all - n, node->oid_name) == 0)
			return (n);
	}
	return (0);
}

/* _kern_random is kern.random; a path stays as it is.  Made once. */
KERN_PLAIN const char *
kern_sysctl_path(struct sysctl_oid *oid)
{
	static char paths[KERN_PATHS_SIZE];
	static size_t used;
	const char *parent = oid->oid_parent, *p;
	const bool dots = parent[0] == '_';
	const char *last = parent + strlen(parent) - (dots ?
	    kern_sysctl_last(parent) : 0);

	if (oid->oid_path != NULL)
		return (oid->oid_path);
	if (strlen(parent) + strlen(oid->oid_name) + 2 > sizeof(paths) - used)
		panic("no room for the name of sysctl %s", oid->oid_name);
	oid->oid_path = &paths[used];
	for (p = parent + dots; *p != '\0'; p++)
		paths[used++] = dots && *p == '_' && p < last ? '.' : *p;
	if (parent[0] != '\0')
		paths[used++] = '.';
	for (p = oid->oid_name; *p != '\0'; p++)
		paths[used++] = *p;
	paths[used++] = '\0';
	return (oid->oid_path);
}

KERN_PLAIN struct sysctl_oid *
kern_sysctl_add(struct sysctl_oid_list *parent, const char *name,
    unsigned kind, void *arg1, intmax_t arg2,
    int (*handler)(SYSCTL_HANDLER_ARGS), const char *descr)
{
	struct sysctl_oid *oid = &kern_added[kern_added_count];
	struct sysctl_req req;
	int64_t value;

	if (kern_added_count++ == KERN_SYSCTLS_MAX)
		panic("more than %d sysctls", KERN_SYSCTLS_MAX);
	*oid = (struct sysctl_oid){ parent->path, name, kind, arg1, arg2,
	    handler, descr };
	if ((kind & CTLFLAG_TUN) != 0 &&
	    HOST(tunable, kern_sysctl_path(oid), &value)) {
		req = (struct sysctl_req){ .newptr = &value };
		(void)handler(oid, arg1, arg2, &req);
	}
	return (oid);
}

KERN_PLAIN int
sysctl_handle_int(SYSCTL_HANDLER_ARGS)
{
	(void)arg2;
	if (arg1 == NULL)
		return (EPERM);
	req->oldval = (oidp->oid_kind & CTLTYPE) == CTLTYPE_UINT ?
	    (int64_t)*(u_int *)arg1 : *(int *)arg1;
	if (req->newptr != NULL)
		*(int *)arg1 = (int)*req->newptr;
	return (0);
}

KERN_PLAIN int
sysctl_handle_bool(SYSCTL_HANDLER_ARGS)
{
	(void)oidp;
	(void)arg2;
	if (arg1 == NULL)
		return (EPERM);
	req->oldval = *(bool *)arg1;
	if (req->newptr != NULL)
		*(bool *)arg1 = *req->newptr != 0;
	return (0);
}

static int
kern_sysctl_set(struct kern_sysctl *kx, int64_t value)
{
	struct sysctl_oid *oid = kx->kx_oid;
	struct sysctl_req req = { .newptr = &value };

	return (oid->oid_handler(oid, oid->oid_arg1, oid->oid_arg2, &req));
}

/* Older handlers correct a value when they are called again. */
static int64_t
kern_sysctl_get(struct kern_sysctl *kx)
{
	struct sysctl_oid *oid = kx->kx_oid;
	struct sysctl_req req = { .newptr = NULL };

	(void)oid->oid_handler(oid, oid->oid_arg1, oid->oid_arg2, &req);
	return (req.oldval);
}

KERN_PLAIN static struct kern_sysctl *
kern_sysctl(unsigned i)
{
	const unsigned fixed = (unsigned)(__stop_kern_sysctls -
	    __start_kern_sysctls);
	static struct kern_sysctl kx;
	struct sysctl_oid *oid;
	unsigned k, type;

	for (k = 0; k < fixed + kern_added_count; k++) {
		oid = k < fixed ? &__start_kern_sysctls[k] :
		    &kern_added[k - fixed];
		type = oid->oid_kind & CTLTYPE;
		if (oid->oid_handler == NULL || (type != CTLTYPE_INT &&
		    type != CTLTYPE_UINT && type != CTLTYPE_U8) ||
		    (oid->oid_kind & (CTLFLAG_WR | CTLFLAG_TUN)) == 0)
			continue;
		if (i-- > 0)
			continue;
		kx = (struct kern_sysctl){ .kx_name = kern_sysctl_path(oid),
		    .kx_descr = oid->oid_descr,
		    .kx_type = type == CTLTYPE_U8 ? KERN_SYSCTL_BOOL : type ==
		    CTLTYPE_UINT ? KERN_SYSCTL_UINT : KERN_SYSCTL_INT,
		    .kx_tunable = (oid->oid_kind & CTLFLAG_TUN) != 0,
		    .kx_stored = oid->oid_arg1 != NULL,
		    .kx_set = kern_sysctl_set, .kx_get = kern_sysctl_get,
		    .kx_oid = oid };
		return (&kx);
	}
	return (NULL);
}

/* What the object exports. */

extern const struct kern_sysinit __start_kern_sysinits[] __attribute__((weak)),
    __stop_kern_sysinits[] __attribute__((weak));
extern const struct kern_site __start_kern_sites[] __attribute__((weak)),
    __stop_kern_sites[] __attribute__((weak));
/* The layer above lib's. */
const void *kern_device(void);

__attribute__((visibility("default")))
const struct kern_object kern_object = {
	.ko_abi = KERN_ABI,
	.ko_device = kern_device,
	.ko_sites = __start_kern_sites,
	.ko_sites_end = __stop_kern_sites,
	.ko_sysinits = __start_kern_sysinits,
	.ko_sysinits_end = __stop_kern_sysinits,
	.ko_host = &kern_host,
	.ko_sysctl = kern_sysctl,
	.ko_timer = kern_timer,
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
