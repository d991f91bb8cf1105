/*
 * The harvest queue of FreeBSD 12: a ring that producers fill under a spin
 * mutex, and that the thread empties without it.  How often the thread reads
 * its sources depends on how much was read.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/fail.h>
#include <sys/hash.h>
#include <sys/kernel.h>
#include <sys/kthread.h>
#include <sys/linker.h>
#include <sys/lock.h>
#include <sys/malloc.h>
#include <sys/mutex.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <sys/sysctl.h>

#include <machine/atomic.h>
#include <machine/cpu.h>

#include <dev/random/hash.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>

#define	RANDOM_RING_MAX		1024	/* one stays empty */
#define	RANDOM_ACCUM_MAX	8	/* words of the fast accumulator */

#define	RANDOM_COSTLY		(1u << RANDOM_NET_ETHER | 1u << RANDOM_UMA)
#define	RANDOM_ENVIRONMENTAL	((1u << (RANDOM_ENVIRONMENTAL_END + 1)) - 1)
#define	RANDOM_PURE		(((1u << ENTROPYSOURCE) - 1) &		\
    ~RANDOM_ENVIRONMENTAL)

/* 1: the thread runs; 0: it is to end; -1: it has ended. */
volatile int random_kthread_control;

u_int hc_source_mask __read_frequently;

static u_int read_rate;		/* words since the last pass */

struct random_sources {
	LIST_ENTRY(random_sources) rrs_entries;
	const struct random_source *rrs_source;
};
static LIST_HEAD(sources_head, random_sources) source_list =
    LIST_HEAD_INITIALIZER(source_list);

static struct harvest_context {
	struct mtx	hc_mtx;		/* of producers */
	u_int		hc_destination[ENTROPYSOURCE];
	struct proc	*hc_kthread_proc;
	struct entropy_ring {
		struct harvest_event ring[RANDOM_RING_MAX];
		volatile u_int in;	/* the last one filled */
		volatile u_int out;	/* the last one emptied */
	} hc_entropy_ring;
	struct fast_entropy_accumulator {
		volatile u_int pos;
		uint32_t buf[RANDOM_ACCUM_MAX];
	} hc_entropy_fast_accumulator;
} harvest_context;

#define	RANDOM_HARVEST_INIT_LOCK()	mtx_init(&harvest_context.hc_mtx, \
    "entropy harvest mutex", NULL, MTX_SPIN)
#define	RANDOM_HARVEST_LOCK()		mtx_lock_spin(&harvest_context.hc_mtx)
#define	RANDOM_HARVEST_UNLOCK()		mtx_unlock_spin(&harvest_context.hc_mtx)

static void random_kthread(void);

static struct kproc_desc random_proc_kp = {
	"rand_harvestq",
	random_kthread,
	&harvest_context.hc_kthread_proc,
};

SYSCTL_NODE(_kern_random, OID_AUTO, harvest, CTLFLAG_RW, 0,
    "Entropy harvesting");

static void
random_process_event(struct harvest_event *event)
{
	p_random_alg_context->ra_event_processor(event);
	explicit_bzero(event, sizeof(*event));
}

/* Releases from 2025 on test sources; this one does not. */
bool
random_harvest_healthtest(const struct harvest_event *event __unused)
{
	return (true);
}

void
read_rate_increment(u_int words)
{
	atomic_add_32(&read_rate, words);
}

static void
random_sources_feed(void)
{
	uint32_t entropy[HARVESTSIZE];
	struct random_sources *rrs;
	u_int i, n, rate;

	rate = atomic_readandclear_32(&read_rate);
	rate = MIN(MAX(rate, 1), RANDOM_KEYSIZE_WORDS);
	LIST_FOREACH(rrs, &source_list, rrs_entries) {
		if (rrs->rrs_source->rs_read == NULL)
			continue;
		for (i = 0; i < p_random_alg_context->ra_poolcount * rate;
		    i++) {
			n = rrs->rrs_source->rs_read(entropy, sizeof(entropy));
			KASSERT(n <= sizeof(entropy), ("%s wrote %u bytes",
			    rrs->rrs_source->rs_ident, n));
			if (n > 0)
				random_harvest_direct(entropy, n,
				    rrs->rrs_source->rs_source);
		}
	}
	explicit_bzero(entropy, sizeof(entropy));
}

/* At most as many events a pass as the ring has. */
static void
random_ring_empty(struct entropy_ring *ring)
{
	u_int left = RANDOM_RING_MAX, out;

	while (ring->out != ring->in && left-- > 0) {
		out = (ring->out + 1) % RANDOM_RING_MAX;
		KFAIL_POINT_CODE(DEBUG_FP, harvest_swap_pause, { });
		random_process_event(&ring->ring[out]);
		ring->out = out;
	}
}

static void
random_kthread(void)
{
	uint32_t *word;

	for (random_kthread_control = 1; random_kthread_control != 0;) {
		random_ring_empty(&harvest_context.hc_entropy_ring);
		random_sources_feed();
		for (u_int i = 0; i < RANDOM_ACCUM_MAX; i++) {
			word = &harvest_context.hc_entropy_fast_accumulator.
			    buf[i];
			if (*word == 0)
				continue;
			random_harvest_direct(word, sizeof(*word), RANDOM_UMA);
			*word = 0;
		}
		tsleep_sbt(&harvest_context.hc_kthread_proc, 0, "-",
		    SBT_1S / 10, 0, C_PREL(1));
	}
	random_kthread_control = -1;
	wakeup(&harvest_context.hc_kthread_proc);
	kproc_exit(0);
}
SYSINIT(random_device_h_proc, SI_SUB_KICK_SCHEDULER, SI_ORDER_ANY, kproc_start,
    &random_proc_kp);

