#include <string.h>

#include "bench/explore/residue.h"

/* ThreadSanitizer keeps registers on the stacks that it watches. */
#if defined(__SANITIZE_THREAD__)
#define	RESIDUE_NONE	1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define	RESIDUE_NONE	1
#endif
#endif
#ifndef RESIDUE_NONE
#define	RESIDUE_NONE	0
#endif

enum {
	BYTES		= RESIDUE_WORDS * sizeof(uint64_t),
	LOOKED_AT_BYTES	= 2 * BYTES	/* of a secret that is longer */
};

void
residue_add(struct residue *re, const uint8_t *secret, size_t n)
{
	size_t i;

	for (i = 0; i + BYTES <= n && i < LOOKED_AT_BYTES; i += BYTES)
		memcpy(re->re_secret[re->re_count++ % RESIDUE_SECRETS],
		    secret + i, BYTES);
}

/*
 * What is below the frame is nobody's, and sanitizers know nothing of it.
 * Compilers align arrays to words at least.
 */
bool __attribute__((noinline, no_sanitize("address", "thread")))
residue_found(const struct residue *re, const void *lowest)
{
	const unsigned count = re->re_count < RESIDUE_SECRETS ? re->re_count :
	    RESIDUE_SECRETS;
	const volatile uint64_t *end = __builtin_frame_address(0);
	const volatile uint64_t *p;
	unsigned i, k;

	if (RESIDUE_NONE)
		return (false);
	for (p = lowest; p + RESIDUE_WORDS <= end; p++) {
		if (*p == 0)
			continue;
		for (i = 0; i < count; i++) {
			for (k = 0; k < RESIDUE_WORDS; k++)
				if (p[k] != re->re_secret[i][k])
					break;
			if (k == RESIDUE_WORDS)
				return (true);
		}
	}
	return (false);
}
