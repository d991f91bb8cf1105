/*
 * The harvest queue around its model: enqueueing, the harvest thread, sources,
 * statistics.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harvest/harvest_model.h"
#include "harvest/harvestq.h"
#include "harvest/jenkins.h"
#include "harvest/mask.h"
#include "lib/wipe.h"

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
	unsigned i;
	int rc;

	rc = random_sources_init(set, config, error);
	if (rc != 0)
		return (rc);
	for (i = 0; i < set->ss_list.sl_count; i++) {
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
	unsigned i;

	atomic_init_32(&hq->hq_mask, 0);
	atomic_init_32(&hq->hq_stop, 0);
	atomic_init_32(&hq->hq_window, 0);
	atomic_init_32(&hq->hq_read_rate, 0);
	atomic_init_32(&hq->hq_fast_pos, 0);
	for (i = 0; i < RANDOM_ACCUM_MAX; i++)
		atomic_init_32(&hq->hq_fast[i], 0);
	atomic_init_64(&hq->hq_direct_others, 0);
	for (i = 0; i < ENTROPYSOURCE; i++) {
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
	hq = aligned_alloc(MACHINE_CACHE_LINE, sizeof(*hq));
	if (hq == NULL) {
		no_memory(params->hp_error);
		return (ENOMEM);
	}
	memset(hq, 0, sizeof(*hq));
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
	rc = hq->hq_model->hm_init(hq);
	if (rc != 0)
		no_memory(params->hp_error);
	if (rc == 0)
		rc = init_sources(hq, config, params->hp_error);
	if (rc == 0 && config->record_file[0] != '\0') {
		rc = record_create(&hq->hq_record, config->record_file,
		    RECORD_EVENTS_MAX, params->hp_error);
		hq->hq_recording = rc == 0;
	}
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
	if (hq->hq_recording)
		record_fini(&hq->hq_record);
	if (hq->hq_queue != NULL)
		hq->hq_model->hm_fini(hq);
	lock_fini(&hq->hc_mtx);
	wipe(hq, sizeof(*hq));
	free(hq);
}

const struct random_source_list *
harvestq_sources(const struct harvestq *hq)
{

	return (&hq->hq_sources.ss_list);
}

uint32_t
harvestq_mask(struct harvestq *hq)
{

	return (atomic_load_32(&hq->hq_mask));
}

struct m32 *
harvestq_read_rate(struct harvestq *hq)
{
	const struct random_algorithm *ra = hq->hq_generator->g_algorithm;

	return (hq->hq_model->hm_counts_reads &&
	    (ra->ra_flags & RA_UNCOUNTED) == 0 ? &hq->hq_read_rate : NULL);
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

/* Counter, source and destination; the kernel advances it as loosely. */
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

/* random_harvest_direct() as the harvest thread calls it. */
static void
deliver_direct(struct harvestq *hq, const void *entropy, size_t size,
    enum random_entropy_source origin)
{
	struct harvest_event event;

	if (masked(hq, origin))
		return;
	fill_direct(hq, &event, entropy, size, origin);
	harvest_deliver(hq, &event);
	hq->hq_direct++;
}

