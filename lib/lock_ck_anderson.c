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

struct array {
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_anderson_t a_lock;
	_Alignas(MACHINE_CACHE_LINE)
	ck_spinlock_anderson_thread_t a_places[];
};

/* The lock's own line is not written, so the way to the array stays cached. */
struct anderson {
	struct array	*an_array;
};

LOCK_STATE_FITS(struct anderson);
LOCK_NODE_FITS(ck_spinlock_anderson_thread_t *);

static ck_spinlock_anderson_t *
lock_of(struct lock *l)
{

	return (&LOCK_CK_STATE(l, struct anderson)->an_array->a_lock);
}

static int
anderson_init(struct lock *l)
{
	struct array *a;
	unsigned count = 1;

	/* The predicate masks, whatever the count; one place would be wrong. */
	while (count < l->lo_config.threads || count < 2)
		count *= 2;
	a = lock_ck_alloc(sizeof(*a) + count * sizeof(a->a_places[0]));
	if (a == NULL)
		return (ENOMEM);
	ck_spinlock_anderson_init(&a->a_lock, a->a_places, count);
	LOCK_CK_STATE(l, struct anderson)->an_array = a;
	return (0);
}

static void
anderson_fini(struct lock *l)
{

	free(LOCK_CK_STATE(l, struct anderson)->an_array);
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
	.lc_descr	= "Concurrency Kit's array queue lock",
	.lc_type	= "spin mutex",
	.lc_flags	= LC_EXCLUDES | LC_FIFO | LC_SPIN,
	.lc_init	= anderson_init,
	.lc_fini	= anderson_fini,
	.lc_lock	= anderson_lock,
	.lc_trylock	= NULL,
	.lc_unlock	= anderson_unlock,
	.lc_owned	= anderson_owned,
};
