/*
 * The Concurrency Kit's array lock.  Idea and fairness: anderson
 * (lib/lock/lock_anderson.c).
 *
 * Places are eight bytes apart, so eight waiters share a line and all of them
 * miss at a hand-over.
 * Bytes: two lines and eight bytes a thread, to the next power of two.
 * Uncontended: one atomic and two stores.
 */
#include "lib/lock/ck.h"

/* The lock's lines. */
struct array {
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_anderson_t a_lock;
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_anderson_thread_t a_places[];
};

LOCK_NODE(ck_spinlock_anderson_thread_t *)

static ck_spinlock_anderson_t *
lock_of(struct lock *l)
{
	return (&((struct array *)l->lo_lines)->a_lock);
}

static int
anderson_init(struct lock *l)
{
	size_t bytes, count = 2;
	struct array *a;
	int error;

	/* ck_spinlock_anderson_locked() masks, whatever the count. */
	while (count < l->lo_config.threads)
		count *= 2;
	bytes = sizeof(*a) + count * sizeof(a->a_places[0]);
	error = lock_lines_init(l, (bytes + MACHINE_CACHE_LINE - 1) /
	    MACHINE_CACHE_LINE, MACHINE_CACHE_LINE);
	if (error != 0)
		return (error);
	a = l->lo_lines;
	ck_spinlock_anderson_init(&a->a_lock, a->a_places, (unsigned)count);
	return (0);
}

CK_LOCK(ck_anderson, "ck-anderson", "array, of the Concurrency Kit",
    ck_spinlock_anderson_lock(lock_of(l), node_of(n)),
    ck_spinlock_anderson_unlock(lock_of(l), *node_of(n)),
    ck_spinlock_anderson_locked(lock_of(l)), .lc_init = anderson_init,
    .lc_flags = CK_FLAGS | LC_FIFO);
