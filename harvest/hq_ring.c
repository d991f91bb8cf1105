/*
 * The ring of FreeBSD 12: producers fill it under hc_mtx, the harvest thread
 * empties it without the mutex.
 *
 * One slot stays empty, so that full and empty differ: 1023 events.  An event
 * goes to the generator from its slot, which is free only after that; an event
 * collected for a batch leaves its slot earlier.
 */
#include "harvest/harvestq.h"

struct ring {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	ring_in;	/* last filled */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	ring_out;	/* last emptied */
	struct harvest_event ring_event[RANDOM_RING_MAX];
};

static void
ring_init(struct harvestq *hq)
{
	struct ring *ring = hq->hq_queue;

	atomic_init_32(&ring->ring_in, 0);
	atomic_init_32(&ring->ring_out, 0);
}

static uint32_t
ring_next(uint32_t i)
{
	return ((i + 1) % RANDOM_RING_MAX);
}

static struct harvest_event *
ring_slot(struct harvestq *hq)
{
	struct ring *ring = hq->hq_queue;
	uint32_t in;

	in = ring_next(atomic_load_32(&ring->ring_in));
	if (in == atomic_load_acq_32(&ring->ring_out))
		return (NULL);
	return (&ring->ring_event[in]);
}

static void
ring_commit(struct harvestq *hq)
{
	struct ring *ring = hq->hq_queue;

	atomic_store_rel_32(&ring->ring_in,
	    ring_next(atomic_load_32(&ring->ring_in)));
}

static void
ring_drain(struct harvestq *hq)
{
	struct ring *ring = hq->hq_queue;
	unsigned left = RANDOM_RING_MAX;
	uint32_t out;

	/* Limited: producers may add as fast as this loop removes. */
	out = atomic_load_32(&ring->ring_out);
	while (left-- > 0 && out != atomic_load_acq_32(&ring->ring_in) &&
	    !harvestq_stopping(hq)) {
		out = ring_next(out);
		harvest_process_event(hq, &ring->ring_event[out]);
		atomic_store_rel_32(&ring->ring_out, out);
	}
}

static unsigned
ring_reads(struct harvestq *hq)
{
	uint32_t rate;

	rate = atomic_swap_acq_32(&hq->hq_read_rate, 0);
	if (rate < 1)
		rate = 1;
	if (rate > KEYSIZE_WORDS)
		rate = KEYSIZE_WORDS;
	return (hq->hq_generator->g_algorithm->ra_poolcount * rate);
}

static uint64_t
ring_pending(struct harvestq *hq)
{
	struct ring *ring = hq->hq_queue;

	return ((atomic_load_acq_32(&ring->ring_in) + RANDOM_RING_MAX -
	    atomic_load_acq_32(&ring->ring_out)) % RANDOM_RING_MAX);
}

RANDOM_MODEL(ring) = {
	.hm_counts_reads = true,
	.hm_bytes	= sizeof(struct ring),
	.hm_init	= ring_init,
	.hm_slot	= ring_slot,
	.hm_commit	= ring_commit,
	.hm_drain	= ring_drain,
	.hm_reads	= ring_reads,
	.hm_pending	= ring_pending,
};
