/*
 * The harvest queue and the thread that empties it, rand_harvestq.
 *
 * Stands for sys/dev/random/random_harvestq.c: model "2019" is FreeBSD 12's
 * ring, "newest" the two buffers of FreeBSD 15.  A model is one file, hq_*.c,
 * that ends in its struct harvest_model, plus one line in
 * harvest/harvest_model.tbl; nothing else lists models.
 *
 * Callers are machine threads.
 */
#ifndef HARVEST_HARVESTQ_H
#define HARVEST_HARVESTQ_H

#include "fortuna/generator.h"
#include "harvest/health.h"
#include "harvest/record.h"
#include "harvest/source.h"

/* Where hc_mtx is taken: rows of the lock profile. */
enum harvest_site {
	HARVEST_QUEUE,		/* one event into the queue */
	HARVEST_DRAIN,		/* the harvest thread takes a buffer */
	HARVEST_SITES
};

extern const char *const harvest_site_names[HARVEST_SITES];

/* Everything a harvest queue is made from. */
struct harvest_params {
	struct generator *hp_generator;
	const struct harvest_config *hp_config;	/* needed by init only */
	const struct lock_class *hp_lock;	/* hc_mtx: a spin mutex */
	struct lock_config hp_lock_config;
	struct lockprof	*hp_prof;	/* HARVEST_SITES rows, or NULL */
	/* [HARVEST_FAILPOINTS], outlive the queue; NULL: no fail points. */
	struct failpoint *hp_failpoints;
	struct harvest_error *hp_error;	/* out: why init failed */
	/* Monitors what the generator is given; or NULL. */
	struct ledger	*hp_ledger;
};

/* Events that arrived in one window. */
struct harvest_queue_stats {
	uint64_t	hqs_queued;
	uint64_t	hqs_dropped;	/* no room */
};

/* What the harvest thread did in one window. */
struct harvest_thread_stats {
	uint64_t	hts_passes;
	uint64_t	hts_events;	/* delivered */
	uint64_t	hts_by_source[ENTROPYSOURCE];	/* the same, split */
	struct hist	hts_deliver_cycles;	/* one delivery each */
};

struct harvest_stats {
	struct harvest_queue_stats hs_queue;
	struct harvest_thread_stats hs_thread;
	uint64_t	hs_discarded;	/* delivered, refused by health tests */
};

/*
 * Since the start, of all events, queued or not:
 * ht_in == ht_processed + ht_pending + ht_dropped + ht_discarded.
 */
struct harvest_totals {
	uint64_t	ht_in;
	uint64_t	ht_processed;	/* by the generator */
	uint64_t	ht_pending;
	uint64_t	ht_dropped;	/* there was no room */
	uint64_t	ht_discarded;	/* by health tests */
	uint64_t	ht_delivered;	/* given to the generator */
};

/* A pushed source and its thread. */
struct harvest_producer {
	struct harvestq	*hp_hq;
	const struct random_source *hp_source;
	void		*hp_state;
};

enum {
	RANDOM_RING_MAX		= 1024,	/* events, in each buffer */
	RANDOM_ACCUM_MAX	= 8,	/* words of the fast accumulator */
	KEYSIZE_WORDS		= 8	/* most that read_rate counts for */
};

/*
 * What a model offers.
 *
 * hm_bytes	of hq_queue, which is zeroed and on cache lines of its own.
 * hm_init	completes it; may be NULL.
 * hm_slot	with hc_mtx held, the slot for the next event; NULL when full.
 *		Its payload is filled with zeros.
 * hm_commit	with hc_mtx still held, queues what was put into the slot.
 * hm_drain	from the harvest thread: delivers queued events with
 *		harvest_process_event(), for one pass or until stopping.
 * hm_reads	from the harvest thread: reads of each polled source this pass.
 * hm_pending	events queued and not delivered; no thread is queueing.
 */
