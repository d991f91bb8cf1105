/*
 * K and C are taken in one critical section and replaced in another.
 */
#define	MUTANT	mutant_split_snapshot
#include "tests/mutants/mutant_concurrent.h"

static void
split_reserve(struct fortuna *f, struct lock_node *node,
    struct cipher_key **spare, uint64_t n, struct fortuna_private *fp)
{
	uint128_t counter = f->f_state.fs_counter;

	lock_release(&f->f_mtx, node);
	lock_acquire(&f->f_mtx, node, SITE_READ);
	fortuna_state_reserve(&f->f_state, spare, n, fp);
	fp->fp_counter = counter;
}

#define	fortuna_state_reserve(fs, spare, n, fp)				\
	split_reserve(f, &node, spare, n, fp)
#include "fortuna/gen_concurrent.c"
