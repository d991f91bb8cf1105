/*
 * The compact NUMA-aware lock, CNA.
 *
 * Paper: D. Dice, A. Kogan, "Compact NUMA-aware locks", EuroSys 2019.
 * Idea: an MCS lock whose owner, on release, looks for the first waiter of its
 * own NUMA node.  Those it passes over it moves to a secondary queue, which is
 * handed on with the lock.  When its node has no other waiter, or after a
 * number of hand-overs, the secondary queue goes before the main one and its
 * head gets the lock.
 * Fairness: FIFO within a node; who is passed over waits for at most
 * rngsim.lock.pass_limit hand-overs more before the queue moves on, once for
 * each node whose turn comes first.
 * Bytes: 8, and a line in each acquisition.  Uncontended: one atomic each way.
 *
 * Departs: the paper ends the preference for a node by a random draw, this
 * counts, so that a bound can be stated and tested.  It also packs the queue's
 * head into the flag that grants the lock.
 */
#include "lib/lock.h"
#include "lib/lock_spin.h"

enum { CNA_EMPTY = 0 };

#define	CNA_NO_NODE	UINT32_MAX

struct cna {
	struct mptr	cna_tail;	/* of the main queue */
};

struct cna_node {
	struct mptr	cn_next;
	struct m32	cn_granted;
	uint32_t	cn_numa;	/* its thread's, known if it waited */
	/* Written by who grants the lock, for who gets it. */
	struct cna_node	*cn_second;	/* head of the secondary queue */
	unsigned	cn_passes;	/* while there was one */
	/* The head's; written by owners. */
	struct cna_node	*cn_second_tail;
};

LOCK_STATE_FITS(struct cna);
LOCK_NODE_FITS(struct cna_node);

static struct mptr *
tail_of(struct lock *l)
{

	return (&((struct cna *)(void *)l->lo_state)->cna_tail);
}

static struct cna_node *
node_init(struct lock_node *n)
{
	struct cna_node *me = (struct cna_node *)(void *)n->ln_state;

	atomic_init_ptr(&me->cn_next, CNA_EMPTY);
	atomic_init_32(&me->cn_granted, 0);
	me->cn_numa = CNA_NO_NODE;
	me->cn_second = NULL;
	me->cn_passes = 0;
	return (me);
}

static struct cna_node *
next_of(struct cna_node *node)
{

	return ((struct cna_node *)atomic_load_acq_ptr(&node->cn_next));
}

static int
cna_init(struct lock *l)
{

	atomic_init_ptr(tail_of(l), CNA_EMPTY);
	return (0);
}

static bool
cna_owned(struct lock *l)
{

	return (machine_note_load_ptr(tail_of(l)) != CNA_EMPTY);
}

static void
cna_fini(struct lock *l)
{

	KASSERT(!cna_owned(l), ("%s is owned", l->lo_name));
}

static void __attribute__((noinline))
cna_wait(struct lock *l, struct cna_node *me, struct cna_node *last,
    struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);

	lock_wait_begin(l, w);
	me->cn_numa = lock_numa_node(l);
	/* Release: who finds me here finds my node ready. */
	atomic_store_rel_ptr(&last->cn_next, (uintptr_t)me);
	while (atomic_load_acq_32(&me->cn_granted) == 0)
		lock_spin_32(&ls, &me->cn_granted, 0);
	lock_wait_end(w);
}

/* As in lib/lock_mcs.c, the swap acquires the last one's node. */
static bool
cna_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct cna_node *last, *me = node_init(n);

	last = (struct cna_node *)atomic_swap_acq_rel_ptr(tail_of(l),
	    (uintptr_t)me);
	if (last == NULL)
		return (false);
	cna_wait(l, me, last, w);
	return (true);
}

static bool
cna_trylock(struct lock *l, struct lock_node *n)
{

	return (atomic_load_ptr(tail_of(l)) == CNA_EMPTY &&
	    atomic_cmpset_acq_rel_ptr(tail_of(l), CNA_EMPTY,
	    (uintptr_t)node_init(n)));
}

static void
grant(struct cna_node *to, struct cna_node *second, unsigned passes)
{

	to->cn_second = second;
	to->cn_passes = second == NULL ? 0 : passes;
	atomic_store_rel_32(&to->cn_granted, 1);
}

/*
 * Nobody is behind me in the main queue: empties it, or makes the secondary one
 * the main one.  False when somebody came.
 */
static bool
main_end(struct lock *l, struct cna_node *me)
{
	struct cna_node *second = me->cn_second;

	if (!atomic_cmpset_rel_ptr(tail_of(l), (uintptr_t)me,
	    second == NULL ? CNA_EMPTY : (uintptr_t)second->cn_second_tail))
		return (false);
	if (second != NULL)
		grant(second, NULL, 0);
	return (true);
}

/* Moves the main queue's first..last to the end of the secondary one. */
static void
set_aside(struct cna_node *me, struct cna_node *first, struct cna_node *last)
{

	if (me->cn_second == NULL)
		me->cn_second = first;
	else
		atomic_store_rel_ptr(&me->cn_second->cn_second_tail->cn_next,
		    (uintptr_t)first);
	atomic_store_ptr(&last->cn_next, CNA_EMPTY);
	me->cn_second->cn_second_tail = last;
}

/*
 * The first waiter of my NUMA node that is linked, those before it set aside;
 * NULL, and nothing moved, when there is none.
 */
static struct cna_node *
find_local(struct lock *l, struct cna_node *me, struct cna_node *first)
{
	struct cna_node *last = NULL, *node;
	uint32_t numa;

	numa = me->cn_numa == CNA_NO_NODE ? lock_numa_node(l) : me->cn_numa;
	for (node = first; node != NULL; node = next_of(node)) {
		if (node->cn_numa == numa)
			break;
		last = node;
	}
	if (node != NULL && last != NULL)
		set_aside(me, first, last);
	return (node);
}

static void
cna_unlock(struct lock *l, struct lock_node *n)
{
	struct cna_node *me = (struct cna_node *)(void *)n->ln_state;
	struct lock_spin ls = lock_spin_init(l, NULL);
	struct cna_node *local, *next;

	MPASS(cna_owned(l));
	if (atomic_load_ptr(&me->cn_next) == CNA_EMPTY && main_end(l, me))
		return;
	/* One that has swapped but not linked is waited for. */
	while ((next = next_of(me)) == NULL)
		lock_spin_ptr(&ls, &me->cn_next, CNA_EMPTY);
	local = me->cn_passes < l->lo_config.pass_limit ?
	    find_local(l, me, next) : NULL;
	if (local != NULL) {
		grant(local, me->cn_second, me->cn_passes + 1);
	} else if (me->cn_second != NULL) {
		atomic_store_rel_ptr(&me->cn_second->cn_second_tail->cn_next,
		    (uintptr_t)next);
		grant(me->cn_second, NULL, 0);
	} else {
		grant(next, NULL, 0);
	}
}

LOCK_CLASS(cna) = {
	.lc_name	= "cna",
	.lc_descr	= "MCS; waiters of the owner's NUMA node first",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN,
	.lc_knobs	= LK_SPIN_POLLS | LK_PASS_LIMIT | LK_NODES,
	.lc_init	= cna_init,
	.lc_fini	= cna_fini,
	.lc_lock	= cna_lock,
	.lc_trylock	= cna_trylock,
	.lc_unlock	= cna_unlock,
	.lc_owned	= cna_owned,
};
