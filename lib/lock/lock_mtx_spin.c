/*
 * FreeBSD's spin mutex, mtx(9) MTX_SPIN: what D32478 proposes for Fortuna.
 *
 * Stands for sys/kern/kern_mutex.c _mtx_lock_spin_cookie(), FreeBSD 14.
 *
 * Idea: one word holds the owner; a waiter polls it with doubling delays until
 * it is free, whether the owner runs or not.
 * Fairness: none, as MTX_DEF.
 * Bytes: a word.  Uncontended: one atomic each way.
 *
 * Departs: a user program cannot keep interrupts and preemption off, so an
 * owner can lose its CPU; where the kernel would panic after a long wait, a
 * waiter yields, and sooner than that (lib/lock/spin.h).
 */
#include "lib/lock/mtx.h"

static bool
mtx_spin_enter(struct lock *l, struct lock_node *n __unused)
{
	return (mtx_take(l, 0));
}

static void
mtx_spin_wait(struct lock *l, struct lock_node *n __unused, struct lock_wait *w)
{
	struct lock_delay_arg lda = lock_delay_arg_init(&l->lo_config);
	struct mptr *word = &mtx_of(l)->ma_lock;
	uintptr_t td = (uintptr_t)machine_curthread(), v;

	v = atomic_load_ptr(word);
	for (;;) {
		if (v == MTX_UNOWNED) {
			if (atomic_fcmpset_acq_ptr(word, &v, td))
				return;
			continue;
		}
		MPASS(v != td);
		lock_spin_pause(w, lock_delay_next(&lda));
		v = atomic_load_ptr(word);
	}
}

static void
mtx_spin_unlock(struct lock *l, struct lock_node *n __unused)
{
	MPASS(mtx_owned(l));
	atomic_store_rel_ptr(&mtx_of(l)->ma_lock, MTX_UNOWNED);
}

LOCK_KIND(mtx_spin, mtx_spin, "mtx-spin", "mtx(9) MTX_SPIN: spin with back-off",
    "spin mutex", LC_SPIN, LK_DELAY | LK_STARVATION | LK_SPIN_POLLS,
    .lc_fini = mtx_fini, .lc_trylock = mtx_spin_enter, .lc_owned = mtx_owned);
