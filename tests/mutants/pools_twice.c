/*
 * A reseed empties its pools twice.
 */
#define	MUTANT	mutant_pools_twice
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
	if (fs->fs_ledger != NULL)
		ledger_pool(fs->fs_ledger, fs->fs_core, 0,
		    fs->fs_pool[0].fsp_length);
	(void)pool_drain(&fs->fs_pool[0], fd.fd_s);
	fortuna_state_reseed(fs, &fd);
	return (pools);
}

#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
