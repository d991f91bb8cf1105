/*
 * A lock that asks whether anybody sleeps before it is free, and then does
 * not wake who fell asleep meanwhile.
 */
#define	MUTANT	mutant_lock_wake_lost
#include "tests/mutants/mutant.h"
#include "lib/lock.h"
#include "lib/lock_spin.h"

struct broken {
	struct m32	b_word;
	struct m32	b_sleepers;
};

LOCK_STATE_FITS(struct broken);

static struct broken *
of(struct lock *l)
{

	return ((struct broken *)(void *)l->lo_state);
}

static int
broken_init(struct lock *l)
{

	atomic_init_32(&of(l)->b_word, 0);
	atomic_init_32(&of(l)->b_sleepers, 0);
	return (0);
}

static void
broken_fini(struct lock *l)
{

	(void)l;
}

static bool
broken_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{

	(void)n;
	lock_wait_begin(l, w);
	while (!atomic_cmpset_acq_32(&of(l)->b_word, 0, 1)) {
		atomic_fetchadd_32(&of(l)->b_sleepers, 1);
		machine_wait_32(&of(l)->b_word, 1, -1);
		atomic_fetchadd_32(&of(l)->b_sleepers, (uint32_t)-1);
	}
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	if (atomic_load_32(&of(l)->b_sleepers) == 0) {
		atomic_store_rel_32(&of(l)->b_word, 0);
		return;
	}
	atomic_store_rel_32(&of(l)->b_word, 0);
	machine_wake_32(&of(l)->b_word);
}

static bool
broken_owned(struct lock *l)
{

	(void)l;
	return (true);
}

extern const struct lock_class MUTANT_OWN(lock);
const struct lock_class MUTANT_OWN(lock) = {
	.lc_name	= "mtx",
	.lc_flags	= LC_EXCLUDES | LC_SLEEPS,
	.lc_init	= broken_init,
	.lc_fini	= broken_fini,
	.lc_lock	= broken_lock,
	.lc_unlock	= broken_unlock,
	.lc_owned	= broken_owned,
};
