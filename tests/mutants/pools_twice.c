/*
 * A reseed empties its pools twice.
 */
#define	MUTANT	mutant_pools_twice
#include "tests/mutants/mutant_state.h"

#include "fortuna/state.c"

static void
drain_again(struct fortuna_state *fs, struct fortuna_seed *fd)
{
	if (fs->fs_ledger != NULL)
		ledger_pool(fs->fs_ledger, fs->fs_core, 0,
		    fs->fs_pool[0].fsp_length);
	(void)pool_drain(&fs->fs_pool[0], fd->fd_s);
}

#undef	fortuna_state_pre_read
MUTANT_PRE_READ((void)0, drain_again(fs, &fd))

#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
