/*
 * The counters of the keys that AES draws after each MiB are not reserved.
 */
#define	MUTANT	mutant_long_reserve
#include "tests/mutants/mutant_concurrent.h"

static void
reserve_flat(struct fortuna_state *fs, struct cipher_key **spare, uint64_t n,
    struct fortuna_private *fp)
{
	const struct cipher *cipher = fs->fs_key->ck_cipher;
	const uint64_t most = RANDOM_FORTUNA_MAX_READ -
	    cipher->ci_block_bytes;

	fortuna_state_reserve(fs, spare, n < most ? n : most, fp);
	if (n > most)
		uint128_add64(&fs->fs_counter, (n - most) /
		    cipher->ci_block_bytes);
	fp->fp_resid = n;
}

#define	fortuna_state_reserve	reserve_flat
#include "fortuna/gen_concurrent.c"
