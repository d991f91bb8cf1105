/*
 * The Concurrency Kit's CLH lock, twin of clh.
 *
 * Idea: exchange one's own node into the tail word and wait for the node that
 * was there, the predecessor's; a release clears one's own flag and goes away
 * with the predecessor's node.  Craig, "Building FIFO and Priority-Queuing Spin
 * Locks from Atomic Swap", TR 93-02-02, University of Washington, 1993;
 * Magnusson, Landin and Hagersten, IPPS 1994.
 * Fairness: first come, first served.
 * Bytes: a line, and two for each thread: its node, and where that is.
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

struct queue {
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_clh_t *q_tail;
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_clh_t q_unowned;
	struct place	 q_places[];
};

/* The lock's own line is not written, so the way to the queue stays cached. */
struct clh {
	struct queue	*clh_queue;
};

LOCK_STATE_FITS(struct clh);

static struct queue *
queue_of(struct lock *l)
{

	return (LOCK_CK_STATE(l, struct clh)->clh_queue);
}

static int
clh_init(struct lock *l)
{
	unsigned i, threads = l->lo_config.threads;
	struct queue *q;

	q = lock_ck_alloc(sizeof(*q) + threads * sizeof(q->q_places[0]));
	if (q == NULL)
		return (ENOMEM);
	ck_spinlock_clh_init(&q->q_tail, &q->q_unowned);
	for (i = 0; i < threads; i++)
		q->q_places[i].p_node = &q->q_places[i].p_first;
	LOCK_CK_STATE(l, struct clh)->clh_queue = q;
	return (0);
}

static void
clh_fini(struct lock *l)
{

	free(queue_of(l));
}

static bool
clh_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct queue *q = queue_of(l);
	bool held;

	(void)n;
	held = lock_ck_begin(l, w, LOCK_PROFILING &&
	    ck_spinlock_clh_locked(&q->q_tail));
	ck_spinlock_clh_lock(&q->q_tail,
	    q->q_places[machine_curthread()->mt_index].p_node);
	return (lock_ck_end(w, held));
}

static void
clh_unlock(struct lock *l, struct lock_node *n)
{

	(void)n;
	ck_spinlock_clh_unlock(
	    &queue_of(l)->q_places[machine_curthread()->mt_index].p_node);
}

static bool
clh_owned(struct lock *l)
{

	return (ck_spinlock_clh_locked(&queue_of(l)->q_tail));
}

LOCK_CLASS(ck_clh) = {
	.lc_name	= "ck-clh",
	.lc_descr	= "Concurrency Kit's CLH queue lock",
	.lc_type	= "spin mutex",
	.lc_flags	= LC_EXCLUDES | LC_FIFO | LC_SPIN,
	.lc_init	= clh_init,
	.lc_fini	= clh_fini,
	.lc_lock	= clh_lock,
	.lc_trylock	= NULL,
	.lc_unlock	= clh_unlock,
	.lc_owned	= clh_owned,
};
