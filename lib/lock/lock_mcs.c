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

static void __attribute__((noinline))
mcs_wait(struct lock *l, struct queue_node *me, struct queue_node *last,
    struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);

	lock_wait_begin(l, w);
	queue_wait(me, last, &ls);
	lock_wait_end(w);
}

static bool
mcs_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct queue_node *last, *me = node_of(n);

	queue_node_init(me);
	last = queue_join(l, me);
	if (last == NULL)
		return (false);
	mcs_wait(l, me, last, w);
	return (true);
}

static bool
mcs_trylock(struct lock *l, struct lock_node *n)
{
	if (atomic_load_ptr(state_of(l)) != 0)
		return (false);
	queue_node_init(node_of(n));
	return (queue_try(l, node_of(n)));
}

static void
mcs_unlock(struct lock *l, struct lock_node *n)
{
	MPASS(queue_owned(l));
	queue_leave(l, node_of(n));
}

LOCK_CLASS(mcs) = {
	.lc_name	= "mcs",
	.lc_descr	= "a list of waiters, each spins on its own node",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN | LC_FIFO,
	.lc_knobs	= LK_SPIN_POLLS,
	.lc_lock	= mcs_lock,
	.lc_trylock	= mcs_trylock,
	.lc_unlock	= mcs_unlock,
	.lc_owned	= queue_owned,
};
