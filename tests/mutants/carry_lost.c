/*
 * Of C only the low half is stepped.
 */
#define	MUTANT	mutant_carry_lost
#include "tests/mutants/mutant_concurrent.h"

static void
reserve_low(struct fortuna_state *fs, struct cipher_key **spare, uint64_t n,
    struct fortuna_private *fp)
{
	const uint64_t hi = uint128_hi(fs->fs_counter);

	fortuna_state_reserve(fs, spare, n, fp);
	fs->fs_counter = uint128_make(hi, uint128_lo(fs->fs_counter));
}

#define	fortuna_state_reserve	reserve_low
#include "fortuna/gen_concurrent.c"
