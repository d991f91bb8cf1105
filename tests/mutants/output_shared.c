/*
 * Output goes through a buffer that all readers share, outside the mutex.
 */
#define	MUTANT	mutant_output_shared
#include "tests/mutants/mutant_concurrent.h"

#include <string.h>

static uint8_t shared[RANDOM_FORTUNA_PAGE];

static void
genbytes_shared(struct fortuna_private *fp, uint8_t *out, size_t n)
{
	size_t piece;

	for (; n > 0; n -= piece, out += piece) {
		piece = n < sizeof(shared) ? n : sizeof(shared);
		fortuna_private_genbytes(fp, shared, piece);
		MUTANT_GAP();
		memcpy(out, shared, piece);
	}
}

#define	fortuna_private_genbytes	genbytes_shared
#include "fortuna/gen_concurrent.c"
