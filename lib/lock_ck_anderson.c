/*
 * The Concurrency Kit's array lock, twin of anderson.
 *
 * Idea: draw a place in a ring, wait for its flag; the owner sets the flag of
 * the place after its own: Anderson, "The Performance of Spin Lock Alternatives
 * for Shared-Memory Multiprocessors", IEEE TPDS 1(1), 1990.  Here places lie
 * eight bytes apart, so eight waiters share a line and a hand-over makes all of
 * them miss; who draws, draws from a line without places.
 * Fairness: first come, first served.
 * Bytes: two lines and eight bytes a thread, to the next power of two.
 * Uncontended: one atomic and two stores.
 */
#include "lib/lock_ck.h"

/* The lock's lines. */
struct array {
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_anderson_t a_lock;
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_anderson_thread_t a_places[];
};

LOCK_NODE_FITS(ck_spinlock_anderson_thread_t *);

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

static bool
anderson_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	bool held;

	held = lock_ck_begin(l, w, LOCK_PROFILING &&
	    ck_spinlock_anderson_locked(lock_of(l)));
	ck_spinlock_anderson_lock(lock_of(l),
	    LOCK_CK_NODE(n, ck_spinlock_anderson_thread_t *));
	return (lock_ck_end(w, held));
}

static void
anderson_unlock(struct lock *l, struct lock_node *n)
{

	ck_spinlock_anderson_unlock(lock_of(l),
	    *LOCK_CK_NODE(n, ck_spinlock_anderson_thread_t *));
}

static bool
anderson_owned(struct lock *l)
{

	return (ck_spinlock_anderson_locked(lock_of(l)));
}

LOCK_CLASS(ck_anderson) = {
	.lc_name	= "ck-anderson",
	.lc_descr	= "array, of the Concurrency Kit",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_FIFO | LC_SPIN |
	    LC_ASSEMBLY,
	.lc_init	= anderson_init,
	.lc_fini	= lock_ck_fini,
	.lc_lock	= anderson_lock,
	.lc_trylock	= NULL,
	.lc_unlock	= anderson_unlock,
	.lc_owned	= anderson_owned,
};
