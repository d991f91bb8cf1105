/*
 * The MCS queue lock.
 *
 * Paper: J. M. Mellor-Crummey, M. L. Scott, "Algorithms for scalable
 * synchronization on shared-memory multiprocessors", ACM TOCS 9(1), 1991.
 * Idea: waiters form a linked list.  A thread swaps its own node into the tail;
 * if there was another it links itself behind that one and spins on a flag in
 * its own node.  Releasing sets the flag of the next node, or, if there is
 * none, puts an empty tail back; a next one that has swapped but not linked yet
 * is waited for.
 * Fairness: FIFO.  One waiter without a CPU stops all behind it.
 * Bytes: 8, and a line in each acquisition.  Uncontended: one atomic each way.
 */
#include "lib/lock.h"
#include "lib/lock_spin.h"

enum { MCS_EMPTY = 0 };

struct mcs {
	struct mptr	mcs_tail;	/* the last one's node */
};

struct mcs_node {
	struct mptr	mn_next;
	struct m32	mn_granted;
};

LOCK_STATE_FITS(struct mcs);
LOCK_NODE_FITS(struct mcs_node);

static struct mptr *
tail_of(struct lock *l)
{

	return (&((struct mcs *)(void *)l->lo_state)->mcs_tail);
}

static struct mcs_node *
node_init(struct lock_node *n)
{
	struct mcs_node *me = (struct mcs_node *)(void *)n->ln_state;

	atomic_init_ptr(&me->mn_next, MCS_EMPTY);
	atomic_init_32(&me->mn_granted, 0);
	return (me);
}

static int
mcs_init(struct lock *l)
{

	atomic_init_ptr(tail_of(l), MCS_EMPTY);
	return (0);
}

static bool
mcs_owned(struct lock *l)
{

	return (machine_note_load_ptr(tail_of(l)) != MCS_EMPTY);
}

static void
mcs_fini(struct lock *l)
{

	KASSERT(!mcs_owned(l), ("%s is owned", l->lo_name));
}

static void __attribute__((noinline))
mcs_wait(struct lock *l, struct mcs_node *me, struct mcs_node *last,
    struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);

	lock_wait_begin(l, w);
	/* Release: who finds me here finds my node ready. */
	atomic_store_rel_ptr(&last->mn_next, (uintptr_t)me);
	while (atomic_load_acq_32(&me->mn_granted) == 0)
		lock_spin_32(&ls, &me->mn_granted, 0);
	lock_wait_end(w);
}

/*
 * The swap acquires, from the release that emptied the tail or from the last
 * one's swap: its node is ready to be written to.  And it releases: so is mine.
 */
static bool
mcs_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct mcs_node *last, *me = node_init(n);

	last = (struct mcs_node *)atomic_swap_acq_rel_ptr(tail_of(l),
	    (uintptr_t)me);
	if (last == NULL)
		return (false);
	mcs_wait(l, me, last, w);
	return (true);
}

static bool
mcs_trylock(struct lock *l, struct lock_node *n)
{

	return (atomic_load_ptr(tail_of(l)) == MCS_EMPTY &&
	    atomic_cmpset_acq_rel_ptr(tail_of(l), MCS_EMPTY,
	    (uintptr_t)node_init(n)));
}

/* The one behind me, which may be between its swap and its link. */
static struct mcs_node *
next_await(struct lock *l, struct mcs_node *me)
{
	struct lock_spin ls = lock_spin_init(l, NULL);
	uintptr_t next;

	while ((next = atomic_load_acq_ptr(&me->mn_next)) == MCS_EMPTY)
		lock_spin_ptr(&ls, &me->mn_next, MCS_EMPTY);
	return ((struct mcs_node *)next);
}

static void
mcs_unlock(struct lock *l, struct lock_node *n)
{
	struct mcs_node *me = (struct mcs_node *)(void *)n->ln_state;

	MPASS(mcs_owned(l));
	if (atomic_load_ptr(&me->mn_next) == MCS_EMPTY &&
	    atomic_cmpset_rel_ptr(tail_of(l), (uintptr_t)me, MCS_EMPTY))
		return;
	atomic_store_rel_32(&next_await(l, me)->mn_granted, 1);
}

LOCK_CLASS(mcs) = {
	.lc_name	= "mcs",
	.lc_descr	= "a list of waiters, each spins on its own node",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN | LC_FIFO,
	.lc_knobs	= LK_SPIN_POLLS,
	.lc_init	= mcs_init,
	.lc_fini	= mcs_fini,
	.lc_lock	= mcs_lock,
	.lc_trylock	= mcs_trylock,
	.lc_unlock	= mcs_unlock,
	.lc_owned	= mcs_owned,
};
