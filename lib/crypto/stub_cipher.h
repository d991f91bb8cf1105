/*
 * A quick 64-bit hash for runs that do not look at output, as cipher_stub().
 * Its output is no secret and depends on how the input was split.
 */
#ifndef LIB_CRYPTO_STUB_CIPHER_H
#define LIB_CRYPTO_STUB_CIPHER_H

#include <string.h>

#include "lib/crypto/hash.h"
#include "lib/base/splitmix.h"

/* HASH_READY, with as many bytes of output as SHA-256. */
const struct hash *hash_stub(void);

/* A state after n more bytes. */
static inline uint64_t
stub_absorb(uint64_t state, const void *data, size_t n)
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

/* Output of n bytes, a multiple of 8. */
static inline void
stub_expand(uint64_t state, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i += sizeof(state)) {
		state = splitmix(state);
		memcpy(out + i, &state, sizeof(state));
	}
}

#endif
