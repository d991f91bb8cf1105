/*
 * Anderson's array lock.
 *
 * Paper: T. E. Anderson, "The performance of spin lock alternatives for
 * shared-memory multiprocessors", IEEE TPDS 1(1), 1990.
 * Idea: a ticket lock in which each ticket has a cache line of its own to wait
 * on, in a ring with one for each thread that may wait.  Releasing writes the
 * next ticket into its line, which one waiter reads.  Where the paper has a
 * flag to be cleared again, a line here holds the last ticket granted in it, so
 * neither a wrap nor two tickets in one line can be mistaken.
 * Fairness: FIFO.  One waiter without a CPU stops all behind it.
 * Bytes: 4, and a line for each thread, rounded up to a power of two, and one.
 * Uncontended: one atomic and one store.
 */
#include "lib/lock/spin.h"

struct slot {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	s_granted;	/* the last ticket here that was */
};

/* Read-only in use, and so not where the tickets are drawn. */
struct ring {
	_Alignas(MACHINE_CACHE_LINE)
	uint32_t	r_mask;
	struct slot	r_slots[];
};

/* The next ticket to be drawn; and the owner's. */
LOCK_STATE(struct m32)
LOCK_NODE(uint32_t)

static struct m32 *
slot_of(struct lock *l, uint32_t ticket)
{
	struct ring *r = l->lo_lines;

	return (&r->r_slots[ticket & r->r_mask].s_granted);
}

/* Lines are zero: ticket 0 is granted, in its own line only. */
static int
anderson_init(struct lock *l)
{
	uint32_t n = 1;
	int error;

	while (n < l->lo_config.threads)
		n *= 2;
	error = lock_lines_init(l, n + 1, MACHINE_CACHE_LINE);
	if (error != 0)
		return (error);
	((struct ring *)l->lo_lines)->r_mask = n - 1;
	for (uint32_t i = 0; i < n; i++)
		atomic_init_32(slot_of(l, i), 0);
	return (0);
}

/* The next ticket is granted exactly while the lock is free. */
static bool
anderson_owned(struct lock *l)
{
	uint32_t next = machine_note_load_32(state_of(l));

	return (machine_note_load_32(slot_of(l, next)) != next);
}

static void __attribute__((noinline))
anderson_wait(struct lock *l, uint32_t ticket, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);
	struct m32 *slot = slot_of(l, ticket);

	lock_wait_begin(l, w);
	while (atomic_load_acq_32(slot) != ticket)
		lock_spin_is_32(&ls, slot, ticket);
	lock_wait_end(w);
}

static bool
anderson_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	uint32_t ticket;

	ticket = atomic_fetchadd_32(state_of(l), 1);
	*node_of(n) = ticket;
	if (atomic_load_acq_32(slot_of(l, ticket)) == ticket)
		return (false);
	anderson_wait(l, ticket, w);
	return (true);
}

static bool
anderson_trylock(struct lock *l, struct lock_node *n)
{
	uint32_t ticket;

	ticket = atomic_load_32(state_of(l));
	if (atomic_load_acq_32(slot_of(l, ticket)) != ticket ||
	    !atomic_cmpset_acq_32(state_of(l), ticket, ticket + 1))
		return (false);
	*node_of(n) = ticket;
	return (true);
}

static void
anderson_unlock(struct lock *l, struct lock_node *n)
{
	uint32_t ticket = *node_of(n);

	MPASS(machine_note_load_32(slot_of(l, ticket)) == ticket);
	atomic_store_rel_32(slot_of(l, ticket + 1), ticket + 1);
}

LOCK_CLASS(anderson) = {
	.lc_name	= "anderson",
	.lc_descr	= "ticket; each number waits on its own line",
	.lc_type	= "spin lock",
	.lc_flags	= LC_EXCLUDES | LC_SPIN | LC_FIFO,
	.lc_knobs	= LK_SPIN_POLLS,
	.lc_init	= anderson_init,
	.lc_lock	= anderson_lock,
	.lc_trylock	= anderson_trylock,
	.lc_unlock	= anderson_unlock,
	.lc_owned	= anderson_owned,
};
