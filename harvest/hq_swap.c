/*
 * The two buffers of FreeBSD 15: producers fill one under hc_mtx while the
 * harvest thread, which takes hc_mtx only to swap them, empties the other.
 */
#include "harvest/harvestq.h"

enum {
	/* random_sources_feed(): a read per pool and second, at 10 Hz. */
	FEED_PER_S	= 10,
	UNSEEDED_BYTES	= 64
};

struct swap {
	/* Under hc_mtx. */
	unsigned	swap_active;	/* which one is being filled */
	unsigned	swap_pos;	/* events in it */
	/* The harvest thread's. */
	unsigned	swap_taken;	/* events in the other */
	unsigned	swap_next;	/* first of them not delivered */
	struct harvest_event swap_event[2][RANDOM_RING_MAX];
};

static struct harvest_event *
swap_slot(struct harvestq *hq)
{
	struct swap *swap = hq->hq_queue;

	if (swap->swap_pos == RANDOM_RING_MAX)
		return (NULL);
	return (&swap->swap_event[swap->swap_active][swap->swap_pos]);
}

static void
swap_commit(struct harvestq *hq)
{
	((struct swap *)hq->hq_queue)->swap_pos++;
}

/* Takes the filled buffer and gives the emptied one to the producers. */
static void
swap_buffers(struct harvestq *hq, struct swap *swap)
{
	struct lock_node node;

	lock_acquire(&hq->hc_mtx, &node, HARVEST_DRAIN);
	swap->swap_taken = swap->swap_pos;
	swap->swap_pos = 0;
	swap->swap_active ^= 1;
	lock_release(&hq->hc_mtx, &node);
	swap->swap_next = 0;
}

static void
swap_drain(struct harvestq *hq)
{
	struct swap *swap = hq->hq_queue;
	struct harvest_event *events;

	/* An interrupted pass leaves events behind. */
	if (swap->swap_next == swap->swap_taken)
		swap_buffers(hq, swap);
	events = swap->swap_event[swap->swap_active ^ 1];
	while (swap->swap_next < swap->swap_taken && !harvestq_stopping(hq)) {
		harvest_process_event(hq, &events[swap->swap_next]);
		swap->swap_next++;
	}
}

static unsigned
swap_reads(struct harvestq *hq)
{
	struct generator *g = hq->hq_generator;
	unsigned pools = g->g_algorithm->ra_poolcount;

	if (!g->g_algorithm->ra_seeded(g))
		return (pools * UNSEEDED_BYTES / HARVEST_ENTROPY_BYTES);
	return ((pools + FEED_PER_S - 1) / FEED_PER_S);
}

static uint64_t
swap_pending(struct harvestq *hq)
{
	struct swap *swap = hq->hq_queue;

	return (swap->swap_pos + swap->swap_taken - swap->swap_next);
}

RANDOM_MODEL(swap) = {
	.hm_counts_reads = false,
	.hm_bytes	= sizeof(struct swap),
	.hm_slot	= swap_slot,
	.hm_commit	= swap_commit,
	.hm_drain	= swap_drain,
	.hm_reads	= swap_reads,
	.hm_pending	= swap_pending,
};
