/*
 * A read keeps a copy of its key in a second object.
 */
#define	MUTANT	mutant_key_copied
#include "tests/mutants/mutant_concurrent.h"

static void
reserve_and_copy(struct fortuna_state *fs, struct cipher_key **spare,
    uint64_t n, struct fortuna_private *fp)
{
	struct cipher_key *copy;

	fortuna_state_reserve(fs, spare, n, fp);
	if (cipher_key_new(&copy, fp->fp_key->ck_cipher) == 0)
		cipher_key_set(copy, fp->fp_key->ck_raw);
}

#define	fortuna_state_reserve	reserve_and_copy
#include "fortuna/gen_concurrent.c"
