/*
 * Whether output may be made is not asked; a read asserts it.
 */
#define	MUTANT	mutant_assertion_only
#include "tests/mutants/mutant_fortuna.h"

#include "fortuna/fortuna.c"
#undef	random_fortuna_seeded

static bool
random_fortuna_seeded(struct generator *g)
{
	(void)g;
	return (true);
}

#include "fortuna/gen_concurrent.c"
