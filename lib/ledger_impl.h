/*
 * The parts of the ledger; for lib/ledger*.c.
 *
 * ledger.c	threads, records, violations
 * ledger_text.c	what is said of them, and logs
 * ledger_key.c	keys: which there are and what is done with them
 * ledger_use.c	keystream and reads
 * ledger_ring.c	the last records of each thread
 * ledger_range.c	the counters used under one
 * ledger_dead.c	keys that are gone
 * ledger_core.c	cores: pools, reseeds, events
 */
#ifndef LIB_LEDGER_IMPL_H
#define LIB_LEDGER_IMPL_H

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/cipher.h"
#include "lib/kassert.h"
#include "lib/ledger.h"
#include "lib/wipe.h"
#include "lib/machine.h"

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
	LEDGER_WORDS		= sizeof(struct ledger_record) /
	    sizeof(uint64_t)
};

CTASSERT(LEDGER_CHUNK % LEDGER_SLICE == 0);
CTASSERT((LEDGER_BUCKETS & (LEDGER_BUCKETS - 1)) == 0);

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
	bool		 lt_reading;
	uint16_t	 lt_core;	/* of the key it used last */
	uint32_t	 lt_generation;	/* the same key's */
	uint16_t	 lt_reseeding;	/* a core, or NO_CORE */
	uint32_t	 lt_reseed;	/* which one that is */
	uint32_t	 lt_ended;	/* reseeds, when its read began */
	uint64_t	 lt_made;	/* lo_blocks, when its read began */
	uint64_t	 lt_delivering;	/* ledger_given() when that began */
	uint64_t	 lt_time;	/* of its last operation */
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
	_Atomic uint32_t lc_lock;
	bool		 lc_keyed;
	struct ledger_print lc_key;
	_Alignas(LINE)
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
	uint64_t	 lg_secret[8];
	struct ledger_key *lg_bucket;
	struct ledger_key *lg_spare;
	struct ledger_range *lg_room;	/* LEDGER_ROOM for each of both */
	struct cipher	*lg_cipher;
	_Atomic uint32_t lg_block_bytes; /* the largest of its ciphers' */
	int64_t		 lg_start_ns;
	uint64_t	 lg_start_cycles;
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
	_Atomic uint32_t lg_dead_lock;
	struct ledger_chunk *lg_chunk[LEDGER_CHUNKS];
	unsigned	 lg_chunks;
	uint64_t	 lg_dead;	/* places given out, since the reset */
	_Atomic uint32_t lg_spares;	/* taken */
	struct ledger_result lg_wrong;	/* what was, once lg_violated is 2 */
};

static inline void
ledger_lock(_Atomic uint32_t *lock)
{
	unsigned tries;

	for (tries = 1; atomic_exchange_explicit(lock, 1,
	    memory_order_acquire) != 0; tries++)
		if (tries % 64 == 0)
			sched_yield();
		else
			machine_pause(1);
}

static inline void
ledger_unlock(_Atomic uint32_t *lock)
{

	atomic_store_explicit(lock, 0, memory_order_release);
}

/* Adds to what one thread writes and others read. */
static inline void
ledger_add(_Atomic uint64_t *count, uint64_t n)
{

	atomic_store_explicit(count, atomic_load_explicit(count,
	    memory_order_relaxed) + n, memory_order_relaxed);
}

/* The events that a thread's generators were given. */
static inline uint64_t
ledger_given(const struct ledger_counts *lo)
{

	return (atomic_load_explicit(&lo->lo_events, memory_order_relaxed) +
	    atomic_load_explicit(&lo->lo_refused, memory_order_relaxed));
}

static inline bool
ledger_print_equals(const struct ledger_print *a, const struct ledger_print *b)
{

	return (a->lf_a == b->lf_a && a->lf_b == b->lf_b);
}

/* The product of two words, its halves added up. */
static inline uint64_t
mul_fold(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return ((uint64_t)product ^ (uint64_t)(product >> 64));
#else
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t mid = ah * bl + (al * bl >> 32), more = al * bh +
	    (uint32_t)mid;

	return ((a * b) ^ (ah * bh + (mid >> 32) + (more >> 32)));
#endif
}

/*
 * Two keyed hashes of the four words of a key.  Who has the secret and the
 * fingerprint knows 96 bits about 256.
 *
 * Returns: whether there is a key at all.
 */
static inline bool
ledger_fingerprint(const struct ledger *lg, const uint8_t *key,
    struct ledger_print *lf)
{
	const uint64_t *secret = lg->lg_secret;
	uint64_t w[CIPHER_KEY_BYTES / sizeof(uint64_t)];
	bool any;

	memcpy(w, key, sizeof(w));
	any = (w[0] | w[1] | w[2] | w[3]) != 0;
	lf->lf_a = mul_fold(w[0] ^ secret[0], w[1] ^ secret[1]) +
	    mul_fold(w[2] ^ secret[2], w[3] ^ secret[3]);
	lf->lf_b = (uint32_t)(mul_fold(w[0] ^ secret[4], w[2] ^ secret[5]) +
	    mul_fold(w[1] ^ secret[6], w[3] ^ secret[7]));
	wipe(w, sizeof(w));
	return (any);
}