void
harvestq_prime(struct harvestq *hq, void *bytes, size_t n)
{
	struct harvest_event event;
	uint8_t *p = bytes;
	size_t i;

	for (i = 0; i + HARVEST_ENTROPY_BYTES <= n;
	    i += HARVEST_ENTROPY_BYTES) {
		fill_direct(hq, &event, p + i, HARVEST_ENTROPY_BYTES,
		    RANDOM_CACHED);
		harvest_deliver(hq, &event);
		hq->hq_direct++;
	}
	harvest_deliver_batch(hq);
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
	harvest_count_queued(hq, event != NULL);
	if (event != NULL) {
		stamp(hq, event, origin);
		if (size <= HARVEST_ENTROPY_BYTES) {
			event->he_size = (uint8_t)size;
			memcpy(event->he_entropy, entropy, size);
		} else {
			/* An address would make each run another one. */
			hash = jenkins_hash(entropy, size, MACHINE_SIMULATED ?
			    event->he_somecounter :
			    (uint32_t)(uintptr_t)event);
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
		harvest_count_queued(hq, true);
		*room = *event;
		hq->hq_model->hm_commit(hq);
	}
	lock_release(&hq->hc_mtx, &node);
	return (room == NULL ? ENOBUFS : 0);
}

void
random_harvest_fast(struct harvestq *hq, const void *entropy, size_t size,
    enum random_entropy_source origin)
{
	uint32_t hash, pos;

	if (masked(hq, origin))
		return;
	pos = atomic_load_32(&hq->hq_fast_pos);
	hash = jenkins_hash(entropy, size, (uint32_t)machine_cycles());
	atomic_store_32(&hq->hq_fast[pos],
	    atomic_load_32(&hq->hq_fast[pos]) ^ hash);
	atomic_store_32(&hq->hq_fast_pos, (pos + 1) % RANDOM_ACCUM_MAX);
}

void
random_harvest_direct(struct harvestq *hq, const void *entropy, size_t size,
    enum random_entropy_source origin)
{
	struct generator *g = hq->hq_generator;
	struct harvest_event event;

	MPASS(size > 0);
	if (masked(hq, origin))
		return;
	fill_direct(hq, &event, entropy, size, origin);
	if (hq->hq_ledger != NULL)
		ledger_deliver_begin(hq->hq_ledger);
	g->g_algorithm->ra_event_processor(g, &event);
	atomic_fetchadd_64(&hq->hq_direct_others, 1);
	if (hq->hq_ledger != NULL)
		ledger_deliver_end(hq->hq_ledger, 1, false);
	wipe(&event, sizeof(event));
}

/* Source: random_sources_feed(). */
static void
feed_sources(struct harvestq *hq)
{
	uint8_t entropy[HARVEST_ENTROPY_BYTES];
	const struct random_source *rs;
	unsigned i, read, reads;
	size_t n;

	reads = hq->hq_model->hm_reads(hq);
	for (i = 0; i < hq->hq_sources.ss_list.sl_count; i++) {
		rs = hq->hq_sources.ss_list.sl_source[i];
		if ((rs->rs_flags & RS_POLLED) == 0)
			continue;
		for (read = 0; read < reads && !harvestq_stopping(hq);
		    read++) {
			machine_charge(COST_SOURCE_READ, 1);
			n = rs->rs_read(hq->hq_sources.ss_state[i], entropy,
			    sizeof(entropy));
			MPASS(n <= sizeof(entropy));
			if (n > 0)
				deliver_direct(hq, entropy, n, rs->rs_source);
		}
	}
	wipe(entropy, sizeof(entropy));
}

static void
feed_fast(struct harvestq *hq)
{
	uint32_t word;
	unsigned i;

	for (i = 0; i < RANDOM_ACCUM_MAX; i++) {
		word = atomic_load_32(&hq->hq_fast[i]);
		if (word == 0)
			continue;
		deliver_direct(hq, &word, sizeof(word), RANDOM_UMA);
		atomic_store_32(&hq->hq_fast[i], 0);
	}
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
	if (!harvestq_stopping(hq))
		feed_fast(hq);
	harvest_deliver_batch(hq);
	if (g->g_algorithm->ra_timer != NULL && !harvestq_stopping(hq))
		g->g_algorithm->ra_timer(g, machine_uptime_coarse_ns() -
		    hq->hq_start_ns);
	hts = harvest_thread_row(hq);
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

unsigned
harvestq_producers(const struct harvestq *hq)
{

	return (hq->hq_producers);
}

struct harvest_producer *
harvestq_producer(struct harvestq *hq, unsigned i)
{

	KASSERT(i < hq->hq_producers, ("producer %u of %u", i,
	    hq->hq_producers));
	return (&hq->hq_producer[i]);
}

void
harvestq_producer_run(void *producer)
{
	struct harvest_producer *hp = producer;

	hp->hp_source->rs_run(hp->hp_state, hp->hp_hq);
}

void
harvestq_stats_open(struct harvestq *hq, uint32_t window)
{

	KASSERT(window != 0, ("window 0 means closed"));
	atomic_store_32(&hq->hq_window, window);
}

void
harvestq_stats_close(struct harvestq *hq)
{

	atomic_store_32(&hq->hq_window, 0);
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

	const uint64_t direct = hq->hq_direct +
	    atomic_load_64(&hq->hq_direct_others);

	return ((struct harvest_totals){
		.ht_in = hq->hq_in + direct,
		.ht_processed = hq->hq_delivered + direct - hq->hq_discarded,
		.ht_pending = hq->hq_model->hm_pending(hq),
		.ht_dropped = hq->hq_dropped,
		.ht_discarded = hq->hq_discarded,
		.ht_delivered = hq->hq_given,
	});
}

int
harvestq_record_finish(struct harvestq *hq)
{

	return (hq->hq_recording ? record_finish(&hq->hq_record) : 0);
}
