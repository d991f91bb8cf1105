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
#include <string.h>

#include "lib/lock/mtx.h"

/*
 * Sleeps until the next broadcast, unless the mutex became free or its owner
 * runs after all.  Returns the cycles slept.
 *
 * The generation is read before the word: a release that this waiter's
 * MTX_CONTESTED makes slow changes the generation after it, so the sleep ends.
 */
static uint64_t
turnstile_wait(struct mtx *m, struct machine_probe *probe)
{
	struct mthread *owner = probe->mp_owner;
	uint64_t start;
	uintptr_t v;
	uint32_t gen;

	gen = atomic_load_acq_32(&m->mtx_turnstile);
	v = atomic_load_ptr(&m->mtx_lock);
	do {
		if (v == MTX_UNOWNED)
			return (0);
		if (mtx_owner(v) != owner &&
		    machine_running(mtx_owner(v), probe))
			return (0);
	} while ((v & MTX_CONTESTED) == 0 &&
	    !atomic_fcmpset_acq_ptr(&m->mtx_lock, &v, v | MTX_CONTESTED));
	start = lockprof_stamp();
	machine_wait_32(&m->mtx_turnstile, gen, -1);
	return (lockprof_stamp() - start);
}

static void __attribute__((noinline))
mtx_lock_sleep(struct lock *l, struct lock_wait *w)
{
	struct mtx *m = state_of(l);
	struct lock_delay_arg lda = lock_delay_arg_init(&l->lo_config);
	struct machine_probe probe = { 0 };
	uintptr_t td = (uintptr_t)machine_curthread(), v;

	lock_wait_begin(l, w);
	v = atomic_load_ptr(&m->mtx_lock);
	for (;;) {
		if (v == MTX_UNOWNED) {
			machine_oncpu();
			if (atomic_fcmpset_acq_ptr(&m->mtx_lock, &v, td))
				break;
			continue;
		}
		MPASS(mtx_owner(v) != (struct mthread *)td);
		if (machine_running(mtx_owner(v), &probe)) {
			lock_delay(&lda);
		} else {
			probe.mp_owner = mtx_owner(v);
			w->lw_block_cycles += turnstile_wait(m, &probe);
			memset(&probe, 0, sizeof(probe));
		}
		v = atomic_load_ptr(&m->mtx_lock);
	}
	lock_wait_end(w);
}

static bool
mtx_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	(void)n;
	/* Before taking the lock, so that waiters spin and do not sleep. */
	machine_oncpu();
	if (mtx_take(l))
		return (false);
	mtx_lock_sleep(l, w);
	return (true);
}

static bool
mtx_trylock(struct lock *l, struct lock_node *n)
{
	(void)n;
	machine_oncpu();
	return (mtx_take(l));
}

static void
mtx_unlock(struct lock *l, struct lock_node *n)
{
	struct mtx *m = state_of(l);

	(void)n;
	MPASS(mtx_owned(l));
	if (atomic_cmpset_rel_ptr(&m->mtx_lock,
	    (uintptr_t)machine_curthread(), MTX_UNOWNED))
		return;
	atomic_store_rel_ptr(&m->mtx_lock, MTX_UNOWNED);
	/* Pairs with turnstile_wait(): seen there, so is the free mutex. */
	atomic_fetchadd_rel_32(&m->mtx_turnstile, 1);
	machine_wake_32(&m->mtx_turnstile);
}

LOCK_CLASS(mtx) = {
	.lc_name	= "mtx",
	.lc_descr	= "mtx(9) MTX_DEF: spin while the owner runs",
	.lc_type	= "sleep mutex",
	.lc_flags	= LC_EXCLUDES | LC_SLEEPS,
	.lc_knobs	= LK_DELAY | LK_STARVATION,
	.lc_fini	= mtx_fini,
	.lc_lock	= mtx_lock,
	.lc_trylock	= mtx_trylock,
	.lc_unlock	= mtx_unlock,
	.lc_owned	= mtx_owned,
};
