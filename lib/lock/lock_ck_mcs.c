/*
 * The Concurrency Kit's MCS lock, beside which mcs (lib/lock/lock_mcs.c) can be
 * measured.  Idea, fairness and bytes: mcs.
 *
 * It runs as its authors wrote it and never yields: with more threads than CPUs
 * a hand-over to a waiter without a CPU lasts until the scheduler comes round.
 */
#include <ck_spinlock.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include "lib/lock/lock.h"

LOCK_STATE(ck_spinlock_mcs_t)
LOCK_NODE(ck_spinlock_mcs_context_t)

/* ThreadSanitizer cannot follow its assembly. */
static void
ordered(struct lock *l __unused, bool release __unused)
{
#ifdef __SANITIZE_THREAD__
	(release ? __tsan_release : __tsan_acquire)(l);
#endif
}

static bool
ck_mcs_enter(struct lock *l, struct lock_node *n)
{
	if (!ck_spinlock_mcs_trylock(state_of(l), node_of(n)))
		return (false);
	ordered(l, false);
	return (true);
}

static void
ck_mcs_wait(struct lock *l, struct lock_node *n, struct lock_wait *w __unused)
{
	ck_spinlock_mcs_lock(state_of(l), node_of(n));
	ordered(l, false);
}

static void
ck_mcs_unlock(struct lock *l, struct lock_node *n)
{
	ordered(l, true);
	ck_spinlock_mcs_unlock(state_of(l), node_of(n));
}

static bool
ck_mcs_owned(struct lock *l)
{
	return (ck_spinlock_mcs_locked(state_of(l)));
}

LOCK_KIND(ck_mcs, ck_mcs, "ck-mcs", "MCS, of the Concurrency Kit", "spin lock",
    LC_FIFO | LC_QUEUE, 0, .lc_owned = ck_mcs_owned,
    .lc_trylock = ck_mcs_enter);
