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
#include "lib/splitmix.h"

/* HASH_READY, with as many bytes of output as SHA-256. */
const struct hash *hash_hollow(void);

/* A state after n more bytes. */
static inline uint64_t
hollow_absorb(uint64_t state, const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		state = splitmix(state ^ word);
	}
	if (n == 0)
		return (state);
	word = (uint64_t)n << 56;
	memcpy(&word, p, n);
	return (splitmix(state ^ word));
}

/* The n bytes that a state comes to; whole words. */
static inline void
hollow_expand(uint64_t state, uint8_t *out, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += sizeof(state)) {
		state = splitmix(state);
		memcpy(out + i, &state, sizeof(state));
	}
}

#endif
