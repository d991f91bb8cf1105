/*
 * The CLH queue lock.
 *
 * Papers: T. S. Craig, "Building FIFO and priority-queuing spin locks from
 * atomic swap", University of Washington TR 93-02-02, 1993; P. Magnusson,
 * A. Landin, E. Hagersten, "Queue locks on cache coherent multiprocessors",
 * IPPS 1994.
 * Idea: waiters form a list that no pointer links.  A thread marks its node
 * busy, swaps it into the tail, and spins on the node that was there until that
 * one's owner has cleared it.  It uses that node for its next acquisition.
 * Fairness: FIFO.  One waiter without a CPU stops all behind it.
 * Bytes: 8, 2 lines a thread and one.  Uncontended: one atomic and one store.
 *
 * There is no trylock: before a compare-and-set of the tail a free node there
 * may have come back busy (ABA), and a thread in the queue cannot leave it.
 */
#include "lib/lock/spin.h"

struct clh_node {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	clh_busy;	/* its owner has or awaits the lock */
};

/* What a thread keeps from one acquisition to the next. */
struct clh_thread {
	_Alignas(MACHINE_CACHE_LINE) struct clh_node *clt_node;	/* its own */
};

/* The last one's node, never NULL; and the owner's. */
LOCK_STATE(struct mptr)
LOCK_NODE(struct clh_node *)
CTASSERT(sizeof(struct clh_node) == sizeof(struct clh_thread));

static struct clh_thread *
thread_of(struct lock *l)
{
	unsigned index = machine_curthread()->mt_index;

	MPASS(index < l->lo_config.threads);
	return ((struct clh_thread *)l->lo_lines + index);
}

/* Threads first, then a node for each and one for the tail. */
static void
clh_init(struct lock *l)
{
	unsigned threads = l->lo_config.threads;
	struct clh_thread *thread;
	struct clh_node *node;

	lock_lines_init(l, 2 * (size_t)threads + 1, sizeof(struct clh_node));
	thread = l->lo_lines;
	node = (struct clh_node *)(void *)(thread + threads);
	for (unsigned i = 0; i <= threads; i++)
		atomic_init_32(&node[i].clh_busy, 0);
	for (unsigned i = 0; i < threads; i++)
		thread[i].clt_node = &node[i];
	atomic_init_ptr(state_of(l), (uintptr_t)&node[threads]);
}

/* The node in the tail is busy while the lock is owned. */
static bool
clh_owned(struct lock *l)
{
	return (machine_note_load_32(&((struct clh_node *)
	    machine_note_load_ptr(state_of(l)))->clh_busy) != 0);
}

/* The swap publishes my busy mark and acquires the predecessor's. */
static bool
clh_enter(struct lock *l, struct lock_node *n)
{
	struct clh_thread *td = thread_of(l);

	*node_of(n) = td->clt_node;
	atomic_store_32(&td->clt_node->clh_busy, 1);
	td->clt_node = (struct clh_node *)atomic_swap_acq_rel_ptr(state_of(l),
	    (uintptr_t)td->clt_node);
	return (atomic_load_acq_32(&td->clt_node->clh_busy) == 0);
}

static void
clh_wait(struct lock *l, struct lock_node *n __unused, struct lock_wait *w)
{
	struct m32 *busy = &thread_of(l)->clt_node->clh_busy;

	while (atomic_load_acq_32(busy) != 0)
		lock_spin_32(w, busy, 1);
}

static void
clh_unlock(struct lock *l __unused, struct lock_node *n)
{
	MPASS(clh_owned(l));
	atomic_store_rel_32(&(*node_of(n))->clh_busy, 0);
}

LOCK_KIND(clh, clh, "clh", "each spins on the node of the one before it",
    "spin lock", LC_QUEUE | LC_FIFO, LK_SPIN_POLLS, .lc_init = clh_init,
    .lc_owned = clh_owned);
