/*
 * The host's own mutex, for reference.
 *
 * Idea: pthread_mutex_lock(3) with default attributes; on glibc a three-state
 * futex word.  A waiter sleeps at once, so all its waiting counts as blocking.
 * Fairness: none; a running thread overtakes woken ones.
 * Bytes: sizeof(pthread_mutex_t).  Uncontended: one atomic each way.
 */
#include "lib/lock/lock.h"

LOCK_STATE(pthread_mutex_t)

static void
pthread_lock_init(struct lock *l)
{
	if (pthread_mutex_init(state_of(l), NULL) != 0)
		no_memory();
}

static void
pthread_lock_fini(struct lock *l)
{
	int error = pthread_mutex_destroy(state_of(l));

	KASSERT(error == 0, ("%s: pthread_mutex_destroy: %d", l->lo_name,
	    error));
}

static bool
pthread_lock_enter(struct lock *l, struct lock_node *n __unused)
{
	return (pthread_mutex_trylock(state_of(l)) == 0);
}

static void
pthread_lock_wait(struct lock *l, struct lock_node *n __unused,
    struct lock_wait *w)
{
	int error;

	w->lw_block_cycles = LOCK_WAIT_ASLEEP;
	error = pthread_mutex_lock(state_of(l));
	KASSERT(error == 0, ("pthread_mutex_lock: %d", error));
}

static void
pthread_lock_unlock(struct lock *l, struct lock_node *n __unused)
{
	pthread_mutex_unlock(state_of(l));
}

static bool
pthread_lock_owned(struct lock *l)
{
	if (pthread_mutex_trylock(state_of(l)) != 0)
		return (true);
	pthread_mutex_unlock(state_of(l));
	return (false);
}

LOCK_KIND(pthread, pthread_lock, "pthread", "the host's pthread_mutex_t",
    "host mutex", LC_SLEEPS, 0, .lc_init = pthread_lock_init,
    .lc_fini = pthread_lock_fini, .lc_trylock = pthread_lock_enter,
    .lc_owned = pthread_lock_owned);
