/*
 * The Concurrency Kit's CLH lock, twin of clh.
 *
 * Idea: exchange one's own node into the tail word and wait for the node that
 * was there, the predecessor's; a release clears one's own flag and goes away
 * with the predecessor's node.  Craig, "Building FIFO and Priority-Queuing Spin
 * Locks from Atomic Swap", TR 93-02-02, University of Washington, 1993;
 * Magnusson, Landin and Hagersten, IPPS 1994.
 * Fairness: first come, first served.
 * Bytes: a pointer and two lines; two lines for each thread, its node and where
 * that is.
 * Uncontended: one atomic and two stores.
 */
#include "lib/lock_ck.h"

/* A thread has some node or other, and knows which; nobody else reads that. */
struct place {
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_clh_t *p_node;
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_clh_t p_first;
};

LOCK_STATE_FITS(ck_spinlock_clh_t *);

static ck_spinlock_clh_t **
tail_of(struct lock *l)
{

	return (LOCK_CK_STATE(l, ck_spinlock_clh_t *));
}

static struct place *
place_of(struct lock *l)
{

	MPASS(machine_curthread()->mt_index < l->lo_config.threads);
	return ((struct place *)l->lo_lines + machine_curthread()->mt_index);
}

/* One for each thread, and one whose node is nobody's at first. */
static int
clh_init(struct lock *l)
{
	unsigned i, threads = l->lo_config.threads;
	struct place *places;
	int error;

	error = lock_lines_init(l, (size_t)threads + 1, sizeof(*places));
	if (error != 0)
		return (error);
	places = l->lo_lines;
	for (i = 0; i < threads; i++)
		places[i].p_node = &places[i].p_first;
	ck_spinlock_clh_init(tail_of(l), &places[threads].p_first);
	return (0);
}

static bool
clh_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	bool held;

	(void)n;
	held = lock_ck_begin(l, w, LOCK_PROFILING &&
	    ck_spinlock_clh_locked(tail_of(l)));
	ck_spinlock_clh_lock(tail_of(l), place_of(l)->p_node);
	return (lock_ck_end(w, held));
}

static void
clh_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	ck_spinlock_clh_unlock(&place_of(l)->p_node);
}

static bool
clh_owned(struct lock *l)
{

	return (ck_spinlock_clh_locked(tail_of(l)));
}

LOCK_CLASS(ck_clh) = {
	.lc_name	= "ck-clh",
	.lc_descr	= "CLH, of the Concurrency Kit",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_FIFO | LC_SPIN |
	    LC_ASSEMBLY,
	.lc_init	= clh_init,
	.lc_fini	= lock_ck_fini,
	.lc_lock	= clh_lock,
	.lc_trylock	= NULL,
	.lc_unlock	= clh_unlock,
	.lc_owned	= clh_owned,
};
