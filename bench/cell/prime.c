#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/cell/prime.h"
#include "bench/cli/memory.h"
#include "lib/crypto/digest.h"

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

int
prime_generator(struct generator *g, size_t n, const uint64_t *seed)
{
	struct harvest_event event = { .he_source = RANDOM_CACHED,
	    .he_size = HARVEST_ENTROPY_BYTES };
	uint8_t *bytes;
	size_t i;
	int error;

	bytes = xmalloc(n + 1);
	error = prime_fill(bytes, n, seed);
	for (i = 0; error == 0 && i < n / HARVEST_ENTROPY_BYTES; i++) {
		event.he_somecounter = seed != NULL ? (uint32_t)i :
		    (uint32_t)machine_cycles();
		event.he_destination = (uint8_t)i;
		memcpy(event.he_entropy, bytes + i * HARVEST_ENTROPY_BYTES,
		    HARVEST_ENTROPY_BYTES);
		g->g_algorithm->ra_event_processor(g, &event);
	}
	wipe(&event, sizeof(event));
	wipe(bytes, n);
	free(bytes);
	return (error);
}
