/*
 * A reseed uses half of what it took from the pools.
 */
#define	MUTANT	mutant_seed_halved
#include "tests/mutants/mutant_state.h"

#include "fortuna/state.c"
#undef	fortuna_state_pre_read

static unsigned
fortuna_state_pre_read(struct fortuna_state *fs, int64_t now_ns, bool paced)
{
	struct fortuna_seed fd;
	unsigned pools;

	pools = fortuna_state_drain(fs, now_ns, paced, &fd);
	if (pools == 0)
		return (0);
	fd.fd_bytes /= 2;
	fortuna_state_reseed(fs, &fd);
	return (pools);
}

#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
