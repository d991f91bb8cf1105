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
#include "lib/lock/spin.h"

static void __attribute__((noinline))
mtx_spin_wait(struct lock *l, struct lock_wait *w)
{
	struct lock_delay_arg lda = lock_delay_arg_init(&l->lo_config);
	struct lock_spin ls = lock_spin_init(l, w);
	struct mptr *word = &state_of(l)->mtx_lock;
	uintptr_t td = (uintptr_t)machine_curthread(), v;

	lock_wait_begin(l, w);
	v = atomic_load_ptr(word);
	for (;;) {
		if (v == MTX_UNOWNED) {
			if (atomic_fcmpset_acq_ptr(word, &v, td))
				break;
			continue;
		}
		MPASS(v != td);
		lock_spin_pause(&ls, lock_delay_next(&lda));
		v = atomic_load_ptr(word);
	}
	lock_wait_end(w);
}

static bool
mtx_spin_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	(void)n;
	if (mtx_take(l))
		return (false);
	mtx_spin_wait(l, w);
	return (true);
}

static bool
mtx_spin_trylock(struct lock *l, struct lock_node *n)
{
	(void)n;
	return (mtx_take(l));
}

static void
mtx_spin_unlock(struct lock *l, struct lock_node *n)
{
	(void)n;
	MPASS(mtx_owned(l));
	atomic_store_rel_ptr(&state_of(l)->mtx_lock, MTX_UNOWNED);
}

LOCK_CLASS(mtx_spin) = {
	.lc_name	= "mtx-spin",
	.lc_descr	= "mtx(9) MTX_SPIN: spin with back-off",
	.lc_type	= "spin mutex",
	.lc_flags	= LC_EXCLUDES | LC_SPIN,
	.lc_knobs	= LK_DELAY | LK_STARVATION | LK_SPIN_POLLS,
	.lc_fini	= mtx_fini,
	.lc_lock	= mtx_spin_lock,
	.lc_trylock	= mtx_spin_trylock,
	.lc_unlock	= mtx_spin_unlock,
	.lc_owned	= mtx_owned,
};
