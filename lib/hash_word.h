/*
 * What hashes share whose whole context is a word; for lib/hash_*.c.
 */
#ifndef LIB_HASH_WORD_H
#define LIB_HASH_WORD_H

#include "lib/hash.h"

static inline void
hash_word_wipe(const struct hash *ha, union hash_context *hc)
{

	(void)ha;
	*hc = (union hash_context){ 0 };
}

static inline void
hash_word_unload(struct hash *ha)
{

	(void)ha;
}

/* Most significant byte first. */
static inline void
hash_word_put(uint8_t out[4], uint32_t word)
{

	out[0] = (uint8_t)(word >> 24);
	out[1] = (uint8_t)(word >> 16);
	out[2] = (uint8_t)(word >> 8);
	out[3] = (uint8_t)word;
}

#endif
