/*
 * The Concurrency Kit's cohort lock, ticket over ticket.  Idea and fairness:
 * cohort (lib/lock/lock_cohort.c).
 *
 * Bytes: 4 or 8, and two lines for each node.  Uncontended: two atomics on the
 * node's count of waiters besides those of both tickets.
 */
#include "lib/lock/ck.h"

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

/* The global lock; and the acquisition's cohort. */
LOCK_STATE(ticket)
LOCK_NODE(cohort *)

static int
cohort_init(struct lock *l)
{
	unsigned i, nodes = lock_numa_nodes(l);
	struct node *node;
	int error;

	error = lock_lines_init(l, nodes, sizeof(*node));
	if (error != 0)
		return (error);
	for (i = 0, node = l->lo_lines; i < nodes; i++, node++) {
		ck_spinlock_ticket_init(&node->n_local);
		/* It counts owners, not hand-overs. */
		CK_COHORT_INIT(tickets, &node->n_cohort, state_of(l),
		    &node->n_local, l->lo_config.pass_limit + 1);
	}
	return (0);
}

/* Noted, as the thread may be on another node when it releases. */
#define	COHORT	(*node_of(n))

static void
cohort_acquire(struct lock *l, struct lock_node *n)
{
	COHORT = &((struct node *)l->lo_lines)[lock_numa_node(l)].n_cohort;
	CK_COHORT_LOCK(tickets, COHORT, NULL, NULL);
}

CK_LOCK(ck_cohort, "ck-cohort", "tickets in tickets, of the Concurrency Kit",
    cohort_acquire(l, n), CK_COHORT_UNLOCK(tickets, COHORT, NULL, NULL),
    ck_spinlock_ticket_locked(state_of(l)), .lc_init = cohort_init,
    .lc_flags = CK_FLAGS, .lc_knobs = LK_PASS_LIMIT | LK_NODES);
