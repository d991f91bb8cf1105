/*
 * A queue of waiters, each of which spins on its own node: what MCS and its
 * descendants share.  A lock's state is its tail, the last one's node or 0.
 */
#pragma once

#include "lib/lock/spin.h"

struct queue_node {
	struct mptr	qn_next;
	struct m32	qn_granted;
	struct queue_node *qn_last;	/* the one before; NULL: none */
};

LOCK_STATE(struct mptr)

static inline bool
queue_owned(struct lock *l)
{
	return (machine_note_load_ptr(state_of(l)) != 0);
}

static inline void
queue_node_init(struct queue_node *me)
{
	atomic_init_ptr(&me->qn_next, 0);
	atomic_init_32(&me->qn_granted, 0);
	me->qn_last = NULL;
}

/*
 * Makes my node the last.  Acquires the predecessor's node, or the release that
 * emptied the queue, and publishes my node.  Returns: whether it is the first.
 */
static inline bool
queue_enter(struct mptr *tail, struct queue_node *me)
{
	queue_node_init(me);
	me->qn_last = (struct queue_node *)atomic_swap_acq_rel_ptr(tail,
	    (uintptr_t)me);
	return (me->qn_last == NULL);
}

static inline bool
queue_try(struct mptr *tail, struct queue_node *me)
{
	if (atomic_load_ptr(tail) != 0)
		return (false);
	queue_node_init(me);
	return (atomic_cmpset_acq_rel_ptr(tail, 0, (uintptr_t)me));
}

/* Returns: what the one before granted, not 0. */
static inline uint32_t
queue_wait(struct queue_node *me, struct lock_wait *w)
{
	uint32_t granted;

	/* Release: publishes my node's words with its address. */
	atomic_store_rel_ptr(&me->qn_last->qn_next, (uintptr_t)me);
	while ((granted = atomic_load_acq_32(&me->qn_granted)) == 0)
		lock_spin_32(w, &me->qn_granted, 0);
	return (granted);
}

/* The waiter that is linked behind a node, or NULL. */
static inline struct queue_node *
queue_next(struct queue_node *node)
{
	return ((struct queue_node *)atomic_load_acq_ptr(&node->qn_next));
}

/* Grants the next waiter something, or leaves the queue empty. */
static inline void
queue_leave(struct lock *l, struct mptr *tail, struct queue_node *me,
    uint32_t granted)
{
	struct queue_node *next;
	struct lock_wait w;

	if (atomic_load_ptr(&me->qn_next) == 0 &&
	    atomic_cmpset_rel_ptr(tail, (uintptr_t)me, 0))
		return;
	/* It may have joined and not linked yet. */
	w = lock_wait_init(l);
	while ((next = queue_next(me)) == NULL)
		lock_spin_ptr(&w, &me->qn_next, 0);
	atomic_store_rel_32(&next->qn_granted, granted);
}
