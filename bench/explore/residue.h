/*
 * What a read leaves behind where its stack was: its keys and its keystream.
 *
 * The ledger knows which objects have a key, not who copied it elsewhere.  For
 * stand-ins of ciphers: what libcrypto leaves behind is not a design's fault.
 */
#ifndef BENCH_RESIDUE_H
#define BENCH_RESIDUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RESIDUE_SECRETS	= 32,
	RESIDUE_WORDS	= 4	/* as long as a key */
};

/* Secrets of a read, the last ones. */
struct residue {
	uint64_t	re_secret[RESIDUE_SECRETS][RESIDUE_WORDS];
	unsigned	re_count;	/* ever added */
};

/* A read begins. */
static inline void
residue_begin(struct residue *re)
{

	re->re_count = 0;
}

/* These n bytes are secret, as far as they are as long as a key. */
void residue_add(struct residue *re, const uint8_t *secret, size_t n);

/*
 * Whether one of them is on the calling fiber's stack below the caller; with
 * ThreadSanitizer this is not known, and false.
 *
 *   lowest  in  the stack's lowest byte
 */
bool residue_found(const struct residue *re, const void *lowest);

#endif
