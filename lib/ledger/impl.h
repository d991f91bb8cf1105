/*
 * The parts of the ledger; for lib/ledger only.
 *
 * ledger.c	start and end, ciphers, cores
 * log.c	threads log operations
 * check.c	checks operations in order: reads, pools, reseeds, events
 * key.c	keys and retired keys
 * range.c	counters used under a key
 * text.c	messages and log files
 */
#ifndef LIB_LEDGER_IMPL_H
#define LIB_LEDGER_IMPL_H

#include <stdatomic.h>
#include <string.h>

#include "lib/base/kassert.h"
#include "lib/crypto/cipher.h"
#include "lib/ledger/ledger.h"

enum {
	LINE		= 64,
	LOG_UNCHECKED	= 16,	/* operations that a thread may log ahead */
	LOG_RECORDS	= 64,	/* of a thread; the others are history */
	BUCKETS		= 32,
	KEYS		= 128,	/* places for keys before more are allocated */
	KEY_RANGES	= 5,	/* in a key itself */
	CHUNK		= 65536,	/* retired keys allocated at first */
	READ_KEYS	= 64,	/* keys of one read that are remembered */
	CORES_MAX	= 256,
	CORE_SEEDS	= 8,	/* seeds taken from pools and not used yet */
	CORE_RESEEDS	= 8	/* past reseeds remembered per core */
};

#define	NO_CORE		UINT32_MAX

/* A keyed fingerprint of a key. */
struct print {
	uint64_t	p_a;
	uint32_t	p_b;
};

/* Operations that are logged and have no line in a log file. */
enum {
	LOGGED_POOL = LEDGER_OPS + 1,
	LOGGED_SEED_TAKEN,
	LOGGED_SEED_USED,
	LOGGED_RESEED,		/* a reseed begins */
	LOGGED_LINEAGE,
	LOGGED_DELIVER,
	LOGGED_DELIVERED,
	LOGGED_REFUSED
};

/* The reseed that a key goes back to. */
struct lineage {
	uint32_t	l_core;
	uint32_t	l_generation;
};

struct ledger_thread {
	/* Written by the thread. */
	_Alignas(LINE)
	_Atomic uint64_t lt_head;	/* operations logged so far */
	uint64_t	 lt_full;	/* lt_head at which they are checked */
	bool		 lt_simulated;
	bool		 lt_ordered;	/* each one is checked at once */
	bool		 lt_owns;	/* lt_own is a key of no other thread */
	bool		 lt_drew;	/* it has just made keystream */
	struct print	 lt_own;
	uint64_t	 lt_time;	/* ns if simulated, else cycles */
	/* Written under the lock. */
	_Alignas(LINE)
	uint64_t	 lt_owner;	/* which thread it is of */
	uint64_t	 lt_tail;	/* operations checked so far */
	uint64_t	 lt_blocks;	/* made in this read */
	uint64_t	 lt_given;	/* events put into pools or refused */
	uint64_t	 lt_delivering;	/* lt_given when a delivery began */
	struct lineage	 lt_last;	/* of the key that it used last */
	uint32_t	 lt_reseeding;	/* a core or NO_CORE */
	uint32_t	 lt_reseed;	/* that reseed's generation */
	uint32_t	 lt_ended;	/* reseeds ended when its read began */
	bool		 lt_reading;
	bool		 lt_draining;	/* its log is being checked */
	/* Keys that its read has used and that it has not wiped. */
	unsigned	 lt_used;
	struct {
		struct print	lt_print;
		uint32_t	lt_number;
	}		 lt_key[READ_KEYS];
	struct ledger_record lt_log[LOG_RECORDS];
};

/* Counters first to last, which does not wrap. */
struct range {
	uint128_t	r_first;
	uint128_t	r_last;
};

/*
 * A key; one that no object holds stays until its place is needed.  Most keys
 * have one range and need the first two cache lines only.
 */
struct ledger_key {
	_Alignas(LINE)
	struct print	 k_print;
	uint32_t	 k_epoch;	/* valid if it is the ledger's */
	uint32_t	 k_number;
	uint32_t	 k_objects;
	struct lineage	 k_lineage;
	uint16_t	 k_ranges;	/* in all */
	bool		 k_installed;
	bool		 k_replaced;
	struct ledger_key *k_next;	/* in the bucket */
	struct range	*k_more;	/* ranges beyond KEY_RANGES */
	struct range	 k_range[KEY_RANGES];	/* counters used */
	uint128_t	 k_install_ctr;
	uint128_t	 k_replace_ctr;
	uint16_t	 k_room;	/* of k_more */
};

struct retired {
	uint64_t	rt_a;		/* struct print, packed */
	uint32_t	rt_b;
	uint32_t	rt_number;
};

struct ledger_core {
	struct ledger_core_rule lc_rule;
	bool		 lc_keyed;
	struct print	 lc_key;	/* installed last */
	uint64_t	 lc_held[LEDGER_POOLS_MAX];
	uint32_t	 lc_taken;	/* pools emptied for the next reseed */
	unsigned	 lc_taken_pools;
	uint64_t	 lc_pool0;	/* bytes that pool 0 held then */
	uint64_t	 lc_seed[CORE_SEEDS];	/* hashes; 0: none */
	uint64_t	 lc_drains;
	int64_t		 lc_drained_ns;
	struct ledger_record lc_drained;
	struct ledger_record lc_event;
	/* Its last reseeds: the generation, and how many had ended then. */
	uint32_t	 lc_ends;
	uint32_t	 lc_generation[CORE_RESEEDS];
	uint32_t	 lc_ended[CORE_RESEEDS];
};

