/*
 * The harvest queue and the thread that empties it, rand_harvestq.
 *
 * Stands for sys/dev/random/random_harvestq.c: model "2019" is FreeBSD 12's
 * ring, "newest" the two buffers of FreeBSD 15.  Threads that call in are
 * machine threads.
 */
#ifndef HARVEST_HARVESTQ_H
#define HARVEST_HARVESTQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fortuna/generator.h"
#include "harvest/harvest_config.h"
#include "harvest/health.h"
#include "harvest/source.h"
#include "lib/flavour.h"
#include "lib/hist.h"
#include "lib/lock.h"

/* Where hc_mtx is taken: the profile's rows. */
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
	/* Told of what the generator is given; NULL: nobody is. */
	struct ledger	*hp_ledger;
};

/* What the queue was given in one window. */
struct harvest_queue_stats {
	uint64_t	hqs_queued;	/* events it took */
	uint64_t	hqs_dropped;	/* and those it had no room for */
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
	uint64_t	hs_discarded;	/* delivered; health tests refused */
};

/*
 * Since the start, of all events, those that were never queued included:
 * ht_in == ht_processed + ht_pending + ht_dropped + ht_discarded.
 */
struct harvest_totals {
	uint64_t	ht_in;
	uint64_t	ht_processed;	/* by the generator */
	uint64_t	ht_pending;
	uint64_t	ht_dropped;	/* there was no room */
	uint64_t	ht_discarded;	/* by health tests */
	/* Given to the generator, all but random_harvest_direct()'s. */
	uint64_t	ht_delivered;
};

struct harvestq;

/* A pushed source at work. */
struct harvest_producer {
	struct harvestq	*hp_hq;
	const struct random_source *hp_source;
	void		*hp_state;
};

#define	harvestq_init		FLAVOURED(harvestq_init)
#define	harvestq_fini		FLAVOURED(harvestq_fini)
#define	harvestq_sources	FLAVOURED(harvestq_sources)
#define	harvestq_mask		FLAVOURED(harvestq_mask)
#define	harvestq_read_rate	FLAVOURED(harvestq_read_rate)
#define	harvestq_health_test	FLAVOURED(harvestq_health_test)
#define	harvestq_health_ondemand FLAVOURED(harvestq_health_ondemand)
#define	harvestq_prime		FLAVOURED(harvestq_prime)
#define	random_harvest_queue	FLAVOURED(random_harvest_queue)
#define	random_harvest_fast	FLAVOURED(random_harvest_fast)
#define	random_harvest_direct	FLAVOURED(random_harvest_direct)
#define	harvestq_put		FLAVOURED(harvestq_put)
#define	harvestq_run		FLAVOURED(harvestq_run)
#define	harvestq_pass		FLAVOURED(harvestq_pass)
#define	harvestq_stop		FLAVOURED(harvestq_stop)
#define	harvestq_stopping	FLAVOURED(harvestq_stopping)
#define	harvestq_producers	FLAVOURED(harvestq_producers)
#define	harvestq_producer	FLAVOURED(harvestq_producer)
#define	harvestq_producer_run	FLAVOURED(harvestq_producer_run)
#define	harvestq_stats_open	FLAVOURED(harvestq_stats_open)
#define	harvestq_stats_close	FLAVOURED(harvestq_stats_close)
#define	harvestq_stats		FLAVOURED(harvestq_stats)
#define	harvestq_totals		FLAVOURED(harvestq_totals)
#define	harvestq_record_finish	FLAVOURED(harvestq_record_finish)

/*
 * Makes an empty queue with its sources.  Creates the record file, if one is
 * configured.  If sources are to be tested, it becomes the generator's filter,
 * to the end of both.
 *
 * Returns: 0; EINVAL for a configuration that random_sources_check() refuses;
 * ENOMEM; what the lock, a source or the record file said.
 */
int harvestq_init(struct harvestq **hqp, const struct harvest_params *params);

/* Wipes and releases; the threads have been joined. */
void harvestq_fini(struct harvestq *hq);

/* The sources in use, and those skipped: the machine has not got them. */
const struct random_source_list *harvestq_sources(const struct harvestq *hq);

/* The mask in force: kern.random.harvest.mask. */
uint32_t harvestq_mask(struct harvestq *hq);

/*
 * For randomdev's rd_read_rate: NULL in a model that does not count reads, and
 * for a design whose kernel does not.
 */
struct m32 *harvestq_read_rate(struct harvestq *hq);

/* A source's health tests and what they said.  Threads have been joined. */
const struct health_test *harvestq_health_test(const struct harvestq *hq,
    enum random_entropy_source source);

/*
 * Starts the tests of some sources anew, each with its next event: what writing
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
 * Queues one event, unless the mask says no; drops it, counted, when there is
 * no room.  From any thread.
 *
 *   size  in  at least 1; above 8 bytes their hash is queued
 *
 * Source: random_harvest_queue_().
 */
void random_harvest_queue(struct harvestq *hq, const void *entropy,
    size_t size, enum random_entropy_source origin);

/*
 * Stirs data into the fast accumulator, which the harvest thread empties,
 * unless the mask says no.  From any thread, without a lock; two at a time may
 * undo each other's work, as in the kernel.
 *
 * Source: random_harvest_fast_().
 */
void random_harvest_fast(struct harvestq *hq, const void *entropy, size_t size,
    enum random_entropy_source origin);

/*
 * Gives the first 8 bytes at most to the generator at once, unless the mask
 * says no.  From any thread; is in nobody's statistics and in no record.
 *
 * Source: random_harvest_direct_().
 */
void random_harvest_direct(struct harvestq *hq, const void *entropy,
    size_t size, enum random_entropy_source origin);

/*
 * Queues a recorded event as it is.
 *
 * Returns: 0, or ENOBUFS when there is no room; it is not counted as dropped.
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
 * One pass: drains the queue, reads the polled sources, empties the fast
 * accumulator; events that the generator wants together wait for each other
 * within it.  Then it does what the generator's timers would.  One thread at a
 * time.  Ends early when stopping.
 */
void harvestq_pass(struct harvestq *hq);

/*
 * Asks the harvest thread and the producers to end, for good.  They look at
 * every event; whoever wants no wait for a sleep calls machine_interrupt() on
 * them too.
 */
void harvestq_stop(struct harvestq *hq);

/* Whether harvestq_stop() was called or the caller is interrupted. */
bool harvestq_stopping(struct harvestq *hq);

/* Producer threads that the sources want. */
unsigned harvestq_producers(const struct harvestq *hq);

/* The i-th of them, which harvestq_producer_run() takes. */
struct harvest_producer *harvestq_producer(struct harvestq *hq, unsigned i);

/*
 * A producer thread.
 *
 *   producer  in  struct harvest_producer
 */
void harvestq_producer_run(void *producer);

/*
 * Statistics windows, as in lib/lockprof.h: counts begin at zero in each, are
 * written by the harvest thread or under hc_mtx, and are read once the threads
 * were joined, for the last window opened.
 */
void harvestq_stats_open(struct harvestq *hq, uint32_t window);
void harvestq_stats_close(struct harvestq *hq);
void harvestq_stats(const struct harvestq *hq, uint32_t window,
    struct harvest_stats *hs);

/* Threads have been joined. */
struct harvest_totals harvestq_totals(struct harvestq *hq);

/*
 * Writes the record file: all that priming and the harvest thread delivered, up
 * to RECORD_EVENTS_MAX.  Once, after the threads were joined.
 *
 * Returns: 0, also when nothing is being recorded; as record_finish().
 */
int harvestq_record_finish(struct harvestq *hq);

#endif
