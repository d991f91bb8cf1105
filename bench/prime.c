#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bench/prime.h"
#include "lib/digest.h"
#include "lib/wipe.h"

enum { GETENTROPY_MAX = 256 };

/* SHA-256 of seed and a running number. */
static int
fill_seeded(uint8_t *buf, size_t n, uint64_t seed)
{
	uint8_t block[DIGEST_BYTES];
	uint64_t counter;
	struct digest dg;
	size_t piece;
	int error;

	error = digest_init(&dg);
	if (error != 0)
		return (error);
	for (counter = 0; n > 0; counter++, buf += piece, n -= piece) {
		digest_reset(&dg);
		digest_update(&dg, &seed, sizeof(seed));
		digest_update(&dg, &counter, sizeof(counter));
		digest_finish(&dg, block);
		piece = n < sizeof(block) ? n : sizeof(block);
		memcpy(buf, block, piece);
	}
	digest_fini(&dg);
	wipe(block, sizeof(block));
	return (0);
}

int
prime_fill(uint8_t *buf, size_t n, const uint64_t *seed)
{
	size_t piece;

	if (seed != NULL)
		return (fill_seeded(buf, n, *seed));
	for (; n > 0; buf += piece, n -= piece) {
		piece = n < GETENTROPY_MAX ? n : GETENTROPY_MAX;
		if (getentropy(buf, piece) != 0)
			return (errno);
	}
	return (0);
}
