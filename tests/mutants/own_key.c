/*
 * Readers go on from keys of their own, which nothing from pools ever reaches:
 * Fortuna is reseeded beside them, without effect.
 */
#define	MUTANT	mutant_own_key
#include "tests/mutants/mutant_concurrent.h"

#include <string.h>

static void
reserve_own(struct fortuna_state *fs, struct cipher_key **spare, uint64_t n,
    struct fortuna_private *fp)
{
	static const uint8_t unset[CIPHER_KEY_BYTES];
	static uint32_t readers;
	uint8_t key[CIPHER_KEY_BYTES] = { 0 };

	(void)fs;
	(void)n;
	memset(fp, 0, sizeof(*fp));
	fp->fp_key = *spare;
	if (memcmp(fp->fp_key->ck_raw, unset, sizeof(unset)) == 0) {
		readers++;
		memcpy(key, &readers, sizeof(readers));
		cipher_key_set(fp->fp_key, key);
	}
}

static void
genbytes_own(struct fortuna_private *fp, uint8_t *out, size_t n)
{
	cipher_keystream_cut(fp->fp_key, &fp->fp_counter, out, n);
}

static void
fini_own(struct fortuna_private *fp)
{
	uint8_t key[CIPHER_KEY_BYTES];

	cipher_keystream_cut(fp->fp_key, &fp->fp_counter, key, sizeof(key));
	cipher_key_set(fp->fp_key, key);
}

#define	fortuna_state_reserve		reserve_own
#define	fortuna_private_genbytes	genbytes_own
#define	fortuna_private_fini		fini_own
#include "fortuna/gen_concurrent.c"
