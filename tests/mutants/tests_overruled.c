/*
 * The health tests are asked, and events that they refuse are absorbed.
 */
#define	MUTANT	mutant_tests_overruled
#include "tests/mutants/mutant_fortuna.h"

#define	generator_accepts(g, event)					\
	((void)generator_accepts(g, event), true)
#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
