/*
 * The Concurrency Kit's cohort lock, ticket over ticket, twin of cohort.
 *
 * Idea: one lock for each NUMA node and one above them all.  A release passes
 * both on to a waiter of the same node, pass_limit times in a row at most, so
 * that what the lock protects changes nodes seldom: Dice, Marathe and Shavit,
 * "Lock Cohorting", ACM TOPC 1(2), 2015.  A thread may release the upper lock
 * that another took, which tickets allow.
 * Fairness: within a node, first come, first served; another node waits for
 * pass_limit turns.
 * Bytes: three lines, and two for each node.  Uncontended: two atomics on the
 * node's count of waiters besides those of both tickets.
 */
#include "lib/lock_ck.h"

typedef ck_spinlock_ticket_t ticket;

static inline void
ticket_lock(void *lock, void *context)
{

	(void)context;
	ck_spinlock_ticket_lock(lock);
}

static inline void
ticket_unlock(void *lock, void *context)
{

	(void)context;
	ck_spinlock_ticket_unlock(lock);
}

static inline bool
ticket_locked(void *lock, void *context)
{

	(void)context;
	return (ck_spinlock_ticket_locked(lock));
}

CK_COHORT_PROTOTYPE(tickets, ticket_lock, ticket_unlock, ticket_locked,
    ticket_lock, ticket_unlock, ticket_locked)

typedef CK_COHORT_INSTANCE(tickets) cohort;

struct cohorts {
	_Alignas(MACHINE_CACHE_LINE)
	ticket		c_global;
	struct {
		_Alignas(MACHINE_CACHE_LINE)
		cohort	cn_cohort;
		_Alignas(MACHINE_CACHE_LINE)
		ticket	cn_local;
	} c_nodes[];
};

/* The lock's own line is not written, so the way to the rest stays cached. */
struct cohort_lock {
	struct cohorts	*cl_cohorts;
};

LOCK_STATE_FITS(struct cohort_lock);
LOCK_NODE_FITS(cohort *);

static struct cohorts *
cohorts_of(struct lock *l)
{

	return (LOCK_CK_STATE(l, struct cohort_lock)->cl_cohorts);
}

static int
cohort_init(struct lock *l)
{
	unsigned i, nodes = lock_numa_nodes(l);
	struct cohorts *c;

	c = lock_ck_alloc(sizeof(*c) + nodes * sizeof(c->c_nodes[0]));
	if (c == NULL)
		return (ENOMEM);
	ck_spinlock_ticket_init(&c->c_global);
	for (i = 0; i < nodes; i++) {
		ck_spinlock_ticket_init(&c->c_nodes[i].cn_local);
		CK_COHORT_INIT(tickets, &c->c_nodes[i].cn_cohort, &c->c_global,
		    &c->c_nodes[i].cn_local, l->lo_config.pass_limit);
	}
	LOCK_CK_STATE(l, struct cohort_lock)->cl_cohorts = c;
	return (0);
}

static void
cohort_fini(struct lock *l)
{

	free(cohorts_of(l));
}

static bool
cohort_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	cohort *co;
	bool held;

	co = &cohorts_of(l)->c_nodes[lock_numa_node(l)].cn_cohort;
	/* The thread may be elsewhere when it releases. */
	*LOCK_CK_NODE(n, cohort *) = co;
	held = lock_ck_begin(l, w, LOCK_PROFILING &&
	    CK_COHORT_LOCKED(tickets, co, NULL, NULL));
	CK_COHORT_LOCK(tickets, co, NULL, NULL);
	return (lock_ck_end(w, held));
}

static void
cohort_unlock(struct lock *l, struct lock_node *n)
{

	(void)l;
	CK_COHORT_UNLOCK(tickets, *LOCK_CK_NODE(n, cohort *), NULL, NULL);
}

static bool
cohort_owned(struct lock *l)
{

	return (ck_spinlock_ticket_locked(&cohorts_of(l)->c_global));
}

LOCK_CLASS(ck_cohort) = {
	.lc_name	= "ck-cohort",
	.lc_descr	= "Concurrency Kit's cohort lock of ticket locks",
	.lc_type	= "spin mutex",
	.lc_flags	= LC_EXCLUDES | LC_SPIN,
	.lc_knobs	= LK_PASS_LIMIT | LK_NODES,
	.lc_init	= cohort_init,
	.lc_fini	= cohort_fini,
	.lc_lock	= cohort_lock,
	.lc_trylock	= NULL,
	.lc_unlock	= cohort_unlock,
	.lc_owned	= cohort_owned,
};
