/*
 * The time is asked before the mutex is taken, and compared without a sign.
 */
#define	MUTANT	mutant_now_outside
#include "tests/mutants/mutant_fortuna.h"

#include "fortuna/fortuna.c"
#undef	random_fortuna_pre_read

static void
random_fortuna_pre_read(struct generator *g)
{
	const int64_t now_ns = machine_uptime_coarse_ns();
	struct fortuna *f = fortuna_of(g);
	struct lock_node node;
	unsigned pools = 0;

	lock_acquire(&f->f_mtx, &node, SITE_PRE_READ);
	if (f->f_state.fs_reseedcount == 0 ||
	    (uint64_t)(now_ns - f->f_state.fs_lasttime_ns) >
	    RANDOM_FORTUNA_RESEED_NS)
		pools = fortuna_state_pre_read(&f->f_state, now_ns, false);
	if (pools != 0)
		random_fortuna_publish(f);
	lock_release(&f->f_mtx, &node);
}

#include "fortuna/gen_concurrent.c"
