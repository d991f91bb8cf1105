/*
 * FreeBSD's default mutex, mtx(9) MTX_DEF.
 *
 * Stands for sys/kern/kern_mutex.c __mtx_lock_sleep() and
 * __mtx_unlock_sleep(), FreeBSD 14, and for the turnstile they sleep on.
 *
 * Idea: one word holds the owner.  While the owner is on a CPU a waiter polls
 * with doubling delays and without limit; when it is not, the waiter marks the
 * word contested and sleeps.  Releasing a contested mutex frees it first and
 * then wakes all sleepers; nothing is handed over, all compete again.
 * Fairness: none.  A thread that releases and comes back finds the word free
 * while the waiters are in their delays.
 * Bytes: a word and a generation.  Uncontended: one atomic each way.
 *
 * Departs: whether the owner runs is machine_running()'s guess; there is no
 * priority to lend; waiters wake in the host's order.
 */
#include "lib/lock/mtx.h"

static void
mtx_wait(struct lock *l, struct lock_node *n __unused, struct lock_wait *w)
{
	struct mtx *m = mtx_of(l);
	struct lock_delay_arg lda = lock_delay_arg_init(&l->lo_config);
	struct machine_probe probe = { 0 };
	uintptr_t td = (uintptr_t)machine_curthread(), v;

	v = atomic_load_ptr(&m->ma_lock);
	for (;;) {
		if (v == MTX_UNOWNED) {
			machine_oncpu();
			if (atomic_fcmpset_acq_ptr(&m->ma_lock, &v, td))
				return;
			continue;
		}
		MPASS(mtx_owner(v) != (struct mthread *)td);
		if (machine_running(mtx_owner(v), &probe)) {
			machine_pause(lock_delay_next(&lda));
		} else {
			w->lw_block_cycles += mtx_sleep(m, mtx_owner(v),
			    &probe);
			memset(&probe, 0, sizeof(probe));
		}
		v = atomic_load_ptr(&m->ma_lock);
	}
}

static void
mtx_unlock(struct lock *l, struct lock_node *n __unused)
{
	mtx_release(l, INT32_MAX);
}

LOCK_KIND(mtx, mtx, "mtx", "mtx(9) MTX_DEF: spin while the owner runs",
    "sleep mutex", LC_SLEEPS, LK_DELAY | LK_STARVATION, .lc_fini = mtx_fini,
    .lc_trylock = mtx_enter, .lc_owned = mtx_owned);
