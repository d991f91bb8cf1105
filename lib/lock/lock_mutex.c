/*
 * Linux's mutex with optimistic spinning.
 *
 * Source: described after kernel/locking/mutex.c and osq_lock.c, W. Long,
 * P. Zijlstra, J. Low, Linux 4.10 and later.
 * Idea: one word holds the owner.  While that runs, waiters spin in an MCS
 * queue whose head alone looks at that word.  When it does not, the head leaves
 * the queue, marks the word and sleeps; a marked mutex's release wakes one.
 * Fairness: none; a new thread may take a free mutex ahead of all.
 * Bytes: 20, and a line in each acquisition.  Uncontended: one atomic each way.
 *
 * Departs: a waiter behind the head does not leave the queue; sleepers wake in
 * the host's order, and none is promised the mutex.
 */
#define	MTX_AT	sizeof(struct mptr)	/* behind the queue's tail */
#include "lib/lock/mtx.h"
#include "lib/lock/queue.h"

LOCK_NODE(struct queue_node)

/* Spins as head of the queue; false: *owner does not run. */
static bool
mutex_spin(struct lock *l, uintptr_t contested, struct lock_wait *w,
    struct mthread **owner)
{
	struct mptr *word = &mtx_of(l)->ma_lock;
	struct machine_probe probe = { 0 };
	uintptr_t v;

	for (;;) {
		v = atomic_load_ptr(word);
		*owner = mtx_owner(v);
		if (*owner == NULL) {
			machine_oncpu();
			if (mtx_take(l, contested))
				return (true);
		} else if (machine_running(*owner, &probe)) {
			lock_spin_ptr(w, word, v);
		} else
			return (false);
	}
}

static void
mtx_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct queue_node *me = node_of(n);
	uintptr_t contested = 0;
	struct mthread *owner;
	bool taken;

	for (;;) {
		if (!queue_enter(state_of(l), me))
			(void)queue_wait(me, w);
		taken = mutex_spin(l, contested, w, &owner);
		queue_leave(l, state_of(l), me, 1);
		if (taken)
			return;
		w->lw_block_cycles += mtx_sleep(mtx_of(l), owner, NULL);
		/* Others may sleep still, and only the mark wakes them. */
		contested = MTX_CONTESTED;
	}
}

static void
mtx_unlock(struct lock *l, struct lock_node *n __unused)
{
	mtx_release(l, 1);
}

LOCK_KIND(mutex, mtx, "mutex", "Linux's: spin in a queue while the owner runs",
    "sleep mutex", LC_SLEEPS | LC_STARVES, LK_SPIN_POLLS, .lc_fini = mtx_fini,
    .lc_trylock = mtx_enter, .lc_owned = mtx_owned);
