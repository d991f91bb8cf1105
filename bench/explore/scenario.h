/*
 * Scenarios: what readers and the harvest thread do in a run whose schedules
 * are explored.
 */
#ifndef BENCH_EXPLORE_SCENARIO_H
#define BENCH_EXPLORE_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SCENARIO_READERS_MAX	= 6,
	SCENARIO_READS_MAX	= 6,	/* of one reader */
	SCENARIO_BURSTS_MAX	= 6,
	SCENARIO_EVENTS_MAX	= 64,	/* of one burst */
	SCENARIO_BYTES_MAX	= 4 * 1024 * 1024,	/* of one read */
	SCENARIO_SLEEP_MAX_MS	= 24 * 3600 * 1000,
	SCENARIO_PLACES_MAX	= 4
};

/* A sleep, then a read of ss_amount bytes or a burst of ss_amount events. */
struct scenario_step {
	uint32_t	ss_sleep_ms;
	uint32_t	ss_amount;
};

struct scenario {
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
};

/* The bounds of drawn scenarios. */
struct scenario_limits {
	unsigned	sm_readers_least;
	unsigned	sm_readers_most;
	unsigned	sm_sizes;	/* 0: around blocks, pages and such */
	const uint64_t	*sm_size;	/* bytes */
	unsigned	sm_block_bytes;	/* the cipher's */
	bool		sm_whole_blocks;	/* a key ends after a MiB */
	bool		sm_timer;	/* the design may reseed by the clock */
	bool		sm_small;	/* so few steps that dfs can end */
	bool		sm_queue;	/* always with a queue */
};

/* Draws the scenario of a seed. */
void scenario_draw(struct scenario *sn, const struct scenario_limits *sm,
    uint64_t seed);

/* Makes the i-th reduction, or copies sn.  Returns: whether there is one. */
bool scenario_reduce(const struct scenario *sn, unsigned i,
    struct scenario *smaller);

#endif
