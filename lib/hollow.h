/*
 * A stand-in for hashes where nobody looks at the output: of 64 bits, quick,
 * without a library and without an allocation.  What it makes is no secret, and
 * depends on how the input was cut up.  For cipher_hollow()'s like.
 */
#ifndef LIB_HOLLOW_H
#define LIB_HOLLOW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/hash.h"

/* HASH_READY, with as many bytes of output as SHA-256. */
const struct hash *hash_hollow(void);

/* SplitMix64's. */
static inline uint64_t
hollow_mix(uint64_t v)
{

	v += UINT64_C(0x9e3779b97f4a7c15);
	v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
	return (v ^ v >> 31);
}

/* A state after n more bytes. */
static inline uint64_t
hollow_absorb(uint64_t state, const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		state = hollow_mix(state ^ word);
	}
	if (n == 0)
		return (state);
	word = (uint64_t)n << 56;
	memcpy(&word, p, n);
	return (hollow_mix(state ^ word));
}

/* The n bytes that a state comes to; whole words. */
static inline void
hollow_expand(uint64_t state, uint8_t *out, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += sizeof(state)) {
		state = hollow_mix(state);
		memcpy(out + i, &state, sizeof(state));
	}
}

#endif
