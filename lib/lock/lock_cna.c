/*
 * The compact NUMA-aware lock, CNA, as the slow path of Linux's spin lock.
 *
 * Paper: D. Dice, A. Kogan, "Compact NUMA-aware locks", EuroSys 2019.
 * Source: described after A. Kogan's patches of kernel/locking/qspinlock_cna.h,
 * versions 2 to 15, 2019 to 2021.
 * Idea: a queued spin lock (lib/lock/lock_qspin.c) whose head, while it still
 * waits, looks for the first waiter of its own NUMA node.  Those before it it
 * moves to a secondary queue, which is passed on with the place at the head.
 * When its node has no other waiter, or after a number of hand-overs, the
 * secondary queue goes before the main one.
 * Fairness: FIFO within a node; a waiter passed over waits for at most
 * rngsim.lock.numa_threshold hand-overs for each node whose turn comes first.
 * Bytes: 4, and a line for each thread.  Uncontended: one atomic and one store.
 *
 * Departs: the threshold counts, as in versions 3 to 10; later ones take 1 or
 * 10 ms.  The paper has the owner search, when it releases, and draws.
 */
#include "lib/lock/qspin.h"

/* Moves the waiters from first to last behind the secondary queue. */
static void
set_aside(struct lock *l, struct qspin_node *me, uint32_t first, uint32_t last)
{
	if (me->qs_second == 0)
		me->qs_second = first;
	else
		atomic_store_rel_32(&waiter_of(l, waiter_of(l,
		    me->qs_second)->qs_second_tail)->qs_next, first);
	atomic_store_32(&waiter_of(l, last)->qs_next, 0);
	waiter_of(l, me->qs_second)->qs_second_tail = last;
}

/* If no linked waiter is of the head's node, none is moved. */
static void
qspin_head(struct lock *l, struct qspin_node *me)
{
	const uint32_t first = atomic_load_acq_32(&me->qs_next);
	uint32_t last = 0, next = first;

	me->qs_near = false;
	if (me->qs_passes >= l->lo_config.numa_threshold)
		return;
	while (next != 0 && waiter_of(l, next)->qs_numa != me->qs_numa) {
		last = next;
		next = atomic_load_acq_32(&waiter_of(l, next)->qs_next);
	}
	me->qs_near = next != 0;
	if (next == 0 || last == 0)
		return;
	set_aside(l, me, first, last);
	atomic_store_32(&me->qs_next, next);
}

static void
grant(struct lock *l, uint32_t to, uint32_t second, unsigned passes)
{
	waiter_of(l, to)->qs_second = second;
	waiter_of(l, to)->qs_passes = second == 0 ? 0 : passes;
	atomic_store_rel_32(&waiter_of(l, to)->qs_head, 1);
}

/* Without a waiter in the main queue the secondary one takes its place. */
static bool
qspin_last(struct lock *l, struct qspin_node *me, uint32_t v)
{
	const uint32_t second = me->qs_second;

	if (second == 0)
		return (atomic_cmpset_acq_32(state_of(l), v, QS_LOCKED));
	/* Release: the next one to queue links itself behind that tail. */
	if (!atomic_cmpset_rel_32(state_of(l), v, QS_LOCKED |
	    waiter_of(l, second)->qs_second_tail << QS_TAIL_SHIFT))
		return (false);
	grant(l, second, 0, 0);
	return (true);
}

static void
qspin_pass(struct lock *l, struct qspin_node *me, uint32_t next)
{
	const uint32_t second = me->qs_second;

	if (me->qs_near || second == 0) {
		grant(l, next, second, me->qs_passes + 1);
		return;
	}
	atomic_store_rel_32(&waiter_of(l, waiter_of(l,
	    second)->qs_second_tail)->qs_next, next);
	grant(l, second, 0, 0);
}

static void
qspin_wait(struct lock *l, struct lock_node *n __unused, struct lock_wait *w)
{
	struct qspin_node *me = waiter_of(l, machine_curthread()->mt_index + 1);

	if (pending_lock(l, w))
		return;
	me->qs_numa = lock_numa_node(l);
	me->qs_second = 0;
	me->qs_passes = 0;
	queue_lock(l, w);
}

QSPIN_KIND(cna, "cna", "qspin; waiters of the head's NUMA node first", 0,
    LK_NUMA_THRESHOLD | LK_NODES);
