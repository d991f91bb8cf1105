/* The kernel under a source: functions of kern.h; what the object exports. */
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

#ifdef KERNEL_SIMULATED
KERN_PLAIN void
kern_filling(void *p, size_t n)
{
	KERN_STORES(p, n);
}

#define	KERN_BELOW(name, args, ...)					\
KERN_PLAIN void								\
kern_##name args							\
{									\
	char gap[KERN_LOOK_BYTES];					\
									\
	__asm__ volatile("" : : "r"(gap) : "memory");			\
	HOST(name, __VA_ARGS__);					\
	__asm__ volatile("" : : "r"(gap) : "memory");			\
}
KERN_BELOW(copying, (void *to, const void *from, size_t n), to, from, n)
KERN_BELOW(clearing, (void *p, size_t n), p, n)
#endif

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
	static const uint8_t steps[] = { 4, 6, 8, 16, 19, 4 };
	static const uint8_t last[] = { 14, 11, 25, 16, 4, 14, 24 };
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
		for (u_int i = 0; i < nitems(steps); i++)
			JENKINS_STEP(w[i % 3], w[(i + 1) % 3], w[(i + 2) % 3],
			    steps[i]);
	}
	jenkins_add(w, p, n);
	for (u_int i = 0; i < nitems(last); i++)
		JENKINS_LAST(w[(i + 2) % 3], w[(i + 1) % 3], last[i]);
	return (w[2]);
}

#include <kern_lib.c>
#include <kern_task.c>
#include <kern_lock.c>

volatile int cold = 1;
KERN_RUN(cold, SI_SUB_CONFIGURE, SI_ORDER_ANY, false, cold = 0);

/* CPUs. */

/* Setup, action and teardown, each on all CPUs before the next. */
void
kern_rendezvous(cpuset_t map, void (*func[])(void *), void *arg,
    const struct kern_site *site)
{
	HOST(may_block, site, "smp_rendezvous()");
	for (int f = 0; f < 3; f++)
		for (int i = 0; i < mp_ncpus && func[f] != NULL; i++) {
			if (!CPU_ISSET(i, &map))
				continue;
			HOST(bind, i, true, site);
			func[f](arg);
		}
	HOST(bind, -1, true, site);
}

/* Devices. */
const struct cdevsw *kern_devsw;

