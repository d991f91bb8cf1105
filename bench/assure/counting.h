/*
 * A stand-in for a cipher that only counts: which counters were asked for under
 * which key.  For arithmetic.c.
 */
#ifndef BENCH_ASSURE_COUNTING_H
#define BENCH_ASSURE_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cipher.h"

/* Consecutive counters under one key. */
struct use {
	uint8_t		u_key[CIPHER_KEY_BYTES];
	uint128_t	u_lo;
	uint64_t	u_blocks;
	uint128_t	u_at;		/* u_lo, as far from a base */
};

/* One thread's.  Its cipher comes first: keystream knows no other way to it. */
struct counting {
	struct cipher	cn_cipher;
	uint64_t	cn_calls;	/* for keystream */
	uint64_t	cn_blocks;	/* of it */
	uint64_t	cn_serial;	/* no two keys are the same */
	struct use	*cn_use;	/* the last read's, then this one's */
	struct use	**cn_order;	/* of this one's; as long */
	size_t		cn_room;
	size_t		cn_old;
	size_t		cn_count;
	bool		cn_no_memory;	/* some uses are missing */
};

/*
 * Makes one in the place of a cipher of ciphers[].
 *
 * Returns: 0 or ENOMEM.
 */
int counting_init(struct counting *cn, const struct cipher *cipher);
void counting_fini(struct counting *cn);

/* Another read: this one's uses are the last one's.  Or there was none. */
void counting_next(struct counting *cn);
void counting_forget(struct counting *cn);

/*
 * How many counters two uses under one key share, of this read's and the last
 * one's; of the first two that do.  0: none do.
 *
 *   base  in  before all of them, on the circle of 2^128, by 2^64 or so
 */
int64_t counting_twice(struct counting *cn, uint128_t base);

/*
 * Puts this read's uses in the order of their counters, whatever their keys.
 *
 * Returns: how many cn_order has.
 */
size_t counting_order(struct counting *cn, uint128_t base);

/* x - n. */
static inline uint128_t
counting_before(uint128_t x, uint128_t n)
{

	return (uint128_make(uint128_hi(x) - uint128_hi(n) -
	    (uint128_lo(x) < uint128_lo(n)), uint128_lo(x) - uint128_lo(n)));
}

/* The first counter behind a use. */
static inline uint128_t
counting_end(const struct use *u)
{
	uint128_t end = u->u_lo;

	uint128_add64(&end, u->u_blocks);
	return (end);
}

/* From one counter to another that is near, past a wrap too. */
static inline int64_t
counting_gap(uint128_t from, uint128_t to)
{

	return ((int64_t)uint128_lo(counting_before(to, from)));
}

#endif
