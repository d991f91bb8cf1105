/*
 * A reseed uses half of what it took from the pools.
 */
#define	MUTANT	mutant_seed_halved
#include "tests/mutants/mutant_state.h"

#include "fortuna/state.c"
#undef	fortuna_state_pre_read
MUTANT_PRE_READ((void)0, fd.fd_bytes /= 2)

#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
