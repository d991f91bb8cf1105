/*
 * Fortuna, which uses each interface of the kernel once before it starts, and
 * some while it runs.  A new interface is a line in check_ something.
 */
#define	random_alg_context	fortuna_context
#include "../../fortuna/fortuna.c"
#undef random_alg_context

#include <sys/bitset.h>
#include <sys/bitstring.h>
#include <sys/blockcount.h>
#include <sys/buf_ring.h>
#include <sys/callout.h>
#include <sys/ck.h>
#include <sys/condvar.h>
#include <sys/counter.h>
#include <sys/ktr.h>
#include <sys/kthread.h>
#include <sys/proc.h>
#include <sys/refcount.h>
#include <sys/smp.h>
#include <sys/syslog.h>
#include <sys/taskqueue.h>
#include <sys/time.h>
#include <sys/tslog.h>
#include <sys/uio.h>
#include <vm/uma.h>
#include <machine/fpu.h>

MALLOC_DEFINE(M_CHECK, "check", "interfaces");

/* atomic(9), in each size and order. */
#define	CHECK_ORDERED(s, type, o) do {					\
	type at = 5, seen = 4;						\
									\
	atomic_add_##o##s(&at, 3);					\
	MPASS(at == 8);							\
	atomic_subtract_##o##s(&at, 1);					\
	MPASS(at == 7);							\
	atomic_set_##o##s(&at, 0x18);					\
	MPASS(at == 0x1f);						\
	atomic_clear_##o##s(&at, 0x11);					\
	MPASS(at == 0xe);						\
	MPASS(atomic_cmpset_##o##s(&at, 4, 9) == 0 && at == 0xe);	\
	MPASS(atomic_fcmpset_##o##s(&at, &seen, 9) == 0 && seen == 0xe); \
	MPASS(atomic_fcmpset_##o##s(&at, &seen, 9) != 0 && at == 9);	\
	MPASS(atomic_cmpset_##o##s(&at, 9, 1) != 0 && at == 1);		\
} while (0)
#define	CHECK_ATOMIC(s, type)						\
static type shared_##s;							\
static void								\
check_atomic_##s(void)							\
{									\
	type own = 1;							\
									\
	CHECK_ORDERED(s, type, );					\
	CHECK_ORDERED(s, type, acq_);					\
	CHECK_ORDERED(s, type, rel_);					\
	for (type *at = &own; at != NULL;				\
	    at = at == &own ? &shared_##s : NULL) {			\
		atomic_store_##s(at, 3);				\
		MPASS(atomic_load_##s(at) == 3);			\
		atomic_store_rel_##s(at, 0x7f);				\
		MPASS(atomic_load_acq_##s(at) == 0x7f);			\
		MPASS(atomic_fetchadd_##s(at, 2) == 0x7f && *at == 0x81); \
		MPASS(atomic_swap_##s(at, 6) == 0x81);			\
		MPASS(atomic_testandset_##s(at, 1) != 0 && *at == 6);	\
		MPASS(atomic_testandset_acq_##s(at, 0) == 0 && *at == 7); \
		MPASS(atomic_testandclear_##s(at, NBBY * sizeof(type) + 2)); \
		MPASS(atomic_readandclear_##s(at) == 3 && *at == 0);	\
		atomic_subtract_##s(at, 1);				\
		MPASS(*at == (type)-1);					\
	}								\
}
#define	CHECK_ATOMICS(each)						\
each(8, uint8_t) each(16, uint16_t) each(32, uint32_t) each(64, uint64_t) \
each(char, u_char) each(short, u_short) each(int, u_int) each(long, u_long) \
each(ptr, uintptr_t)
CHECK_ATOMICS(CHECK_ATOMIC)

static void
check_atomics(void)
{
	static const char *text = "text";
	static bool flag;

#define	CALL(s, type)	check_atomic_##s();
	CHECK_ATOMICS(CALL)
	MPASS(atomic_load_ptr(&text)[1] == 'e');
	MPASS(atomic_load_consume_ptr(&text)[2] == 'x');
	atomic_store_ptr(&text, text + 1);
	MPASS(atomic_load_ptr(&text)[0] == 'e');
	atomic_store_bool(&flag, 0x100);
	MPASS(atomic_load_bool(&flag));
	atomic_thread_fence_acq();
	atomic_thread_fence_rel();
	atomic_thread_fence_acq_rel();
	atomic_thread_fence_seq_cst();
	atomic_interrupt_fence();
}

/* queue(3).  Elements spell their order. */
struct item {
	int	i;
	SLIST_ENTRY(item) s;
	LIST_ENTRY(item) l;
	STAILQ_ENTRY(item) st;
	TAILQ_ENTRY(item) t;
};

#define	ORDER(kind, head, f) ({						\
	struct item *e_;						\
	int order_ = 0;							\
									\
	kind##_FOREACH(e_, head, f)					\
		order_ = order_ * 10 + e_->i;				\
	order_;								\
})
/* What all kinds have, on items 1 to 5. */
#define	CHECK_QUEUE(kind, f, remove, swap) do {				\
	kind##_HEAD(head_##f, item) a = kind##_HEAD_INITIALIZER(a), b;	\
	struct item x[6], *e, *next;					\
									\
	for (int i = 0; i < 6; i++)					\
		x[i].i = i;						\
	kind##_INIT(&b);						\
	MPASS(kind##_EMPTY(&a) && kind##_EMPTY(&b));			\
	kind##_INSERT_HEAD(&a, &x[2], f);				\
	kind##_INSERT_HEAD(&a, &x[1], f);				\
	MPASS(kind##_FIRST(&a) == &x[1] && kind##_NEXT(&x[1], f) == &x[2]); \
	MPASS(ORDER(kind, &a, f) == 12);				\
	e = &x[2];							\
	kind##_FOREACH_FROM(e, &a, f)					\
		MPASS(e == &x[2]);					\
	kind##_INSERT_HEAD(&b, &x[3], f);				\
	swap;								\
	MPASS(ORDER(kind, &a, f) == 3 && ORDER(kind, &b, f) == 12);	\
	kind##_FOREACH_SAFE(e, &b, f, next) {				\
		if (e == &x[1])						\
			remove;						\
		else							\
			MPASS(e == &x[2] && next == NULL);		\
	}								\
	MPASS(ORDER(kind, &b, f) == 2);					\
} while (0)

static void
check_queues(void)
{
	TAILQ_HEAD(tail, item) t = TAILQ_HEAD_INITIALIZER(t), u;
	STAILQ_HEAD(, item) st = STAILQ_HEAD_INITIALIZER(st), sv;
	CK_STAILQ_HEAD(, item) ck = CK_STAILQ_HEAD_INITIALIZER(ck);
	CK_LIST_HEAD(cklist, item) l = CK_LIST_HEAD_INITIALIZER(l);
	CK_SLIST_HEAD(, item) s = CK_SLIST_HEAD_INITIALIZER(s);
	struct item x[6], *e, *next;

	CHECK_QUEUE(SLIST, s, SLIST_REMOVE(&b, e, item, s),
	    SLIST_SWAP(&a, &b, item));
	CHECK_QUEUE(LIST, l, LIST_REMOVE(e, l), LIST_SWAP(&a, &b, item, l));
	CHECK_QUEUE(STAILQ, st, STAILQ_REMOVE(&b, e, item, st),
	    STAILQ_SWAP(&a, &b, item));
	CHECK_QUEUE(TAILQ, t, TAILQ_REMOVE(&b, e, t),
	    TAILQ_SWAP(&a, &b, item, t));
	for (int i = 0; i < 6; i++)
		x[i].i = i;
	TAILQ_INIT(&u);
	TAILQ_INSERT_TAIL(&t, &x[1], t);
	TAILQ_INSERT_TAIL(&t, &x[3], t);
	TAILQ_INSERT_BEFORE(&x[3], &x[2], t);
	TAILQ_INSERT_AFTER(&t, &x[3], &x[4], t);
	MPASS(ORDER(TAILQ, &t, t) == 1234);
	MPASS(TAILQ_LAST(&t, tail) == &x[4] &&
	    TAILQ_PREV(&x[4], tail, t) == &x[3]);
	int back = 0;
	TAILQ_FOREACH_REVERSE(e, &t, tail, t)
		back = back * 10 + e->i;
	TAILQ_FOREACH_REVERSE_SAFE(e, &t, tail, t, next)
		if (e == &x[3])
			TAILQ_REMOVE(&t, e, t);
	MPASS(back == 4321 && ORDER(TAILQ, &t, t) == 124);
	TAILQ_REPLACE(&t, &x[4], &x[3], t);
	TAILQ_INSERT_TAIL(&u, &x[5], t);
	TAILQ_CONCAT(&t, &u, t);
	MPASS(ORDER(TAILQ, &t, t) == 1235 && TAILQ_EMPTY(&u));
	TAILQ_REMOVE(&t, &x[5], t);
	MPASS(TAILQ_LAST(&t, tail) == &x[3]);
	STAILQ_INIT(&sv);
	STAILQ_INSERT_TAIL(&st, &x[1], st);
	STAILQ_INSERT_AFTER(&st, &x[1], &x[2], st);
	STAILQ_INSERT_TAIL(&sv, &x[3], st);
	STAILQ_CONCAT(&st, &sv);
	MPASS(STAILQ_LAST(&st, item, st) == &x[3]);
	STAILQ_REMOVE_AFTER(&st, &x[1], st);
	STAILQ_REMOVE_HEAD(&st, st);
	MPASS(ORDER(STAILQ, &st, st) == 3);
	CK_STAILQ_INSERT_TAIL(&ck, &x[1], st);
	CK_STAILQ_INSERT_HEAD(&ck, &x[0], st);
	MPASS(ORDER(CK_STAILQ, &ck, st) == 1);
	CK_LIST_INSERT_HEAD(&l, &x[2], l);
	CK_LIST_INSERT_BEFORE(&x[2], &x[1], l);
	CK_LIST_INSERT_AFTER(&x[2], &x[3], l);
	MPASS(LIST_PREV(&x[2], &l, item, l) == &x[1] &&
	    LIST_PREV(&x[1], &l, item, l) == NULL);
	LIST_REPLACE(&x[2], &x[4], l);
	MPASS(ORDER(CK_LIST, &l, l) == 143);
	CK_SLIST_INSERT_HEAD(&s, &x[1], s);
	CK_SLIST_INSERT_AFTER(&x[1], &x[2], s);
	SLIST_REMOVE_AFTER(&x[1], s);
	CK_SLIST_REMOVE_HEAD(&s, s);
	MPASS(CK_SLIST_EMPTY(&s));
}

/* Sets of bits. */
BITSET_DEFINE(bits, 130);

static void
check_bits(void)
{
	struct bits a, b = BITSET_T_INITIALIZER(BITSET_FSET(3));
	bitstr_t bit_decl(s, 130);
	bitstr_t *heap = bit_alloc(70, M_CHECK, M_WAITOK);
	int i, at, sum = 0;

	BIT_ZERO(130, &a);
	MPASS(BIT_EMPTY(130, &a) && BIT_ISFULLSET(130, &b));
	BIT_SET(130, 129, &a);
	BIT_SET_ATOMIC(130, 64, &a);
	MPASS(BIT_TEST_SET_ATOMIC(130, 3, &a) == 0);
	MPASS(BIT_ISSET(130, 3, &a) && !BIT_ISSET(130, 4, &a));
	MPASS(BIT_FFS(130, &a) == 4 && BIT_FFS_AT(130, &a, 4) == 65);
	BIT_FOREACH_ISSET(130, i, &a)
		sum += i;
	MPASS(sum == 129 + 64 + 3 && BIT_COUNT(130, &a) == 3);
	MPASS(BIT_SUBSET(130, &b, &a) && BIT_OVERLAP(130, &a, &b));
	BIT_ANDNOT(130, &b, &a);
	MPASS(!BIT_OVERLAP(130, &a, &b) && BIT_CMP(130, &a, &b));
	BIT_OR(130, &b, &a);
	BIT_COPY(130, &a, &b);
	MPASS(!BIT_CMP(130, &a, &b));
	BIT_CLR_ATOMIC(130, 3, &a);
	bit_nclear(s, 0, 129);
	bit_nset(s, 62, 65);
	MPASS(bit_test(s, 65) && !bit_test(s, 66) && bit_ntest(s, 62, 65, 1));
	bit_clear(s, 62);
	bit_ffs(s, 130, &at);
	MPASS(at == 63);
	bit_ffc_at(s, 63, 130, &at);
	MPASS(at == 66);
	bit_count(s, 64, 130, &at);
	MPASS(at == 2);
	bit_ffs(heap, 70, &at);
	MPASS(at == -1);
	bit_set(heap, 69);
	MPASS(bit_test(heap, 69));
	free(heap, M_CHECK);
	uint8_t old[2] = { 0, 0 };
	setbit(old, 9);
	MPASS(isset(old, 9) && isclr(old, 8) && old[1] == 2);
	clrbit(old, 9);
	MPASS(old[1] == 0);
}

/* Memory and counts. */
static int made, given;

static int
item_ctor(void *p, int size, void *arg, int flags __unused)
{
	MPASS(size == sizeof(struct item) && arg == &made);
	((struct item *)p)->i = ++made;
	return (0);
}

static void
item_dtor(void *p, int size __unused, void *arg __unused)
{
	given += ((struct item *)p)->i;
}

static void
check_memory(void)
{
	uma_zone_t zone = uma_zcreate("items", sizeof(struct item), item_ctor,
	    item_dtor, NULL, NULL, UMA_ALIGN_PTR, 0), each;
	struct item *e = uma_zalloc_arg(zone, &made, M_WAITOK);
	counter_u64_t c = counter_u64_alloc(M_WAITOK);
	uint64_t *each_cpu;
	size_t size;
	blockcount_t blocks;
	volatile u_int refs;
	struct sbuf *sb;
	char *p;

	MPASS(e->i == 1);
	uma_zfree(zone, e);
	MPASS(given == 1);
	uma_zdestroy(zone);
	each = uma_zcreate("each", 8, NULL, NULL, NULL, NULL, UMA_ALIGN_PTR,
	    UMA_ZONE_PCPU);
	each_cpu = uma_zalloc_pcpu(each, M_WAITOK | M_ZERO);
	*zpcpu_get_cpu(each_cpu, mp_maxid) = 7;
	MPASS(vm_ndomains <= MAXMEMDOM && PCPU_GET(domain) < vm_ndomains);
	MPASS(pcpu_find(mp_maxid)->pc_domain < vm_ndomains);
	MPASS(zpcpu_get(each_cpu) == zpcpu_get_cpu(each_cpu, curcpu));
	critical_enter();
	zpcpu_set_protected(each_cpu, 5);
	MPASS(zpcpu_replace(each_cpu, 6) == 5 && *zpcpu_get(each_cpu) == 6);
	critical_exit();
	uma_zfree_pcpu(each, each_cpu);
	counter_u64_add(c, 40);
	counter_enter();
	counter_u64_add_protected(c, 2);
	counter_exit();
	MPASS(counter_u64_fetch(c) == 42);
	counter_u64_zero(c);
	MPASS(counter_u64_fetch(c) == 0);
	counter_u64_free(c);
	p = mallocarray(3, 5, M_CHECK, M_WAITOK | M_ZERO);
	MPASS(p[14] == 0);
	strlcpy(p, "twelve bytes", 15);
	size = 500;
	p = realloc(p, size *= 2, M_CHECK, M_WAITOK);
	MPASS(size == 1000 && malloc(SIZE_MAX - 8, M_CHECK, M_NOWAIT) == NULL);
	MPASS(strcmp(p, "twelve bytes") == 0);
	p = reallocf(p, 20, M_CHECK, M_NOWAIT);
	free(p, M_CHECK);
	p = malloc_aligned(100, CACHE_LINE_SIZE, M_CHECK, M_WAITOK);
	MPASS((uintptr_t)p % CACHE_LINE_SIZE == 0);
	zfree(p, M_CHECK);
	zone = uma_zcreate("zeros", 20, NULL, NULL, NULL, NULL, UMA_ALIGN_PTR,
	    UMA_ZONE_ZINIT);
	p = malloc(20, M_CHECK, M_WAITOK);
	memset(p, 1, 20);
	free(p, M_CHECK);
	p = uma_zalloc(zone, M_WAITOK);
	MPASS(p[19] == 0);
	uma_zfree(zone, p);
	uma_zdestroy(zone);
	sb = sbuf_new_auto();
	MPASS(sbuf_cat(sb, "more than sixteen") == 0 && sbuf_finish(sb) == 0);
	MPASS(sbuf_data(sb)[16] == '\0' && sbuf_len(sb) == 17);
	sbuf_delete(sb);
	p = strdup("copy", M_CHECK);
	MPASS(strcmp(p, "copy") == 0);
	free(p, M_CHECK);
	blockcount_init(&blocks);
	blockcount_acquire(&blocks, 2);
	blockcount_release(&blocks, 2);
	blockcount_wait(&blocks, NULL, "check", 0);
	MPASS(blockcount_read(&blocks) == 0 && sig_intr() == 0);
	refcount_init(&refs, 1);
	refcount_acquire(&refs);
	MPASS(refcount_load(&refs) == 2 && !refcount_release(&refs));
	MPASS(!refcount_acquire_if_gt(&refs, 1));
	MPASS(refcount_acquire_if_not_zero(&refs) &&
	    refcount_release_if_not_last(&refs));
	MPASS(!refcount_release_if_not_last(&refs) && refcount_release(&refs));
	MPASS(!refcount_acquire_if_not_zero(&refs));
}

static void
check_ring(void)
{
	struct buf_ring *br = buf_ring_alloc(4, M_CHECK, M_WAITOK, NULL);
	int x[4];

	for (int round = 0; round < 3; round++) {
		MPASS(buf_ring_empty(br) && buf_ring_dequeue_mc(br) == NULL);
		for (int i = 0; i < 3; i++)
			MPASS(buf_ring_enqueue(br, &x[i]) == 0);
		MPASS(buf_ring_enqueue(br, &x[3]) == ENOBUFS);
		MPASS(buf_ring_full(br) && buf_ring_count(br) == 3);
		MPASS(buf_ring_peek(br) == &x[0]);
		buf_ring_putback_sc(br, &x[3]);
		MPASS(buf_ring_dequeue_sc(br) == &x[3]);
		MPASS(buf_ring_dequeue_mc(br) == &x[1]);
		MPASS(buf_ring_peek_clear_sc(br) == &x[2]);
		buf_ring_advance_sc(br);
	}
	buf_ring_free(br, M_CHECK);
}

/* Small functions. */
EVENTHANDLER_DECLARE(checked, void (*)(void *, int));
static int handled;

static void
handler(void *arg, int n)
{
	handled = handled * 10 + n + *(int *)arg;
}
static int zero;
EVENTHANDLER_DEFINE(checked, handler, &zero, EVENTHANDLER_PRI_LAST);

SDT_PROVIDER_DEFINE(check);
SDT_PROBE_DEFINE0(check, , , none);
SDT_PROBE_DEFINE7(check, , , seven, "int", "int", "int", "int", "int", "int",
    "int");

static void
check_small(void)
{
	static int one = 1;
	eventhandler_tag tag = EVENTHANDLER_REGISTER(checked, handler, &one,
	    EVENTHANDLER_PRI_FIRST);
	struct fpu_kern_ctx *ctx = fpu_kern_alloc_ctx(0);
	struct timespec ts;
	struct timeval tv, last = { 5, 0 };
	struct make_dev_args args;
	struct bintime bt;
	struct selinfo si;
	struct cdev *dev;
	char text[16];

	make_dev_args_init(&args);
	args.mda_flags = MAKEDEV_WAITOK;
	args.mda_devsw = kern_devsw;
	MPASS(make_dev_s(&args, &dev, "check") == 0);
	selwakeup(&si);
	EVENTHANDLER_INVOKE(checked, 2);
	EVENTHANDLER_DEREGISTER(checked, tag);
	EVENTHANDLER_INVOKE(checked, 4);
	MPASS(handled == 324);
	MPASS(ffs(8) == 4 && ffsl(0) == 0 && ffsll(1ll << 40) == 41);
	MPASS(fls(8) == 4 && flsl(0) == 0 && flsll(-1) == 64);
	MPASS(ilog2(4096) == 12 && bitcount64(~0ul) == 64);
	MPASS(bswap32(bswap16(0x100)) == 0x1000000 && !SCHEDULER_STOPPED());
	MPASS(imin(-1, 1) == -1 && min(-1, 1) == 1 && lmax(2, 3) == 3 &&
	    ulmin(2, 3) == 2 && qmax(-2, -3) == -2 && abs(-3) == 3);
	MPASS(strlcpy(text, "0123456789abcdefgh", sizeof(text)) == 18);
	MPASS(strnlen(text, 4) == 4 && strlen(text) == 15);
	MPASS(strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0);
	text[3] = '\0';
	MPASS(strlcat(text, "xy", sizeof(text)) == 5 && text[3] == 'x');
	MPASS(strchr(text, 'y') == text + 4 && strchr(text, 'z') == NULL);
	MPASS(bcmp(text, "012xy", 6) == 0 &&
	    timingsafe_bcmp(text, "012xz", 6) != 0);
	MPASS(arc4random_uniform(7) < 7 && arc4random() != arc4random());
	nanouptime(&ts);
	getmicrouptime(&tv);
	binuptime(&bt);
	MPASS(ts.tv_nsec < 1000000000 && tv.tv_usec < 1000000);
	getbintime(&bt);
	MPASS((bt.sec - tv.tv_sec) % 3600 < 60);
	MPASS(ratecheck(&last, &(struct timeval){ 9, 0 }) == 0 &&
	    ppsratecheck(&last, &one, 2) == 1 &&
	    ppsratecheck(&last, &one, 2) == 0);
	MPASS(sbttoms(tstosbt((struct timespec){ 2, 500000000 })) == 2500);
	MPASS(bttosbt(sbttobt(SBT_1S * 3 / 2)) == SBT_1S * 3 / 2);
	MPASS(sbintime_getsec(SBT_1S * 3 / 2) == 1);
	MPASS(sbttous(mstosbt(7)) == 7000);
	fpu_kern_enter(curthread, ctx, FPU_KERN_NORMAL);
	MPASS(fpu_kern_leave(curthread, ctx) == 0);
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	fpu_kern_leave(curthread, NULL);
	fpu_kern_free_ctx(ctx);
	TSENTER();
	WITNESS_WARN(WARN_GIANTOK | WARN_SLEEPOK, NULL, "%s", __func__);
	MPASS(cold != 0 && curproc != NULL);
	SDT_PROBE0(check, , , none);
	SDT_PROBE7(check, , , seven, 1, 2, 3, 4, 5, 6, 7);
	CTR2(KTR_GEN, "%d %d", 1, 2);
	log(LOG_INFO, "%d\n", 1);
	MPASS(kern_getenv("none") == NULL && EDOOFUS == 88 && ENOSYS == 78);
}

/* Sysctls; the test sets those that it names. */
SYSCTL_NODE(_kern_random, OID_AUTO, check, CTLFLAG_RW | CTLFLAG_MPSAFE, 0, "");
#define	CHECK_SYSCTLS(each)						\
each(S8, int8_t) each(U8, uint8_t) each(S16, int16_t) each(U16, uint16_t) \
each(S32, int32_t) each(U32, uint32_t) each(S64, int64_t) each(U64, uint64_t) \
each(LONG, long) each(ULONG, u_long) each(QUAD, int64_t) each(BOOL, bool)
#define	CHECK_SYSCTL(T, type)						\
static type set_##T = 1, added_##T = 1;					\
SYSCTL_##T(_kern_random_check, OID_AUTO, set_##T, CTLFLAG_RWTUN, &set_##T, \
    0, "");
CHECK_SYSCTLS(CHECK_SYSCTL)
static sbintime_t delay_ms = SBT_1S;
SYSCTL_SBINTIME_MSEC(_kern_random_check, OID_AUTO, delay_ms, CTLFLAG_RWTUN,
    &delay_ms, "");
static counter_u64_t reads;
COUNTER_U64_SYSINIT(reads);
SYSCTL_COUNTER_U64(_kern_random_check, OID_AUTO, reads, CTLFLAG_RD, &reads, "");
SYSCTL_STRING(_kern_random_check, OID_AUTO, text, CTLFLAG_RD, "text", 0, "");
SYSCTL_OPAQUE(_kern_random_check, OID_AUTO, opaque, CTLFLAG_RD, &handled,
    sizeof(handled), "I", "");
SYSCTL_STRUCT(_kern_random_check, OID_AUTO, item, CTLFLAG_RD, &handled, item,
    "");
static long tuned = 1;
TUNABLE_LONG("kern.random.check.tuned", &tuned);

static int
check_proc(SYSCTL_HANDLER_ARGS)
{
	uint16_t value = set_U16;
	int error;

	(void)oidp, (void)arg1, (void)arg2;
	error = SYSCTL_OUT(req, &value, sizeof(value));
	if (error != 0 || req->newptr == NULL)
		return (error);
	error = SYSCTL_IN(req, &value, sizeof(value));
	set_U16 = value;
	return (error);
}
SYSCTL_PROC(_kern_random_check, OID_AUTO, proc, CTLTYPE_U16 | CTLFLAG_RW |
    CTLFLAG_MPSAFE, NULL, 0, check_proc, "SU", "");

static void
check_sysctls(void)
{
	struct sysctl_oid *oid = SYSCTL_ADD_NODE(NULL,
	    SYSCTL_STATIC_CHILDREN(_kern_random), OID_AUTO, "more",
	    CTLFLAG_RW, 0, "");
	long fetched = 3;

#define	ADD(T, type)							\
	(void)SYSCTL_ADD_##T(NULL, SYSCTL_CHILDREN(oid), OID_AUTO, #T,	\
	    CTLFLAG_RWTUN, &added_##T, 0, "");
	CHECK_SYSCTLS(ADD)
	(void)SYSCTL_ADD_STRING(NULL, SYSCTL_CHILDREN(oid), OID_AUTO, "text",
	    CTLFLAG_RD, __DECONST(char *, "text"), 0, "");
	if (TUNABLE_LONG_FETCH("kern.random.check.tuned", &fetched) == 0)
		return;
	MPASS(fetched == 9 && tuned == 9);
#define	IS_SET(T, type)	MPASS(set_##T == (sizeof(type) > 1 ? 9 : 1));
	CHECK_SYSCTLS(IS_SET)
	MPASS(added_U64 == 9 && reads != NULL && sbttoms(delay_ms) == 9);
}

/* Work for later: it has run when the harvest thread has ended. */
static struct mtx work_mtx;
static struct mtx_padalign spin_mtx;
static struct callout ticks_again, locked, spins, never;
static struct task task, freed;
static struct timeout_task later;
static int ticked, under_lock, tasked, timed;
TASKQUEUE_DEFINE_THREAD(check);

static void
tick(void *arg)
{
	MPASS(arg == &ticked && callout_active(&ticks_again));
	if (++ticked < 3)
		MPASS(callout_reset(&ticks_again, 1, tick, &ticked) == 0);
	else
		callout_deactivate(&ticks_again);
}

static void
tick_locked(void *arg __unused)
{
	mtx_assert(&work_mtx, MA_OWNED);
	under_lock++;
}

static void
tick_spins(void *arg __unused)
{
	mtx_assert(&spin_mtx, MA_OWNED);
	under_lock++;
}

static void
tick_never(void *arg __unused)
{
	panic("it was stopped");
}

static void
work(void *arg, int pending)
{
	*(int *)arg += pending;
}

static void
check_later(void)
{
	struct taskqueue *own = taskqueue_create("own", M_WAITOK,
	    taskqueue_thread_enqueue, NULL);
	u_int pending;

	MPASS(taskqueue_start_threads(&own, 1, 0, "own") == 0);
	mtx_init(&work_mtx, "work", NULL, MTX_DEF);
	callout_init(&ticks_again, 1);
	callout_init(&never, 1);
	callout_init_mtx(&locked, &work_mtx, 0);
	mtx_init(&spin_mtx, "spins", NULL, MTX_SPIN);
	callout_init_mtx(&spins, &spin_mtx, 0);
	MPASS(callout_reset(&ticks_again, 1, tick, &ticked) == 0);
	MPASS(callout_reset_sbt(&locked, SBT_1MS, 0, tick_locked, NULL,
	    C_PREL(1)) == 0);
	MPASS(callout_reset_sbt(&spins, SBT_1MS, 0, tick_spins, NULL,
	    C_DIRECT_EXEC) == 0);
	MPASS(callout_reset(&never, 1, tick_never, NULL) == 0);
	MPASS(callout_schedule(&never, 2) == 1 && callout_pending(&never));
	MPASS(callout_stop(&never) == 1 && !callout_active(&never));
	MPASS(callout_stop(&never) == -1 && callout_drain(&never) == -1);
	TASK_INIT(&task, 0, work, &tasked);
	TASK_INIT(&freed, 0, work, &tasked);
	TIMEOUT_TASK_INIT(own, &later, 0, work, &timed);
	taskqueue_enqueue(taskqueue_check, &freed);
	MPASS(taskqueue_cancel(taskqueue_check, &freed, &pending) == 0 &&
	    pending == 1);
	taskqueue_enqueue(own, &freed);
	taskqueue_enqueue(own, &freed);
	taskqueue_drain(own, &freed);
	MPASS(tasked == 2);
	taskqueue_enqueue(taskqueue_thread, &task);
	/* Not put off; and run, as it is enqueued. */
	taskqueue_enqueue_timeout(own, &later, 0);
	taskqueue_enqueue_timeout(own, &later, -100 * hz);
	taskqueue_drain_timeout(own, &later);
	MPASS(timed == 1);
	taskqueue_enqueue_timeout(taskqueue_fast, &later, 1);
	MPASS(taskqueue_cancel_timeout(taskqueue_fast, &later, NULL) == 0);
	taskqueue_enqueue_timeout_sbt(own, &later, SBT_1MS, 0, 0);
}

static void
check_all(void *arg __unused)
{
	check_atomics();
	check_queues();
	check_bits();
	check_memory();
	check_ring();
	check_small();
	check_sysctls();
	check_later();
}
SYSINIT(check, SI_SUB_DRIVERS, SI_ORDER_ANY, check_all, NULL);

/* What is over at once, or may not sleep. */
static void
check_waits(void)
{
	char from[1] = { 'f' }, to[1];
	struct iovec iov = { to, sizeof(to) };
	struct uio uio = { .uio_iov = &iov, .uio_iovcnt = 1,
	    .uio_resid = sizeof(to), .uio_rw = UIO_READ };
	const sbintime_t now = sbinuptime();
	struct cv cv;

	cv_init(&cv, "check");
	mtx_lock(&work_mtx);
	MPASS(cv_timedwait(&cv, &work_mtx, 0) == EWOULDBLOCK);
	MPASS(msleep_sbt(&cv, &work_mtx, 0, "check", now + SBT_1MS, 0,
	    C_ABSOLUTE) == EWOULDBLOCK);
	MPASS(uiomove_nofault(from, sizeof(from), &uio) == 0 &&
	    uio.uio_resid == 0);
	mtx_unlock(&work_mtx);
	cv_destroy(&cv);
}

static void
check_end(void *arg __unused)
{
	(void)callout_drain(&ticks_again);
	taskqueue_drain_timeout(taskqueue_thread, &later);
	taskqueue_drain_all(taskqueue_thread);
	check_waits();
	mtx_destroy(&work_mtx);
	mtx_destroy(&spin_mtx);
	/* Where it was set, time is enough. */
	MPASS(tuned == 1 || (ticked == 3 && under_lock == 2 && tasked == 3 &&
	    timed == 2));
}
SYSUNINIT(check, SI_SUB_DRIVERS, SI_ORDER_ANY, check_end, NULL);

/* A writer publishes a number, in an order that is right or wrong. */
static int publish;
SYSCTL_INT(_kern_random_check, OID_AUTO, publish, CTLFLAG_RWTUN, &publish, 0,
    "0 release and acquire, 1 fences; 2 no release, 3 no acquire");
static u_int writing, number, published;

static void
check_read(uint8_t *buf, size_t n)
{
	u_int next, seen, was;

	was = publish == 0 || publish == 2 ? atomic_load_acq_int(&published) :
	    atomic_load_int(&published);
	if (publish == 1)
		atomic_thread_fence_acq();
	seen = atomic_load_int(&number);
	KASSERT((int)(seen - was) >= 0, ("%u after %u", seen, was));
	if (atomic_cmpset_acq_int(&writing, 0, 1)) {
		next = atomic_load_int(&number) + 1;
		atomic_store_int(&number, next);
		if (publish == 1)
			atomic_thread_fence_rel();
		if (publish == 0 || publish == 3)
			atomic_store_rel_int(&published, next);
		else
			atomic_store_int(&published, next);
		atomic_store_rel_int(&writing, 0);
	}
	counter_u64_add(reads, 1);
	random_fortuna_read(buf, n);
}

const struct random_algorithm random_alg_context = {
	.ra_ident	= "Fortuna",
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_pre_read	= random_fortuna_pre_read,
	.ra_read	= check_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_event_processor = random_fortuna_process_event,
};
