/*
 * The key of a read is left in the reader's object.
 */
#define	MUTANT	mutant_spare_kept
#include "tests/mutants/mutant_concurrent.h"

#define	fortuna_private_fini(fp)	((void)(fp))
#include "fortuna/gen_concurrent.c"
