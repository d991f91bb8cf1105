/*
 * The ledger: what was done with which key, checked while it is done.
 *
 * A monitor beside a generator.  It is told of keys, keystream, reads, pools
 * and reseeds, and holds each against the properties of lib/ledger.tbl; it
 * never keeps or prints a byte of a key.  A key is known by a number, given in
 * order of appearance; that two objects hold the same key, or that one comes
 * back, is found by a fingerprint under a secret of the ledger's own.
 *
 * What tells it is below the designs: ciphers (a cipher that has a ledger,
 * cipher_ledgered()), the cores that hold pools and keys, the device that is
 * read and the harvest queue.  A design that is one new file is therefore
 * watched like all others.
 *
 * Callable from any thread of either machine, with any lock held; takes no lock
 * that others could see and no time where time is simulated.  A ledger belongs
 * to one generator.
 *
 * What it cannot see: keystream that no cipher of lib/cipher.h made, and keys
 * in memory that is no cipher_key.
 */
#ifndef LIB_LEDGER_H
#define LIB_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/uint128.h"

struct cipher;
struct ledger;

/* What is checked; each has a line in the table, with a sentence. */
enum ledger_property {
#define	LEDGER_PROPERTY(name, word, text)	LEDGER_##name,
#include "lib/ledger.tbl"
#undef LEDGER_PROPERTY
	LEDGER_PROPERTIES
};

struct ledger_property_text {
	const char	*lp_word;	/* as messages and tests call it */
	const char	*lp_text;
};

extern const struct ledger_property_text ledger_properties[LEDGER_PROPERTIES];

/* What is recorded. */
enum ledger_op {
	LEDGER_BEGIN,	/* a read begins; lr_hi: its bytes */
	LEDGER_END,	/* and returns */
	LEDGER_SET,	/* an object is given a key */
	LEDGER_WIPE,	/* an object loses its key */
	LEDGER_USE,	/* keystream under it: counters lr_lo..lr_hi - 1 */
	LEDGER_INSTALL,	/* it becomes K when C is lr_lo */
	LEDGER_EVENT,	/* into pool lr_lo, lr_hi bytes */
	/*
	 * Reseed number lr_hi, its lower half, empties pools 0..lr_lo - 1; the
	 * upper half is the time that this was decided at, ns, or 0.
	 */
	LEDGER_DRAIN,
	LEDGER_RESEED,	/* K is made anew; lr_generation is the new one */
	LEDGER_OPS
};

extern const char *const ledger_op_names[LEDGER_OPS];

/*
 * One operation; a cache line.  Whoever runs in parallel and is not logged has
 * no number in a common order: lr_seq is 0 and lr_time_ns tells, which for what
 * belongs to a read may be that of an earlier operation of it, some kilobytes
 * before or before a wait for a lock; and keys' numbers are in the order of
 * appearance of each thread's.
 */
struct ledger_record {
	uint64_t	lr_seq;		/* in order of recording, from 1 */
	int64_t		lr_time_ns;	/* uptime of its machine */
	uint128_t	lr_lo;
	uint128_t	lr_hi;
	uint32_t	lr_key;		/* the key's number; 0: none */
	uint16_t	lr_thread;	/* mt_index of the caller */
	uint8_t		lr_op;		/* LEDGER_OPS: there was none */
	bool		lr_wiped;	/* no object has the key */
	uint32_t	lr_generation;	/* the reseed it goes back to */
};

/* A lag that is no bound, and a store that has none. */
#define	LEDGER_LAG_ANY		UINT32_MAX
#define	LEDGER_STORED_ANY	UINT64_MAX

struct ledger_config {
	/* Reseeds of a core that has a pace keep this distance; 0: need not. */
	int64_t		lc_pace_ns;
	/*
	 * Reseeds of its core that had ended when a read began and that the
	 * keys it uses need not go back to: the last so many.
	 */
	uint32_t	lc_lag;
	/*
	 * Bytes that a read may return beside those that its thread made during
	 * it: what was made ahead of time and kept.
	 */
	uint64_t	lc_stored_bytes;
	/* It has no key and no pools, and need not tell of a core. */
	bool		lc_keyless;
	/* NULL; or all records go here as lines, see ledger_log_line(). */
	FILE		*lc_log;
	/*
	 * NULL; or called once, by the thread that did the second of the two
	 * operations, from where it did it; need not return.
	 */
	void		(*lc_violated)(void *context);
	void		*lc_context;
};

/* What a ledger has seen, and what was wrong first. */
struct ledger_result {
	uint64_t	le_records;
	uint64_t	le_blocks;	/* of keystream */
	uint64_t	le_keys;	/* that ever were */
	uint64_t	le_wipes;	/* and are no longer */
	uint64_t	le_reads;
	uint64_t	le_reseeds;
	uint64_t	le_events;	/* into pools */
	unsigned	le_ranges_max;	/* apart, under one key */
	/* Keys that are gone and whose return would no longer be noticed. */
	uint64_t	le_forgotten;
	int		le_error;	/* ENOMEM: not all was checked */
	bool		le_violated;
	enum ledger_property le_property;
	/*
	 * The earlier operation, if there are two, and the one that was wrong.
	 * Of an earlier one that is long past only what it was is known, and no
	 * time.
	 */
	struct ledger_record le_first, le_second;
	char		le_text[512];	/* the same for people */
};

/*
 * Memory: for each thread some kilobytes; for each key that is gone 24 bytes,
 * up to LEDGER_DEAD_MAX of them, of more the oldest are forgotten.
 */
enum { LEDGER_DEAD_MAX = 160 * 65536 };

