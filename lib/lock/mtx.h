/*
 * What mutexes share: a word with the owner, and a count that sleepers await.
 */
#pragma once

#include "lib/lock/spin.h"

enum {
	MTX_UNOWNED	= 0,
	MTX_CONTESTED	= 1	/* in the owner's word: a thread may sleep */
};

struct mtx {
	struct mptr	ma_lock;	/* owner's mthread | MTX_CONTESTED */
	struct m32	ma_wakes;	/* slow releases so far */
};

/* Where it is in a lock's state. */
#ifndef MTX_AT
#define	MTX_AT	0
#endif

CTASSERT(MTX_AT + sizeof(struct mtx) <= LOCK_STATE_BYTES);
CTASSERT(_Alignof(struct mthread) > MTX_CONTESTED);

static inline struct mtx *
mtx_of(struct lock *l)
{
	return ((struct mtx *)(void *)(l->lo_state + MTX_AT));
}

static inline struct mthread *
mtx_owner(uintptr_t v)
{
	return ((struct mthread *)(v & ~(uintptr_t)MTX_CONTESTED));
}

static inline void
mtx_fini(struct lock *l)
{
	/* In weak memory a load may give an old value. */
	KASSERT(atomic_cmpset_acq_ptr(&mtx_of(l)->ma_lock, MTX_UNOWNED,
	    MTX_UNOWNED), ("%s is owned", l->lo_name));
}

static inline bool
mtx_owned(struct lock *l)
{
	return (mtx_owner(machine_note_load_ptr(&mtx_of(l)->ma_lock)) ==
	    machine_curthread());
}

/* Takes a free mutex, contested or not. */
static inline bool
mtx_take(struct lock *l, uintptr_t contested)
{
	return (atomic_cmpset_acq_ptr(&mtx_of(l)->ma_lock, MTX_UNOWNED,
	    (uintptr_t)machine_curthread() | contested));
}

static inline bool
mtx_enter(struct lock *l, struct lock_node *n __unused)
{
	/* Before taking the lock, so that waiters spin and do not sleep. */
	machine_oncpu();
	return (mtx_take(l, 0));
}

/*
 * Sleeps until a slow release, unless the mutex became free or has another
 * owner, which must run if probe is not NULL.  Returns the cycles slept.  A
 * release that this waiter's MTX_CONTESTED makes slow changes the count after
 * it is read here, so the sleep ends.
 */
static inline uint64_t
mtx_sleep(struct mtx *m, const struct mthread *owner,
    struct machine_probe *probe)
{
	const uint32_t wakes = atomic_load_acq_32(&m->ma_wakes);
	uintptr_t v = atomic_load_ptr(&m->ma_lock);
	uint64_t start;

	do {
		if (v == MTX_UNOWNED)
			return (0);
		if (mtx_owner(v) != owner && (probe == NULL ||
		    machine_running(mtx_owner(v), probe)))
			return (0);
	} while ((v & MTX_CONTESTED) == 0 &&
	    !atomic_fcmpset_acq_ptr(&m->ma_lock, &v, v | MTX_CONTESTED));
	start = lockprof_stamp();
	machine_wait_32(&m->ma_wakes, wakes, -1);
	return (lockprof_stamp() - start);
}

/* Releases it, and wakes so many that may sleep, as the kind does. */
static inline void
mtx_release(struct lock *l, int most)
{
	struct mtx *m = mtx_of(l);

	MPASS(mtx_owned(l));
	if (atomic_cmpset_rel_ptr(&m->ma_lock,
	    (uintptr_t)machine_curthread(), MTX_UNOWNED))
		return;
	atomic_store_rel_ptr(&m->ma_lock, MTX_UNOWNED);
	/* Pairs with mtx_sleep(): seen there, so is the free mutex. */
	atomic_fetchadd_rel_32(&m->ma_wakes, 1);
	machine_wake(&m->ma_wakes, most);
}
