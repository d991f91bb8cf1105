/*
 * Pools and key are replaced in two critical sections, and a read may come
 * between.
 */
#define	MUTANT	mutant_drain_then_key
#include "tests/mutants/mutant_fortuna.h"

#include "fortuna/fortuna.c"
#undef	random_fortuna_pre_read

static void
random_fortuna_pre_read(struct generator *g)
{
	struct fortuna *f = fortuna_of(g);
	struct fortuna_seed fd;
	struct lock_node node;
	unsigned pools;

	lock_acquire(&f->f_mtx, &node, SITE_PRE_READ);
	pools = fortuna_state_drain(&f->f_state, machine_uptime_coarse_ns(),
	    g->g_paced, &fd);
	lock_release(&f->f_mtx, &node);
	if (pools == 0)
		return;
	/* Without the mutex. */
	fortuna_state_reseed(&f->f_state, &fd);
	MUTANT_GAP();
	lock_acquire(&f->f_mtx, &node, SITE_RESEED);
	random_fortuna_publish(f);
	lock_release(&f->f_mtx, &node);
}

#include "fortuna/gen_concurrent.c"
