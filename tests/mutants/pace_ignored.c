/*
 * Reseeds keep no distance.
 */
#define	MUTANT	mutant_pace_ignored
#include "tests/mutants/mutant_fortuna.h"

#include "fortuna/fortuna.h"

#define	fortuna_state_pre_read(fs, now, paced)				\
	fortuna_state_pre_read(fs, now, ((void)(paced), false))
#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
