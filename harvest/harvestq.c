/*
 * The harvest queue around its model: enqueueing, the harvest thread, delivery
 * to the generator, sources, statistics.
 */
#include <errno.h>
#include <stdlib.h>

#include "harvest/harvestq.h"
#include "harvest/jenkins.h"
#include "harvest/mask.h"

static const struct harvest_model *const models[HARVEST_MODELS] = {
#define	HARVEST_MODEL(name, word)	&FLAVOURED(hq_##name),
#include "harvest/harvest_model.tbl"
#undef HARVEST_MODEL
};

CTASSERT(256 % 32 == 0);	/* destinations wrap without skipping pools */

static void
no_memory(struct harvest_error *error)
{
	snprintf(error->text, sizeof(error->text), "harvest queue: %s",
	    strerror(ENOMEM));
}

static int
init_sources(struct harvestq *hq, const struct harvest_config *config,
    struct harvest_error *error)
{
	struct random_source_set *set = &hq->hq_sources;
	struct harvest_producer *hp;
	const struct random_source *rs;
	uint32_t mask, registered = 0;
	int rc;

	rc = random_sources_init(set, config, error);
	if (rc != 0)
		return (rc);
	for (unsigned i = 0; i < set->ss_list.sl_count; i++) {
		rs = set->ss_list.sl_source[i];
		registered |= MASK_BIT(rs->rs_source) & MASK_PURE;
		if ((rs->rs_flags & RS_PUSHED) == 0)
			continue;
		hp = &hq->hq_producer[hq->hq_producers++];
		hp->hp_hq = hq;
		hp->hp_source = rs;
		hp->hp_state = set->ss_state[i];
	}
	mask = mask_default(registered, config->compiled);
	if (mask_write(&mask, config->mask) != 0) {
		snprintf(error->text, sizeof(error->text), "harvest mask %u; "
		    "accepted: 0..%u", config->mask, (unsigned)MASK_ALL);
		return (EINVAL);
	}
	atomic_store_32(&hq->hq_mask, mask);
	return (0);
}

static void
init_atomics(struct harvestq *hq)
{
	atomic_init_32(&hq->hq_mask, 0);
	atomic_init_32(&hq->hq_stop, 0);
	atomic_init_32(&hq->hq_window, 0);
	atomic_init_32(&hq->hq_read_rate, 0);
	for (unsigned i = 0; i < RANDOM_ACCUM_MAX; i++)
		atomic_init_32(&hq->hq_fast[i], 0);
	for (unsigned i = 0; i < ENTROPYSOURCE; i++) {
		atomic_init_32(&hq->hc_destination[i], 0);
		atomic_init_32(&hq->hq_ondemand[i], 0);
	}
}

int
harvestq_init(struct harvestq **hqp, const struct harvest_params *params)
{
	const struct harvest_config *config = params->hp_config;
	struct harvestq *hq;
	int rc;

	KASSERT(config->model < HARVEST_MODELS &&
	    config->rate_hz >= HARVEST_RATE_MIN_HZ &&
	    config->interrupt_rate_hz >= INTERRUPT_RATE_MIN_HZ,
	    ("model %u, %u Hz, %u Hz", config->model, config->rate_hz,
	    config->interrupt_rate_hz));
	hq = generator_alloc(sizeof(*hq));
	if (hq == NULL) {
		no_memory(params->hp_error);
		return (ENOMEM);
	}
	init_atomics(hq);
	hq->hq_model = models[config->model];
	hq->hq_generator = params->hp_generator;
	hq->hq_ledger = params->hp_ledger;
	hq->hq_failpoints = params->hp_failpoints;
	MPASS(hq->hq_generator->g_batch_events >= 1 &&
	    hq->hq_generator->g_batch_events <= GENERATOR_BATCH_MAX);
	hq->hq_sleep_ns = NS_PER_S / config->rate_hz;
	hq->hq_start_ns = machine_uptime_coarse_ns();
	rc = lock_init(&hq->hc_mtx, params->hp_lock, "hc_mtx",
	    &params->hp_lock_config, params->hp_prof);
	if (rc != 0) {
		snprintf(params->hp_error->text,
		    sizeof(params->hp_error->text), "hc_mtx: %s", strerror(rc));
		free(hq);
		return (rc);
	}
	hq->hq_queue = generator_alloc(hq->hq_model->hm_bytes);
	if (hq->hq_queue == NULL) {
		no_memory(params->hp_error);
		rc = ENOMEM;
	} else if (hq->hq_model->hm_init != NULL) {
		hq->hq_model->hm_init(hq);
	}
	if (rc == 0)
		rc = init_sources(hq, config, params->hp_error);
	if (rc == 0 && config->record_file[0] != '\0')
		rc = record_create(&hq->hq_record, config->record_file,
		    RECORD_EVENTS_MAX, params->hp_error);
	if (rc != 0) {
		harvestq_fini(hq);
		return (rc);
	}
	harvest_health_init(hq, config);
	*hqp = hq;
	return (0);
}

