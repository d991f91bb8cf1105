/*
 * Whether output may be made is not asked.
 */
#define	MUTANT	mutant_no_seeded_check
#include "tests/mutants/mutant_fortuna.h"

#include "fortuna/fortuna.c"
#define	fortuna_state_seeded(fs)	true
#undef	random_fortuna_seeded

static bool
random_fortuna_seeded(struct generator *g)
{
	(void)g;
	return (true);
}

#include "fortuna/gen_concurrent.c"
