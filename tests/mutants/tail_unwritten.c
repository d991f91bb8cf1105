/*
 * The odd bytes at the end of a read are made but not written.
 */
#define	MUTANT	mutant_tail_unwritten
#include "tests/mutants/mutant_concurrent.h"

#include <string.h>

static void
genbytes_short(struct fortuna_private *fp, uint8_t *out, size_t n)
{
	const size_t odd = n % 8;
	uint8_t tail[8];

	memcpy(tail, out + n - odd, odd);
	fortuna_private_genbytes(fp, out, n);
	memcpy(out + n - odd, tail, odd);
}

#define	fortuna_private_genbytes	genbytes_short
#include "fortuna/gen_concurrent.c"
