/*
 * The counter is stepped, and the key replaced, when the mutex is free
 * again.
 */
#define	MUTANT	mutant_step_outside
#include "tests/mutants/mutant_concurrent.h"

static void
reserve_later(struct fortuna *f, struct lock_node *node,
    struct cipher_key **spare, uint64_t n, struct fortuna_private *fp)
{
	lock_release(&f->f_mtx, node);
	fortuna_state_reserve(&f->f_state, spare, n, fp);
	lock_acquire(&f->f_mtx, node, SITE_READ);
}

#define	fortuna_state_reserve(fs, spare, n, fp)				\
	reserve_later(f, &node, spare, n, fp)
#include "fortuna/gen_concurrent.c"
