/*
 * The parts of the ledger; for lib/ledger only.
 *
 * ledger.c	start and end, cores, messages, log files
 * log.c	threads log operations; checks of reads, pools, reseeds, events
 * key.c	keys, the counters used under each, retired keys
 */
#pragma once

#include <stdatomic.h>

#include "lib/crypto/cipher.h"
#include "lib/ledger/ledger.h"

enum {
	LINE		= 64,
	LOG_RECORDS	= 48,	/* of a thread: history, and what it does now */
	BUCKETS		= 32,
	KEYS		= 128,	/* places for keys before more are allocated */
	KEY_RANGES	= 5,	/* in a key itself */
	CHUNK		= 65536,	/* retired keys allocated at first */
	READ_KEYS	= 64,	/* keys of one read that are remembered */
	CORES_MAX	= 256,
	THREADS_MAX	= 4096,
	CORE_RESEEDS	= 8	/* past reseeds remembered per core */
};

#define	NO_CORE		UINT32_MAX

/* A keyed fingerprint of a key. */
struct print {
	uint64_t	prt_a;
	uint32_t	prt_b;
};

/* Operations that are logged and have no line in a log file. */
enum {
	LOGGED_POOL = LEDGER_OPS + 1, LOGGED_SEED_UNUSED,
	LOGGED_RESEED,		/* a reseed begins */
	LOGGED_LINEAGE, LOGGED_DELIVER, LOGGED_DELIVERED, LOGGED_REFUSED
};

/* The reseed that a key goes back to. */
struct lineage {
	uint32_t	l_core, l_generation;
};

struct ledger_thread {
	/* Written by the thread. */
	_Alignas(LINE)
	bool		 lgt_simulated;
	uint64_t	 lgt_time;	/* ns if simulated, else cycles */
	uint16_t	 lgt_index;	/* its mt_index */
	/* Written under the lock. */
	_Alignas(LINE)
	uint64_t	 lgt_owner;	/* which thread it is of */
	uint64_t	 lgt_ops;	/* operations so far */
	uint64_t	 lgt_blocks;	/* made in this read */
	uint64_t	 lgt_given;	/* events put into pools or refused */
	uint64_t	 lgt_delivering; /* lgt_given when a delivery began */
	struct lineage	 lgt_last;	/* of the key that it used last */
	uint32_t	 lgt_reseeding;	/* a core or NO_CORE */
	uint32_t	 lgt_reseed;	/* that reseed's generation */
	uint32_t	 lgt_ended;	/* reseeds ended when its read began */
	bool		 lgt_reading;
	bool		 lgt_stored;	/* it took what was made before */
	/* Keys that its read has used and that it has not wiped. */
	unsigned	 lgt_used;
	struct {
		struct print	lgt_print;
		uint32_t	lgt_number;
	}		 lgt_key[READ_KEYS];
	struct ledger_record lgt_log[LOG_RECORDS];
};

/* Counters first to last, which does not wrap. */
struct range {
	uint128_t	rng_first, rng_last;
};

/*
 * A key; one that no object holds stays until its place is needed.  Most need
 * the first two cache lines only.
 */
struct ledger_key {
	_Alignas(LINE)
	struct print	 lk_print;
	uint32_t	 lk_epoch;	/* valid if it is the ledger's */
	uint32_t	 lk_number, lk_objects;
	struct lineage	 lk_lineage;
	unsigned	 lk_ranges;	/* in all */
	bool		 lk_installed, lk_replaced;
	struct ledger_key *lk_next;	/* in the bucket */
	struct range	*lk_more;	/* ranges beyond KEY_RANGES */
	struct range	 lk_range[KEY_RANGES];	/* counters used */
	uint128_t	 lk_install_ctr, lk_replace_ctr;
};

struct retired {
	uint64_t	rt_a;		/* struct print, packed */
	uint32_t	rt_b, rt_number;
};