static inline struct ledger_key *
ledger_bucket(struct ledger *lg, const struct ledger_print *lf)
{

	return (&lg->lg_bucket[lf->lf_a % LEDGER_BUCKETS]);
}

/* The key in its bucket, alive or gone; NULL: it is not there. */
static inline struct ledger_key *
ledger_find(const struct ledger *lg, struct ledger_key *bucket,
    const struct ledger_print *lf)
{
	struct ledger_key *lk;

	for (lk = bucket; lk != NULL; lk = lk->lk_next)
		if (lk->lk_a == lf->lf_a && lk->lk_b == lf->lf_b &&
		    lk->lk_epoch == lg->lg_epoch)
			return (lk);
	return (NULL);
}

/*
 * An operation: who does it and what it is.  Between enter and leave a log is
 * locked, so that it has operations in the order in which they were checked.
 */
struct ledger_at {
	struct ledger	*la_lg;
	struct ledger_thread *la_thread;
	uint64_t	 la_time;	/* ns if simulated, else cycles */
	uint16_t	 la_index;
	bool		 la_recorded;	/* it has a record */
	/* What is wrong; told at the end. */
	bool		 la_wrong;
	enum ledger_property la_property;
	struct ledger_record la_first, la_second;
	char		 la_note[128];	/* "" or in place of operations */
};

void ledger_enter(struct ledger *lg, struct ledger_at *la);

/* The same for what follows the thread's last operation at once. */
void ledger_enter_again(struct ledger *lg, struct ledger_at *la);

/* The same for what takes less time than a time stamp, if it is in a read. */
void ledger_enter_short(struct ledger *lg, struct ledger_at *la);

/* May not return, if something was wrong. */
void ledger_leave(struct ledger_at *la);

/* A record as others are to see it, its time told. */
struct ledger_record ledger_settled(const struct ledger_at *la,
    const struct ledger_record *lr);

/* Keeps the record, which it completes. */
void ledger_record(struct ledger_at *la, struct ledger_record *lr);

/*
 * Notes that something is wrong, unless something else was.
 *
 *   first   in  or NULL
 *   second  in
 */
void ledger_wrong(struct ledger_at *la, enum ledger_property property,
    const struct ledger_record *first, const struct ledger_record *second);

/* The same of what is no operation: numbers that do not agree. */
void ledger_wrong_note(struct ledger_at *la, enum ledger_property property,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * The newest record that is wanted, of all that threads still have, the
 * operation's own left out; none when a violation has been found before, as
 * only the first is told.
 *
 *   lr  in   what wanted() is given beside each
 *       out  the record, if there is one
 */
bool ledger_search(const struct ledger_at *la, bool (*wanted)(const struct
    ledger_record *lr, const struct ledger_record *like),
    struct ledger_record *lr);

/* A search for the same operation on the same key. */
bool ledger_same_key(const struct ledger_record *lr,
    const struct ledger_record *like);

/* ledger_text.c: le_text of the rest of le, or with a note instead. */
void ledger_text(struct ledger_result *le, const char *note);

/* ledger_use.c: wrong is a key that nobody has set, to all appearances. */
void ledger_unknown_key(struct ledger_at *la,
    const struct ledger_record *second);

/* ledger_range.c */

/*
 * Adds blocks from a counter on, modulo 2^128, to those used under a key.
 *
 * Returns: whether it is disjoint from all of them.
 */
bool ledger_add_blocks(struct ledger *lg, struct ledger_key *lk, uint128_t ctr,
    uint64_t blocks);

/* Whether its ranges are still where it had room for them at first. */
bool ledger_first_room(const struct ledger *lg, const struct ledger_key *lk);

/* ledger_dead.c */

/* A key is gone. */
void ledger_bury(struct ledger_at *la, const struct ledger_print *lf,
    uint32_t number);

/*
 * Whether a key is among those that are gone more than once: each is looked for
 * in an index, which is as large as it must be.
 */
void ledger_dead_check(struct ledger_at *la);

/* ledger_key.c */

int ledger_keys_init(struct ledger *lg);
void ledger_keys_reset(struct ledger *lg);
void ledger_keys_fini(struct ledger *lg);

/* At rest: all keys are gone, and none twice. */
void ledger_keys_finish(struct ledger_at *la);

/* Its read returns: what it used is gone. */
void ledger_keys_returned(struct ledger_at *la, struct ledger_record *end);

/* ledger_core.c */

/*
 * The reseed that a key of that core must go back to, in a read that began when
 * so many had ended; 0: to none.
 */
uint32_t ledger_core_needs(const struct ledger *lg, unsigned core,
    uint32_t ended);

void ledger_cores_reset(struct ledger *lg);

/* At rest: what was taken from pools was used. */
void ledger_cores_finish(struct ledger_at *la);

#endif
