/* Linux's queued spin lock, and with QSPIN_NUMA its NUMA-aware form. */
#pragma once

#include "lib/lock/spin.h"

#ifndef QSPIN_NUMA
#define	QSPIN_NUMA	false
#endif

enum {
	QS_LOCKED	= 1u << 0,	/* a byte of its own */
	QS_PENDING	= 1u << 8,
	QS_TAIL_SHIFT	= 16		/* a thread's index + 1; 0: no queue */
};

struct qspin_node {
	_Alignas(MACHINE_CACHE_LINE) struct m32 qs_next;	/* a tail */
	struct m32	qs_head;	/* granted: head of the queue */
	/* With QSPIN_NUMA: its node; whether the next one's is the same. */
	uint32_t	qs_numa;
	bool		qs_near;
	/* The secondary queue, set for a head by the last one: its head ... */
	uint32_t	qs_second;
	unsigned	qs_passes;	/* while there was one */
	uint32_t	qs_second_tail;	/* ... which has this */
};

LOCK_STATE(struct m32)
CTASSERT(sizeof(struct qspin_node) == MACHINE_CACHE_LINE);
CTASSERT(LOCK_THREADS_MAX <= UINT16_MAX && QS_TAIL_SHIFT == 16);

static struct qspin_node *
waiter_of(struct lock *l, uint32_t tail)
{
	MPASS(tail > 0 && tail <= l->lo_config.threads);
	return ((struct qspin_node *)l->lo_lines + (tail - 1));
}

/* Waits until the bits are clear.  Returns: the word. */
static uint32_t
await_clear(struct lock *l, struct lock_wait *w, uint32_t bits)
{
	uint32_t v;

	while (((v = atomic_load_acq_32(state_of(l))) & bits) != 0)
		lock_spin_32(w, state_of(l), v);
	return (v);
}

/* Becomes pending, then the owner; false: another is, or there is a queue. */
static bool
pending_lock(struct lock *l, struct lock_wait *w)
{
	uint32_t v = atomic_load_32(state_of(l));

	/* A pending waiter that becomes the owner: gone at the next poll. */
	if (v == QS_PENDING) {
		lock_spin_32(w, state_of(l), v);
		v = atomic_load_32(state_of(l));
	}
	do {
		if ((v & ~(uint32_t)QS_LOCKED) != 0)
			return (false);
		if (v == 0 && atomic_cmpset_acq_32(state_of(l), 0, QS_LOCKED))
			return (true);
		v = QS_LOCKED;
	} while (!atomic_fcmpset_acq_32(state_of(l), &v,
	    QS_LOCKED | QS_PENDING));
	await_clear(l, w, QS_LOCKED);
	/* Only this thread may write these two bits now. */
	atomic_fetchadd_32(state_of(l), (uint32_t)QS_LOCKED - QS_PENDING);
	return (true);
}

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

/* The head looks ahead; if no linked waiter is of its node, none is moved. */
static void
prefer_near(struct lock *l, struct qspin_node *me)
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
last_leaves(struct lock *l, struct qspin_node *me, uint32_t v)
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
pass_place(struct lock *l, struct qspin_node *me, uint32_t next)
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
	uint32_t last, next, tail = machine_curthread()->mt_index + 1, v;
	struct qspin_node *me = waiter_of(l, tail);

	if (pending_lock(l, w))
		return;
	if (QSPIN_NUMA)
		me->qs_numa = lock_numa_node(l);
	me->qs_second = 0;
	me->qs_passes = 0;
	atomic_store_32(&me->qs_next, 0);
	atomic_store_32(&me->qs_head, 0);
	/* Acquires the predecessor's node, written next; publishes my own. */
	last = atomic_swap_hi_acq_rel_32(state_of(l), (uint16_t)tail);
	if (last != 0) {
		/* Release: publishes my node's words with its index. */
		atomic_store_rel_32(&waiter_of(l, last)->qs_next, tail);
		while (atomic_load_acq_32(&me->qs_head) == 0)
			lock_spin_32(w, &me->qs_head, 0);
	}
	if (QSPIN_NUMA)
		prefer_near(l, me);
	v = await_clear(l, w, QS_LOCKED | QS_PENDING);
	/* While there is a tail only its head can set the locked byte. */
	if (v >> QS_TAIL_SHIFT == tail && last_leaves(l, me, v))
		return;
	atomic_store_byte_rel_32(state_of(l), QS_LOCKED);
	while ((next = atomic_load_acq_32(&me->qs_next)) == 0)
		lock_spin_32(w, &me->qs_next, 0);
	pass_place(l, me, next);
}

static bool
qspin_enter(struct lock *l, struct lock_node *n __unused)
{
	return (atomic_cmpset_acq_32(state_of(l), 0, QS_LOCKED));
}

static bool
qspin_trylock(struct lock *l, struct lock_node *n)
{
	return (atomic_load_32(state_of(l)) == 0 && qspin_enter(l, n));
}

static bool
qspin_owned(struct lock *l)
{
	return ((machine_note_load_32(state_of(l)) & QS_LOCKED) != 0);
}

static void
qspin_unlock(struct lock *l, struct lock_node *n __unused)
{
	MPASS(qspin_owned(l));
	atomic_store_byte_rel_32(state_of(l), 0);
}

#define	QSPIN_KIND(kind, name, descr, flags, knobs)			\
	LOCK_KIND(kind, qspin, name, descr, "spin lock",		\
	    LC_QUEUE | (flags), LK_SPIN_POLLS | (knobs),		\
	    .lc_thread_bytes = sizeof(struct qspin_node),		\
	    .lc_trylock = qspin_trylock, .lc_owned = qspin_owned)
