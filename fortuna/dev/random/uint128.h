/* 128-bit counters, modulo 2^128. */
#ifndef DEV_RANDOM_UINT128_H
#define	DEV_RANDOM_UINT128_H

#include <sys/types.h>
#include <sys/endian.h>

typedef __uint128_t	uint128_t;

#define	UINT128_ZERO	((uint128_t)0)

static __inline void
uint128_add64(uint128_t *x, uint64_t add)
{
	*x += add;
}

static __inline void
uint128_increment(uint128_t *x)
{
	uint128_add64(x, 1);
}

static __inline bool
uint128_equals(uint128_t a, uint128_t b)
{
	return (a == b);
}

static __inline bool
uint128_is_zero(uint128_t x)
{
	return (uint128_equals(x, UINT128_ZERO));
}

/* As 16 bytes, the least significant first. */
static __inline void
le128enc(void *to, uint128_t x)
{
	uint8_t *bytes = to;

	le64enc(bytes, (uint64_t)x);
	le64enc(bytes + 8, (uint64_t)(x >> 64));
}

static __inline uint128_t
le128dec(const void *from)
{
	const uint8_t *bytes = from;

	return ((uint128_t)le64dec(bytes + 8) << 64 | le64dec(bytes));
}

#endif
