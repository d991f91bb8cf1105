/*
 * Linux's mutex with optimistic spinning.
 *
 * Source: described after kernel/locking/mutex.c and osq_lock.c, W. Long,
 * P. Zijlstra, J. Low, Linux 4.10 and later.
 * Idea: one word holds the owner.  While the owner runs, waiters spin in an MCS
 * queue of which only the head looks at that word.  When it does not run, the
 * head leaves the queue, marks the word and sleeps; the release of a marked
 * mutex wakes one sleeper.
 * Fairness: none; a new thread may take a free mutex ahead of all.
 * Bytes: 20, and a line in each acquisition.  Uncontended: one atomic each way.
 *
 * Departs: a waiter behind the head does not leave the queue; sleepers wake in
 * the host's order, and none is promised the mutex.
 */
#include "lib/lock/queue.h"

LOCK_NODE(struct queue_node)

enum { MU_WAITERS = 1 };	/* in the owner's word: a thread may sleep */

/* Behind the tail of the queue, in the same line. */
struct mutex {
	struct mptr	mu_owner;
	struct m32	mu_wakes;	/* so far */
};

CTASSERT(sizeof(struct mptr) + sizeof(struct mutex) <= LOCK_STATE_BYTES);
CTASSERT(_Alignof(struct mthread) > MU_WAITERS);

static inline struct mutex *
mutex_of(struct lock *l)
{
	return ((struct mutex *)(void *)(l->lo_state + sizeof(struct mptr)));
}

static inline struct mthread *
mutex_owner(uintptr_t v)
{
	return ((struct mthread *)(v & ~(uintptr_t)MU_WAITERS));
}

static bool
mutex_take(struct mutex *mu, uintptr_t flags)
{
	machine_oncpu();
	return (atomic_cmpset_acq_ptr(&mu->mu_owner, 0,
	    (uintptr_t)machine_curthread() | flags));
}

/*
 * Spins while the owner runs, as head of the queue.  Returns: false: it does
 * not run, *owner is not NULL.
 */
static bool
mutex_spin(struct mutex *mu, uintptr_t flags, struct lock_spin *ls,
    struct mthread **owner)
{
	struct machine_probe probe = { 0 };
	uintptr_t v;

	for (;;) {
		v = atomic_load_ptr(&mu->mu_owner);
		*owner = mutex_owner(v);
		if (*owner == NULL) {
			if (mutex_take(mu, flags))
				return (true);
		} else if (machine_running(*owner, &probe)) {
			lock_spin_ptr(ls, &mu->mu_owner, v);
		} else {
			return (false);
		}
	}
}

/*
 * Sleeps until a wake-up, unless the owner is another.  The wakes are read
 * before the word: a release that this mark makes slow changes them after it.
 */
static uint64_t
mutex_sleep(struct mutex *mu, struct mthread *owner)
{
	const uint32_t wakes = atomic_load_acq_32(&mu->mu_wakes);
	uintptr_t v = atomic_load_ptr(&mu->mu_owner);
	uint64_t start;

	do {
		if (mutex_owner(v) != owner)
			return (0);
	} while ((v & MU_WAITERS) == 0 &&
	    !atomic_fcmpset_acq_ptr(&mu->mu_owner, &v, v | MU_WAITERS));
	start = lockprof_stamp();
	machine_wait_32(&mu->mu_wakes, wakes, -1);
	return (lockprof_stamp() - start);
}

static void __attribute__((noinline))
mutex_wait(struct lock *l, struct queue_node *me, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);
	struct queue_node *last;
	struct mthread *owner;
	uintptr_t flags = 0;
	bool taken;

	lock_wait_begin(l, w);
	for (;;) {
		queue_node_init(me);
		last = queue_join(l, me);
		if (last != NULL)
			queue_wait(me, last, &ls);
		taken = mutex_spin(mutex_of(l), flags, &ls, &owner);
		queue_leave(l, me);
		if (taken)
			break;
		w->lw_block_cycles += mutex_sleep(mutex_of(l), owner);
		/* Others may sleep still, and only the mark wakes them. */
		flags = MU_WAITERS;
	}
	lock_wait_end(w);
}

static bool
mutex_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	if (mutex_take(mutex_of(l), 0))
		return (false);
	mutex_wait(l, node_of(n), w);
	return (true);
}

static bool
mutex_trylock(struct lock *l, struct lock_node *n)
{
	(void)n;
	return (mutex_take(mutex_of(l), 0));
}

static bool
mutex_owned(struct lock *l)
{
	return (mutex_owner(machine_note_load_ptr(&mutex_of(l)->mu_owner)) ==
	    machine_curthread());
}

static void
mutex_fini(struct lock *l)
{
	KASSERT(atomic_load_ptr(&mutex_of(l)->mu_owner) == 0,
	    ("%s is owned", l->lo_name));
}

static void
mutex_unlock(struct lock *l, struct lock_node *n)
{
	struct mutex *mu = mutex_of(l);

	(void)n;
	MPASS(mutex_owned(l));
	if (atomic_cmpset_rel_ptr(&mu->mu_owner,
	    (uintptr_t)machine_curthread(), 0))
		return;
	atomic_store_rel_ptr(&mu->mu_owner, 0);
	atomic_fetchadd_rel_32(&mu->mu_wakes, 1);
	machine_wake_one_32(&mu->mu_wakes);
}

LOCK_CLASS(mutex) = {
	.lc_name	= "mutex",
	.lc_descr	= "Linux's: spin in a queue while the owner runs",
	.lc_type	= "sleep mutex",
	.lc_flags	= LC_EXCLUDES | LC_SLEEPS,
	.lc_knobs	= LK_SPIN_POLLS,
	.lc_fini	= mutex_fini,
	.lc_lock	= mutex_lock,
	.lc_trylock	= mutex_trylock,
	.lc_unlock	= mutex_unlock,
	.lc_owned	= mutex_owned,
};
