/*
 * Linux's queued spin lock, and what its NUMA-aware form shares with it.  An
 * including file defines qspin_wait() and what the head of the queue does.
 */
#pragma once

#include "lib/lock/spin.h"

enum {
	QS_LOCKED	= 1u << 0,	/* a byte of its own */
	QS_PENDING	= 1u << 8,
	QS_TAIL_SHIFT	= 16		/* a thread's index + 1; 0: no queue */
};

struct qspin_node {
	_Alignas(MACHINE_CACHE_LINE) struct m32 qs_next;	/* a tail */
	struct m32	qs_head;	/* granted: head of the queue */
	/* Of lock_cna.c: the NUMA node; whether the next one's is the same. */
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

static void
qspin_init(struct lock *l)
{
	lock_lines_init(l, l->lo_config.threads, sizeof(struct qspin_node));
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

/* The head of the queue: waits; owns the lock, as the last; has a next one. */
static void qspin_head(struct lock *l, struct qspin_node *me);
static bool qspin_last(struct lock *l, struct qspin_node *me, uint32_t v);
static void qspin_pass(struct lock *l, struct qspin_node *me, uint32_t next);

static void
queue_lock(struct lock *l, struct lock_wait *w)
{
	uint32_t last, next, tail = machine_curthread()->mt_index + 1, v;
	struct qspin_node *me = waiter_of(l, tail);

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
	qspin_head(l, me);
	v = await_clear(l, w, QS_LOCKED | QS_PENDING);
	/* While there is a tail only its head can set the locked byte. */
	if (v >> QS_TAIL_SHIFT == tail &&
	    qspin_last(l, me, v))
		return;
	atomic_store_byte_rel_32(state_of(l), QS_LOCKED);
	while ((next = atomic_load_acq_32(&me->qs_next)) == 0)
		lock_spin_32(w, &me->qs_next, 0);
	qspin_pass(l, me, next);
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
	    LC_SPIN | (flags), LK_SPIN_POLLS | (knobs),			\
	    .lc_init = qspin_init, .lc_trylock = qspin_trylock,		\
	    .lc_owned = qspin_owned)
