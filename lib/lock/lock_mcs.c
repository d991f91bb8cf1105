/*
 * The MCS queue lock.
 *
 * Paper: J. M. Mellor-Crummey, M. L. Scott, "Algorithms for scalable
 * synchronization on shared-memory multiprocessors", ACM TOCS 9(1), 1991.
 * Idea: waiters form a linked list.  A thread swaps its own node into the tail;
 * if another was there, the thread links itself behind it and spins on a flag
 * in its own node.  A release sets the flag of the next node or, if there is
 * none, empties the tail.  If the next thread has swapped but not linked yet,
 * the release waits for the link.
 * Fairness: FIFO.  One waiter without a CPU stops all behind it.
 * Bytes: 8, and a line in each acquisition.  Uncontended: one atomic each way.
 */
#include "lib/lock/queue.h"

LOCK_NODE(struct queue_node)

static bool
mcs_enter(struct lock *l, struct lock_node *n)
{
	return (queue_enter(state_of(l), node_of(n)));
}

static void
mcs_wait(struct lock *l __unused, struct lock_node *n, struct lock_wait *w)
{
	(void)queue_wait(node_of(n), w);
}

static bool
mcs_trylock(struct lock *l, struct lock_node *n)
{
	return (queue_try(state_of(l), node_of(n)));
}

static void
mcs_unlock(struct lock *l, struct lock_node *n)
{
	MPASS(queue_owned(l));
	queue_leave(l, state_of(l), node_of(n), 1);
}

LOCK_KIND(mcs, mcs, "mcs", "a list of waiters, each spins on its own node",
    "spin lock", LC_QUEUE | LC_FIFO, LK_SPIN_POLLS, .lc_trylock = mcs_trylock,
    .lc_owned = queue_owned);
