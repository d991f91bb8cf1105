/*
 * A reseed does not wait until the first pool holds enough.
 */
#define	MUTANT	mutant_minpool_ignored
#include "tests/mutants/mutant_state.h"

#include "fortuna/state.c"
#undef	fortuna_state_pre_read
MUTANT_PRE_READ(if (fs->fs_reseedcount > 0) fs->fs_minpoolsize = 1, (void)0)

#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
