/*
 * A reseed does not wait until the first pool holds enough.
 */
#define	MUTANT	mutant_minpool_ignored
#include "tests/mutants/mutant_state.h"

#include "fortuna/state.h"

static void
want_nothing(struct fortuna_state *fs)
{

	fs->fs_minpoolsize = fs->fs_reseedcount == 0 ? fs->fs_minpoolsize : 1;
}

#include "fortuna/state.c"
#undef	fortuna_state_pre_read

static unsigned
fortuna_state_pre_read(struct fortuna_state *fs, int64_t now_ns, bool paced)
{
	struct fortuna_seed fd;
	unsigned pools;

	want_nothing(fs);
	pools = fortuna_state_drain(fs, now_ns, paced, &fd);
	if (pools != 0)
		fortuna_state_reseed(fs, &fd);
	return (pools);
}

#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
