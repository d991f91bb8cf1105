/*
 * The CLH queue lock.
 *
 * Papers: T. S. Craig, "Building FIFO and priority-queuing spin locks from
 * atomic swap", University of Washington TR 93-02-02, 1993; P. Magnusson,
 * A. Landin, E. Hagersten, "Queue locks on cache coherent multiprocessors",
 * IPPS 1994.
 * Idea: waiters form a list that no pointer links.  A thread marks its node
 * busy, swaps it into the tail, and spins on the node that was there until that
 * one's owner has cleared it.  Nobody looks at that node any more, so it is the
 * thread's for its next acquisition: nodes wander from thread to thread.
 * Fairness: FIFO.  One waiter without a CPU stops all behind it.
 * Bytes: 8, and two lines for each thread, and one.  Uncontended: one atomic
 * and one store.
 *
 * There is no trylock.  A node may be in the tail again, busy, after it was
 * seen there free, and a compare-and-set of the tail cannot tell; a thread that
 * has joined the queue cannot leave it.
 */
#include "lib/lock.h"
#include "lib/lock_spin.h"

struct clh_node {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	cn_busy;	/* its owner has or awaits the lock */
};

/* What a thread keeps from one acquisition to the next. */
struct clh_thread {
	_Alignas(MACHINE_CACHE_LINE)
	struct clh_node	*ct_node;	/* its own */
};

struct clh {
	struct mptr	clh_tail;	/* the last one's node; never NULL */
};

/* What the owner needs in order to release. */
struct clh_hold {
	struct clh_node	*ch_node;
};

LOCK_STATE_FITS(struct clh);
LOCK_NODE_FITS(struct clh_hold);
CTASSERT(sizeof(struct clh_node) == sizeof(struct clh_thread));

static struct mptr *
tail_of(struct lock *l)
{

	return (&((struct clh *)(void *)l->lo_state)->clh_tail);
}

static struct clh_hold *
hold_of(struct lock_node *n)
{

	return ((struct clh_hold *)(void *)n->ln_state);
}

static struct clh_thread *
thread_of(struct lock *l)
{
	unsigned index = machine_curthread()->mt_index;

	MPASS(index < l->lo_config.threads);
	return ((struct clh_thread *)l->lo_lines + index);
}

/* Threads first, then a node for each and one for the tail. */
static int
clh_init(struct lock *l)
{
	unsigned i, threads = l->lo_config.threads;
	struct clh_thread *thread;
	struct clh_node *node;
	int error;

	error = lock_lines_init(l, 2 * (size_t)threads + 1,
	    sizeof(struct clh_node));
	if (error != 0)
		return (error);
	thread = l->lo_lines;
	node = (struct clh_node *)(void *)(thread + threads);
	for (i = 0; i <= threads; i++)
		atomic_init_32(&node[i].cn_busy, 0);
	for (i = 0; i < threads; i++)
		thread[i].ct_node = &node[i];
	atomic_init_ptr(tail_of(l), (uintptr_t)&node[threads]);
	return (0);
}

/* The last one's node stays busy for as long as anybody has the lock. */
static bool
clh_owned(struct lock *l)
{
	struct clh_node *last = (struct clh_node *)
	    machine_note_load_ptr(tail_of(l));

	return (machine_note_load_32(&last->cn_busy) != 0);
}

static void
clh_fini(struct lock *l)
{

	KASSERT(!clh_owned(l), ("%s is owned", l->lo_name));
}

static void __attribute__((noinline))
clh_wait(struct lock *l, struct clh_node *last, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);

	lock_wait_begin(l, w);
	while (atomic_load_acq_32(&last->cn_busy) != 0)
		lock_spin_32(&ls, &last->cn_busy, 1);
	lock_wait_end(w);
}

/*
 * The swap releases my mark and acquires the last one's: a node that I see in
 * the tail I see busy, unless it has been released.
 */
static bool
clh_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct clh_thread *td = thread_of(l);
	struct clh_node *last, *me = td->ct_node;
	bool contended;

	atomic_store_32(&me->cn_busy, 1);
	last = (struct clh_node *)atomic_swap_acq_rel_ptr(tail_of(l),
	    (uintptr_t)me);
	contended = atomic_load_acq_32(&last->cn_busy) != 0;
	if (contended)
		clh_wait(l, last, w);
	td->ct_node = last;
	hold_of(n)->ch_node = me;
	return (contended);
}

static void
clh_unlock(struct lock *l, struct lock_node *n)
{

	(void)l;
	MPASS(clh_owned(l));
	atomic_store_rel_32(&hold_of(n)->ch_node->cn_busy, 0);
}

LOCK_CLASS(clh) = {
	.lc_name	= "clh",
	.lc_descr	= "each spins on the node of the one before it",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN | LC_FIFO,
	.lc_knobs	= LK_SPIN_POLLS,
	.lc_init	= clh_init,
	.lc_fini	= clh_fini,
	.lc_lock	= clh_lock,
	.lc_unlock	= clh_unlock,
	.lc_owned	= clh_owned,
};
