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
 * another thread than took it, which a ticket lock does not mind.
 * Fairness: FIFO among nodes and within each, not among all; with n nodes at
 * most (n - 1) (limit + 1) owners come between two turns of a node.
 * Bytes: 8, and a line for each node.  Uncontended: two atomics, two stores.
 */
#include "lib/lock.h"
#include "lib/lock_spin.h"

struct ticket {
	struct m32	t_next;		/* the dispenser */
	struct m32	t_serving;
};

struct cohort_node {
	_Alignas(MACHINE_CACHE_LINE)
	struct ticket	cn_local;
	/* Of the owner of cn_local. */
	bool		cn_inherited;	/* the global lock came with it */
	unsigned	cn_passes;	/* since the node got that */
};

struct cohort {
	struct ticket	co_global;
};

/* What the owner needs in order to release. */
struct cohort_hold {
	struct cohort_node *ch_node;
};

LOCK_STATE_FITS(struct cohort);
LOCK_NODE_FITS(struct cohort_hold);

static struct ticket *
global_of(struct lock *l)
{

	return (&((struct cohort *)(void *)l->lo_state)->co_global);
}

static struct cohort_hold *
hold_of(struct lock_node *n)
{

	return ((struct cohort_hold *)(void *)n->ln_state);
}

static struct cohort_node *
node_of(struct lock *l)
{

	return ((struct cohort_node *)l->lo_lines + lock_numa_node(l));
}

static void
ticket_init(struct ticket *t)
{

	atomic_init_32(&t->t_next, 0);
	atomic_init_32(&t->t_serving, 0);
}

/* Whether it is my ticket's turn already. */
static bool
ticket_draw(struct ticket *t, uint32_t *ticket)
{

	*ticket = atomic_fetchadd_32(&t->t_next, 1);
	return (atomic_load_acq_32(&t->t_serving) == *ticket);
}

static void
ticket_await(struct ticket *t, uint32_t ticket, struct lock_spin *ls)
{

	while (atomic_load_acq_32(&t->t_serving) != ticket)
		lock_spin_is_32(ls, &t->t_serving, ticket);
}

static bool
ticket_try(struct ticket *t)
{
	uint32_t serving;

	serving = atomic_load_acq_32(&t->t_serving);
	return (atomic_load_32(&t->t_next) == serving &&
	    atomic_cmpset_acq_32(&t->t_next, serving, serving + 1));
}

/* Tickets drawn and not served: the owner, and those behind it. */
static uint32_t
ticket_count(struct ticket *t)
{

	return (atomic_load_32(&t->t_next) - atomic_load_32(&t->t_serving));
}

static void
ticket_release(struct ticket *t)
{

	atomic_store_rel_32(&t->t_serving, atomic_load_32(&t->t_serving) + 1);
}

static int
cohort_init(struct lock *l)
{
	unsigned i, nodes = lock_numa_nodes(l);
	struct cohort_node *node;
	int error;

	error = lock_lines_init(l, nodes, sizeof(*node));
	if (error != 0)
		return (error);
	node = l->lo_lines;
	for (i = 0; i < nodes; i++)
		ticket_init(&node[i].cn_local);
	ticket_init(global_of(l));
	return (0);
}

static bool
cohort_owned(struct lock *l)
{
	struct ticket *t = global_of(l);

	return (machine_note_load_32(&t->t_next) !=
	    machine_note_load_32(&t->t_serving));
}

static void
cohort_fini(struct lock *l)
{

	KASSERT(!cohort_owned(l), ("%s is owned", l->lo_name));
}

static bool
cohort_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct cohort_node *node = node_of(l);
	struct lock_spin ls = lock_spin_init(l, w);
	bool contended = false;
	uint32_t ticket;

	hold_of(n)->ch_node = node;
	if (!ticket_draw(&node->cn_local, &ticket)) {
		contended = true;
		lock_wait_begin(l, w);
		ticket_await(&node->cn_local, ticket, &ls);
	}
	if (!node->cn_inherited) {
		node->cn_passes = 0;
		if (!ticket_draw(global_of(l), &ticket)) {
			if (!contended)
				lock_wait_begin(l, w);
			contended = true;
			ticket_await(global_of(l), ticket, &ls);
		}
	}
	if (contended)
		lock_wait_end(w);
	return (contended);
}

/* A node's lock that was free came without the global one. */
static bool
cohort_trylock(struct lock *l, struct lock_node *n)
{
	struct cohort_node *node = node_of(l);

	if (!ticket_try(&node->cn_local))
		return (false);
	MPASS(!node->cn_inherited);
	if (!ticket_try(global_of(l))) {
		ticket_release(&node->cn_local);
		return (false);
	}
	node->cn_passes = 0;
	hold_of(n)->ch_node = node;
	return (true);
}

static void
cohort_unlock(struct lock *l, struct lock_node *n)
{
	struct cohort_node *node = hold_of(n)->ch_node;

	MPASS(cohort_owned(l));
	/* Who has drawn a ticket cannot leave: it will take what is left it. */
	node->cn_inherited = ticket_count(&node->cn_local) > 1 &&
	    node->cn_passes < l->lo_config.pass_limit;
	if (node->cn_inherited)
		node->cn_passes++;
	else
		ticket_release(global_of(l));
	ticket_release(&node->cn_local);
}

LOCK_CLASS(cohort) = {
	.lc_name	= "cohort",
	.lc_descr	= "a ticket lock in each NUMA node, below another",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN,
	.lc_knobs	= LK_SPIN_POLLS | LK_PASS_LIMIT | LK_NODES,
	.lc_init	= cohort_init,
	.lc_fini	= cohort_fini,
	.lc_lock	= cohort_lock,
	.lc_trylock	= cohort_trylock,
	.lc_unlock	= cohort_unlock,
	.lc_owned	= cohort_owned,
};