struct ledger {
	/* Read by all threads. */
	_Alignas(LINE)
	struct ledger_config lg_config;
	uint64_t	 lg_id;		/* unique; new after a reset */
	uint64_t	 lg_secret[4];
	_Atomic bool	 lg_violated;
	_Atomic uint32_t lg_ended;	/* reseeds, as threads see it */
	int64_t		 lg_start_ns;
	uint64_t	 lg_start_cycles;
	struct cipher	 lg_cipher[LEDGER_CIPHERS];
	/* Under lg_lock. */
	_Alignas(LINE)
	_Atomic bool	 lg_lock;
	_Atomic bool	 lg_told;
	struct ledger_thread **lg_thread;
	unsigned	 lg_threads;
	unsigned	 lg_threads_made;
	uint32_t	 lg_epoch;
	uint32_t	 lg_block_bytes; /* largest block of its ciphers */
	uint32_t	 lg_reseeds;	/* begun */
	uint32_t	 lg_cores;
	uint64_t	 lg_given;	/* events of counted deliveries */
	uint64_t	 lg_refused;
	struct ledger_core *lg_core;
	/* KEYS places: buckets, a second place for each, and spare ones. */
	struct ledger_key *lg_bucket;
	struct ledger_key *lg_spare;
	struct retired	*lg_retired;
	uint64_t	 lg_retired_room;
	/* Counts, and the first violation. */
	struct ledger_result lg_result;
};

/* The operation that is checked. */
struct at {
	struct ledger	*at_lg;
	struct ledger_thread *at_lt;
	struct ledger_record *at_lr;
};

static inline bool
less(uint128_t a, uint128_t b)
{
	return (uint128_hi(a) < uint128_hi(b) ||
	    (uint128_hi(a) == uint128_hi(b) && uint128_lo(a) < uint128_lo(b)));
}

static inline bool
print_equals(struct print a, struct print b)
{
	return (a.p_a == b.p_a && a.p_b == b.p_b);
}

static inline bool
is_violated(const struct ledger *lg)
{
	return (atomic_load_explicit(&lg->lg_violated, memory_order_relaxed));
}

/* log.c */
uint64_t ledger_identity(void);
void ledger_lock(struct ledger *lg);
void ledger_unlock(struct ledger *lg);

/* Checks the logs that are not being checked; under the lock. */
void ledger_drain_others(struct ledger *lg);

/* Checks all that was logged before the call.  Need not return. */
void ledger_flush(struct ledger *lg);

/* Reports a violation, once.  Need not return. */
static inline void
ledger_tell(struct ledger *lg)
{
	if (__builtin_expect(is_violated(lg), 0) &&
	    lg->lg_config.lc_violated != NULL &&
	    !atomic_exchange(&lg->lg_told, true))
		lg->lg_config.lc_violated(lg->lg_config.lc_context);
}

void ledger_record_line(const struct ledger *lg,
    const struct ledger_record *lr);

/*
 * Completes the record of the operation that is checked, and writes it to the
 * log file if there is one.
 */
static inline struct ledger_record *
ledger_record(const struct at *at, uint32_t key, uint32_t generation)
{
	struct ledger_record *lr = at->at_lr;

	lr->lr_seq = ++at->at_lg->lg_result.le_records;
	lr->lr_key = key;
	lr->lr_generation = generation;
	if (__builtin_expect(at->at_lg->lg_config.lc_record != NULL, 0))
		ledger_record_line(at->at_lg, lr);
	return (lr);
}

/* No operation. */
extern const struct ledger_record ledger_nothing;

/* Notes that two operations are a violation, unless there was one before. */
void ledger_wrong(struct ledger *lg, enum ledger_property property,
    const struct ledger_record *first, const struct ledger_record *second);

/* The same for numbers that do not agree. */
void ledger_wrong_note(struct ledger *lg, enum ledger_property property,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

typedef bool ledger_match(const struct ledger_record *lr,
    const struct ledger_record *like);

/*
 * The newest record before another that matches.
 *
 *   before  in  NULL: before the end
 *   like    in  what match() gets beside each record, and what is returned when
 *               none matches
 */
struct ledger_record ledger_search(const struct ledger *lg,
    const struct ledger_record *before, ledger_match *match,
    struct ledger_record like);

bool ledger_same_op(const struct ledger_record *lr,
    const struct ledger_record *like);

/* The same key and operation. */
bool ledger_same_key(const struct ledger_record *lr,
    const struct ledger_record *like);

/* text.c: sets le_text; note: "" or instead of the operations. */
void ledger_text(struct ledger_result *le, const char *note);

/* check.c: checks one operation; under lg_lock. */
void ledger_check(struct ledger *lg, struct ledger_thread *lt,
    struct ledger_record *lr);
void ledger_cores_finish(struct ledger *lg);

/* A read used a key that goes back to lt_last. */
void ledger_check_age(const struct at *at, const struct ledger_record *use);

/* key.c */
int ledger_keys_init(struct ledger *lg);
void ledger_keys_fini(struct ledger *lg);
void ledger_check_set(const struct at *at);
void ledger_check_wipe(const struct at *at);
void ledger_check_use(const struct at *at);
void ledger_check_install(const struct at *at);

/* A read returns: the keys that it used are gone. */
void ledger_check_kept(const struct at *at, const struct ledger_record *end);

/* At rest: all keys are gone, and none was there twice. */
void ledger_keys_finish(struct ledger *lg);

/*
 * range.c: adds blocks from a counter on, modulo 2^128, to those used under a
 * key.  Returns: whether none of them was used before.
 */
bool ledger_add_blocks(struct ledger *lg, struct ledger_key *k, uint128_t ctr,
    uint64_t blocks);

#endif
