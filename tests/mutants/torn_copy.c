/*
 * The counter is copied in one critical section, the key in another.
 */
#define	MUTANT	mutant_torn_copy
#include "tests/mutants/mutant_concurrent.h"

static void
torn_reserve(struct fortuna *f, struct lock_node *node,
    struct cipher_key **spare, uint64_t n, struct fortuna_private *fp)
{
	fortuna_state_reserve(&f->f_state, spare, n, fp);
	lock_release(&f->f_mtx, node);
	lock_acquire(&f->f_mtx, node, SITE_READ);
	/* The key was taken above; the counter is another one's by now. */
	fp->fp_counter = f->f_state.fs_counter;
}

#define	fortuna_state_reserve(fs, spare, n, fp)				\
	torn_reserve(f, &node, spare, n, fp)
#include "fortuna/gen_concurrent.c"
