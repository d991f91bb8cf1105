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
 * Bytes: 4 or 8, and two lines for each node.  Uncontended: two atomics on the
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

/* The lock's lines are one for each NUMA node. */
struct node {
	_Alignas(MACHINE_CACHE_LINE)
	cohort		n_cohort;
	_Alignas(MACHINE_CACHE_LINE)
	ticket		n_local;
};

LOCK_STATE_FITS(ticket);
LOCK_NODE_FITS(cohort *);

static ticket *
global_of(struct lock *l)
{

	return (LOCK_CK_STATE(l, ticket));
}

static int
cohort_init(struct lock *l)
{
	unsigned i, nodes = lock_numa_nodes(l);
	struct node *node;
	int error;

	error = lock_lines_init(l, nodes, sizeof(*node));
	if (error != 0)
		return (error);
	ck_spinlock_ticket_init(global_of(l));
	for (i = 0, node = l->lo_lines; i < nodes; i++, node++) {
		ck_spinlock_ticket_init(&node->n_local);
		/* It counts who got the lock, not how often it was passed. */
		CK_COHORT_INIT(tickets, &node->n_cohort, global_of(l),
		    &node->n_local, l->lo_config.pass_limit + 1);
	}
	return (0);
}

static bool
cohort_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	cohort *co;
	bool held;

	co = &((struct node *)l->lo_lines)[lock_numa_node(l)].n_cohort;
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

	return (ck_spinlock_ticket_locked(global_of(l)));
}

LOCK_CLASS(ck_cohort) = {
	.lc_name	= "ck-cohort",
	.lc_descr	= "tickets in tickets, of the Concurrency Kit",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN |
	    LC_ASSEMBLY,
	.lc_knobs	= LK_PASS_LIMIT | LK_NODES,
	.lc_init	= cohort_init,
	.lc_fini	= lock_ck_fini,
	.lc_lock	= cohort_lock,
	.lc_trylock	= NULL,
	.lc_unlock	= cohort_unlock,
	.lc_owned	= cohort_owned,
};
