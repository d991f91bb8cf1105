/*
 * A hierarchical MCS lock: a queue in each NUMA node, and one of the nodes.
 *
 * Paper: M. Chabbi, M. Fagan, J. Mellor-Crummey, "High performance locks for
 * multi-level NUMA systems", PPoPP 2015.
 * Idea: the first thread of a node's queue queues for its node in the global
 * queue.  An owner passes the lock to the next one of its node's queue; after
 * rngsim.lock.pass_limit such hand-overs it leaves the global queue, and the
 * next one of its node enters that again.
 * Fairness: FIFO among nodes and within each, not among all.
 * Bytes: 8, two lines for each node and one for each acquisition.  Uncontended:
 * two atomics each way.
 */
#include "lib/lock/queue.h"

/* What the next one of a node's queue is granted. */
enum { HMCS_LOCK = 1, HMCS_FIRST };

struct hmcs_node {
	_Alignas(MACHINE_CACHE_LINE) struct mptr hm_tail;
	/* Of the first one of the node's queue. */
	_Alignas(MACHINE_CACHE_LINE) struct queue_node hm_queue;
	unsigned	hm_passes;
};

/* The state is the global queue. */
struct hmcs_acquisition {
	struct queue_node hac_queue;
	struct hmcs_node *hac_node;	/* the thread may move to another */
};

LOCK_NODE(struct hmcs_acquisition)

static struct hmcs_node *
hmcs_of(struct lock *l, struct hmcs_acquisition *ac)
{
	return (ac->hac_node = (struct hmcs_node *)l->lo_lines +
	    lock_numa_node(l));
}

static bool
hmcs_enter(struct lock *l, struct lock_node *n)
{
	struct hmcs_node *node = hmcs_of(l, node_of(n));

	return (queue_enter(&node->hm_tail, &node_of(n)->hac_queue) &&
	    queue_enter(state_of(l), &node->hm_queue));
}

static void
hmcs_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct queue_node *global = &node_of(n)->hac_node->hm_queue;
	struct queue_node *me = &node_of(n)->hac_queue;

	if (me->qn_last != NULL && (queue_wait(me, w) == HMCS_LOCK ||
	    queue_enter(state_of(l), global)))
		return;
	(void)queue_wait(global, w);
}

static bool
hmcs_trylock(struct lock *l, struct lock_node *n)
{
	struct hmcs_node *node = hmcs_of(l, node_of(n));

	if (!queue_try(&node->hm_tail, &node_of(n)->hac_queue))
		return (false);
	if (queue_try(state_of(l), &node->hm_queue))
		return (true);
	queue_leave(l, &node->hm_tail, &node_of(n)->hac_queue, HMCS_FIRST);
	return (false);
}

static void
hmcs_unlock(struct lock *l, struct lock_node *n)
{
	struct queue_node *me = &node_of(n)->hac_queue, *next;
	struct hmcs_node *node = node_of(n)->hac_node;

	MPASS(queue_owned(l));
	next = queue_next(me);
	if (next != NULL && node->hm_passes < l->lo_config.pass_limit) {
		node->hm_passes++;
		atomic_store_rel_32(&next->qn_granted, HMCS_LOCK);
		return;
	}
	node->hm_passes = 0;
	queue_leave(l, state_of(l), &node->hm_queue, HMCS_LOCK);
	queue_leave(l, &node->hm_tail, me, HMCS_FIRST);
}

LOCK_KIND(hmcs, hmcs, "hmcs", "MCS in each NUMA node, below another",
    "spin lock", LC_QUEUE, LK_SPIN_POLLS | LK_PASS_LIMIT | LK_NODES,
    .lc_node_bytes = sizeof(struct hmcs_node), .lc_trylock = hmcs_trylock,
    .lc_owned = queue_owned);
