/*
 * The host's own mutex, for reference.
 *
 * Idea: pthread_mutex_lock(3) with default attributes; on glibc a three-state
 * futex word.  A waiter sleeps at once, so all its waiting counts as blocking.
 * Fairness: none; a running thread overtakes woken ones.
 * Bytes: sizeof(pthread_mutex_t).  Uncontended: one atomic each way.
 */
#include <pthread.h>

#include "lib/lock/lock.h"

LOCK_STATE(pthread_mutex_t)

static int
pthread_lock_init(struct lock *l)
{
	return (pthread_mutex_init(state_of(l), NULL));
}

static void
pthread_lock_fini(struct lock *l)
{
	int error = pthread_mutex_destroy(state_of(l));

	KASSERT(error == 0, ("%s: pthread_mutex_destroy: %d", l->lo_name,
	    error));
}

static bool
pthread_lock_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	int error;

	(void)n;
	if (pthread_mutex_trylock(state_of(l)) == 0)
		return (false);
	lock_wait_begin(l, w);
	error = pthread_mutex_lock(state_of(l));
	KASSERT(error == 0, ("pthread_mutex_lock: %d", error));
	lock_wait_end_blocked(w);
	return (true);
}

static bool
pthread_lock_trylock(struct lock *l, struct lock_node *n)
{
	(void)n;
	return (pthread_mutex_trylock(state_of(l)) == 0);
}

static void
pthread_lock_unlock(struct lock *l, struct lock_node *n)
{
	(void)n;
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

LOCK_CLASS(pthread) = {
	.lc_name	= "pthread",
	.lc_descr	= "the host's pthread_mutex_t",
	.lc_type	= "host mutex",
	.lc_flags	= LC_EXCLUDES | LC_SLEEPS,
	.lc_init	= pthread_lock_init,
	.lc_fini	= pthread_lock_fini,
	.lc_lock	= pthread_lock_lock,
	.lc_trylock	= pthread_lock_trylock,
	.lc_unlock	= pthread_lock_unlock,
	.lc_owned	= pthread_lock_owned,
};
