/*
 * Keystream is made, and something else is returned.
 */
#define	MUTANT	mutant_output_constant
#include "tests/mutants/mutant_concurrent.h"

#include <string.h>

static void
genbytes_constant(struct fortuna_private *fp, uint8_t *out, size_t n)
{
	fortuna_private_genbytes(fp, out, n);
	memset(out, 0x42, n);
}

#define	fortuna_private_genbytes	genbytes_constant
#include "fortuna/gen_concurrent.c"
