/*
 * Inside the harvest queue: the contract that every model in harvest/hq_*.c
 * obeys, and the structure that it works on.
 *
 * A model is one file that ends in its struct harvest_model, plus one line in
 * harvest/harvest_model.tbl; nothing else lists models.
 */
#ifndef HARVEST_HARVEST_MODEL_H
#define HARVEST_HARVEST_MODEL_H

#include <string.h>

#include "harvest/harvestq.h"
#include "harvest/record.h"

enum {
	RANDOM_RING_MAX		= 1024,	/* events, in each buffer */
	RANDOM_ACCUM_MAX	= 8,	/* words of the fast accumulator */
	KEYSIZE_WORDS		= 8	/* most that read_rate counts for */
};

/*
 * What a model offers.
 *
 * hm_init	makes hq_queue, empty; 0 or ENOMEM.
 * hm_fini	wipes and frees it.
 * hm_slot	with hc_mtx held, the slot for the next event; NULL when full.
 *		A slot's payload is zero.
 * hm_commit	with hc_mtx still held, queues what was put into the slot.
 * hm_drain	the harvest thread's: delivers what is queued with
 *		harvest_process_event(), for one pass or until stopping.
 * hm_reads	the harvest thread's: reads of each polled source this pass.
 * hm_pending	events queued and not delivered; nobody is queueing.
 */
struct harvest_model {
	const char	*hm_descr;	/* one line for listings */
	bool		 hm_counts_reads;	/* hm_reads uses hq_read_rate */
	int		(*hm_init)(struct harvestq *hq);
	void		(*hm_fini)(struct harvestq *hq);
	struct harvest_event *(*hm_slot)(struct harvestq *hq);
	void		(*hm_commit)(struct harvestq *hq);
	void		(*hm_drain)(struct harvestq *hq);
	unsigned	(*hm_reads)(struct harvestq *hq);
	uint64_t	(*hm_pending)(struct harvestq *hq);
};

#define	RANDOM_MODEL(name)						\
	const struct harvest_model FLAVOURED(hq_##name)

#define	HARVEST_MODEL(name, word)	extern RANDOM_MODEL(name);
#include "harvest/harvest_model.tbl"
#undef HARVEST_MODEL

/* Each group is on cache lines of its own. */
struct harvestq {
	/* Read by all, written never or rarely. */
	_Alignas(MACHINE_CACHE_LINE)
	const struct harvest_model *hq_model;
	struct generator *hq_generator;
	void		*hq_queue;	/* the model's */
	struct m32	 hq_mask;
	struct m32	 hq_stop;
	struct m32	 hq_window;	/* 0: no statistics are kept */
	struct failpoint *hq_failpoints;	/* or NULL */
	int64_t		 hq_sleep_ns;
	int64_t		 hq_start_ns;	/* uptime */
	struct ledger	*hq_ledger;	/* or NULL */
	bool		 hq_recording;
	struct random_source_set hq_sources;
	struct harvest_producer hq_producer[RANDOM_SOURCES];
	unsigned	 hq_producers;
	uint32_t	 hq_ondemand_mask;
	unsigned	 hq_ondemand_pass;

	/* Enqueueing: hc_mtx and what it protects. */
	struct lock	 hc_mtx;
	uint64_t	 hq_in;		/* since the start */
	uint64_t	 hq_dropped;
	uint32_t	 hq_queue_window;	/* what the next is about */
	struct harvest_queue_stats hq_queue_stats;
	/* Direct events advance it without hc_mtx, as in the kernel. */
	struct m32	 hc_destination[ENTROPYSOURCE];

	/* Health tests: with what guards the generator's pools held. */
	_Alignas(MACHINE_CACHE_LINE)
	struct event_filter hq_filter;
	uint64_t	 hq_discarded;	/* since the start */
	uint32_t	 hq_discard_window;	/* what the next is about */
	uint64_t	 hq_window_discarded;
	struct health_test hq_test[ENTROPYSOURCE];
	/* Set by anybody: begin anew. */
	struct m32	 hq_ondemand[ENTROPYSOURCE];

	/* The readers'. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 hq_read_rate;	/* zero again after each pass */

	/* Whoever harvests directly. */
	struct m64	 hq_direct_others;	/* events, since the start */

	/* Whoever harvests fast. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 hq_fast[RANDOM_ACCUM_MAX];
	struct m32	 hq_fast_pos;

	/* The harvest thread's. */
	_Alignas(MACHINE_CACHE_LINE)
	struct record	 hq_record;	/* if hq_recording */
	/* Events that wait to be delivered together, within a pass. */
	struct harvest_event hq_batch[GENERATOR_BATCH_MAX];
	unsigned	 hq_batched;
	uint64_t	 hq_delivered;	/* queued events, since the start */
	uint64_t	 hq_direct;	/* and others, its own */
	unsigned	 hq_passes;	/* begun, up to hq_ondemand_pass */
	uint64_t	 hq_given;	/* to the generator, likewise */
	uint32_t	 hq_thread_window;	/* what the next is about */
	struct harvest_thread_stats hq_thread_stats;
};

#define	harvest_process_event	FLAVOURED(harvest_process_event)
#define	harvest_deliver		FLAVOURED(harvest_deliver)
#define	harvest_health_init	FLAVOURED(harvest_health_init)
#define	harvest_health_pass	FLAVOURED(harvest_health_pass)
#define	harvest_deliver_batch	FLAVOURED(harvest_deliver_batch)

/*
 * Gives an event to the generator, or keeps it with others until that wants
 * them; harvest_deliver_batch() gives it those there are.  They are recorded,
 * counted and timed then, and wiped.  For the harvest thread, and for priming
 * before there is one.
 */
void harvest_deliver(struct harvestq *hq, struct harvest_event *event);
void harvest_deliver_batch(struct harvestq *hq);

/*
 * Delivers an event that was queued, and wipes it.
 *
 * Source: random_harvestq_kthread()'s loop body.
 */
void harvest_process_event(struct harvestq *hq, struct harvest_event *event);

/* Makes the sources' tests and, if they are enabled, sets the filter. */
void harvest_health_init(struct harvestq *hq,
    const struct harvest_config *config);

/* Writes the configured on-demand mask when its pass begins. */
void harvest_health_pass(struct harvestq *hq);

/* The harvest thread's row of the open window; NULL when none is open. */
static inline struct harvest_thread_stats *
harvest_thread_row(struct harvestq *hq)
{
	uint32_t window;

	window = atomic_load_32(&hq->hq_window);
	if (window == 0)
		return (NULL);
	if (hq->hq_thread_window != window) {
		memset(&hq->hq_thread_stats, 0, sizeof(hq->hq_thread_stats));
		hq->hq_thread_window = window;
	}
	return (&hq->hq_thread_stats);
}

/* Books one event that was taken or dropped; hc_mtx is held. */
static inline void
harvest_count_queued(struct harvestq *hq, bool taken)
{
	struct harvest_queue_stats *hqs = &hq->hq_queue_stats;
	uint32_t window;

	hq->hq_in++;
	if (!taken)
		hq->hq_dropped++;
	window = atomic_load_32(&hq->hq_window);
	if (window == 0)
		return;
	if (hq->hq_queue_window != window) {
		memset(hqs, 0, sizeof(*hqs));
		hq->hq_queue_window = window;
	}
	if (taken)
		hqs->hqs_queued++;
	else
		hqs->hqs_dropped++;
}

#endif
