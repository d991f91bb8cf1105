/*
 * The harvest queue: events are queued under a spin mutex, and a thread gives
 * them to the algorithm.
 *
 * There are two buffers: producers fill one while the thread empties the other,
 * and takes the mutex only to exchange them.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/ck.h>
#include <sys/epoch.h>
#include <sys/fail.h>
#include <sys/hash.h>
#include <sys/kernel.h>
#include <sys/kthread.h>
#include <sys/linker.h>
#include <sys/lock.h>
#include <sys/malloc.h>
#include <sys/mutex.h>
#include <sys/random.h>
#include <sys/sysctl.h>

#include <machine/atomic.h>
#include <machine/cpu.h>

#include <dev/random/fortuna.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>

#define	RANDOM_RING_MAX		1024	/* events of a buffer */
#define	RANDOM_ACCUM_MAX	8	/* words of the fast accumulator */
#define	RANDOM_KTHREAD_HZ	10	/* passes of the thread, a second */

/* Sources that are off because they are costly, unless compiled in. */
#ifdef RANDOM_ENABLE_ETHER
#define	RANDOM_ETHER_OFF	0
#else
#define	RANDOM_ETHER_OFF	(1u << RANDOM_NET_ETHER)
#endif
#ifdef RANDOM_ENABLE_UMA
#define	RANDOM_UMA_OFF		0
#else
#define	RANDOM_UMA_OFF		(1u << RANDOM_UMA)
#endif
#define	RANDOM_ENVIRONMENTAL	((1u << (RANDOM_ENVIRONMENTAL_END + 1)) - 1)
#define	RANDOM_PURE		(((1u << ENTROPYSOURCE) - 1) &		\
    ~RANDOM_ENVIRONMENTAL)

/* 1: the thread runs; 0: it is to end; -1: it has ended. */
volatile int random_kthread_control;

/* Changes with hc_mtx owned. */
u_int hc_source_mask __read_frequently;
CTASSERT(ENTROPYSOURCE <= sizeof(hc_source_mask) * NBBY);

/* Registered sources: changed with hc_mtx owned, read in a section. */
struct random_sources {
	CK_LIST_ENTRY(random_sources) rrs_entries;
	const struct random_source *rrs_source;
};
static CK_LIST_HEAD(sources_head, random_sources) source_list =
    CK_LIST_HEAD_INITIALIZER(source_list);
static epoch_t rs_epoch;

