/* 128-bit counters, modulo 2^128.  Stands for sys/dev/random/uint128.h. */
#pragma once

#include "lib/base/base.h"

#define	UINT128_BYTES	16

typedef __uint128_t uint128_t;

/* The value hi * 2^64 + lo. */
static inline uint128_t
uint128_make(uint64_t hi, uint64_t lo)
{
	return ((uint128_t)hi << 64 | lo);
}

static inline uint64_t
uint128_lo(uint128_t x)
{
	return ((uint64_t)x);
}

static inline uint64_t
uint128_hi(uint128_t x)
{
	return ((uint64_t)(x >> 64));
}

/* Little-endian bytes of any alignment, whatever the machine's own order is. */
static inline void
uint128_encode_le(uint8_t out[UINT128_BYTES], uint128_t x)
{
	const uint64_t lo = uint128_lo(x), hi = uint128_hi(x);

	/* Compilers make two stores of that. */
	for (unsigned i = 0; i < 8; i++) {
		out[i] = (uint8_t)(lo >> (8 * i));
		out[8 + i] = (uint8_t)(hi >> (8 * i));
	}
}

static inline uint128_t
uint128_decode_le(const uint8_t in[UINT128_BYTES])
{
	uint64_t lo = 0, hi = 0;

	for (unsigned i = 8; i-- > 0;) {
		lo = lo << 8 | in[i];
		hi = hi << 8 | in[8 + i];
	}
	return ((uint128_t)hi << 64 | lo);
}