struct harvest_model {
	bool		 hm_counts_reads;	/* hm_reads uses hq_read_rate */
	size_t		 hm_bytes;
	void		(*hm_init)(struct harvestq *hq);
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
	/* Read by all threads, written rarely or never. */
	_Alignas(MACHINE_CACHE_LINE)
	const struct harvest_model *hq_model;
	struct generator *hq_generator;
	void		*hq_queue;	/* the model's */
	struct m32	 hq_mask;
	struct m32	 hq_stop;
	/*
	 * The statistics window, as in lib/lock/profiling.h: counts start at
	 * zero in each.  0: none is open.
	 */
	struct m32	 hq_window;
	struct failpoint *hq_failpoints;	/* or NULL */
	int64_t		 hq_sleep_ns;
	int64_t		 hq_start_ns;	/* uptime */
	struct ledger	*hq_ledger;	/* or NULL */
	struct random_source_set hq_sources;
	/* Each needs a thread, for harvestq_producer_run(). */
	struct harvest_producer hq_producer[RANDOM_SOURCES];
	unsigned	 hq_producers;
	uint32_t	 hq_ondemand_mask;
	unsigned	 hq_ondemand_pass;

	/* Enqueueing: hc_mtx and what it protects. */
	struct lock	 hc_mtx;
	uint64_t	 hq_in;		/* since the start */
	uint64_t	 hq_dropped;
	uint32_t	 hq_queue_window;	/* of the next member */
	struct harvest_queue_stats hq_queue_stats;
	/* Polled sources advance it without hc_mtx, as in the kernel. */
	struct m32	 hc_destination[ENTROPYSOURCE];

	/* Health tests: under the lock of the generator's pools. */
	_Alignas(MACHINE_CACHE_LINE)
	struct event_filter hq_filter;
	uint64_t	 hq_discarded;	/* since the start */
	uint32_t	 hq_discard_window;	/* of the next member */
	uint64_t	 hq_window_discarded;
	struct health_test hq_test[ENTROPYSOURCE];
	/* Set by any thread: restart the test. */
	struct m32	 hq_ondemand[ENTROPYSOURCE];

	/* Written by readers. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 hq_read_rate;	/* zero again after each pass */

	/* The fast accumulator. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 hq_fast[RANDOM_ACCUM_MAX];

	/* Written by the harvest thread. */
	_Alignas(MACHINE_CACHE_LINE)
	/*
	 * All events delivered, for record_finish() once threads have been
	 * joined; without r_file nothing is recorded.
	 */
	struct record	 hq_record;
	/* Events that wait to be delivered together, within a pass. */
	struct harvest_event hq_batch[GENERATOR_BATCH_MAX];
	unsigned	 hq_batched;
	uint64_t	 hq_delivered;	/* queued events, since the start */
	uint64_t	 hq_direct;	/* events that were never queued */
	unsigned	 hq_passes;	/* started, up to hq_ondemand_pass */
	uint64_t	 hq_given;	/* to the generator, since the start */
	uint32_t	 hq_thread_window;	/* of the next member */
	struct harvest_thread_stats hq_thread_stats;
};

#define	harvestq_init		FLAVOURED(harvestq_init)
#define	harvestq_fini		FLAVOURED(harvestq_fini)
#define	harvestq_read_rate	FLAVOURED(harvestq_read_rate)
#define	harvestq_health_ondemand FLAVOURED(harvestq_health_ondemand)
#define	harvestq_prime		FLAVOURED(harvestq_prime)
#define	random_harvest_queue	FLAVOURED(random_harvest_queue)
#define	harvestq_put		FLAVOURED(harvestq_put)
#define	harvestq_run		FLAVOURED(harvestq_run)
#define	harvestq_pass		FLAVOURED(harvestq_pass)
#define	harvestq_stop		FLAVOURED(harvestq_stop)
#define	harvestq_stopping	FLAVOURED(harvestq_stopping)
#define	harvestq_producer_run	FLAVOURED(harvestq_producer_run)
#define	harvestq_stats		FLAVOURED(harvestq_stats)
#define	harvestq_totals		FLAVOURED(harvestq_totals)

/*
 * Makes an empty queue with its sources.  Creates the record file, if one is
 * configured.  With health tests the queue becomes the generator's filter: it
 * must outlive the generator's last event.
 *
 * Returns: 0; EINVAL for a configuration that random_sources_check() refuses;
 * ENOMEM; an error of the lock, a source or the record file.
 */