static struct harvest_context {
	struct mtx	hc_mtx;		/* of all but the accumulator */
	u_int		hc_destination[ENTROPYSOURCE];
	struct proc	*hc_kthread_proc;
	struct entropy_buffer {
		struct harvest_event ring[RANDOM_RING_MAX];
		u_int	pos;		/* events in it */
	} hc_entropy_buf[2];
	u_int		hc_active_buf;	/* which is filled */
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

SYSCTL_NODE(_kern_random, OID_AUTO, harvest, CTLFLAG_RW | CTLFLAG_MPSAFE, 0,
    "Entropy harvesting");

static void
random_process_event(struct harvest_event *event)
{
	p_random_alg_context->ra_event_processor(event);
	explicit_bzero(event, sizeof(*event));
}

/* The next pool of each source in turn. */
static void
random_event_stamp(struct harvest_event *event,
    enum random_entropy_source origin)
{
	event->he_somecounter = random_get_cyclecount();
	event->he_source = origin;
	event->he_destination = harvest_context.hc_destination[origin]++;
}

/*
 * Reads each source a few times, so that all pools get something each second;
 * before the first seed, often enough to fill them all at once.
 */
static void
random_sources_feed(void)
{
	uint32_t entropy[HARVESTSIZE];
	struct random_sources *rrs;
	struct epoch_tracker et;
	u_int i, n, reads;

	reads = howmany(p_random_alg_context->ra_poolcount, RANDOM_KTHREAD_HZ);
	if (!p_random_alg_context->ra_seeded())
		reads = howmany(p_random_alg_context->ra_poolcount *
		    RANDOM_FORTUNA_DEFPOOLSIZE, sizeof(entropy));
	epoch_enter_preempt(rs_epoch, &et);
	CK_LIST_FOREACH(rrs, &source_list, rrs_entries) {
		if (rrs->rrs_source->rs_read == NULL)
			continue;
		for (i = 0; i < reads; i++) {
			n = rrs->rrs_source->rs_read(entropy, sizeof(entropy));
			KASSERT(n <= sizeof(entropy), ("%s wrote %u bytes",
			    rrs->rrs_source->rs_ident, n));
			if (n > 0)
				random_harvest_direct(entropy, n,
				    rrs->rrs_source->rs_source);
		}
	}
	epoch_exit_preempt(rs_epoch, &et);
	explicit_bzero(entropy, sizeof(entropy));
}

static void
random_accumulator_feed(void)
{
	uint32_t *word;

	for (u_int i = 0; i < RANDOM_ACCUM_MAX; i++) {
		word = &harvest_context.hc_entropy_fast_accumulator.buf[i];
		if (*word == 0)
			continue;
		random_harvest_direct(word, sizeof(*word), RANDOM_UMA);
		*word = 0;
	}
}

static void
random_kthread(void)
{
	struct harvest_context *hc = &harvest_context;
	struct entropy_buffer *buf;
	u_int entries;

	for (random_kthread_control = 1; random_kthread_control != 0;) {
		RANDOM_HARVEST_LOCK();
		buf = &hc->hc_entropy_buf[hc->hc_active_buf];
		entries = buf->pos;
		buf->pos = 0;
		hc->hc_active_buf ^= 1;
		RANDOM_HARVEST_UNLOCK();
		for (u_int i = 0; i < entries; i++) {
			KFAIL_POINT_CODE(DEBUG_FP, harvest_swap_pause, { });
			random_process_event(&buf->ring[i]);
		}
		random_sources_feed();
		random_accumulator_feed();
		tsleep_sbt(&hc->hc_kthread_proc, 0, "-",
		    SBT_1S / RANDOM_KTHREAD_HZ, 0, C_PREL(1));
	}
	random_kthread_control = -1;
	wakeup(&hc->hc_kthread_proc);
	kproc_exit(0);
}
SYSINIT(random_device_h_proc, SI_SUB_KICK_SCHEDULER, SI_ORDER_ANY, kproc_start,
    &random_proc_kp);

/*
 * Health tests of SP 800-90B, section 4.4: a source whose samples repeat, or
 * one of which is too frequent, is discarded from then on; so are the samples
 * of its start-up test.
 */
#define	RANDOM_SELFTEST_STARTUP_SAMPLES	1024
#define	RANDOM_SELFTEST_APT_WINDOW	512
#define	RANDOM_SELFTEST_ERROR_LOG2	34	/* a good source fails: 2^-34 */
#define	RANDOM_SELFTEST_ENTROPY_MAX	64	/* bits of a sample */

typedef uint32_t healthtest_sample_t[HARVESTSIZE + 1];

static struct health_test_softc {
	healthtest_sample_t ht_rct_value;
	u_int		ht_rct_count;	/* samples of this value in a row */
	u_int		ht_rct_limit;
	healthtest_sample_t ht_apt_value;
	u_int		ht_apt_count;	/* of this value in the window */
	u_int		ht_apt_seq;	/* samples of the window */
	u_int		ht_apt_cutoff;
	u_int		ht_total_samples;	/* since the test began */
	bool		ht_ondemand;	/* begin again */
	enum { INIT, DISABLED, STARTUP, STEADY, FAILED } ht_state;
} healthtest[ENTROPYSOURCE];

static bool nist_healthtest_enabled;
SYSCTL_BOOL(_kern_random, OID_AUTO, nist_healthtest_enabled, CTLFLAG_RDTUN,
    &nist_healthtest_enabled, 0, "SP 800-90B tests of sources");

/* Pure sources are read at a pace, so that their counter says little. */
static void
random_healthtest_sample(healthtest_sample_t sample,
    const struct harvest_event *event)
{
	memset(sample, 0, sizeof(healthtest_sample_t));
	memcpy(sample, event->he_entropy, event->he_size);
	if (event->he_source <= RANDOM_ENVIRONMENTAL_END)
		sample[HARVESTSIZE] = event->he_somecounter;
}

/* Repetition count test. */
static bool
random_healthtest_rct(struct health_test_softc *ht,
    const healthtest_sample_t sample)
{
	if (memcmp(sample, ht->ht_rct_value, sizeof(ht->ht_rct_value)) != 0) {
		memcpy(ht->ht_rct_value, sample, sizeof(ht->ht_rct_value));
		ht->ht_rct_count = 1;
		return (true);
	}
	return (++ht->ht_rct_count < ht->ht_rct_limit);
}

/* Adaptive proportion test. */
static bool
random_healthtest_apt(struct health_test_softc *ht,
    const healthtest_sample_t sample)
{
	if (ht->ht_apt_seq == 0) {
		memcpy(ht->ht_apt_value, sample, sizeof(ht->ht_apt_value));
		ht->ht_apt_count = 1;
	} else if (memcmp(sample, ht->ht_apt_value,
	    sizeof(ht->ht_apt_value)) == 0 &&
	    ++ht->ht_apt_count >= ht->ht_apt_cutoff) {
		return (false);
	}
	ht->ht_apt_seq = (ht->ht_apt_seq + 1) % RANDOM_SELFTEST_APT_WINDOW;
	return (true);
}

bool
random_harvest_healthtest(const struct harvest_event *event)
{
	struct health_test_softc *ht = &healthtest[event->he_source];
	healthtest_sample_t sample;

	if (atomic_load_bool(&ht->ht_ondemand)) {
		atomic_store_bool(&ht->ht_ondemand, false);
		if (ht->ht_state != DISABLED)
			ht->ht_state = INIT;
	}
	switch (ht->ht_state) {
	case INIT:
		random_healthtest_sample(sample, event);
		memset(ht->ht_rct_value, 0xff, sizeof(ht->ht_rct_value));
		ht->ht_rct_count = ht->ht_apt_seq = 0;
		(void)random_healthtest_rct(ht, sample);
		(void)random_healthtest_apt(ht, sample);
		ht->ht_total_samples = 0;
		ht->ht_state = STARTUP;
		return (false);
	case DISABLED:
		return (true);
	case STARTUP:
	case STEADY:
		KFAIL_POINT_CODE(DEBUG_FP, healthtest_force_fail, {
			ht->ht_state = FAILED;
			return (false);
		});
		random_healthtest_sample(sample, event);
		if (!random_healthtest_rct(ht, sample) ||
		    !random_healthtest_apt(ht, sample))
			ht->ht_state = FAILED;
		else if (ht->ht_state == STARTUP && ++ht->ht_total_samples >=
		    RANDOM_SELFTEST_STARTUP_SAMPLES)
			ht->ht_state = STEADY;
		return (ht->ht_state == STEADY);
	case FAILED:
		break;
	}
	return (false);
}

/* min_entropy: bits of a sample; 0: unknown. */
static void
random_healthtest_init(enum random_entropy_source source, u_int min_entropy)
{
	/* By entropy: at most so many of a window are alike. */
	static const uint16_t apt_cutoffs[] = { 0, 329, 195, 118, 73, 48, 33,
	    23, 17, 13, 11, 9, 8, 7, 6, 5, 5, 4, 4, 4, 3, 3, 3, 3, 3, 3, 2 };
	struct health_test_softc *ht = &healthtest[source];

	memset(ht, 0, sizeof(*ht));
	/* Deterministic sources of few samples. */
	if (!nist_healthtest_enabled || source == RANDOM_CACHED ||
	    source == RANDOM_PURE_VMGENID) {
		ht->ht_state = DISABLED;
		return;
	}
	if (min_entropy == 0)
		min_entropy = source >= RANDOM_PURE_START ? 8 : 1;
	if (min_entropy > RANDOM_SELFTEST_ENTROPY_MAX)
		panic("source %d: %u bits of entropy", source, min_entropy);
	ht->ht_rct_limit = 1 + howmany(RANDOM_SELFTEST_ERROR_LOG2,
	    min_entropy);
	ht->ht_apt_cutoff = min_entropy < nitems(apt_cutoffs) ?
	    apt_cutoffs[min_entropy] : min_entropy < 43 ? 2 : 1;
}

static int
random_healthtest_ondemand(SYSCTL_HANDLER_ARGS)
{
	u_int mask = 0;
	int error;

	error = sysctl_handle_int(oidp, &mask, 0, req);
	if (error != 0 || req->newptr == NULL)
		return (error);
	for (u_int i = 0; i < ENTROPYSOURCE; i++)
		if ((mask & (1u << i)) != 0)
			atomic_store_bool(&healthtest[i].ht_ondemand, true);
	return (0);
}
SYSCTL_PROC(_kern_random, OID_AUTO, nist_healthtest_ondemand,
    CTLTYPE_UINT | CTLFLAG_RW | CTLFLAG_MPSAFE, NULL, 0,
    random_healthtest_ondemand, "IU", "Sources to test again");

static int
random_check_uint_harvestmask(SYSCTL_HANDLER_ARGS)
{
	static const u_int immutable = RANDOM_PURE | RANDOM_ETHER_OFF |
	    RANDOM_UMA_OFF;
	u_int value = atomic_load_int(&hc_source_mask);
	int error;

	error = sysctl_handle_int(oidp, &value, 0, req);
	if (error != 0 || req->newptr == NULL)
		return (error);
	if (flsl(value) > ENTROPYSOURCE)
		return (EINVAL);
	RANDOM_HARVEST_LOCK();
	hc_source_mask = (value & ~immutable) | (hc_source_mask & immutable);
	RANDOM_HARVEST_UNLOCK();
	return (0);
}
SYSCTL_PROC(_kern_random_harvest, OID_AUTO, mask,
    CTLTYPE_UINT | CTLFLAG_RW | CTLFLAG_MPSAFE, NULL, 0,
    random_check_uint_harvestmask, "IU", "Sources to harvest");

static void
random_harvestq_init(void *arg __unused)
{
	hc_source_mask = RANDOM_ENVIRONMENTAL & ~RANDOM_ETHER_OFF &
	    ~RANDOM_UMA_OFF;
	RANDOM_HARVEST_INIT_LOCK();
	for (int i = RANDOM_START; i <= RANDOM_ENVIRONMENTAL_END; i++)
		random_healthtest_init(i, 0);
}
SYSINIT(random_device_h_init, SI_SUB_RANDOM, SI_ORDER_THIRD,
    random_harvestq_init, NULL);

static void
rs_epoch_init(void *arg __unused)
{
	rs_epoch = epoch_alloc("Random Sources", EPOCH_PREEMPT);
}
SYSINIT(rs_epoch_init, SI_SUB_EPOCH, SI_ORDER_ANY, rs_epoch_init, NULL);

/* Gives the algorithm what a boot loader left, and clears that. */
static void
random_prime(const char *type)
{
	struct harvest_event event = { .he_size = sizeof(event.he_entropy) };
	uint8_t *data;
	void *file;
	size_t size;

	file = preload_search_by_type(type);
	if (file == NULL)
		return;
	data = preload_fetch_addr(file);
	size = rounddown(preload_fetch_size(file), sizeof(event.he_entropy));
	for (size_t i = 0; i < size; i += sizeof(event.he_entropy)) {
		random_event_stamp(&event, RANDOM_CACHED);
		event.he_size = sizeof(event.he_entropy);
		memcpy(event.he_entropy, data + i, sizeof(event.he_entropy));
		random_process_event(&event);
	}
	explicit_bzero(data, preload_fetch_size(file));
}

static void
random_harvestq_prime(void *arg __unused)
{
	random_prime(RANDOM_CACHED_BOOT_ENTROPY_MODULE);
	random_prime(RANDOM_PLATFORM_BOOT_ENTROPY_MODULE);
}
SYSINIT(random_device_prime, SI_SUB_RANDOM, SI_ORDER_MIDDLE,
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

/* For sources of up to some thousand events a second. */
void
random_harvest_queue_(const void *entropy, u_int size,
    enum random_entropy_source origin)
{
	struct harvest_context *hc = &harvest_context;
	struct entropy_buffer *buf;
	struct harvest_event *event;
	bool full;

	KASSERT(origin < ENTROPYSOURCE, ("origin %d", origin));
	RANDOM_HARVEST_LOCK();
	buf = &hc->hc_entropy_buf[hc->hc_active_buf];
	full = buf->pos == RANDOM_RING_MAX;
	KFAIL_POINT_CODE(DEBUG_FP, harvest_ring_full, {
		full = true;
	});
	if (!full) {
		event = &buf->ring[buf->pos++];
		random_event_stamp(event, origin);
		if (size <= sizeof(event->he_entropy)) {
			event->he_size = size;
			memcpy(event->he_entropy, entropy, size);
		} else {
			event->he_size = sizeof(event->he_entropy[0]);
			event->he_entropy[0] = jenkins_hash(entropy, size,
			    (uint32_t)(uintptr_t)event);
		}
	}
	RANDOM_HARVEST_UNLOCK();
}

/* For sources of a high rate; updates of two CPUs may be lost. */
void
random_harvest_fast_(const void *entropy, u_int size)
{
	struct fast_entropy_accumulator *fast =
	    &harvest_context.hc_entropy_fast_accumulator;
	const u_int pos = fast->pos;

	fast->buf[pos] ^= jenkins_hash(entropy, size, random_get_cyclecount());
	fast->pos = (pos + 1) % RANDOM_ACCUM_MAX;
}

/* For the harvest thread, and at boot. */
void
random_harvest_direct_(const void *entropy, u_int size,
    enum random_entropy_source origin)
{
	struct harvest_event event = { .he_size = 0 };

	KASSERT(origin < ENTROPYSOURCE, ("origin %d", origin));
	size = MIN(size, sizeof(event.he_entropy));
	random_event_stamp(&event, origin);
	event.he_size = size;
	memcpy(event.he_entropy, entropy, size);
	random_process_event(&event);
}

void
random_source_register(const struct random_source *rsource)
{
	struct random_sources *rrs;

	rrs = malloc(sizeof(*rrs), M_ENTROPY, M_WAITOK);
	rrs->rrs_source = rsource;
	random_healthtest_init(rsource->rs_source, rsource->rs_min_entropy);
	RANDOM_HARVEST_LOCK();
	hc_source_mask |= 1u << rsource->rs_source;
	CK_LIST_INSERT_HEAD(&source_list, rrs, rrs_entries);
	RANDOM_HARVEST_UNLOCK();
}

void
random_source_deregister(const struct random_source *rsource)
{
	struct random_sources *rrs;

	RANDOM_HARVEST_LOCK();
	hc_source_mask &= ~(1u << rsource->rs_source);
	CK_LIST_FOREACH(rrs, &source_list, rrs_entries)
		if (rrs->rrs_source == rsource) {
			CK_LIST_REMOVE(rrs, rrs_entries);
			break;
		}
	RANDOM_HARVEST_UNLOCK();
	/* The thread may read it. */
	if (rrs != NULL)
		epoch_wait_preempt(rs_epoch);
	free(rrs, M_ENTROPY);
}
