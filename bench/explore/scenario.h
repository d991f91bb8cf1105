/* Scenarios: what readers and the harvest thread do in an explored run. */
#pragma once

#include "lib/base/base.h"

enum {
	SCENARIO_READERS_MAX	= 6,
	SCENARIO_READS_MAX	= 6,	/* of one reader */
	SCENARIO_BURSTS_MAX	= 6,
	SCENARIO_RESEED_EVENTS	= 3,	/* two of which are for pool 0 */
	SCENARIO_QUEUE_EVENTS	= 2,	/* of each of two producers */
	SCENARIO_BYTES		= 16,	/* where all schedules are run */
	SCENARIO_EVENTS_MAX	= 1100,	/* of one burst; a queue has 1024 */
	SCENARIO_BYTES_MAX	= 4 * 1024 * 1024,	/* of one read */
	SCENARIO_SLEEP_MAX_MS	= 24 * 3600 * 1000,
	SCENARIO_PLACES_MAX	= 4
};

/* A sleep, then a read of stp_amount bytes or a burst of stp_amount events. */
struct scenario_step {
	uint32_t	stp_sleep_ms, stp_amount;
};

/* Whether the machine is copied, and its copies get a generation ID. */
enum clone_mode { CLONE_NONE, CLONE_UNNOTICED, CLONE_VMGENID };

struct scenario {
	/* The machine is copied as this read begins, from 1; 0: it is not. */
	uint64_t	sn_copied;
	unsigned	sn_readers;
	unsigned	sn_reads[SCENARIO_READERS_MAX];
	struct scenario_step sn_read[SCENARIO_READERS_MAX][SCENARIO_READS_MAX];
	unsigned	sn_bursts;
	struct scenario_step sn_burst[SCENARIO_BURSTS_MAX];
	unsigned	sn_places;	/* parts of a design that has parts */
	/* 0 or 1; not bool, which would leave padding for memcmp(3). */
	unsigned	sn_seeded;	/* before readers start */
	unsigned	sn_queue;	/* events go through the queue */
	unsigned	sn_real;	/* ciphers and hashes are real ones */
	unsigned	sn_guarded;	/* choices under locks, too */
	unsigned	sn_sources;	/* that come, go, or are masked */
	unsigned	sn_signals;	/* to readers; some do not block */
	unsigned	sn_pair;	/* of producers: scenario_paired() */
	unsigned	sn_calls;	/* of programs, beside reads */
	unsigned	sn_aged;	/* after many reseeds and reads */
	unsigned	sn_unpaced;	/* the clock is late, passes few */
	unsigned	sn_vmgenid;	/* the copies' events begin with IDs */
};

/* Whether a second producer has the same bursts. */
static inline bool
scenario_paired(const struct scenario *sn)
{
	return (sn->sn_pair != 0 && sn->sn_queue != 0 &&
	    sn->sn_readers < SCENARIO_READERS_MAX);
}

/* The bounds of drawn scenarios. */
struct scenario_limits {
	unsigned	lim_readers_least, lim_readers_most;
	unsigned	lim_sizes;	/* 0: around blocks, pages and such */
	const uint64_t	*lim_size;	/* bytes */
	unsigned	lim_block_bytes;	/* the cipher's */
	bool		lim_whole_blocks;	/* a key ends after a MiB */
	bool		lim_timer;	/* the design may reseed by the clock */
	bool		lim_all;	/* few steps, all choices, so: */
	unsigned	lim_reads;	/* of each reader; 0: the queue alone */
	unsigned	lim_reseeds;	/* that events come for */
	unsigned	lim_events;	/* for each */
	enum clone_mode	lim_clone;	/* with lim_all */
	bool		lim_queue;	/* always with a queue */
	bool		lim_sources;	/* they may be polled */
	bool		lim_own_queue;	/* often, as it is the source's */
};

/* Draws the scenario of a seed. */
void scenario_draw(struct scenario *sn, const struct scenario_limits *sm,
    uint64_t seed);

/* Makes the i-th reduction, or copies sn.  Returns: whether there is one. */
bool scenario_reduce(const struct scenario *sn, unsigned i,
    struct scenario *smaller);
