/*
 * A read that generates under the mutex does not wipe the scratch memory that
 * its output came from.
 */
#define	MUTANT	mutant_scratch_left
#include "tests/mutants/mutant.h"

#include "lib/crypto/wipe.h"

#define	wipe(p, n)	((void)(p), (void)(n))
#include "fortuna/gen_hybrid.c"
