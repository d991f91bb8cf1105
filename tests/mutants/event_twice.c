/*
 * An event is put into its pool twice.
 */
#define	MUTANT	mutant_event_twice
#include "tests/mutants/mutant_fortuna.h"

#include "fortuna/fortuna.c"
#undef	random_fortuna_process_event

static void
random_fortuna_process_event(struct generator *g,
    const struct harvest_event *event)
{
	struct fortuna *f = fortuna_of(g);
	struct lock_node node;

	lock_acquire(&f->f_mtx, &node, SITE_EVENT);
	random_fortuna_absorb(f, event);
	random_fortuna_absorb(f, event);
	lock_release(&f->f_mtx, &node);
}

#include "fortuna/gen_concurrent.c"
