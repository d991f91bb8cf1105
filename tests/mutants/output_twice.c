/*
 * A read of two blocks and more has the first twice.
 */
#define	MUTANT	mutant_output_twice
#include "tests/mutants/mutant_concurrent.h"

#include <string.h>

enum { ONCE = 16 };

static void
genbytes_twice(struct fortuna_private *fp, uint8_t *out, size_t n)
{
	fortuna_private_genbytes(fp, out, n);
	if (n >= 2 * ONCE)
		memcpy(out + ONCE, out, ONCE);
}

#define	fortuna_private_genbytes	genbytes_twice
#include "fortuna/gen_concurrent.c"
