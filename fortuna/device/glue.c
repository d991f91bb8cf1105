/*
 * random(4) of an object, as the program calls it.  The linker gives references
 * to __wrap_ names in place of the sources' own.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/random.h>
#include <sys/uio.h>

#include <dev/random/hash.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>

#include <random_abi.h>

/* What each release numbers so. */
#define	GLUE_PURE_START	(RANDOM_ENVIRONMENTAL_END + 1)

static const struct random_host *glue_host;
#define	GLUE_HOST(f, ...) (glue_host->rh_##f(glue_host->rh_self, ##__VA_ARGS__))

extern __typeof__(random_alg_context) __real_random_alg_context;
/* Where others find random_alg_context; it is not constant. */
struct random_algorithm __wrap_random_alg_context;

bool	__real_random_harvest_healthtest(const struct harvest_event *)
	    __attribute__((weak));

void	__real_random_source_register(const struct random_source *);

/* By bit; all others but those of the environment have no tests. */
static uint32_t glue_registered;

void
__wrap_random_source_register(const struct random_source *source)
{
	glue_registered |= 1u << source->rs_source;
	__real_random_source_register(source);
}

/* Of the unit of the queue. */
enum random_tested kern_probe_tested(u_int) __attribute__((weak));

/* No source but VMGENID gets its number. */
KERN_PLAIN static struct random_event
glue_copy(const struct harvest_event *event)
{
	const u_int kind = event->he_source - (event->he_source <
	    GLUE_PURE_START ? 0 : GLUE_PURE_START - RANDOM_ABI_PURE);
	struct random_event copy = {
		.he_somecounter = event->he_somecounter,
		.he_size = event->he_size,
		.he_destination = event->he_destination,
		.he_source = event->he_source == RANDOM_PURE_VMGENID ?
		    RANDOM_ABI_VMGENID : kind + (kind == RANDOM_ABI_VMGENID),
	};

	__builtin_memcpy(copy.he_entropy, event->he_entropy,
	    sizeof(copy.he_entropy));
	return (copy);
}

/* Scripts and records have events of any source. */
bool
__wrap_random_harvest_healthtest(const struct harvest_event *event)
{
	const struct random_event copy = glue_copy(event);
	const bool tested = event->he_source < GLUE_PURE_START ||
	    (glue_registered >> event->he_source & 1) != 0;
	const bool accepted = __real_random_harvest_healthtest == NULL ||
	    !tested || __real_random_harvest_healthtest(event);

	GLUE_HOST(deliver, &copy, true);
	GLUE_HOST(tested, accepted ? RANDOM_ACCEPTED : kern_probe_tested ==
	    NULL ? RANDOM_REFUSED : kern_probe_tested(event->he_source));
	return (accepted);
}

void	__real_randomdev_unblock(void);

void
__wrap_randomdev_unblock(void)
{
	GLUE_HOST(unblock);
	__real_randomdev_unblock();
}

enum glue_call { GLUE_PRE_READ, GLUE_SEEDED, GLUE_READ, GLUE_EVENT };

/* With a gap above its stack, which the look at that uses. */
KERN_PLAIN static __noinline bool
glue_call_below(const struct random_algorithm *ra, enum glue_call call,
    void *p, size_t n)
{
	char gap[KERN_LOOK_BYTES];
	bool seeded = false;

	__asm__ volatile("" : : "r"(gap) : "memory");
	if (call == GLUE_PRE_READ)
		ra->ra_pre_read();
	else if (call == GLUE_SEEDED)
		seeded = ra->ra_seeded();
	else if (call == GLUE_READ)
		/* Older releases have another type for a size. */
		ra->ra_read(p, n);
	else
		ra->ra_event_processor(p);
	__asm__ volatile("" : : "r"(gap) : "memory");
	return (seeded);
}

/*
 * What the algorithm's functions leave on the stack is looked for when they
 * return, before others use that stack.
 */
KERN_PLAIN static bool
glue_call(enum glue_call call, void *p, size_t n)
{
	const struct random_algorithm *ra =
	    (const void *)&__real_random_alg_context;
	const bool seeded = glue_call_below(ra, call, p, n);

#ifdef KERNEL_SIMULATED
	HOST(returned, call == GLUE_PRE_READ ? (const void *)ra->ra_pre_read :
	    call == GLUE_SEEDED ? (const void *)ra->ra_seeded : call ==
	    GLUE_READ ? (const void *)ra->ra_read :
	    (const void *)ra->ra_event_processor);
#endif
	return (seeded);
}

KERN_CALL(void, glue_pre_read, (void), (void)glue_call(GLUE_PRE_READ, NULL, 0))
KERN_CALL(bool, glue_seeded, (void), glue_call(GLUE_SEEDED, NULL, 0))
KERN_CALL(void, glue_read, (uint8_t *buf, size_t n),
    (void)glue_call(GLUE_READ, buf, n))

