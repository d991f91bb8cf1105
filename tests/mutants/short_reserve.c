/*
 * One block too few is reserved for a read.
 */
#define	MUTANT	mutant_short_reserve
#include "tests/mutants/mutant_concurrent.h"

static void
reserve_short(struct fortuna_state *fs, struct cipher_key **spare, uint64_t n,
    struct fortuna_private *fp)
{
	const size_t block = fs->fs_key->ck_cipher->ci_block_bytes;

	fortuna_state_reserve(fs, spare, n > block ? n - block : n, fp);
	fp->fp_resid = n;
}

#define	fortuna_state_reserve	reserve_short
#include "fortuna/gen_concurrent.c"