void
harvestq_fini(struct harvestq *hq)
{
	random_sources_fini(&hq->hq_sources);
	record_fini(&hq->hq_record);
	if (hq->hq_queue != NULL)
		wipe(hq->hq_queue, hq->hq_model->hm_bytes);
	free(hq->hq_queue);
	lock_fini(&hq->hc_mtx);
	wipe(hq, sizeof(*hq));
	free(hq);
}

struct m32 *
harvestq_read_rate(struct harvestq *hq)
{
	const struct random_algorithm *ra = hq->hq_generator->g_algorithm;

	return (hq->hq_model->hm_counts_reads &&
	    (ra->ra_flags & RA_UNCOUNTED) == 0 ? &hq->hq_read_rate : NULL);
}

/* The harvest thread's row of the open window; NULL when none is open. */
static struct harvest_thread_stats *
thread_row(struct harvestq *hq)
{
	return (harvest_row(hq, &hq->hq_thread_window, &hq->hq_thread_stats,
	    sizeof(hq->hq_thread_stats)));
}

/* Delivery by the harvest thread: recorded, timed, wiped. */
static void
deliver_all(struct harvestq *hq, struct harvest_event *events, unsigned n)
{
	struct generator *g = hq->hq_generator;
	struct harvest_thread_stats *hts;
	uint64_t start = 0;

	for (unsigned i = 0; hq->hq_record.r_file != NULL && i < n; i++)
		record_add(&hq->hq_record, &events[i]);
	hts = thread_row(hq);
	if (hts != NULL)
		start = machine_cycles();
	ledger_deliver_begin(hq->hq_ledger);
	if (n == 1)
		g->g_algorithm->ra_event_processor(g, events);
	else
		g->g_algorithm->ra_process_events(g, events, n);
	ledger_deliver_end(hq->hq_ledger, n, true);
	hq->hq_given += n;
	if (hts != NULL) {
		hist_add(&hts->hts_deliver_cycles, machine_cycles() - start);
		hts->hts_events += n;
		for (unsigned i = 0; i < n; i++)
			hts->hts_by_source[events[i].he_source]++;
	}
	wipe(events, n * sizeof(*events));
}

static void
deliver_batch(struct harvestq *hq)
{
	if (hq->hq_batched > 0)
		deliver_all(hq, hq->hq_batch, hq->hq_batched);
	hq->hq_batched = 0;
}

/* Gives an event to the generator, or collects it until a batch is full. */
static void
deliver(struct harvestq *hq, struct harvest_event *event)
{
	if (hq->hq_generator->g_batch_events == 1) {
		deliver_all(hq, event, 1);
		return;
	}
	hq->hq_batch[hq->hq_batched++] = *event;
	wipe(event, sizeof(*event));
	if (hq->hq_batched == hq->hq_generator->g_batch_events)
		deliver_batch(hq);
}

void
harvest_process_event(struct harvestq *hq, struct harvest_event *event)
{
	(void)failpoint_ask(hq->hq_failpoints, FAILPOINT_harvest_swap_pause);
	deliver(hq, event);
	hq->hq_delivered++;
}

