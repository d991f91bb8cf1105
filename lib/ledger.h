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
 */
#ifndef LIB_LEDGER_H
#define LIB_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/uint128.h"

struct cipher;
struct cipher_key;
struct ledger;

/* What is checked; each has a line, with a name and a sentence, in the table. */
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
	LEDGER_DRAIN,	/* reseed number lr_hi empties pools 0..lr_lo - 1 */
	LEDGER_RESEED,	/* K is made anew; lr_generation is the new one */
	LEDGER_OPS
};

extern const char *const ledger_op_names[LEDGER_OPS];

/* One operation; a cache line. */
struct ledger_record {
	uint64_t	lr_seq;		/* in order of recording, from 1 */
	int64_t		lr_time_ns;	/* uptime of its machine */
	uint128_t	lr_lo;
	uint128_t	lr_hi;
	uint32_t	lr_key;		/* the key's number; 0: none */
	uint16_t	lr_thread;	/* mt_index of the caller */
	uint8_t		lr_op;
	bool		lr_wiped;	/* the last object with the key lost it */
	uint32_t	lr_generation;	/* reseeds that the key goes back to */
};

struct ledger_config {
	/* Reseeds keep this distance; 0: they need not. */
	int64_t		lc_pace_ns;
	/* Generations that a read may lag behind reseeds it began after. */
	unsigned	lc_lag;
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
	unsigned	le_ranges_max;	/* under one key, apart from each other */
	bool		le_violated;
	enum ledger_property le_property;
	/* The earlier operation, if there are two, and the one that was wrong. */
	struct ledger_record le_first, le_second;
	char		le_text[512];	/* the same for people; both operations */
};

/* Returns: 0 or ENOMEM.  No thread uses it yet. */
int ledger_new(struct ledger **lg, const struct ledger_config *config);

/* As new, keeping the memory: a campaign of many short runs has one. */
void ledger_reset(struct ledger *lg);

void ledger_free(struct ledger *lg);

/* Whether anything was wrong yet; cheap, from any thread. */
bool ledger_violated(const struct ledger *lg);

/*
 * The end: the generator was freed, its readers were.  Checks what holds at
 * rest: no key is left in any object, all events are somewhere.
 *
 *   delivered  in  events that were given to the generator
 */
void ledger_finish(struct ledger *lg, uint64_t delivered);
void ledger_result(const struct ledger *lg, struct ledger_result *le);

/* One record as a line: SEQ TIME_NS THREAD OP KEY LO HI GENERATION WIPED. */
void ledger_log_line(FILE *f, const struct ledger_record *lr);

#endif
