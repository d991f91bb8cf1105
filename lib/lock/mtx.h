/*
 * What FreeBSD's two mutexes share: a word with the owner.
 */
#ifndef LIB_LOCK_MTX_H
#define LIB_LOCK_MTX_H

#include "lib/lock/delay.h"

enum {
	MTX_UNOWNED	= 0,
	MTX_CONTESTED	= 1
};

struct mtx {
	struct mptr	mtx_lock;	/* owner's mthread | MTX_CONTESTED */
	struct m32	mtx_turnstile;	/* MTX_DEF: broadcasts so far */
};

LOCK_STATE(struct mtx)
CTASSERT(_Alignof(struct mthread) > MTX_CONTESTED);

static inline struct mthread *
mtx_owner(uintptr_t v)
{
	return ((struct mthread *)(v & ~(uintptr_t)MTX_CONTESTED));
}

static inline void
mtx_fini(struct lock *l)
{
	KASSERT(atomic_load_ptr(&state_of(l)->mtx_lock) == MTX_UNOWNED,
	    ("%s is owned", l->lo_name));
}

static inline bool
mtx_owned(struct lock *l)
{
	return (mtx_owner(machine_note_load_ptr(&state_of(l)->mtx_lock)) ==
	    machine_curthread());
}

/* Takes a free mutex. */
static inline bool
mtx_take(struct lock *l)
{
	return (atomic_cmpset_acq_ptr(&state_of(l)->mtx_lock, MTX_UNOWNED,
	    (uintptr_t)machine_curthread()));
}

#endif