KERN_PLAIN int
uiomove_nofault(void *buf, int n, struct uio *uio)
{
	struct iovec *iov = uio->uio_iov;
	const size_t move = MIN((size_t)n, (size_t)uio->uio_resid);

	if (move > 0 && iov->iov_base == NULL)
		return (EFAULT);
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

struct kern_preloaded kern_preloaded;

void *
kern_preload(const char *type, const struct kern_site *site)
{
#ifdef RANDOM_HARVEST_BITS
	/* The name until release 11. */
	if (strcmp(type, "/boot/entropy") == 0)
		type = "boot_entropy_cache";
#endif
	kern_preloaded.addr = HOST(preload, type, &kern_preloaded.size, site);
	return (kern_preloaded.addr == NULL ? NULL : &kern_preloaded);
}

/* Ciphers, where a source does not bring its own. */

#ifndef KERN_CRYPTO_SOURCE
KERN_PLAIN int
rijndael_blockEncrypt(cipherInstance *cipher, keyInstance *key,
    const u_int8_t *in, int bits, u_int8_t *out)
{
	/* Of whole blocks: the rest is not written. */
	const size_t n = (size_t)bits / 128 * 16;
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
	MPASS(bits == KERN_KEY_BYTES * 8);
	KERN_STORES(x, sizeof(*x));
	for (u_int i = 0; i < 4; i++)
		x->input[i] = U8TO32_LITTLE(&kern_sigma[4 * i]);
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
	const char *parent = oid->oid_parent, *p, *last;
	const bool dots = parent[0] == '_';

	if (oid->oid_path != NULL)
		return (oid->oid_path);
	last = parent + strlen(parent) - (dots ? kern_sysctl_last(parent) : 0);
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
(kern_sysctl_add)(struct sysctl_oid_list *parent, const char *name,
    unsigned kind, void *arg1, intmax_t arg2, kern_handle_t *handler,
    const char *descr)
{
	struct sysctl_oid *oid = &kern_added[kern_added_count];
	struct sysctl_req req;
	int64_t value;

	if (kern_added_count++ == KERN_SYSCTLS_MAX)
		panic("more than %d sysctls", KERN_SYSCTLS_MAX);
	*oid = (struct sysctl_oid){ parent->path, name, kind, arg1, arg2,
	    handler, descr, NULL };
	if ((kind & CTLFLAG_TUN) != 0 &&
	    HOST(tunable, kern_sysctl_path(oid), &value)) {
		req = (struct sysctl_req){ .newptr = &value };
		(void)handler(oid, arg1, arg2, &req);
	}
	return (oid);
}

KERN_PLAIN struct sbuf *
kern_sbuf_new(struct sbuf *s, const void *buf, int length,
    struct sysctl_req *req, const struct kern_site *site)
{
	const bool made = s == NULL;

	if (made)
		s = HOST(malloc, sizeof(*s), M_WAITOK, site);
	else if (buf == NULL)
		HOST(may_sleep, site, "sbuf_new()");
	*s = (struct sbuf){ req, length, 0, made };
	return (s);
}

/* A full buffer is copied out, as all is at the end. */
KERN_PLAIN int
kern_sbuf_add(struct sbuf *s, int n, const struct kern_site *site)
{
	if ((s->s_length += n) < s->s_size)
		return (0);
	/* As long as it grows, nothing is copied out. */
	s->s_length = s->s_req == NULL ? s->s_length : 0;
	if (s->s_req == NULL || !s->s_req->lock)
		HOST(may_sleep, site, "Copying a sysctl's text");
	return (0);
}

/* A program's memory may have to be brought in. */
#define	KERN_COPIES(req)	((req)->newptr == NULL && (req)->lock ? (void)0 : \
    HOST(may_sleep, KERN_SITE(), "Copying a sysctl's value"))

KERN_PLAIN int
kern_sysctl_in(struct sysctl_req *req, void *to, size_t n)
{
	KERN_COPIES(req);
	if (req->newptr == NULL || n > sizeof(int64_t))
		return (EINVAL);
	__builtin_memcpy(to, req->newptr, n);
	return (0);
}

KERN_PLAIN int
kern_sysctl_out(struct sysctl_req *req, const void *from, size_t n)
{
	KERN_COPIES(req);
	req->oldval = n == 1 ? *(const uint8_t *)from : n == 2 ?
	    *(const uint16_t *)from : n == 4 ? *(const int32_t *)from :
	    n == 8 ? *(const int64_t *)from : 0;
	if (n > sizeof(req->oldval))
		HOST(shown, from, n);
	return (0);
}

/* Without a place the value is arg2, and cannot be set. */
#define	KERN_HANDLER(name, type, is_wide)				\
KERN_PLAIN int								\
(sysctl_handle_##name)(SYSCTL_HANDLER_ARGS)				\
{									\
	(void)oidp;							\
	req->oldval = arg1 == NULL ? arg2 : is_wide ?			\
	    (int64_t)(unsigned)*(type *)arg1 : (int64_t)*(type *)arg1;	\
	if (req->newptr != NULL && arg1 == NULL)			\
		return (EPERM);						\
	KERN_COPIES(req);						\
	if (req->newptr == NULL)					\
		return (0);						\
	KERN_STORES(arg1, sizeof(type));				\
	*(type *)arg1 = (type)*req->newptr;				\
	return (0);							\
}
#define	KERN_IS(oid, of)	(((oid)->oid_kind & CTLTYPE) == CTLTYPE_##of)
KERN_HANDLER(bool, bool, false)
KERN_HANDLER(8, uint8_t, false)
KERN_HANDLER(16, uint16_t, false)
KERN_HANDLER(32, int32_t, KERN_IS(oidp, U32))
KERN_HANDLER(int, int, KERN_IS(oidp, UINT))
KERN_HANDLER(long, long, false)
KERN_HANDLER(64, int64_t, false)

KERN_PLAIN int
sysctl_handle_string(SYSCTL_HANDLER_ARGS)
{
	(void)oidp, (void)arg1, (void)arg2;
	return (req->newptr != NULL ? EPERM : 0);
}

/* Any new value clears it. */
int
sysctl_handle_counter_u64(SYSCTL_HANDLER_ARGS)
{
	(void)oidp, (void)arg2;
	req->oldval = (int64_t)counter_u64_fetch(*(counter_u64_t *)arg1);
	if (req->newptr != NULL)
		counter_u64_zero(*(counter_u64_t *)arg1);
	return (0);
}

/* In units of arg2 ns. */
KERN_PLAIN int
sysctl_handle_sbintime(SYSCTL_HANDLER_ARGS)
{
	sbintime_t *sbt = arg1;

	(void)oidp;
	req->oldval = sbttons(*sbt) / arg2;
	if (req->newptr != NULL)
		*sbt = nstosbt(*req->newptr * arg2);
	return (0);
}

/* What the program can set; those that are wider are set to 32 bits. */
#define	KERN_AS(type, as)	[CTLTYPE_##type] = KERN_SYSCTL_##as + 1
static const uint8_t kern_sysctl_types[CTLTYPE + 1] = {
	KERN_AS(INT, INT), KERN_AS(S32, INT), KERN_AS(S8, INT),
	KERN_AS(S16, INT), KERN_AS(UINT, UINT), KERN_AS(U32, UINT),
	KERN_AS(U16, UINT), KERN_AS(LONG, UINT), KERN_AS(ULONG, UINT),
	KERN_AS(S64, UINT), KERN_AS(U64, UINT), KERN_AS(U8, BOOL)
};

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
	struct sysctl_req req = { .lock = true };

	(void)oid->oid_handler(oid, oid->oid_arg1, oid->oid_arg2, &req);
	return (req.oldval);
}

KERN_PLAIN static struct sysctl_oid *
kern_sysctl_oid(unsigned k)
{
	const unsigned fixed = (unsigned)(__stop_kern_sysctls -
	    __start_kern_sysctls);

	return (k < fixed ? &__start_kern_sysctls[k] :
	    k < fixed + kern_added_count ? &kern_added[k - fixed] : NULL);
}

/* Flipped: switches except the one that blocks reads, masks of handlers. */
KERN_PLAIN void
kern_sysctls_use(int writes)
{
	struct sysctl_oid *oid;
	struct sysctl_req req;
	int64_t flip = 0, value = 0;

	for (unsigned k = 0; (oid = kern_sysctl_oid(k)) != NULL; k++) {
		req = (struct sysctl_req){ .newptr = NULL };
		for (int i = 0; i == 0 || (i <= writes - (writes == 1 &&
		    flip != 0) && (oid->oid_kind & CTLFLAG_WR) != 0); i++) {
			if (oid->oid_handler == NULL ||
			    (oid->oid_kind & CTLFLAG_MPSAFE) == 0)
				break;
			(void)oid->oid_handler(oid, oid->oid_arg1,
			    oid->oid_arg2, &req);
			if (i == 0) {
				value = req.oldval;
				flip = (uint64_t)value <= 1 ? strcmp(
				    oid->oid_name, "block_seeded_status") != 0 :
				    oid->oid_arg1 == NULL ? value : 0;
			}
			value = i == 2 ? -1 : value ^ flip;
			req.newptr = &value;
		}
	}
}

KERN_PLAIN static struct kern_sysctl *
kern_sysctl(unsigned i)
{
	static struct kern_sysctl kx;
	struct sysctl_oid *oid;
	unsigned type;

	for (unsigned k = 0; (oid = kern_sysctl_oid(k)) != NULL; k++) {
		type = oid->oid_handler == sysctl_handle_8 ? KERN_SYSCTL_UINT +
		    1 : kern_sysctl_types[oid->oid_kind & CTLTYPE];
		if (oid->oid_handler == NULL || type == 0 ||
		    (oid->oid_kind & (CTLFLAG_WR | CTLFLAG_TUN)) == 0)
			continue;
		if (i-- > 0)
			continue;
		kx = (struct kern_sysctl){ .kx_name = kern_sysctl_path(oid),
		    .kx_descr = oid->oid_descr, .kx_type = type - 1,
		    .kx_tunable = (oid->oid_kind & CTLFLAG_TUN) != 0,
		    .kx_stored = oid->oid_arg1 != NULL, .kx_oid = oid,
		    .kx_set = kern_sysctl_set, .kx_get = kern_sysctl_get };
		return (&kx);
	}
	return (NULL);
}

/* What the object exports. */

/* A section, if the object has it; and its members of kern_object. */
#define	KERN_PART(type, name)						\
extern type const __start_kern_##name[] __attribute__((weak)),		\
    __stop_kern_##name[] __attribute__((weak))
#define	KERN_PARTS(name)	.ko_##name = __start_kern_##name,	\
	.ko_##name##_end = __stop_kern_##name
typedef const char *kern_point_t;
KERN_PART(struct kern_sysinit, sysinits);
KERN_PART(struct kern_site, sites);
KERN_PART(struct kern_site, looks);
KERN_PART(struct kern_site, holds);
KERN_PART(kern_point_t, points);
/* The layer above lib's. */
const void *kern_device(void);

__attribute__((visibility("default")))
const struct kern_object kern_object = {
	.ko_abi = KERN_ABI, .ko_device = kern_device, KERN_PARTS(sites),
	KERN_PARTS(sysinits), .ko_host = &kern_host, .ko_sysctl = kern_sysctl,
	.ko_timer = kern_timer, KERN_PARTS(looks), KERN_PARTS(holds),
	KERN_PARTS(points),
};

/* Calls that compilers insert with -fsanitize=thread. */
#ifdef KERNEL_SIMULATED
#define	KERN_HOOK	KERN_PLAIN __attribute__((used))
#define	KERN_ACCESS(n)							\
KERN_HOOK void __tsan_read##n(void *p) { KERN_LOADS(p, n); }		\
KERN_HOOK void __tsan_write##n(void *p) { KERN_STORES(p, n); }		\
KERN_HOOK void __tsan_unaligned_read##n(void *p) { KERN_LOADS(p, n); }	\
KERN_HOOK void __tsan_unaligned_write##n(void *p) { KERN_STORES(p, n); }
KERN_ACCESS(1) KERN_ACCESS(2) KERN_ACCESS(4) KERN_ACCESS(8) KERN_ACCESS(16)
#define	KERN_RANGE(name, store)						\
KERN_HOOK void								\
__tsan_##name##_range(void *p, size_t n)				\
{									\
	KERN_ACCESSES(p, n, store);					\
	if (n >= KERN_KEY_BYTES)					\
		HOST(assigning, p, n, store);				\
}
KERN_RANGE(read, false)
KERN_RANGE(write, true)
KERN_HOOK void __tsan_func_entry(void *p) { (void)p; }
KERN_HOOK void __tsan_func_exit(void) { }
KERN_HOOK void __tsan_init(void) { }
/* Of the compiler: where an index is beyond its array, and that one's type. */
struct kern_bound { const char *kb_file; uint32_t kb_line, kb_column;
    const struct { uint32_t kb_kind; char kb_name[]; } *kb_type; };
KERN_HOOK void
__ubsan_handle_out_of_bounds(const struct kern_bound *kb, uint64_t index)
{
	const char *file = kb->kb_file, *of = kb->kb_type->kb_name;

	for (const char *p = file; *p != '\0'; p++)
		file = *p == '/' ? p + 1 : file;
	while (*of != '[' && *of != '\0')
		of++;
	/* A structure that ends with few is one for any number of them. */
	if (*of == '[' && of[1] <= '1' && of[2] == ']')
		return;
	kern_panic(file, (int)kb->kb_line, "index %jd is out of bounds",
	    (intmax_t)index);
}

#define	KERN_BULK(name, how, type, arg)					\
KERN_HOOK void *__tsan_##name(void *p, type arg, size_t n)		\
{ return (kern_##how(p, arg, n)); }
KERN_BULK(memcpy, memcpy, const void *, from)
KERN_BULK(memmove, memcpy, const void *, from)
KERN_BULK(memset, memset, int, c)
#endif
