/*
 * Cohort lock C-TKT-TKT: a ticket lock in each NUMA node below a global one.
 *
 * Paper: D. Dice, V. J. Marathe, N. Shavit, "Lock cohorting: a general
 * technique for designing NUMA locks", PPoPP 2012 and ACM TOPC 1(2), 2015.
 * Idea: a thread takes its node's lock, then the global one.  An owner whose
 * node has a waiter releases only the node's lock and leaves the global one to
 * that waiter, so lock and data stay in the node.  After rngsim.lock.pass_limit
 * such hand-overs it releases both: perhaps not the thread that took them.
 * Fairness: FIFO among nodes and within each, not among all; with n nodes at
 * most (n - 1) (limit + 1) owners come between two turns of a node.
 * Bytes: 8, and a line for each node.  Uncontended: two atomics, two stores.
 */
#include "lib/lock/ticket.h"

struct cohort_node {
	_Alignas(MACHINE_CACHE_LINE) struct ticket coh_local;
	/* Of the owner of coh_local. */
	bool		coh_inherited;	/* the global lock came with it */
	unsigned	coh_passes;	/* since the node got that */
};

/* The state is the global lock. */
struct acquisition {
	struct cohort_node *cha_node;	/* the thread may move to another */
	uint32_t	cha_ticket;
	bool		cha_local;	/* it has the node's lock */
};

LOCK_NODE(struct acquisition)

static struct cohort_node *
cohort_of(struct lock *l)
{
	return ((struct cohort_node *)l->lo_lines + lock_numa_node(l));
}

/* With the node's lock.  Returns: whether the global lock is taken, too. */
static bool
global_enter(struct lock *l, struct acquisition *ac)
{
	ac->cha_local = true;
	if (ac->cha_node->coh_inherited)
		return (true);
	ac->cha_node->coh_passes = 0;
	return (ticket_draw(state_of(l), &ac->cha_ticket));
}

static bool
cohort_enter(struct lock *l, struct lock_node *n)
{
	struct acquisition *ac = node_of(n);

	*ac = (struct acquisition){ .cha_node = cohort_of(l) };
	return (ticket_draw(&ac->cha_node->coh_local, &ac->cha_ticket) &&
	    global_enter(l, ac));
}

static void
cohort_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct acquisition *ac = node_of(n);

	if (!ac->cha_local) {
		ticket_await(&ac->cha_node->coh_local, ac->cha_ticket, w);
		if (global_enter(l, ac))
			return;
	}
	ticket_await(state_of(l), ac->cha_ticket, w);
}

/* The node's lock was free, so the global lock must be taken too. */
static bool
cohort_trylock(struct lock *l, struct lock_node *n)
{
	struct cohort_node *node = cohort_of(l);

	if (!ticket_try(&node->coh_local))
		return (false);
	MPASS(!node->coh_inherited);
	if (!ticket_try(state_of(l))) {
		ticket_release(&node->coh_local);
		return (false);
	}
	node->coh_passes = 0;
	node_of(n)->cha_node = node;
	return (true);
}

static void
cohort_unlock(struct lock *l, struct lock_node *n)
{
	struct cohort_node *node = node_of(n)->cha_node;
	struct ticket *t = &node->coh_local;

	MPASS(ticket_owned(l));
	/* A thread with a ticket cannot leave, so it takes the global lock. */
	node->coh_inherited = atomic_load_32(&t->t_next) -
	    atomic_load_32(&t->t_serving) > 1 &&
	    node->coh_passes < l->lo_config.pass_limit;
	if (node->coh_inherited)
		node->coh_passes++;
	else
		ticket_release(state_of(l));
	ticket_release(t);
}

LOCK_KIND(cohort, cohort, "cohort",
    "a ticket lock in each NUMA node, below another", "spin lock", LC_SPIN,
    LK_SPIN_POLLS | LK_PASS_LIMIT | LK_NODES,
    .lc_node_bytes = sizeof(struct cohort_node),
    .lc_trylock = cohort_trylock, .lc_owned = ticket_owned);