/* Counts one event that was taken or dropped; hc_mtx is held. */
static void
count_queued(struct harvestq *hq, bool taken)
{
	struct harvest_queue_stats *hqs;

	hq->hq_in++;
	hq->hq_dropped += !taken;
	hqs = harvest_row(hq, &hq->hq_queue_window, &hq->hq_queue_stats,
	    sizeof(*hqs));
	if (hqs != NULL && taken)
		hqs->hqs_queued++;
	else if (hqs != NULL)
		hqs->hqs_dropped++;
}

/* The slot for an event; hc_mtx is held. */
static struct harvest_event *
slot(struct harvestq *hq)
{
	if (failpoint_ask(hq->hq_failpoints, FAILPOINT_harvest_ring_full) != 0)
		return (NULL);
	return (hq->hq_model->hm_slot(hq));
}

static bool
masked(struct harvestq *hq, enum random_entropy_source origin)
{
	MPASS(origin < ENTROPYSOURCE);
	return ((atomic_load_32(&hq->hq_mask) & MASK_BIT(origin)) == 0);
}

/* The destination advances without a lock, as in the kernel. */
static void
stamp(struct harvestq *hq, struct harvest_event *event,
    enum random_entropy_source origin)
{
	uint32_t destination;

	destination = atomic_load_32(&hq->hc_destination[origin]);
	atomic_store_32(&hq->hc_destination[origin], destination + 1);
	event->he_somecounter = (uint32_t)machine_cycles();
	event->he_destination = (uint8_t)destination;
	event->he_source = (uint8_t)origin;
}

static void
fill_direct(struct harvestq *hq, struct harvest_event *event,
    const void *entropy, size_t size, enum random_entropy_source origin)
{
	if (size > HARVEST_ENTROPY_BYTES)
		size = HARVEST_ENTROPY_BYTES;
	memset(event, 0, sizeof(*event));
	stamp(hq, event, origin);
	event->he_size = (uint8_t)size;
	memcpy(event->he_entropy, entropy, size);
}

/* Source: random_harvest_direct_(). */
static void
deliver_direct(struct harvestq *hq, const void *entropy, size_t size,
    enum random_entropy_source origin)
{
	struct harvest_event event;

	if (masked(hq, origin))
		return;
	fill_direct(hq, &event, entropy, size, origin);
	deliver(hq, &event);
	hq->hq_direct++;
}

void
harvestq_prime(struct harvestq *hq, void *bytes, size_t n)
{
	struct harvest_event event;
	uint8_t *p = bytes;

	for (size_t i = 0; i + HARVEST_ENTROPY_BYTES <= n;
	    i += HARVEST_ENTROPY_BYTES) {
		fill_direct(hq, &event, p + i, HARVEST_ENTROPY_BYTES,
		    RANDOM_CACHED);
		deliver(hq, &event);
		hq->hq_direct++;
	}
	deliver_batch(hq);
	if (n > 0)
		wipe(bytes, n);
}

void
random_harvest_queue(struct harvestq *hq, const void *entropy, size_t size,
    enum random_entropy_source origin)
{
	struct harvest_event *event;
	struct lock_node node;
	uint32_t hash;

	MPASS(size > 0);
	if (masked(hq, origin))
		return;
	lock_acquire(&hq->hc_mtx, &node, HARVEST_QUEUE);
	event = slot(hq);
	count_queued(hq, event != NULL);
	if (event != NULL) {
		stamp(hq, event, origin);
		if (size <= HARVEST_ENTROPY_BYTES) {
			event->he_size = (uint8_t)size;
			memcpy(event->he_entropy, entropy, size);
		} else {
			/* With the address, simulated runs would not repeat. */
			hash = jenkins_hash(entropy, size, MACHINE_SIMULATED ?
			    event->he_somecounter : (uint32_t)(uintptr_t)event);
			event->he_size = sizeof(hash);
			memcpy(event->he_entropy, &hash, sizeof(hash));
		}
		hq->hq_model->hm_commit(hq);
	}
	lock_release(&hq->hc_mtx, &node);
}

