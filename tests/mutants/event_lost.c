/*
 * The last event of a batch is left out.
 */
#define	MUTANT	mutant_event_lost
#include "tests/mutants/mutant.h"

#include "fortuna/fortuna.h"

static void
absorb_but_last(struct fortuna *f, const struct harvest_event *events,
    unsigned i, unsigned n)
{
	if (i + 1 < n)
		random_fortuna_absorb(f, &events[i]);
}

#undef	random_fortuna_absorb
#define	random_fortuna_absorb(f, event)	absorb_but_last(f, events, i, n)
#include "fortuna/gen_batch.c"
