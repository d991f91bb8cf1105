#include <sys/param.h>
#include <sys/systm.h>
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

#include <crypto/rijndael/rijndael-api-fst.h>
#include <crypto/sha2/sha256.h>

#include <dev/random/hash.h>
#include <dev/random/randomdev.h>
#include <dev/random/random_harvestq.h>

#define	RANDOM_RING_MAX		1024

static void random_kthread(void);

volatile int random_kthread_control;
static u_int read_rate;

static struct harvest_context {
	struct mtx	hc_mtx;
	u_int		hc_destination[ENTROPYSOURCE];
	struct proc	*hc_kthread_proc;
	u_int		hc_source_mask;
	struct harvest_event hc_ring[RANDOM_RING_MAX];
	volatile u_int	hc_in, hc_out;
} harvest_context;

static struct kproc_desc random_proc_kp = {
	"rand_harvestq",
	random_kthread,
	&harvest_context.hc_kthread_proc,
};

void
read_rate_increment(u_int chunk)
{
	atomic_add_32(&read_rate, chunk);
}

static void
random_sources_feed(void)
{
	uint32_t entropy[HARVESTSIZE];
	struct random_sources *rrs;
	u_int i, n, rate;

	rate = atomic_readandclear_32(&read_rate);
	rate = MIN(MAX(rate, 1), RANDOM_KEYSIZE_WORDS);
	/* The releases had no lock here. */
	mtx_lock(&source_mtx);
	LIST_FOREACH(rrs, &source_list, rrs_entries)
		for (i = 0; i < p_random_alg_context->ra_poolcount * rate;
		    i++) {
			n = rrs->rrs_source->rs_read(entropy, sizeof(entropy));
			if (n > 0)
				random_harvest_direct(entropy, n, n * 8 / 2,
				    rrs->rrs_source->rs_source);
		}
	mtx_unlock(&source_mtx);
	explicit_bzero(entropy, sizeof(entropy));
}

static void
random_kthread(void)
{
	u_int left, out;

	for (random_kthread_control = 1; random_kthread_control != 0;) {
		left = RANDOM_RING_MAX;
		while (harvest_context.hc_out != harvest_context.hc_in &&
		    left-- > 0) {
			out = (harvest_context.hc_out + 1) % RANDOM_RING_MAX;
			p_random_alg_context->ra_event_processor(
			    &harvest_context.hc_ring[out]);
			harvest_context.hc_out = out;
		}
		random_sources_feed();
		tsleep_sbt(&harvest_context.hc_kthread_proc, 0, "-",
		    SBT_1S / 10, 0, C_PREL(1));
	}
	random_kthread_control = -1;
	wakeup(&harvest_context.hc_kthread_proc);
	kproc_exit(0);
}
SYSINIT(random_device_h_proc, SI_SUB_KICK_SCHEDULER, SI_ORDER_ANY, kproc_start,
    &random_proc_kp);

static void
random_harvestq_init(void *unused __unused)
{
	harvest_context.hc_source_mask = (1u << ENTROPYSOURCE) - 1;
	mtx_init(&harvest_context.hc_mtx, "entropy harvest mutex", NULL,
	    MTX_SPIN);
}
SYSINIT(random_device_h_init, SI_SUB_RANDOM, SI_ORDER_SECOND,
    random_harvestq_init, NULL);

static void
random_harvestq_prime(void *unused __unused)
{
	uint8_t *data, *file;
	size_t size;

	file = preload_search_by_type("boot_entropy_cache");
	if (file == NULL)
		return;
	data = preload_fetch_addr(file);
	size = preload_fetch_size(file);
	for (size_t i = 0; i + 8 <= size; i += 8)
		random_harvest_direct(data + i, 8, 32, RANDOM_CACHED);
	explicit_bzero(data, size);
}
SYSINIT(random_device_prime, SI_SUB_RANDOM, SI_ORDER_FOURTH,
    random_harvestq_prime, NULL);

static void
random_harvestq_deinit(void *unused __unused)
{
	random_kthread_control = 0;
	while (random_kthread_control >= 0)
		tsleep(&harvest_context.hc_kthread_proc, 0, "harvqterm",
		    hz / 5);
}
SYSUNINIT(random_device_h_init, SI_SUB_RANDOM, SI_ORDER_SECOND,
    random_harvestq_deinit, NULL);

static void
fill(struct harvest_event *event, const void *entropy, u_int size, u_int bits,
    enum random_entropy_source origin)
{
	event->he_somecounter = (uint32_t)get_cyclecount();
	event->he_source = origin;
	event->he_destination = harvest_context.hc_destination[origin]++;
	event->he_bits = bits;
	event->he_size = MIN(size, sizeof(event->he_entropy));
	if (size <= sizeof(event->he_entropy)) {
		memcpy(event->he_entropy, entropy, size);
	} else {
		event->he_size = sizeof(event->he_entropy[0]);
		event->he_entropy[0] = jenkins_hash(entropy, size, origin);
	}
}

void
random_harvest_queue(const void *entropy, u_int size, u_int bits,
    enum random_entropy_source origin)
{
	u_int in;

	if ((harvest_context.hc_source_mask & (1u << origin)) == 0)
		return;
	mtx_lock_spin(&harvest_context.hc_mtx);
	in = (harvest_context.hc_in + 1) % RANDOM_RING_MAX;
	if (in != harvest_context.hc_out) {
		fill(&harvest_context.hc_ring[in], entropy, size, bits,
		    origin);
		harvest_context.hc_in = in;
	}
	mtx_unlock_spin(&harvest_context.hc_mtx);
}

void
random_harvest_fast(const void *entropy, u_int size, u_int bits,
    enum random_entropy_source origin)
{
	random_harvest_queue(entropy, size, bits, origin);
}

void
random_harvest_direct(const void *entropy, u_int size, u_int bits,
    enum random_entropy_source origin)
{
	struct harvest_event event = { .he_size = 0 };

	if ((harvest_context.hc_source_mask & (1u << origin)) == 0)
		return;
	fill(&event, entropy, MIN(size, sizeof(event.he_entropy)), bits,
	    origin);
	p_random_alg_context->ra_event_processor(&event);
}