KERN_PLAIN static void
glue_deliver(struct harvest_event *event)
{
	const struct random_event copy = glue_copy(event);
	uint64_t word;

	GLUE_HOST(deliver, &copy, false);
	(void)glue_call(GLUE_EVENT, event, 0);
	/* It may have been cleared. */
	__builtin_memcpy(&word, event->he_entropy, sizeof(word));
	GLUE_HOST(delivered, word != 0 && __builtin_memcmp(&word,
	    copy.he_entropy, sizeof(word)) != 0);
}

static void
glue_attach(const struct random_host *rh)
{
	glue_host = rh;
#define	LACKS(member)	__real_random_alg_context.member == NULL
	if (LACKS(ra_pre_read) || LACKS(ra_seeded) || LACKS(ra_read) ||
	    LACKS(ra_event_processor))
		panic("random_alg_context lacks a function");
	__builtin_memcpy(__DECONST(void *, &__wrap_random_alg_context),
	    &__real_random_alg_context, sizeof(__wrap_random_alg_context));
	__wrap_random_alg_context.ra_event_processor = glue_deliver;
#ifdef KERNEL_SIMULATED
	__wrap_random_alg_context.ra_pre_read = glue_pre_read;
	__wrap_random_alg_context.ra_seeded = glue_seeded;
	__wrap_random_alg_context.ra_read =
	    (__typeof__(__wrap_random_alg_context.ra_read))
	    (void (*)(void))glue_read;
#endif
}

/* A source of the same kind; the release may have fewer. */
KERN_PLAIN static uint8_t
glue_source(uint8_t source)
{
	if (source == RANDOM_ABI_VMGENID && RANDOM_PURE_VMGENID < ENTROPYSOURCE)
		return (RANDOM_PURE_VMGENID);
	source = source < RANDOM_ABI_PURE ? MIN(source, GLUE_PURE_START - 1) :
	    MIN(GLUE_PURE_START + source - RANDOM_ABI_PURE, ENTROPYSOURCE - 1);
	return (source - (source == RANDOM_PURE_VMGENID));
}

KERN_PLAIN static void
glue_event(const struct random_event *event)
{
	struct harvest_event own = {
		.he_somecounter = event->he_somecounter,
		.he_size = event->he_size,
		.he_destination = event->he_destination,
		.he_source = glue_source(event->he_source),
	};

	__builtin_memcpy(own.he_entropy, event->he_entropy,
	    sizeof(event->he_entropy));
	glue_deliver(&own);
}

static int
glue_read_uio(void *buf, size_t n, bool nonblock, size_t *left)
{
	struct iovec iov = { buf, n };
	struct uio uio = { .uio_iov = &iov, .uio_iovcnt = 1,
	    .uio_resid = (ssize_t)n, .uio_rw = UIO_READ };
	int error = read_random_uio(&uio, nonblock);

#ifdef RANDOM_HARVEST_BITS
	/* Release 11 fails when it was seeded while its wait timed out. */
	while (error == EWOULDBLOCK && !nonblock && uio.uio_resid == (ssize_t)n)
		error = read_random_uio(&uio, nonblock);
#endif
	*left = (size_t)uio.uio_resid;
	return (error);
}

/* Of older releases it returns a count. */
KERN_CALL(void, glue_read_kernel, (void *buf, u_int n),
    (void)read_random(buf, n))

static size_t
glue_use(const void *buf, size_t n, int writes)
{
	struct iovec iov = { __DECONST(void *, buf), n };
	struct uio uio = { .uio_iov = &iov, .uio_iovcnt = 1,
	    .uio_resid = (ssize_t)n, .uio_rw = UIO_WRITE };

	kern_sysctls_use(writes);
	return ((n > 0 || buf == NULL) && kern_devsw != NULL &&
	    kern_devsw->d_write != NULL &&
	    kern_devsw->d_write(NULL, &uio, 0) == 0 ? n -
	    (size_t)uio.uio_resid : 0);
}

static bool
glue_harvest(enum random_entry entry, const void *entropy, unsigned n,
    uint8_t kind)
{
	const enum random_entropy_source source = glue_source(kind);

#ifdef RANDOM_HARVEST_BITS
	/* Until release 11 the queue looks at the mask. */
#define	random_harvest_queue(e, n, s)	random_harvest_queue(e, n, 8 * (n), s)
#define	random_harvest_fast(e, n, s)	random_harvest_fast(e, n, 8 * (n), s)
#define	random_harvest_direct(e, n, s)	random_harvest_direct(e, n, 8 * (n), s)
#else
	if ((hc_source_mask & (1u << source)) == 0)
		return (false);
#endif
	if (entry == RANDOM_QUEUE)
		random_harvest_queue(entropy, n, source);
	else if (entry == RANDOM_FAST)
		random_harvest_fast(entropy, n, source);
	else
		random_harvest_direct(entropy, n, source);
	return (true);
}

/* Until release 11 no option leaves a source out. */
static bool
glue_include(uint8_t kind, uint32_t mask __unused)
{
#ifndef RANDOM_HARVEST_BITS
	hc_source_mask |= 1u << glue_source(kind) & mask;
#endif
	return (kind < GLUE_PURE_START);
}

