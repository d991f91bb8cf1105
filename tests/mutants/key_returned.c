/*
 * What a read returns begins with the key that is to make the next read's.
 */
#define	MUTANT	mutant_key_returned
#include "tests/mutants/mutant_concurrent.h"

#include <string.h>

static void
reserve_and_tell(struct fortuna_state *fs, struct cipher_key **spare,
    struct uio *uio, struct fortuna_private *fp)
{
	const uint64_t n = uio->uio_resid;

	fortuna_state_reserve(fs, spare, n, fp);
	if (n < CIPHER_KEY_BYTES)
		return;
	fortuna_private_genbytes(fp, uio->uio_base, uio_room(uio));
	memcpy(uio->uio_base, fs->fs_key->ck_raw, CIPHER_KEY_BYTES);
	uio_advance(uio, uio_room(uio));
}

#define	fortuna_state_reserve(fs, spare, n, fp)				\
	reserve_and_tell(fs, spare, uio, fp)
#include "fortuna/gen_concurrent.c"
