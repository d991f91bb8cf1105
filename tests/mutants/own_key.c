/*
 * Readers go on from keys of their own, which nothing from pools ever reaches:
 * Fortuna is reseeded beside them, for nobody.
 */
#define	MUTANT	mutant_own_key
#include "tests/mutants/mutant_concurrent.h"

#include <string.h>

static int
reader_init_own(struct generator *g, struct generator_reader *gr)
{
	static uint32_t readers;
	uint8_t key[CIPHER_KEY_BYTES] = { 0 };
	int error;

	error = random_fortuna_reader_init(g, gr);
	if (error == 0) {
		readers++;
		memcpy(key, &readers, sizeof(readers));
		cipher_key_set(gr->gr_spare, key);
	}
	return (error);
}

static void
reserve_own(struct fortuna_state *fs, struct cipher_key **spare, uint64_t n,
    struct fortuna_private *fp)
{

	(void)fs;
	(void)n;
	memset(fp, 0, sizeof(*fp));
	fp->fp_key = *spare;
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

#undef	random_fortuna_reader_init
#define	random_fortuna_reader_init	reader_init_own
#define	fortuna_state_reserve		reserve_own
#define	fortuna_private_genbytes	genbytes_own
#define	fortuna_private_fini		fini_own
#include "fortuna/gen_concurrent.c"