/*
 * Returns: 0; ENOMEM, or why the host gave no secret.  No thread uses it yet.
 */
int ledger_new(struct ledger **lg, const struct ledger_config *config);

/* As new, keeping the memory: a campaign of many short runs has one. */
void ledger_reset(struct ledger *lg);

void ledger_free(struct ledger *lg);

/* Whether anything was wrong yet; cheap, from any thread. */
bool ledger_violated(const struct ledger *lg);

/*
 * The end: the generator was freed, its readers were.  Checks what holds at
 * rest: no key is left in any object, all events are somewhere, and of all keys
 * that are gone none was there twice.  And that there was something to check:
 * whoever served a read has told of a core, if it is not lc_keyless.
 *
 *   delivered  in  events that were given to the generator, as the giver counts
 *                  them; LEDGER_UNCOUNTED: it does not
 */
#define	LEDGER_UNCOUNTED	UINT64_MAX

void ledger_finish(struct ledger *lg, uint64_t delivered);
void ledger_result(const struct ledger *lg, struct ledger_result *le);

/*
 * A queue at rest: what it was given it has processed, still has, dropped or
 * discarded; and what it discarded the ledger was told of.
 */
void ledger_conserved(struct ledger *lg, uint64_t in, uint64_t processed,
    uint64_t pending, uint64_t dropped, uint64_t discarded);

/*
 * A log: LEDGER_LOG_HEAD, and each record as a line of SEQ TIME_NS THREAD OP
 * KEY LO HI GENERATION WIPED.  LO and HI are hexadecimal, with 0x, the rest is
 * decimal, OP a word; one space in between.  HI is 0 where it is 2^128.
 */
#define	LEDGER_LOG_HEAD	"# rngsim-ledger/1"

enum { LEDGER_LINE_SIZE = 192 };

void ledger_log_line(FILE *f, const struct ledger_record *lr);

/* The inverse.  Returns: whether it is such a line. */
bool ledger_log_parse(const char *line, struct ledger_record *lr);

/*
 * For those who tell it.  Keys are bytes; one that is all zeros is none.
 */

/* A request of so many bytes begins; it ends, and has made so many. */
void ledger_begin(struct ledger *lg, uint64_t bytes);
void ledger_end(struct ledger *lg, uint64_t bytes);

/* An object is about to get a key, or to lose it, instead of the one it has. */
void ledger_key_set(struct ledger *lg, const uint8_t *had, const uint8_t *key);

/* Blocks of keystream are about to be made. */
void ledger_use(struct ledger *lg, const uint8_t *key, uint128_t ctr,
    uint64_t blocks);

/*
 * A core: what has pools and a key made of them; a generator has one or some.
 */
struct ledger_core_rule {
	unsigned	lu_pools;	/* at most LEDGER_POOLS_MAX */
	unsigned	lu_pool0_bytes;	/* a reseed needs */
	/* As Fortuna: reseed n empties the pools i for which 2^i divides n. */
	bool		lu_fortuna;
};

enum { LEDGER_POOLS_MAX = 32 };

/* Returns: its number. */
unsigned ledger_core(struct ledger *lg, const struct ledger_core_rule *rule);

/*
 * An event went into a pool.
 *
 *   bytes    in  that it put there
 *   held     in  that the pool says it has now; LEDGER_UNCOUNTED: it does not
 *   counted  in  false: the event is one that was counted elsewhere
 */
void ledger_event(struct ledger *lg, unsigned core, unsigned pool,
    uint64_t bytes, uint64_t held, bool counted);

/*
 * A pool was emptied; after all of a reseed's, the reseed that took them.
 *
 *   held    in  that the pool said it had, as above
 *   now_ns  in  the time that it was decided at; 0: at none
 *   paced   in  whether it had to keep its distance
 */
void ledger_pool(struct ledger *lg, unsigned core, unsigned pool,
    uint64_t held);
void ledger_drain(struct ledger *lg, unsigned core, int64_t now_ns, bool paced);

/*
 * What was taken from pools, when it was and when it is used for a key: at the
 * end all that was taken has been used, as it was.  What is used and was not
 * taken is no fault: a key may be made of another core's output.
 */
void ledger_seed_taken(struct ledger *lg, unsigned core, const void *seed,
    size_t n);
void ledger_seed_used(struct ledger *lg, unsigned core, const void *seed,
    size_t n);

/* Around the setting of a key that a reseed has made. */
void ledger_reseed_begin(struct ledger *lg, unsigned core);
void ledger_reseed_end(struct ledger *lg, unsigned core);

/* The core has this key from this counter on, and the one before no more. */
void ledger_install(struct ledger *lg, unsigned core, const uint8_t *key,
    uint128_t ctr);

/*
 * A key that is set goes back to the reseed that the key goes back to which the
 * caller used last.  Where it was drawn ahead of time, who keeps it keeps that
 * too, and puts it back before the key is set.
 */
uint64_t ledger_lineage(struct ledger *lg);
void ledger_set_lineage(struct ledger *lg, uint64_t lineage);

/*
 * Around giving n events to the generator: so many must go into pools, less
 * those that are refused meanwhile.
 *
 *   counted  in  whether they are among those that ledger_finish() is told of
 */
void ledger_deliver_begin(struct ledger *lg);
void ledger_deliver_end(struct ledger *lg, unsigned n, bool counted);

/* An event that is being given to the generator is to go nowhere. */
void ledger_refused(struct ledger *lg);

/* For cipher_ledgered(): where its ciphers are. */
enum { LEDGER_CIPHERS = 4 };
struct cipher *ledger_cipher(struct ledger *lg, const struct cipher *base);

#endif
