/*
 * What the ledger keeps; for lib/ledger*.c.
 */
#ifndef LIB_LEDGER_DATA_H
#define LIB_LEDGER_DATA_H

#include <stdatomic.h>

#include "lib/cipher.h"
#include "lib/kassert.h"
#include "lib/ledger.h"

enum {
	LINE			= 64,
	LEDGER_BUCKETS		= 256,	/* a power of two */
	LEDGER_SPARES		= 256,	/* keys beside those in buckets */
	LEDGER_ROOM		= 4,	/* ranges of a key beside the first */
	LEDGER_RING		= 64,	/* records kept of each thread */
	LEDGER_USED_MAX		= 64,	/* keys of a read, at a time */
	LEDGER_CORES_MAX	= 256,
	LEDGER_SEEDS		= 8,	/* taken and not used, of a core */
	LEDGER_ENDED		= 8,	/* reseeds remembered of a core */
	LEDGER_CHUNK		= 65536,	/* of the keys that are gone */
	LEDGER_CHUNKS		= LEDGER_DEAD_MAX / LEDGER_CHUNK,
	LEDGER_SLICE		= 32,	/* of these, a thread's own */
	LEDGER_NUMBERS		= 16,	/* of keys, likewise, if real */
	LEDGER_SEEN		= 2,	/* entries of the index for each */
	LEDGER_TIMED_BLOCKS	= 512,	/* of a read, from a time to the next */
	LEDGER_WORDS		= sizeof(struct ledger_record) /
	    sizeof(uint64_t)
};

CTASSERT(LEDGER_CHUNK % LEDGER_SLICE == 0);
CTASSERT((LEDGER_BUCKETS & (LEDGER_BUCKETS - 1)) == 0);
CTASSERT(CIPHER_KEY_BYTES == 4 * sizeof(uint64_t));

/* What no core is. */
#define	LEDGER_NO_CORE	UINT16_MAX

/* 96 bits that tell keys apart. */
struct ledger_print {
	uint64_t	lf_a;
	uint32_t	lf_b;
};

/* Counters first to last, modulo 2^128 but not across it. */
struct ledger_range {
	uint128_t	lx_first;
	uint128_t	lx_last;
};

/*
 * A key, and a place for one; two cache lines, of which the second is for
 * Fortuna's K alone.  What is in it counts if its epoch is the ledger's.
 * Without objects the key is gone; that it was there is known until the place
 * has another.
 */
struct ledger_key {
	_Alignas(LINE)
	uint64_t	 lk_a;		/* struct ledger_print */
	uint32_t	 lk_b;
	_Atomic uint32_t lk_lock;	/* the bucket's, in its first key */
	uint32_t	 lk_epoch;
	uint32_t	 lk_number;
	uint32_t	 lk_generation;	/* the reseed it goes back to */
	uint16_t	 lk_core;	/* whose that was */
	uint16_t	 lk_objects;
	struct ledger_range lk_range;	/* one of those used */
	uint128_t	 lk_installed;
	uint128_t	 lk_retired;
	struct ledger_range *lk_more;	/* the others */
	struct ledger_key *lk_next;	/* in the bucket */
	uint32_t	 lk_more_room;
	uint16_t	 lk_ranges;	/* in all */
	bool		 lk_is_installed;
	bool		 lk_is_retired;
};

/* A key that is gone. */
struct ledger_dead {
	uint64_t	ld_a;
	uint32_t	ld_b;
	uint32_t	ld_number;	/* 0: none */
};

struct ledger_chunk {
	struct ledger_dead lc_dead[LEDGER_CHUNK];
	uint32_t	lc_seen[LEDGER_CHUNK * LEDGER_SEEN];
};

/* What a thread counts; it alone writes. */
struct ledger_counts {
	_Atomic uint64_t lo_records;
	_Atomic uint64_t lo_blocks;
	_Atomic uint64_t lo_keys;
	_Atomic uint64_t lo_wipes;
	_Atomic uint64_t lo_reads;
	_Atomic uint64_t lo_events;
	_Atomic uint64_t lo_refused;	/* events that went nowhere */
	_Atomic uint64_t lo_uncounted;	/* of both, by the giver */
};