static int
random_check_uint_harvestmask(SYSCTL_HANDLER_ARGS)
{
	static const u_int immutable = RANDOM_PURE | RANDOM_COSTLY;
	u_int value = hc_source_mask;
	int error;

	error = sysctl_handle_int(oidp, &value, 0, req);
	if (error != 0 || req->newptr == NULL)
		return (error);
	if (flsl(value) > ENTROPYSOURCE)
		return (EINVAL);
	hc_source_mask = (value & ~immutable) | (hc_source_mask & immutable);
	return (0);
}
SYSCTL_PROC(_kern_random_harvest, OID_AUTO, mask, CTLTYPE_UINT | CTLFLAG_RW,
    NULL, 0, random_check_uint_harvestmask, "IU", "Sources to harvest");

static void
random_harvestq_init(void *arg __unused)
{
	hc_source_mask = RANDOM_ENVIRONMENTAL & ~RANDOM_COSTLY;
	RANDOM_HARVEST_INIT_LOCK();
}
SYSINIT(random_device_h_init, SI_SUB_RANDOM, SI_ORDER_THIRD,
    random_harvestq_init, NULL);

/* Gives the algorithm what a boot loader left, and clears that. */
static void
random_harvestq_prime(void *arg __unused)
{
	uint8_t *data;
	void *file;
	size_t size;

	file = preload_search_by_type(RANDOM_CACHED_BOOT_ENTROPY_MODULE);
	if (file == NULL)
		return;
	data = preload_fetch_addr(file);
	size = rounddown(preload_fetch_size(file), HARVESTSIZE *
	    sizeof(uint32_t));
	for (size_t i = 0; i < size; i += HARVESTSIZE * sizeof(uint32_t))
		random_harvest_direct_(data + i, HARVESTSIZE * sizeof(uint32_t),
		    RANDOM_CACHED);
	explicit_bzero(data, preload_fetch_size(file));
}
SYSINIT(random_device_prime, SI_SUB_RANDOM, SI_ORDER_FOURTH,
    random_harvestq_prime, NULL);

static void
random_harvestq_deinit(void *arg __unused)
{
	random_kthread_control = 0;
	while (random_kthread_control >= 0)
		tsleep(&harvest_context.hc_kthread_proc, 0, "harvqterm",
		    hz / 5);
}
SYSUNINIT(random_device_h_init, SI_SUB_RANDOM, SI_ORDER_THIRD,
    random_harvestq_deinit, NULL);

void
random_harvest_queue_(const void *entropy, u_int size,
    enum random_entropy_source origin)
{
	struct entropy_ring *ring = &harvest_context.hc_entropy_ring;
	struct harvest_event *event;
	u_int in;
	bool full;

	KASSERT(origin < ENTROPYSOURCE, ("origin %d", origin));
	RANDOM_HARVEST_LOCK();
	in = (ring->in + 1) % RANDOM_RING_MAX;
	full = in == ring->out;
	KFAIL_POINT_CODE(DEBUG_FP, harvest_ring_full, {
		full = true;
	});
	if (!full) {
		event = &ring->ring[in];
		event->he_somecounter = random_get_cyclecount();
		event->he_source = origin;
		event->he_destination =
		    harvest_context.hc_destination[origin]++;
		if (size <= sizeof(event->he_entropy)) {
			event->he_size = size;
			memcpy(event->he_entropy, entropy, size);
		} else {
			event->he_size = sizeof(event->he_entropy[0]);
			event->he_entropy[0] = jenkins_hash(entropy, size,
			    (uint32_t)(uintptr_t)event);
		}
		ring->in = in;
	}
	RANDOM_HARVEST_UNLOCK();
}

void
random_harvest_fast_(const void *entropy, u_int size)
{
	struct fast_entropy_accumulator *fast =
	    &harvest_context.hc_entropy_fast_accumulator;
	const u_int pos = fast->pos;

	fast->buf[pos] ^= jenkins_hash(entropy, size, random_get_cyclecount());
	fast->pos = (pos + 1) % RANDOM_ACCUM_MAX;
}

void
random_harvest_direct_(const void *entropy, u_int size,
    enum random_entropy_source origin)
{
	struct harvest_event event = { .he_source = origin };

	KASSERT(origin < ENTROPYSOURCE, ("origin %d", origin));
	size = MIN(size, sizeof(event.he_entropy));
	event.he_somecounter = random_get_cyclecount();
	event.he_size = size;
	event.he_destination = harvest_context.hc_destination[origin]++;
	memcpy(event.he_entropy, entropy, size);
	random_process_event(&event);
}

void
random_source_register(const struct random_source *rsource)
{
	struct random_sources *rrs;

	rrs = malloc(sizeof(*rrs), M_ENTROPY, M_WAITOK);
	rrs->rrs_source = rsource;
	hc_source_mask |= 1u << rsource->rs_source;
	LIST_INSERT_HEAD(&source_list, rrs, rrs_entries);
}

/* The thread may read it meanwhile: review D22489 mended that. */
void
random_source_deregister(const struct random_source *rsource)
{
	struct random_sources *rrs;

	hc_source_mask &= ~(1u << rsource->rs_source);
	LIST_FOREACH(rrs, &source_list, rrs_entries)
		if (rrs->rrs_source == rsource) {
			LIST_REMOVE(rrs, rrs_entries);
			free(rrs, M_ENTROPY);
			return;
		}
}
