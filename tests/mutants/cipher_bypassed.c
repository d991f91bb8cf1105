/*
 * Output is made by something that is no cipher of lib/crypto/cipher.h.
 */
#define	MUTANT	mutant_cipher_bypassed
#include "tests/mutants/mutant_concurrent.h"

static void
genbytes_elsewhere(struct fortuna_private *fp, uint8_t *out, size_t n)
{
	uint64_t v = uint128_lo(fp->fp_counter);

	for (size_t i = 0; i < n; i++) {
		v = v * UINT64_C(6364136223846793005) + fp->fp_key->ck_raw[i %
		    CIPHER_KEY_BYTES];
		out[i] = (uint8_t)(v >> 56);
	}
}

#define	fortuna_private_genbytes	genbytes_elsewhere
#include "fortuna/gen_concurrent.c"