struct ledger_thread {
	_Alignas(LINE)
	struct ledger_counts lt_counts;
	uint64_t	 lt_owner;	/* which thread it is of */
	bool		 lt_simulated;
	bool		 lt_ordered;	/* its records are numbered */
	_Atomic bool	 lt_alone;	/* with the keys, and takes no locks */
	bool		 lt_reading;
	uint16_t	 lt_core;	/* of the key it used last */
	uint32_t	 lt_generation;	/* the same key's */
	uint16_t	 lt_reseeding;	/* a core, or NO_CORE */
	uint32_t	 lt_reseed;	/* which one that is */
	uint32_t	 lt_ended;	/* reseeds, when its read began */
	uint64_t	 lt_made;	/* lo_blocks, when its read began */
	uint64_t	 lt_delivering;	/* ledger_given() when that began */
	uint64_t	 lt_time;	/* of its last operation */
	uint64_t	 lt_timed;	/* lo_blocks, when that was asked for */
	uint32_t	 lt_number;	/* the next key's, of some of its own */
	uint32_t	 lt_numbers;	/* how many are left */
	struct ledger_dead *lt_dead;	/* the next of its slice */
	unsigned	 lt_dead_left;
	/* Keys its read has used, less those it saw going. */
	unsigned	 lt_used;
	struct {
		struct ledger_print	lt_print;
		uint32_t		lt_number;
	}		 lt_key[LEDGER_USED_MAX];
	/* Its last records; others look, so they are atomic words. */
	_Alignas(LINE)
	_Atomic uint64_t lt_ring[LEDGER_RING][LEDGER_WORDS];
};

struct ledger_core {
	/* K, as installed; the first line. */
	_Alignas(LINE)
	_Atomic uint32_t lc_key_lock;
	bool		 lc_keyed;
	struct ledger_print lc_key;
	_Alignas(LINE)
	_Atomic uint32_t lc_lock;
	struct ledger_core_rule lc_rule;
	uint64_t	 lc_held[LEDGER_POOLS_MAX];
	uint32_t	 lc_taken;	/* pools emptied for the next reseed */
	unsigned	 lc_taken_pools;
	uint64_t	 lc_pool0;	/* what it held when it was */
	/* Hashes of what was taken and is not used yet; 0: none. */
	uint64_t	 lc_seed[LEDGER_SEEDS];
	uint64_t	 lc_drains;
	int64_t		 lc_drained_ns;
	struct ledger_record lc_drained;
	struct ledger_record lc_event;
	/* Its last reseeds: the generation, and how many had ended then. */
	_Atomic uint32_t lc_ends;
	_Atomic uint32_t lc_generation[LEDGER_ENDED];
	_Atomic uint32_t lc_ended[LEDGER_ENDED];
};

struct ledger {
	/* Read by all. */
	_Alignas(LINE)
	struct ledger_config lg_config;
	uint64_t	 lg_id;		/* of no other, before or after */
	uint32_t	 lg_epoch;
	uint64_t	 lg_secret[4];
	struct ledger_key *lg_bucket;
	struct ledger_key *lg_spare;
	struct ledger_range *lg_room;	/* LEDGER_ROOM for each of both */
	struct cipher	*lg_cipher;
	_Atomic uint32_t lg_block_bytes; /* the largest of its ciphers' */
	int64_t		 lg_start_ns;
	uint64_t	 lg_start_cycles;
	_Atomic uintptr_t lg_sole;	/* who takes no locks; or NOBODY... */
	uintptr_t	 lg_sole_first;	/* at a reset */
	_Atomic uint32_t lg_violated;	/* 1: being told, 2: it is told */
	_Atomic int	 lg_error;
	_Atomic uint32_t lg_ranges_max;
	_Atomic uint32_t lg_ended;	/* reseeds */
	_Atomic uint32_t lg_reseeds;	/* that have begun */
	_Atomic uint32_t lg_cores;
	struct ledger_core *lg_core;
	/* Written with each new key. */
	_Alignas(LINE)
	_Atomic uint32_t lg_numbers;
	_Alignas(LINE)
	_Atomic uint32_t lg_log_lock;
	_Atomic uint64_t lg_seq;
	_Alignas(LINE)
	_Atomic uint32_t lg_threads_lock;
	struct ledger_thread **lg_thread;
	unsigned	 lg_threads;
	unsigned	 lg_thread_room;
	unsigned	 lg_threads_made;
	_Alignas(LINE)
	_Atomic uint32_t lg_sole_lock;
	unsigned	 lg_claims;
	_Alignas(LINE)
	_Atomic uint32_t lg_dead_lock;
	struct ledger_chunk *lg_chunk[LEDGER_CHUNKS];
	unsigned	 lg_chunks;
	uint64_t	 lg_dead;	/* places given out, since the reset */
	_Atomic uint32_t lg_spares;	/* taken */
	struct ledger_result lg_wrong;	/* what was, once lg_violated is 2 */
};

#endif
