/*
 * A read under the mutex leaves the key as it was.
 */
#define	MUTANT	mutant_rekey_skipped
#include "tests/mutants/mutant_state.h"

#include "fortuna/state.h"

static void
genbytes_only(struct fortuna_state *fs, uint8_t *out, size_t n)
{
	cipher_keystream_cut(fs->fs_key, &fs->fs_counter, out, n);
}

#include "fortuna/state.c"
#include "fortuna/fortuna.c"
#undef	fortuna_state_genbytes
#define	fortuna_state_genbytes	genbytes_only
#include "fortuna/gen_locked.c"
