/*
 * A lock that lets two in.
 */
#define	MUTANT	mutant_lock_two
#include "tests/mutants/mutant.h"
#include "lib/lock.h"
#include "lib/lock_spin.h"

struct broken {
	struct m32	b_inside;
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

	atomic_init_32(&of(l)->b_inside, 0);
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
	struct lock_spin ls = lock_spin_init(l, w);
	uint32_t inside;

	(void)n;
	lock_wait_begin(l, w);
	for (;;) {
		inside = atomic_load_32(&of(l)->b_inside);
		if (inside < 2 && atomic_cmpset_acq_32(&of(l)->b_inside,
		    inside, inside + 1))
			break;
		lock_spin_32(&ls, &of(l)->b_inside, inside);
	}
	lock_wait_end(w);
	return (true);
}

static void
broken_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	atomic_fetchadd_rel_32(&of(l)->b_inside, (uint32_t)-1);
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
	.lc_flags	= LC_EXCLUDES | LC_SPIN,
	.lc_init	= broken_init,
	.lc_fini	= broken_fini,
	.lc_lock	= broken_lock,
	.lc_unlock	= broken_unlock,
	.lc_owned	= broken_owned,
};