int harvestq_init(struct harvestq **hqp, const struct harvest_params *params);

/* Wipes and releases; threads have been joined. */
void harvestq_fini(struct harvestq *hq);

/*
 * For randomdev's rd_read_rate: NULL in a model that does not count reads, and
 * for a design whose kernel does not.
 */
struct m32 *harvestq_read_rate(struct harvestq *hq);

/*
 * Restarts the tests of some sources at their next event, as writing
 * kern.random.nist_healthtest_ondemand does.  From any thread.
 *
 *   mask  in  MASK_BIT()s
 */
void harvestq_health_ondemand(struct harvestq *hq, uint32_t mask);

/*
 * Delivers boot entropy as CACHED events, whatever the mask.  Called before the
 * harvest thread starts.
 *
 *   bytes  in/out  wiped
 *   n      in      may be 0; rounded down to whole events
 *
 * Source: random_prime_loader_file().
 */
void harvestq_prime(struct harvestq *hq, void *bytes, size_t n);

/*
 * Queues one event, unless it is masked; without room it is dropped and
 * counted.  From any thread.
 *
 *   size  in  >= 1; of more than 8 bytes the hash is queued
 *
 * Source: random_harvest_queue_().
 */
void random_harvest_queue(struct harvestq *hq, const void *entropy,
    size_t size, enum random_entropy_source origin);

/*
 * Queues a recorded event as it is.
 *
 * Returns: 0, or ENOBUFS without room; such an event is not counted.
 */
int harvestq_put(struct harvestq *hq, const struct harvest_event *event);

/*
 * The harvest thread: a pass and a sleep in turns until harvestq_stopping().
 * Runs once in a queue's life.
 *
 *   hq  in  struct harvestq
 */
void harvestq_run(void *hq);

/*
 * One pass: drains the queue, reads the polled sources, delivers what is left
 * of a batch, and runs the generator's timer.  One thread at a time.  Ends
 * early when stopping.
 */
void harvestq_pass(struct harvestq *hq);

/*
 * Makes the harvest thread and the producers end.  They check at every event;
 * machine_interrupt() ends a sleep early.
 */
void harvestq_stop(struct harvestq *hq);

/* Whether harvestq_stop() was called or the caller is interrupted. */
bool harvestq_stopping(struct harvestq *hq);

/*
 * A producer thread.
 *
 *   producer  in  struct harvest_producer
 */
void harvestq_producer_run(void *producer);

/* Of the last window opened; threads have been joined. */
void harvestq_stats(const struct harvestq *hq, uint32_t window,
    struct harvest_stats *hs);

/* Threads have been joined. */
struct harvest_totals harvestq_totals(struct harvestq *hq);

/* For harvest only. */
#define	harvest_process_event	FLAVOURED(harvest_process_event)
#define	harvest_health_init	FLAVOURED(harvest_health_init)
#define	harvest_health_pass	FLAVOURED(harvest_health_pass)

/*
 * Delivers an event that was queued, alone or when its batch is full; it is
 * recorded, counted, timed and wiped.
 *
 * Source: random_harvestq_kthread()'s loop body.
 */
void harvest_process_event(struct harvestq *hq, struct harvest_event *event);

/* Makes the sources' tests and, if they are enabled, sets the filter. */
void harvest_health_init(struct harvestq *hq,
    const struct harvest_config *config);

/* Writes the configured on-demand mask when its pass begins. */
void harvest_health_pass(struct harvestq *hq);

/*
 * A thread's counts of the open window; zeros at their first use in it.  NULL
 * if no window is open.
 *
 *   of  in/out  the window that the counts are of
 */
static inline void *
harvest_row(struct harvestq *hq, uint32_t *of, void *row, size_t bytes)
{
	const uint32_t window = atomic_load_32(&hq->hq_window);

	if (window == 0)
		return (NULL);
	if (*of != window)
		memset(row, 0, bytes);
	*of = window;
	return (row);
}

#endif