/* The sources' functions have no argument for which one they are. */
#define	GLUE_SOURCE(i)							\
KERN_PLAIN static u_int							\
glue_source_read_##i(void *buf, u_int n)				\
{									\
	return (GLUE_HOST(source_read, i, buf, n));			\
}
#define	GLUE_READS(i)	{ .rs_read = glue_source_read_##i },
#define	GLUE_SOURCES(each)						\
	each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)
GLUE_SOURCES(GLUE_SOURCE)

static struct random_source glue_sources[RANDOM_ABI_SOURCES_MAX] = {
	GLUE_SOURCES(GLUE_READS)
};

KERN_CALL(u_int, glue_source_read_nothing, (void *buf __unused,
    u_int n __unused), 0)
static struct random_source glue_unread[ENTROPYSOURCE] = {
	[0 ... ENTROPYSOURCE - 1] = { .rs_read = glue_source_read_nothing }
};

/* Where it is explored, a driver comes and goes while the kernel boots. */
static struct random_source glue_driver = { .rs_ident = "rngsim",
    .rs_source = GLUE_PURE_START, .rs_read = glue_source_read_nothing };
KERN_RUN(glue_driver, SI_SUB_DRIVERS, SI_ORDER_MIDDLE, false,
    if (HOST(tunable, "rngsim.driver", &(int64_t){ 0 })) {
	__real_random_source_register(&glue_driver);
	random_source_deregister(&glue_driver);
    });

static void
glue_register(unsigned i, const char *ident, uint8_t kind)
{
	const enum random_entropy_source source = glue_source(kind);
	struct random_source *rs = i < RANDOM_ABI_SOURCES_MAX ?
	    &glue_sources[i] : &glue_unread[source];

	rs->rs_ident = ident;
	rs->rs_source = source;
	__wrap_random_source_register(rs);
}

KERN_CALL(void, glue_deregister, (unsigned i),
    random_source_deregister(&glue_sources[i]))

#ifdef RANDOM_READ_BLOCKS
/* As the device of older releases reads: whole blocks, a page at most. */
KERN_PLAIN static void
glue_read_blocks(uint8_t *buf, size_t n)
{
	uint8_t page[PAGE_SIZE];
	size_t run, used;

	for (; n > 0; n -= used, buf += used) {
		run = MIN(roundup(n, RANDOM_BLOCKSIZE), sizeof(page));
		used = MIN(n, run);
		glue_read(page, run);
		(void)kern_memcpy(buf, page, used);
		explicit_bzero(page, run);
	}
}

/* As newer releases: one that is asked and has no seed yet, tries to get it. */
KERN_PLAIN static bool
glue_seeded_first(void)
{
	if (!glue_seeded())
		glue_pre_read();
	return (glue_seeded());
}
#else
#define	glue_read_blocks	glue_read
#define	glue_seeded_first	glue_seeded
#endif

/* Of the unit of the algorithm. */
extern const struct random_claims random_claims __attribute__((weak));
static const struct random_claims glue_no_claims;
void	kern_probe_state(struct random_state *, bool) __attribute__((weak));
__uint128_t kern_probe_counter(void) __attribute__((weak));
const void *kern_probe_key(void) __attribute__((weak));
/* Of the unit of hash.c. */
void	kern_probe_hash(uint8_t *) __attribute__((weak));

/* Older releases have AES alone. */
extern bool random_chachamode __attribute__((weak));

/* Where its bytes are. */
KERN_PLAIN static const void *
glue_claimed_key(void)
{
	return ((const char *)random_claims.rm_key + (&random_chachamode !=
	    NULL && random_chachamode ? offsetof(struct chacha_ctx, input[4]) :
	    offsetof(keyInstance, keyMaterial)));
}

static struct random_object glue_object = {
	.ro_attach = glue_attach, .ro_pre_read = glue_pre_read,
	.ro_seeded = glue_seeded_first, .ro_read = glue_read_blocks,
	.ro_event = glue_event, .ro_read_uio = glue_read_uio,
	.ro_read_kernel = glue_read_kernel,
	.ro_use = glue_use, .ro_harvest = glue_harvest,
	.ro_register = glue_register, .ro_deregister = glue_deregister,
	.ro_include = glue_include,
};

/* Before the program is attached, which accesses are reported to. */
KERN_PLAIN const void *
kern_device(void)
{
	glue_object.ro_poolcount = &__real_random_alg_context.ra_poolcount;
	glue_object.ro_claims = &random_claims != NULL ? &random_claims :
	    &glue_no_claims;
	if (glue_object.ro_claims->rm_key != NULL) {
		glue_object.ro_key = glue_claimed_key;
	} else {
		glue_object.ro_state = kern_probe_state;
		glue_object.ro_counter = kern_probe_counter;
		glue_object.ro_key = kern_probe_key;
	}
	glue_object.ro_hash = kern_probe_hash;
	glue_object.ro_aes_alone = &random_chachamode == NULL;
	return (&glue_object);
}
