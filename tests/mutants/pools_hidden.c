/*
 * Pools and reseeds are not reported to the ledger; ciphers are.
 */
#define	MUTANT	mutant_pools_hidden
#include "tests/mutants/mutant_fortuna.h"

static int
state_init_hidden(struct fortuna_state *fs, const struct cipher *cipher,
    const struct hash *pool_hash, unsigned minpoolsize_bytes)
{
	int error;

	error = fortuna_state_init(fs, cipher->ci_base, pool_hash,
	    minpoolsize_bytes);
	if (error == 0)
		fs->fs_key->ck_cipher = cipher;
	return (error);
}

#define	fortuna_state_init	state_init_hidden
#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