struct ledger_core {
	struct ledger_core_rule lgc_rule;
	bool		 lgc_keyed;
	struct print	 lgc_key;	/* installed last */
	uint64_t	 lgc_held[LEDGER_POOLS_MAX];
	uint32_t	 lgc_taken;	/* pools emptied for the next reseed */
	unsigned	 lgc_taken_pools;
	uint64_t	 lgc_pool0;	/* bytes that pool 0 held then */
	bool		 lgc_unused;	/* a seed from pools was */
	uint64_t	 lgc_drains;
	int64_t		 lgc_drained_ns;
	struct ledger_record lgc_drained;
	/* Its last reseeds: the generation, and how many had ended then. */
	uint32_t	 lgc_ends;
	uint32_t	 lgc_generation[CORE_RESEEDS], lgc_ended[CORE_RESEEDS];
};

struct ledger {
	/* Read by all threads. */
	_Alignas(LINE)
	struct ledger_config lg_config;
	uint64_t	 lg_id;		/* unique; new after a reset */
	uint64_t	 lg_secret[4];
	_Atomic bool	 lg_violated;
	_Atomic uint32_t lg_ended;	/* reseeds, as threads see it */
	uint64_t	 lg_mark[CORE_RESEEDS];	/* vm_mark() of the last */
	int64_t		 lg_start_ns;
	uint64_t	 lg_start_cycles;
	/* Under lg_lock. */
	_Alignas(LINE)
	_Atomic bool	 lg_lock, lg_told;
	struct ledger_thread *lg_thread[THREADS_MAX]; /* outlive a reset */
	unsigned	 lg_threads;
	uint32_t	 lg_epoch;
	uint32_t	 lg_block_bytes; /* largest block of its ciphers */
	uint32_t	 lg_reseeds;	/* begun */
	uint32_t	 lg_cores;
	uint64_t	 lg_given;	/* events put into pools or refused */
	uint64_t	 lg_refused;
	struct ledger_core lg_core[CORES_MAX];
	/* Buckets, and spare places. */
	struct ledger_key lg_bucket[KEYS], *lg_spare;
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
	struct print	 at_print;	/* of its key */
};

static inline bool
print_equals(struct print a, struct print b)
{
	return (a.prt_a == b.prt_a && a.prt_b == b.prt_b);
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

/* Reports a violation, once.  Need not return. */
static inline void
ledger_tell(struct ledger *lg)
{
	if (__builtin_expect(is_violated(lg), 0) &&
	    lg->lg_config.lgo_violated != NULL &&
	    !atomic_exchange(&lg->lg_told, true))
		lg->lg_config.lgo_violated(lg->lg_config.lgo_context);
}

void ledger_record_line(const struct ledger *lg,
    const struct ledger_record *lr);

/* Completes the record of the operation that is checked, and logs it. */
static inline struct ledger_record *
ledger_record(const struct at *at, uint32_t key, uint32_t generation)
{
	struct ledger_record *lr = at->at_lr;

	lr->lgr_seq = ++at->at_lg->lg_result.le_records;
	lr->lgr_key = key;
	lr->lgr_generation = generation;
	if (__builtin_expect(at->at_lg->lg_config.lgo_record != NULL, 0))
		ledger_record_line(at->at_lg, lr);
	return (lr);
}

/* No operation. */
extern const struct ledger_record ledger_nothing;

/* Notes that two operations are a violation, unless there was one before. */
void ledger_wrong(struct ledger *lg, enum ledger_property property,
    struct ledger_record first, const struct ledger_record *second);

/* The same for numbers that do not agree. */
void ledger_wrong_note(struct ledger *lg, enum ledger_property property,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * The newest before another, or NULL, that match() takes beside like; or like.
 */
struct ledger_record ledger_search(const struct ledger *lg,
    const struct ledger_record *before,
    bool (*match)(const struct ledger_record *lr,
    const struct ledger_record *like), struct ledger_record like);

/* The same key and operation. */
bool ledger_same_key(const struct ledger_record *lr,
    const struct ledger_record *like);

/* A read used a key that goes back to lgt_last. */
void ledger_check_age(const struct at *at, const struct ledger_record *use);

/* key.c */
void ledger_keys_init(struct ledger *lg);
void ledger_keys_fini(struct ledger *lg);
void ledger_check_set(const struct at *at);
void ledger_check_wipe(const struct at *at);
void ledger_check_use(const struct at *at);
void ledger_check_install(const struct at *at);

/* A read returns: the keys that it used are gone. */
void ledger_check_kept(const struct at *at, const struct ledger_record *end);

/* At rest: all keys are gone, and none was there twice. */
void ledger_keys_finish(struct ledger *lg);
