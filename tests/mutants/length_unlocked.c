/*
 * How much a pool holds is counted beside the mutex.
 */
#define	MUTANT	mutant_length_unlocked
#include "tests/mutants/mutant_fortuna.h"

#include "fortuna/fortuna.c"
#undef	random_fortuna_process_event

static void
random_fortuna_process_event(struct generator *g,
    const struct harvest_event *event)
{
	struct fortuna *f = fortuna_of(g);
	struct fs_pool *pool = &f->f_state.fs_pool[event->he_destination %
	    RANDOM_FORTUNA_NPOOLS];
	struct lock_node node;
	uint32_t length = pool->fsp_length;

	MUTANT_GAP();
	lock_acquire(&f->f_mtx, &node, SITE_EVENT);
	random_fortuna_absorb(f, event);
	lock_release(&f->f_mtx, &node);
	pool->fsp_length = length + (uint32_t)sizeof(event->he_somecounter) +
	    event->he_size;
}

#include "fortuna/gen_concurrent.c"
