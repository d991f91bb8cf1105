/*
 * FenestrasX's entropy pools and the times of its reseeds: pure, like
 * fortuna/brng.h.
 *
 * It takes no lock and reads no clock; the caller excludes others throughout.
 *
 * Stands for fx_pool.c of sys/dev/random/fenestrasX, FreeBSD 13.  Departs:
 *
 * - Every event has entropy, so a source's first event is its first with
 *   entropy.
 * - The pools' lock protects the record of sources that have had an event; the
 *   kernel has an atomic bit for each.
 * - A timer fires at its time; the kernel's fires up to a third of the interval
 *   later.
 * - The kernel's counts for a jitter source, which it never had, are left out.
 * - Sources newer than that file are of high quality if they are hardware.
 */
#ifndef FORTUNA_FXPOOL_H
#define FORTUNA_FXPOOL_H

#include "fortuna/event.h"
#include "fortuna/failpoint.h"
#include "lib/crypto/blake2.h"

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
	/* Bytes that each source put into pool 0 since the last reseed. */
	uint8_t		fp_first[ENTROPYSOURCE];
	struct ledger	*fp_ledger;	/* monitors events, or NULL */
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
 *   stub  in  use the stub of lib/crypto/stub_cipher.h
 *
 * Returns: 0, or an errno value of lib/crypto/blake2.h.
 */
int fxpool_init(struct fxpool *fp, bool stub);

/*
 * Registers the pools, which are new, with a ledger; or NULL.
 *
 * Returns: the core, for brng_reseed()'s root.
 */
unsigned fxpool_watch(struct fxpool *fp, struct ledger *lg);

/* Wipes and releases; also what was only zeroed. */
void fxpool_fini(struct fxpool *fp);

/*
 * Whether the event is the first of its source.  A first event reseeds the root
 * directly or, if the root has no key, goes to fxpool_event_early().
 */
bool fxpool_first_time(struct fxpool *fp, const struct harvest_event *event);

/* A first event's input for brng_reseed(): counter and entropy. */
size_t fxpool_event_bytes(const struct harvest_event *event,
    uint8_t out[FXPOOL_EVENT_BYTES]);

/* Absorbs a first event into pool 0, counter first. */
void fxpool_event_early(struct fxpool *fp, const struct harvest_event *event);

/*
 * Absorbs any other event, entropy first, into the active pool that its
 * destination selects.  If several pools are active, the first
 * FXPOOL_FIRST_BYTES of each high-quality source after a reseed go to pool 0
 * instead.  Of an event that is split, the last bytes go to pool 0, then the
 * others to its own pool; the counter goes where the last of them went.
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
 * Whether a reseed is due.  The first call only starts the timer, for a second
 * later: call it when the root has a key.
 */
bool fxpool_timer_due(struct fxpool_timer *ft, int64_t now_ns);

/*
 * Drains the pools of a reseed that is due and sets the next time.  At first
 * each reseed uses pool 0 alone and multiplies the interval by FXPOOL_BASE, up
 * to the longest.  After that every FXPOOL_BASE^k-th reseed uses pools 0..k; if
 * pool k is not active, it becomes active and the reseed uses pools 0..k - 1.
 *
 * Source: fxent_timer_reseed().
 */
void fxpool_timer_drain(struct fxpool_timer *ft, struct fxpool *fp,
    int64_t now_ns, struct fxpool_seed *fs);

#endif