int
harvestq_put(struct harvestq *hq, const struct harvest_event *event)
{
	struct harvest_event *room;
	struct lock_node node;

	MPASS(event->he_source < ENTROPYSOURCE && event->he_size > 0 &&
	    event->he_size <= HARVEST_ENTROPY_BYTES);
	lock_acquire(&hq->hc_mtx, &node, HARVEST_QUEUE);
	room = slot(hq);
	if (room != NULL) {
		count_queued(hq, true);
		*room = *event;
		hq->hq_model->hm_commit(hq);
	}
	lock_release(&hq->hc_mtx, &node);
	return (room == NULL ? ENOBUFS : 0);
}

/* Source: random_sources_feed(). */
static void
feed_sources(struct harvestq *hq)
{
	uint8_t entropy[HARVEST_ENTROPY_BYTES];
	const struct random_source *rs;
	unsigned reads;
	size_t n;

	reads = hq->hq_model->hm_reads(hq);
	for (unsigned i = 0; i < hq->hq_sources.ss_list.sl_count; i++) {
		rs = hq->hq_sources.ss_list.sl_source[i];
		if ((rs->rs_flags & RS_POLLED) == 0)
			continue;
		for (unsigned read = 0; read < reads && !harvestq_stopping(hq);
		    read++) {
			machine_charge(COST_DEVICE_READ, 1);
			n = rs->rs_read(hq->hq_sources.ss_state[i], entropy,
			    sizeof(entropy));
			MPASS(n <= sizeof(entropy));
			if (n > 0)
				deliver_direct(hq, entropy, n, rs->rs_source);
		}
	}
	wipe(entropy, sizeof(entropy));
}

void
harvestq_pass(struct harvestq *hq)
{
	struct generator *g = hq->hq_generator;
	struct harvest_thread_stats *hts;

	if (harvestq_stopping(hq))
		return;
	harvest_health_pass(hq);
	hq->hq_model->hm_drain(hq);
	feed_sources(hq);
	/*
	 * The kernel's thread reads its fast accumulator in every pass.  Its
	 * feeders, UMA and Ethernet, are not simulated, so it stays empty.
	 */
	if (!harvestq_stopping(hq))
		for (unsigned i = 0; i < RANDOM_ACCUM_MAX; i++)
			(void)atomic_load_32(&hq->hq_fast[i]);
	deliver_batch(hq);
	if (g->g_algorithm->ra_timer != NULL && !harvestq_stopping(hq))
		g->g_algorithm->ra_timer(g, machine_uptime_coarse_ns() -
		    hq->hq_start_ns);
	hts = thread_row(hq);
	if (hts != NULL)
		hts->hts_passes++;
}

void
harvestq_run(void *arg)
{
	struct harvestq *hq = arg;

	while (!harvestq_stopping(hq)) {
		harvestq_pass(hq);
		if (!harvestq_stopping(hq))
			machine_sleep(hq->hq_sleep_ns);
	}
}

void
harvestq_stop(struct harvestq *hq)
{
	atomic_store_rel_32(&hq->hq_stop, 1);
}

bool
harvestq_stopping(struct harvestq *hq)
{
	return (atomic_load_32(&hq->hq_stop) != 0 || machine_interrupted());
}

void
harvestq_producer_run(void *producer)
{
	struct harvest_producer *hp = producer;

	hp->hp_source->rs_run(hp->hp_state, hp->hp_hq);
}

void
harvestq_stats(const struct harvestq *hq, uint32_t window,
    struct harvest_stats *hs)
{
	memset(hs, 0, sizeof(*hs));
	if (hq->hq_queue_window == window)
		hs->hs_queue = hq->hq_queue_stats;
	if (hq->hq_thread_window == window)
		hs->hs_thread = hq->hq_thread_stats;
	if (hq->hq_discard_window == window)
		hs->hs_discarded = hq->hq_window_discarded;
}

struct harvest_totals
harvestq_totals(struct harvestq *hq)
{
	return ((struct harvest_totals){
		.ht_in = hq->hq_in + hq->hq_direct,
		.ht_processed = hq->hq_delivered + hq->hq_direct -
		    hq->hq_discarded,
		.ht_pending = hq->hq_model->hm_pending(hq),
		.ht_dropped = hq->hq_dropped,
		.ht_discarded = hq->hq_discarded,
		.ht_delivered = hq->hq_given,
	});
}
