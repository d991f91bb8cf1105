/*
 * The ledger: a monitor of keys, keystream, reads, pools and reseeds.  It
 * checks the operations of one generator against the properties in
 * lib/ledger/ledger.tbl.  Operations are reported by the parts below the
 * designs (ciphers, pools, the device, the harvest queue), so every design is
 * checked.  The ledger keeps no byte of a key: keys are compared by a 96-bit
 * fingerprint under a secret of its own.
 *
 * Any thread may call these, with any lock held; they take no simulated time.
 */
#pragma once

#include "lib/crypto/uint128.h"

struct ledger;

enum ledger_property {
#define	LEDGER_PROPERTY(name, word, text)	LEDGER_##name,
#include "lib/ledger/ledger.tbl"
	LEDGER_PROPERTIES,
	/* Of ledger_allowed alone: of explore, and of known answers. */
	LEDGER_SOURCES = LEDGER_PROPERTIES,
	LEDGER_ANSWERS
};

struct ledger_property_text {
	const char	*lgp_word, *lgp_text;
};

extern const struct ledger_property_text ledger_properties[LEDGER_PROPERTIES];

/* A bit for each that may be broken; set before there is a ledger. */
extern uint32_t ledger_allowed;

enum ledger_op {
#define	LEDGER_OPERATION(name, word, text)	LEDGER_##name,
#include "lib/ledger/operation.tbl"
	LEDGER_OPS
};

extern const char *const ledger_op_names[LEDGER_OPS];

/*
 * One operation; a cache line.  Until it is checked, lgr_word and lgr_print are
 * a key's fingerprint or another argument, lgr_generation is a core.
 */
struct ledger_record {
	union {
		uint64_t lgr_seq;	/* in the order of checking, from 1 */
		uint64_t lgr_word;
	};
	int64_t		lgr_time_ns;	/* uptime of its machine */
	uint128_t	lgr_lo, lgr_hi;
	union {
		uint32_t lgr_key;	/* keys are numbered from 1; 0: none */
		uint32_t lgr_print;
	};
	uint16_t	lgr_thread;	/* mt_index of the caller */
	uint8_t		lgr_op;		/* LEDGER_OPS: no operation */
	bool		lgr_wiped : 1;	/* no object has the key any more */
	bool		lgr_in_cycles : 1;	/* internal: lgr_time_ns is */
	bool		lgr_flag : 1;	/* internal */
	uint32_t	lgr_generation;	/* of the reseed it goes back to */
};

/* No limit for lgo_lag and lgo_stored_bytes. */
#define	LEDGER_LAG_ANY		UINT32_MAX
#define	LEDGER_STORED_ANY	UINT64_MAX

struct ledger_config {
	/* Least time between paced reseeds of a core; 0: none. */
	int64_t		lgo_pace_ns;
	/* How many reseeds before a read began its key may miss. */
	uint32_t	lgo_lag;
	/* Bytes made before a read began that it may return. */
	uint64_t	lgo_stored_bytes;
	/* The design has no key and no pools. */
	bool		lgo_keyless;
	/* It reports no pools, as nothing can follow them. */
	bool		lgo_unseen;
	/* Called with all records in order, if it is not NULL. */
	void		(*lgo_record)(void *context,
			    const struct ledger_record *lr);
	/*
	 * NULL, or called once, by the thread that found the violation; on a
	 * simulated machine that of the second operation.  It need not return.
	 */
	void		(*lgo_violated)(void *context);
	void		*lgo_context;
};

struct ledger_result {
	uint64_t	le_records;
	uint64_t	le_blocks;	/* of keystream */
	uint64_t	le_keys;
	uint64_t	le_wipes;	/* keys that no object has any more */
	uint64_t	le_reads, le_reseeds;
	uint64_t	le_events;	/* put into pools */
	unsigned	le_ranges_max;	/* separate ranges under one key */
	uint64_t	le_forgotten;	/* retired keys no longer remembered */
	bool		le_violated;	/* the rest is about the first one */
	enum ledger_property le_property;
	/* The earlier operation may lack a time. */
	struct ledger_record le_first, le_second;
	char		le_text[512];	/* a message with all of that */
};

/* Of more retired keys than this, the newest are remembered: 16 bytes each. */
enum { LEDGER_RETIRED_MAX = 160 * 65536 };

/* Returns: 0, or an error of getentropy(3). */
int ledger_new(struct ledger **lg, const struct ledger_config *config);

