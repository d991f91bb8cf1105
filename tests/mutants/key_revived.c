/*
 * A key that a read has wiped is set again.
 */
#define	MUTANT	mutant_key_revived
#include <string.h>

#include "tests/mutants/mutant_concurrent.h"

static void
wipe_and_revive(struct fortuna_private *fp)
{
	struct cipher_key *ck = fp->fp_key;
	uint8_t raw[CIPHER_KEY_BYTES];

	memcpy(raw, ck->ck_raw, sizeof(raw));
	fortuna_private_fini(fp);
	cipher_key_set(ck, raw);
}

#define	fortuna_private_fini	wipe_and_revive
#include "fortuna/gen_concurrent.c"
