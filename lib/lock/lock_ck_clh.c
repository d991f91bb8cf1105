/*
 * The Concurrency Kit's CLH lock.  Idea and fairness: clh
 * (lib/lock/lock_clh.c).
 *
 * Bytes: a pointer and two lines; two lines for each thread, its node and where
 * that is.  Uncontended: one atomic and two stores.
 */
#include "lib/lock/ck.h"

/* A thread's node, which changes with each acquisition. */
struct place {
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_clh_t *p_node;
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_clh_t p_first;
};

LOCK_STATE(ck_spinlock_clh_t *)

static struct place *
place_of(struct lock *l)
{
	MPASS(machine_curthread()->mt_index < l->lo_config.threads);
	return ((struct place *)l->lo_lines + machine_curthread()->mt_index);
}

/* One for each thread; one more has the node of the free lock. */
static int
clh_init(struct lock *l)
{
	unsigned threads = l->lo_config.threads;
	struct place *places;
	int error;

	error = lock_lines_init(l, (size_t)threads + 1, sizeof(*places));
	if (error != 0)
		return (error);
	places = l->lo_lines;
	for (unsigned i = 0; i < threads; i++)
		places[i].p_node = &places[i].p_first;
	ck_spinlock_clh_init(state_of(l), &places[threads].p_first);
	return (0);
}

CK_LOCK(ck_clh, "ck-clh", "CLH, of the Concurrency Kit",
    ck_spinlock_clh_lock(state_of(l), place_of(l)->p_node),
    ck_spinlock_clh_unlock(&place_of(l)->p_node),
    ck_spinlock_clh_locked(state_of(l)), .lc_init = clh_init,
    .lc_flags = CK_FLAGS | LC_FIFO);