/* Starts again and keeps the memory.  No other thread uses the ledger. */
void ledger_reset(struct ledger *lg);
void ledger_free(struct ledger *lg);

/* Whether a violation was found yet.  Does not check. */
bool ledger_violated(const struct ledger *lg);

/* Checks what was logged. */
void ledger_result(struct ledger *lg, struct ledger_result *le);

/*
 * The end: the generator was freed, after so many events were given to it.
 * Checks what must hold at rest: no object has a key, all events arrived, seeds
 * were used, no retired key came back, and there was something to check.
 */
#define	LEDGER_UNCOUNTED	UINT64_MAX
void ledger_finish(struct ledger *lg, uint64_t delivered);

/* Checks the counts of a queue at rest. */
void ledger_conserved(struct ledger *lg, uint64_t in, uint64_t processed,
    uint64_t pending, uint64_t dropped, uint64_t discarded);

/* The kernel has found that a property is broken; lg may be NULL. */
void ledger_kernel(struct ledger *lg, enum ledger_property property,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * A log file: LEDGER_LOG_HEAD, then a line for each record: SEQ TIME_NS THREAD
 * OP KEY LO HI GENERATION WIPED.  LO and HI are hexadecimal with 0x (HI is 0
 * for 2^128), OP is a word, the rest is decimal; one space in between.
 */
#define	LEDGER_LOG_HEAD	"# rngsim-ledger/1"

/* For lgo_record, whose context is then a FILE. */
void ledger_log_line(void *file, const struct ledger_record *lr);

/*
 * Operations.  A key is CIPHER_KEY_BYTES; all zeros are no key.  With NULL for
 * lg they do nothing, but those with a key among their arguments need a ledger.
 */

/* A read of that many bytes begins; it ends and returns that many. */
void ledger_begin(struct ledger *lg, uint64_t bytes);
void ledger_end(struct ledger *lg, uint64_t bytes);

/* An object's key is about to be replaced. */
void ledger_key_set(struct ledger *lg, const uint8_t *had, const uint8_t *key);

/* Keystream is about to be made. */
void ledger_use(struct ledger *lg, const uint8_t *key, uint128_t ctr,
    uint64_t blocks);

/* A cipher of such blocks will be used; lg may be NULL. */
void ledger_block(struct ledger *lg, unsigned bytes);

/* A core: pools and a key made from them; a generator has at least one. */
struct ledger_core_rule {
	unsigned	lu_pools;	/* at most LEDGER_POOLS_MAX */
	unsigned	lu_pool0_bytes;	/* a reseed needs so many */
	/* How many pools a reseed empties, by number from 1; NULL: any. */
	unsigned	(*lu_due)(uint64_t reseed);
};

enum { LEDGER_POOLS_MAX = 32 };

/* Returns: its number. */
unsigned ledger_core(struct ledger *lg, const struct ledger_core_rule *rule);

/* An event went into a pool. */
void ledger_event(struct ledger *lg, unsigned core, unsigned pool,
    uint64_t bytes);

/*
 * A pool was emptied; all of a reseed's were, decided at now_ns or 0, and with
 * paced after lgo_pace_ns or more.
 */
void ledger_pool(struct ledger *lg, unsigned core, unsigned pool);
void ledger_drain(struct ledger *lg, unsigned core, int64_t now_ns, bool paced);

/* The last reseed of all cores whose pools have turns had that number. */
void ledger_reseeded(struct ledger *lg, uint64_t reseeds);

/* A seed was taken from pools, and no key was made of it. */
void ledger_seed_unused(struct ledger *lg, unsigned core);

/* Around setting a key made by a reseed. */
void ledger_reseed_begin(struct ledger *lg, unsigned core);
void ledger_reseed_end(struct ledger *lg, unsigned core);

/* The core uses this key from this counter on, and no longer the one before. */
void ledger_install(struct ledger *lg, unsigned core, const uint8_t *key,
    uint128_t ctr);

/*
 * The lineage of a new key is the reseed of the key that its thread used last.
 * A design that makes bytes ahead keeps it, and sets it before it uses them.
 */
uint64_t ledger_lineage(struct ledger *lg);
void ledger_set_lineage(struct ledger *lg, uint64_t lineage);

/* Around giving n events: each goes into a pool or is refused. */
void ledger_deliver_begin(struct ledger *lg);
void ledger_deliver_end(struct ledger *lg, unsigned n);
void ledger_refused(struct ledger *lg);
