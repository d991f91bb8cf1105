#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/cell/prime.h"
#include "lib/crypto/digest.h"
#include "lib/crypto/wipe.h"

enum { GETENTROPY_MAX = 256 };

/* SHA-256 of seed and a running number. */
static int
fill_seeded(uint8_t *buf, size_t n, uint64_t seed)
{
	uint8_t block[DIGEST_BYTES];
	struct digest dg;
	size_t piece;
	int error;

	error = digest_init(&dg);
	if (error != 0)
		return (error);
	for (uint64_t counter = 0; n > 0; counter++, buf += piece, n -= piece) {
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

static int
fill_random(uint8_t *buf, size_t n)
{
	size_t piece;

	for (; n > 0; buf += piece, n -= piece) {
		piece = n < GETENTROPY_MAX ? n : GETENTROPY_MAX;
		if (getentropy(buf, piece) != 0)
			return (errno);
	}
	return (0);
}

uint8_t *
prime_bytes(size_t n, const uint64_t *seed)
{
	uint8_t *bytes = malloc(n + 1);
	int error;

	if (bytes == NULL)
		return (NULL);
	error = seed != NULL ? fill_seeded(bytes, n, *seed) :
	    fill_random(bytes, n);
	if (error == 0)
		return (bytes);
	free(bytes);
	errno = error;
	return (NULL);
}
