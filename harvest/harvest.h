/*
 * What gives a run's random(4) its events: sources, the threads of those that
 * push, and the record of what is delivered.
 */
#ifndef HARVEST_HARVEST_H
#define HARVEST_HARVEST_H

#include "harvest/record.h"
#include "harvest/source.h"

/* A source that pushes, and its thread. */
struct harvest_producer {
	struct harvest	*pd_harvest;
	const struct random_source *pd_source;
	void		*pd_state;
};

struct harvest {
	struct randomdev *hv_device;
	struct harvest_config hv_config;
	struct random_source_list hv_sources;
	/* Each needs a thread, for harvest_producer_run(). */
	struct harvest_producer hv_producer[RANDOM_SOURCES];
	unsigned	 hv_producers;
	unsigned	 hv_pass;	/* the harvest thread's next, from 1 */
	/* For record_finish() once threads have been joined. */
	struct record	 hv_record;
	struct m32	 hv_stop;
};

#define	harvest_init		FLAVOURED(harvest_init)
#define	harvest_attach		FLAVOURED(harvest_attach)
#define	harvest_record		FLAVOURED(harvest_record)
#define	harvest_fini		FLAVOURED(harvest_fini)
#define	harvest_producer_run	FLAVOURED(harvest_producer_run)
#define	harvest_stop		FLAVOURED(harvest_stop)
#define	harvest_stopping	FLAVOURED(harvest_stopping)

/*
 * Makes the sources of config; creates the record's file, if there is to be
 * one.
 *
 *   error  out  on failure, why
 *
 * Returns: 0; as random_sources_init(); an error of the record's file.
 */
int harvest_init(struct harvest *hv, const struct harvest_config *config,
    struct harvest_error *error);

/*
 * Registers those that are polled.  No thread uses the device yet; it outlives
 * hv, which does not move.  With a record's file, it has harvest_record().
 */
void harvest_attach(struct harvest *hv, struct randomdev *rd);

/* Adds an event to the record, for randomdev_params. */
void harvest_record(void *hv, const struct random_event *event);

/* Wipes and releases; threads have been joined; or zeroed. */
void harvest_fini(struct harvest *hv);

/*
 * A producer's thread.
 *
 *   producer  in  struct harvest_producer
 */
void harvest_producer_run(void *producer);

/* Makes producers end; machine_interrupt() ends a sleep early. */
void harvest_stop(struct harvest *hv);

/* Whether harvest_stop() was called or the caller is interrupted. */
bool harvest_stopping(struct harvest *hv);

#endif
