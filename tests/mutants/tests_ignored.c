/*
 * Events are absorbed without a question to the health tests.
 */
#define	MUTANT	mutant_tests_ignored
#include "tests/mutants/mutant_fortuna.h"

#define	generator_accepts(g, event)	((void)(g), (void)(event), true)
#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
