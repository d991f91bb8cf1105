/*
 * The key of a generator that is freed stays where it was.
 */
#define	MUTANT	mutant_key_left
#include "tests/mutants/mutant_fortuna.h"

#define	fortuna_state_fini(fs)	((void)(fs))
#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
