/*
 * Scenarios: what readers and the harvest thread do in a run whose schedules
 * are explored.
 */
#ifndef BENCH_SCENARIO_H
#define BENCH_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	SCENARIO_READERS_MAX	= 6,
	SCENARIO_READS_MAX	= 6,	/* of one reader */
	SCENARIO_BURSTS_MAX	= 6,
	SCENARIO_EVENTS_MAX	= 64,	/* of one burst */
	SCENARIO_BYTES_MAX	= 4 * 1024 * 1024,	/* of one read */
	SCENARIO_SLEEP_MAX_MS	= 24 * 3600 * 1000,
	SCENARIO_PLACES_MAX	= 4,
	SCENARIO_SIZES_MAX	= 16
};

/* A sleep, and then a read of so many bytes or so many events. */
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
	bool		sn_seeded;	/* before readers start */
	bool		sn_queue;	/* events go through the queue */
	bool		sn_real;	/* ciphers and hashes are real ones */
	unsigned	sn_places;	/* parts of designs that have some */
};

/* From what scenarios are drawn. */
struct scenario_limits {
	unsigned	sm_readers_least;
	unsigned	sm_readers_most;
	unsigned	sm_sizes;	/* 0: what cipher and design make odd */
	uint32_t	sm_size[SCENARIO_SIZES_MAX];	/* bytes */
	unsigned	sm_block_bytes;	/* the cipher's */
	unsigned	sm_hybrid_bytes;
	bool		sm_whole_blocks;	/* a key ends after a MiB */
	bool		sm_timer;	/* the design reseeds by the clock */
	bool		sm_small;	/* few steps, for all schedules */
	bool		sm_queue;	/* all have one */
};

/* The scenario of that seed. */
void scenario_draw(struct scenario *sn, const struct scenario_limits *sm,
    uint64_t seed);

/* Reads of all readers, and events of all bursts. */
unsigned scenario_reads(const struct scenario *sn);
unsigned scenario_events(const struct scenario *sn);

/* The longest read. */
uint32_t scenario_bytes_max(const struct scenario *sn);

/*
 * The i-th thing that could be left out or made smaller.
 *
 *   smaller  out  sn without it
 *
 * Returns: false when there are no more.  An i may be void: *smaller is then
 * the same.
 */
bool scenario_reduce(const struct scenario *sn, unsigned i,
    struct scenario *smaller);

bool scenario_equals(const struct scenario *a, const struct scenario *b);

/* Writes it as lines of a schedule file, rngsim-result(5). */
void scenario_print(FILE *out, const struct scenario *sn);

/*
 * Reads one of these lines.
 *
 *   key, value  in   the line's first word, and the rest
 *   why         out  what is wrong
 *
 * Returns: 0; ENOENT when it is no line of a scenario; EINVAL.
 */
int scenario_parse_line(struct scenario *sn, const char *key,
    const char *value, char *why, size_t size);

/* Whether there are readers, all of which read; EINVAL and why if not. */
int scenario_check(const struct scenario *sn, char *why, size_t size);

#endif
