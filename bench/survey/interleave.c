#include <errno.h>
#include <stdlib.h>

#include "bench/survey/interleave.h"
#include "lib/base/kassert.h"

int
interleave_init(struct interleave *il, unsigned readers, uint64_t grain,
    interleave_fetch *fetch, void *context)
{

	KASSERT(readers > 0 && grain > 0, ("%u readers, grain %ju", readers,
	    (uintmax_t)grain));
	*il = (struct interleave){
		.il_fetch = fetch,
		.il_context = context,
		.il_rests = calloc(readers, sizeof(*il->il_rests)),
		.il_readers = readers,
		.il_grain = readers == 1 ? UINT64_MAX : grain,
	};
	il->il_left = il->il_grain;
	return (il->il_rests == NULL ? ENOMEM : 0);
}

void
interleave_fini(struct interleave *il)
{

	free(il->il_rests);
	il->il_rests = NULL;
}

/* rounds whole grains and some bytes more; UINT64_MAX where that is too many */
static uint64_t
grains(uint64_t rounds, uint64_t grain, uint64_t more)
{

	if (rounds > (UINT64_MAX - more) / grain)
		return (UINT64_MAX);
	return (rounds * grain + more);
}

uint64_t
interleave_share(unsigned readers, uint64_t grain, uint64_t n, int only,
    unsigned reader)
{
	uint64_t behind, rest, rounds;

	if (n == UINT64_MAX)
		return (UINT64_MAX);
	if (only < 0) {
		rounds = n / grain / readers;
		rest = n - rounds * grain * readers;
		behind = rest / grain;
		if (reader < behind)
			return (grains(rounds, grain, grain));
		return (grains(rounds, grain,
		    reader == behind ? rest % grain : 0));
	}
	if (reader == (unsigned)only)
		return (n);
	rounds = n / grain;
	if (reader < (unsigned)only && n % grain != 0)
		rounds++;
	/* What stands behind its last grain need not be made. */
	if (reader > (unsigned)only && n % grain == 0 && rounds > 0)
		rounds--;
	return (grains(rounds, grain, 0));
}
