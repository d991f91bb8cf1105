/*
 * FenestrasX's entropy pools and the times of its reseeds: pure, like
 * fortuna/brng.h.
 *
 * It takes no lock and reads no clock; the caller excludes others throughout.
 *
 * Stands for fx_pool.c of sys/dev/random/fenestrasX, FreeBSD 13.  Departs: an
 * event always has entropy, so its first is the first of its source; the first
 * and the later ones are told apart with the pools' lock held, where the kernel
 * has an atomic bit; timers come when they are asked for, not within a third of
 * the interval; what is counted there for a source of jitter that was never
 * written is not counted.  Sources newer than that file are of high quality if
 * they are hardware.
 */
#ifndef FORTUNA_FXPOOL_H
#define FORTUNA_FXPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fortuna/event.h"
#include "fortuna/failpoint.h"
#include "lib/blake2.h"

enum {
	FXPOOL_POOLS		= 8,
	FXPOOL_BASE		= 3,	/* of intervals, and of pools' turns */
	FXPOOL_MAX_INTERVAL_S	= 3600,
	FXPOOL_FIRST_BYTES	= 32,	/* of a source after a reseed */
	FXPOOL_EVENT_BYTES	= sizeof(uint32_t) + HARVEST_ENTROPY_BYTES
};

struct ledger;

struct fxpool {
	struct blake2	fp_pool[FXPOOL_POOLS];
	uint32_t	fp_bytes;	/* in pool 0, up to UINT32_MAX */
	uint32_t	fp_seen;	/* a bit for each source */
	unsigned	fp_active;	/* pools that events go to */
	/* What each source put into pool 0 since the last reseed, bytes. */
	uint8_t		fp_first[ENTROPYSOURCE];
	struct ledger	*fp_ledger;	/* told of events; NULL at first */
	unsigned	fp_core;
};

/* The digests that go into a reseed. */
struct fxpool_seed {
	unsigned	fs_pools;
	uint8_t		fs_hash[FXPOOL_POOLS][BLAKE2B_BYTES];
};

/*
 * Empty pools, the first of them active.
 *
 *   hollow  in  with the stand-in of lib/hollow.h
 *
 * Returns: 0, or an errno value of lib/blake2.h.
 */
int fxpool_init(struct fxpool *fp, bool hollow);

/*
 * Tells a ledger, if it is one, of the pools from now on; they are new.
 *
 * Returns: the core, for brng_reseed()'s root.
 */
unsigned fxpool_watch(struct fxpool *fp, struct ledger *lg);

/* Wipes and releases; also what was only zeroed. */
void fxpool_fini(struct fxpool *fp);

/*
 * Whether the event is the first of its source; after that its source is known.
 * A first event reseeds the root by itself or, if that has no key, goes to
 * fxpool_event_early().
 */
bool fxpool_first_time(struct fxpool *fp, const struct harvest_event *event);

/* Counter and entropy in a row, a first event's input for brng_reseed(). */
size_t fxpool_event_bytes(const struct harvest_event *event,
    uint8_t out[FXPOOL_EVENT_BYTES]);

/* Absorbs a first event into pool 0, counter first. */
void fxpool_event_early(struct fxpool *fp, const struct harvest_event *event);

/*
 * Absorbs any other, entropy first: into the active pool that its destination
 * says; but of a source of high quality, where several pools are active, up to
 * FXPOOL_FIRST_BYTES since the last reseed into pool 0, an event's last bytes
 * rather than its first, and the counter after what was absorbed last.
 *
 * Returns: the pools used, as bits.
 */
unsigned fxpool_event(struct fxpool *fp, const struct harvest_event *event);

/*
 * Empties pools 0..pools - 1.
 *
 *   fs  out  the input of brng_reseed(); to be wiped
 */
void fxpool_drain(struct fxpool *fp, unsigned pools, struct fxpool_seed *fs);

/* The timer that reseeds. */
struct fxpool_timer {
	int64_t		ft_due_ns;
	uint32_t	ft_interval_s;	/* 0: not set going */
	uint64_t	ft_reseeds;	/* at the longest interval */
	struct failpoint *ft_failpoints;	/* the owner's, or NULL */
};

/*
 * Whether a reseed is due.  The first call only sets the timer going, for a
 * second later: make it when the root is keyed.
 */
bool fxpool_timer_due(struct fxpool_timer *ft, int64_t now_ns);

/*
 * Empties the pools whose turn it is now that a reseed is due, and sets the
 * next time.  The interval grows by FXPOOL_BASE until it is the longest; pool 0
 * is what is used so far.  Then every FXPOOL_BASE^k-th reseed uses pools 0..k;
 * where pool k is not active yet it becomes so, and those before are used.
 *
 * Source: fxent_timer_reseed().
 */
void fxpool_timer_drain(struct fxpool_timer *ft, struct fxpool *fp,
    int64_t now_ns, struct fxpool_seed *fs);

#endif
