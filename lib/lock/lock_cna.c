/*
 * The compact NUMA-aware lock, CNA.
 *
 * Paper: D. Dice, A. Kogan, "Compact NUMA-aware locks", EuroSys 2019.
 * Idea: an MCS lock whose owner, on release, looks for the first waiter of its
 * own NUMA node.  Those it passes over it moves to a secondary queue, which is
 * passed on with the lock.  When its node has no other waiter, or after a
 * number of hand-overs, the secondary queue goes before the main one and its
 * head gets the lock.
 * Fairness: FIFO within a node; a waiter passed over waits for at most
 * rngsim.lock.pass_limit hand-overs for each node whose turn comes first.
 * Bytes: 8, and a line in each acquisition.  Uncontended: one atomic each way.
 *
 * Departs: the paper ends the preference for a node by a random draw, this
 * counts, which is a bound; the paper's flag that grants has the queue's head.
 */
#include "lib/lock/queue.h"

#define	CNA_NO_NODE	UINT32_MAX

/* The lock's state is the main queue. */
struct cna_node {
	struct queue_node cna_queue;	/* first */
	uint32_t	cna_numa;	/* its thread's, known if it waited */
	/* Written by the releasing thread for the next owner. */
	struct cna_node	*cna_second;	/* head of the secondary queue */
	unsigned	cna_passes;	/* while there was one */
	/* The head's; written by owners. */
	struct cna_node	*cna_second_tail;
};

LOCK_NODE(struct cna_node)

static struct cna_node *
cna_of(struct queue_node *node)
{
	return ((struct cna_node *)(void *)node);
}

static void
node_init(struct cna_node *me)
{
	me->cna_numa = CNA_NO_NODE;
	me->cna_second = NULL;
	me->cna_passes = 0;
}

static bool
cna_enter(struct lock *l, struct lock_node *n)
{
	node_init(node_of(n));
	return (queue_enter(l, &node_of(n)->cna_queue));
}

static void
cna_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	node_of(n)->cna_numa = lock_numa_node(l);
	queue_wait(&node_of(n)->cna_queue, w);
}

static bool
cna_trylock(struct lock *l, struct lock_node *n)
{
	node_init(node_of(n));
	return (queue_try(l, &node_of(n)->cna_queue));
}

static void
grant(struct cna_node *to, struct cna_node *second, unsigned passes)
{
	to->cna_second = second;
	to->cna_passes = second == NULL ? 0 : passes;
	atomic_store_rel_32(&to->cna_queue.qn_granted, 1);
}

/*
 * The main queue has no waiter: empties it, or replaces it by the secondary
 * one; false: a waiter came meanwhile.
 */
static bool
main_end(struct lock *l, struct cna_node *me)
{
	struct cna_node *second = me->cna_second;

	if (!atomic_cmpset_rel_ptr(state_of(l), (uintptr_t)me,
	    second == NULL ? 0 : (uintptr_t)second->cna_second_tail))
		return (false);
	if (second != NULL)
		grant(second, NULL, 0);
	return (true);
}

/* Links a waiter behind the secondary queue with that head. */
static void
link_behind(struct cna_node *head, struct cna_node *waiter)
{
	atomic_store_rel_ptr(&head->cna_second_tail->cna_queue.qn_next,
	    (uintptr_t)waiter);
}

/*
 * The first linked waiter of my NUMA node; moves those before it to the
 * secondary queue.  NULL: there is none, and nothing was moved.
 */
static struct cna_node *
find_local(struct lock *l, struct cna_node *me, struct cna_node *first)
{
	struct cna_node *last = NULL, *node;
	uint32_t numa;

	numa = me->cna_numa == CNA_NO_NODE ? lock_numa_node(l) : me->cna_numa;
	for (node = first; node != NULL;
	    node = cna_of(queue_next(&node->cna_queue))) {
		if (node->cna_numa == numa)
			break;
		last = node;
	}
	if (node == NULL || last == NULL)
		return (node);
	if (me->cna_second == NULL)
		me->cna_second = first;
	else
		link_behind(me->cna_second, first);
	atomic_store_ptr(&last->cna_queue.qn_next, 0);
	me->cna_second->cna_second_tail = last;
	return (node);
}

static void
cna_unlock(struct lock *l, struct lock_node *n)
{
	struct cna_node *local, *me = node_of(n), *next;

	MPASS(queue_owned(l));
	if (atomic_load_ptr(&me->cna_queue.qn_next) == 0 && main_end(l, me))
		return;
	next = cna_of(queue_next_await(l, &me->cna_queue));
	local = me->cna_passes < l->lo_config.pass_limit ?
	    find_local(l, me, next) : NULL;
	if (local != NULL) {
		grant(local, me->cna_second, me->cna_passes + 1);
	} else if (me->cna_second != NULL) {
		link_behind(me->cna_second, next);
		grant(me->cna_second, NULL, 0);
	} else {
		grant(next, NULL, 0);
	}
}

LOCK_KIND(cna, cna, "cna", "MCS; waiters of the owner's NUMA node first",
    "spin lock", LC_SPIN, LK_SPIN_POLLS | LK_PASS_LIMIT | LK_NODES,
    .lc_trylock = cna_trylock, .lc_owned = queue_owned);
