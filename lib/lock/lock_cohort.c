/*
 * A cohort lock: a ticket lock for each NUMA node below a global ticket lock,
 * C-TKT-TKT.
 *
 * Paper: D. Dice, V. J. Marathe, N. Shavit, "Lock cohorting: a general
 * technique for designing NUMA locks", PPoPP 2012 and ACM TOPC 1(2), 2015.
 * Idea: a thread takes its node's lock, then the global one.  An owner whose
 * node has a waiter releases only the node's lock and leaves the global one to
 * that waiter, so lock and data stay in the node.  After rngsim.lock.pass_limit
 * such hand-overs it releases both.  The global lock may thus be released by
 * another thread than took it, which a ticket lock allows.
 * Fairness: FIFO among nodes and within each, not among all; with n nodes at
 * most (n - 1) (limit + 1) owners come between two turns of a node.
 * Bytes: 8, and a line for each node.  Uncontended: two atomics, two stores.
 */
#include "lib/lock/ticket.h"

struct cohort_node {
	_Alignas(MACHINE_CACHE_LINE)
	struct ticket	cn_local;
	/* Of the owner of cn_local. */
	bool		cn_inherited;	/* the global lock came with it */
	unsigned	cn_passes;	/* since the node got that */
};

/* The global lock; and the owner's node. */
LOCK_NODE(struct cohort_node *)

static struct cohort_node *
cohort_of(struct lock *l)
{
	return ((struct cohort_node *)l->lo_lines + lock_numa_node(l));
}

/* Tickets drawn and not served: the owner, and those behind it. */
static uint32_t
ticket_count(struct ticket *t)
{
	return (atomic_load_32(&t->t_next) - atomic_load_32(&t->t_serving));
}

static int
cohort_init(struct lock *l)
{
	return (lock_lines_init(l, lock_numa_nodes(l),
	    sizeof(struct cohort_node)));
}

static bool
cohort_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct cohort_node *node = cohort_of(l);
	struct lock_spin ls = lock_spin_init(l, w);
	bool contended = false;
	uint32_t ticket;

	*node_of(n) = node;
	if (!ticket_draw(&node->cn_local, &ticket)) {
		contended = true;
		lock_wait_begin(l, w);
		ticket_await(&node->cn_local, ticket, &ls);
	}
	if (!node->cn_inherited) {
		node->cn_passes = 0;
		if (!ticket_draw(state_of(l), &ticket)) {
			if (!contended)
				lock_wait_begin(l, w);
			contended = true;
			ticket_await(state_of(l), ticket, &ls);
		}
	}
	if (contended)
		lock_wait_end(w);
	return (contended);
}

/* The node's lock was free, so the global lock must be taken too. */
static bool
cohort_trylock(struct lock *l, struct lock_node *n)
{
	struct cohort_node *node = cohort_of(l);

	if (!ticket_try(&node->cn_local))
		return (false);
	MPASS(!node->cn_inherited);
	if (!ticket_try(state_of(l))) {
		ticket_release(&node->cn_local);
		return (false);
	}
	node->cn_passes = 0;
	*node_of(n) = node;
	return (true);
}

static void
cohort_unlock(struct lock *l, struct lock_node *n)
{
	struct cohort_node *node = *node_of(n);

	MPASS(ticket_owned(l));
	/* A thread with a ticket cannot leave, so it takes the global lock. */
	node->cn_inherited = ticket_count(&node->cn_local) > 1 &&
	    node->cn_passes < l->lo_config.pass_limit;
	if (node->cn_inherited)
		node->cn_passes++;
	else
		ticket_release(state_of(l));
	ticket_release(&node->cn_local);
}

LOCK_CLASS(cohort) = {
	.lc_name	= "cohort",
	.lc_descr	= "a ticket lock in each NUMA node, below another",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN,
	.lc_knobs	= LK_SPIN_POLLS | LK_PASS_LIMIT | LK_NODES,
	.lc_init	= cohort_init,
	.lc_lock	= cohort_lock,
	.lc_trylock	= cohort_trylock,
	.lc_unlock	= cohort_unlock,
	.lc_owned	= ticket_owned,
};
