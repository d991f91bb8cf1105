/*
 * A read drops the mutex before the key is replaced, and takes it again for
 * that.
 */
#define	MUTANT	mutant_rekey_late
#include "tests/mutants/mutant_concurrent.h"

static void
rekey_late(struct fortuna *f, struct lock_node *node, struct uio *uio)
{
	uint128_t counter = f->f_state.fs_counter;
	const struct cipher *cipher = f->f_state.fs_key->ck_cipher;
	const size_t n = uio_room(uio);

	uint128_add64(&f->f_state.fs_counter, (n + cipher->ci_block_bytes - 1) /
	    cipher->ci_block_bytes);
	lock_release(&f->f_mtx, node);
	/* Under the key that is the next reader's too. */
	cipher_keystream_cut(f->f_state.fs_key, &counter, uio->uio_base, n);
	lock_acquire(&f->f_mtx, node, SITE_READ);
	fortuna_state_rekey(&f->f_state);
	uio_advance(uio, n);
}

#define	fortuna_state_reserve(fs, spare, n, fp)	do {			\
	rekey_late(f, &node, uio);					\
	(fp)->fp_key = *(spare);					\
} while (0)
#include "fortuna/gen_concurrent.c"
