/*
 * 128-bit counter arithmetic, modulo 2^128.
 *
 * Stands for sys/dev/random/uint128.h.  Two words on every machine: compilers
 * add them with one carry, and a counter just written is read again without a
 * wait, which one of 16 bytes would not be.
 */
#ifndef LIB_CRYPTO_UINT128_H
#define LIB_CRYPTO_UINT128_H

#include <stdbool.h>
#include <stdint.h>

#define	UINT128_BYTES	16

typedef struct {
	uint64_t	u128_lo;
	uint64_t	u128_hi;
} uint128_t;

/* The value hi * 2^64 + lo. */
static inline uint128_t
uint128_make(uint64_t hi, uint64_t lo)
{
	return ((uint128_t){ .u128_lo = lo, .u128_hi = hi });
}

/* Bits 0..63. */
static inline uint64_t
uint128_lo(uint128_t x)
{
	return (x.u128_lo);
}

/* Bits 64..127. */
static inline uint64_t
uint128_hi(uint128_t x)
{
	return (x.u128_hi);
}

/* Adds a 64-bit number, in place, with carry into the high half. */
static inline void
uint128_add64(uint128_t *x, uint64_t add)
{
	x->u128_lo += add;
	x->u128_hi += x->u128_lo < add;
}

static inline void
uint128_increment(uint128_t *x)
{
	uint128_add64(x, 1);
}

static inline bool
uint128_equals(uint128_t a, uint128_t b)
{
	return (uint128_lo(a) == uint128_lo(b) &&
	    uint128_hi(a) == uint128_hi(b));
}

/* One less. */
static inline uint128_t
uint128_before(uint128_t x)
{
	return (uint128_make(uint128_hi(x) - (uint128_lo(x) == 0),
	    uint128_lo(x) - 1));
}

/* Whether x is 0, which for Fortuna's counter means "not seeded". */
static inline bool
uint128_is_zero(uint128_t x)
{
	return ((uint128_lo(x) | uint128_hi(x)) == 0);
}

/*
 * Little-endian bytes, whatever the machine's own order is.
 *
 *   out  out  UINT128_BYTES bytes, any alignment
 */
static inline void
uint128_encode_le(uint8_t out[UINT128_BYTES], uint128_t x)
{
	uint64_t lo = uint128_lo(x), hi = uint128_hi(x);

	for (unsigned i = 0; i < 8; i++) {
		out[i] = (uint8_t)(lo >> (8 * i));
		out[8 + i] = (uint8_t)(hi >> (8 * i));
	}
}

/* The inverse of uint128_encode_le(). */
static inline uint128_t
uint128_decode_le(const uint8_t in[UINT128_BYTES])
{
	uint64_t lo = 0, hi = 0;

	for (unsigned i = 8; i-- > 0;) {
		lo = lo << 8 | in[i];
		hi = hi << 8 | in[8 + i];
	}
	return (uint128_make(hi, lo));
}

#endif
