/*
 * The flag that it is seeded is set before the mutex is taken for that.
 */
#define	MUTANT	mutant_published_early
#include "tests/mutants/mutant_fortuna.h"

#include "fortuna/fortuna.c"
#define	fortuna_state_seeded(fs)	true
#undef	random_fortuna_pre_read

static void
random_fortuna_pre_read(struct generator *g)
{
	struct fortuna *f = fortuna_of(g);

	if (f->f_state.fs_pool[0].fsp_length >= f->f_state.fs_minpoolsize) {
		atomic_store_rel_32(&f->f_seeded, 1);
		machine_wake_32(&f->f_seeded);
	}
	MUTANT_GAP();
	random_fortuna_reseed_due(f, g->g_paced);
}

#include "fortuna/gen_concurrent.c"
