/*
 * The CLH queue lock.
 *
 * Papers: T. S. Craig, "Building FIFO and priority-queuing spin locks from
 * atomic swap", University of Washington TR 93-02-02, 1993; P. Magnusson,
 * A. Landin, E. Hagersten, "Queue locks on cache coherent multiprocessors",
 * IPPS 1994.
 * Idea: waiters form a list that no pointer links.  A thread marks its node
 * busy, swaps it into the tail, and spins on the node that was there until that
 * one's owner has cleared it.  Then no thread reads that node, and this
 * thread uses it for its next acquisition: nodes move from thread to thread.
 * Fairness: FIFO.  One waiter without a CPU stops all behind it.
 * Bytes: 8, and two lines for each thread, and one.  Uncontended: one atomic
 * and one store.
 *
 * There is no trylock.  Between a look at a free node in the tail and a
 * compare-and-set of the tail the same node may have come back busy (ABA), and
 * a thread that has joined the queue cannot leave it.
 */
#include "lib/lock/spin.h"

struct clh_node {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	cn_busy;	/* its owner has or awaits the lock */
};

/* What a thread keeps from one acquisition to the next. */
struct clh_thread {
	_Alignas(MACHINE_CACHE_LINE)
	struct clh_node	*ct_node;	/* its own */
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
static int
clh_init(struct lock *l)
{
	unsigned threads = l->lo_config.threads;
	struct clh_thread *thread;
	struct clh_node *node;
	int error;

	error = lock_lines_init(l, 2 * (size_t)threads + 1,
	    sizeof(struct clh_node));
	if (error != 0)
		return (error);
	thread = l->lo_lines;
	node = (struct clh_node *)(void *)(thread + threads);
	for (unsigned i = 0; i <= threads; i++)
		atomic_init_32(&node[i].cn_busy, 0);
	for (unsigned i = 0; i < threads; i++)
		thread[i].ct_node = &node[i];
	atomic_init_ptr(state_of(l), (uintptr_t)&node[threads]);
	return (0);
}

/* The node in the tail is busy while the lock is owned. */
static bool
clh_owned(struct lock *l)
{
	struct clh_node *last = (struct clh_node *)
	    machine_note_load_ptr(state_of(l));

	return (machine_note_load_32(&last->cn_busy) != 0);
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
 * The swap publishes my busy mark and acquires the predecessor's: its node
 * reads as busy until it is released.
 */
static bool
clh_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct clh_thread *td = thread_of(l);
	struct clh_node *last, *me = td->ct_node;
	bool contended;

	atomic_store_32(&me->cn_busy, 1);
	last = (struct clh_node *)atomic_swap_acq_rel_ptr(state_of(l),
	    (uintptr_t)me);
	contended = atomic_load_acq_32(&last->cn_busy) != 0;
	if (contended)
		clh_wait(l, last, w);
	td->ct_node = last;
	*node_of(n) = me;
	return (contended);
}

static void
clh_unlock(struct lock *l, struct lock_node *n)
{
	(void)l;
	MPASS(clh_owned(l));
	atomic_store_rel_32(&(*node_of(n))->cn_busy, 0);
}

LOCK_CLASS(clh) = {
	.lc_name	= "clh",
	.lc_descr	= "each spins on the node of the one before it",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN | LC_FIFO,
	.lc_knobs	= LK_SPIN_POLLS,
	.lc_init	= clh_init,
	.lc_lock	= clh_lock,
	.lc_unlock	= clh_unlock,
	.lc_owned	= clh_owned,
};
