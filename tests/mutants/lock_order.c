/*
 * A read takes the pools' mutex while it has the key's.
 */
#define	MUTANT	mutant_lock_order
#include "tests/mutants/mutant.h"

#include "fortuna/fortuna.h"

static struct lock *pools_lock(struct generator *g);

static void
read_with_pools(struct generator *g, struct generator_reader *gr,
    struct uio *uio)
{
	struct fortuna *f = fortuna_of(g);
	struct lock_node node, pools_node;

	lock_acquire(&f->f_mtx, &node, SITE_READ);
	lock_acquire(pools_lock(g), &pools_node, SITE_READ);
	lock_release(pools_lock(g), &pools_node);
	lock_release(&f->f_mtx, &node);
	random_fortuna_read_concurrent(g, gr, uio);
}

#undef	random_fortuna_read_concurrent
#define	random_fortuna_read_concurrent	read_with_pools
#include "fortuna/gen_splitlock.c"

static struct lock *
pools_lock(struct generator *g)
{
	return (&splitlock_of(g)->sl_pools_mtx);
}
