/*
 * Anderson's array lock.
 *
 * Paper: T. E. Anderson, "The performance of spin lock alternatives for
 * shared-memory multiprocessors", IEEE TPDS 1(1), 1990.
 * Idea: a ticket lock in which each ticket has a cache line of its own to wait
 * on, in a ring with one for each thread that may wait.  Releasing writes the
 * next ticket into its line.  Where the paper has a flag to be cleared again, a
 * line here holds the last ticket granted in it, so that no wrap is mistaken.
 * Fairness: FIFO.  One waiter without a CPU stops all behind it.
 * Bytes: 4, and a line for each thread, rounded up to a power of two.
 * Uncontended: one atomic and one store.
 */
#include "lib/lock/spin.h"

struct slot {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	as_granted;	/* the last ticket here that was */
};

/* The next ticket to be drawn; and the owner's. */
LOCK_STATE(struct m32)
LOCK_NODE(uint32_t)

static struct m32 *
slot_of(struct lock *l, uint32_t ticket)
{
	struct slot *slots = l->lo_lines;

	return (&slots[ticket & (l->lo_config.threads - 1)].as_granted);
}

/* Lines are zero: ticket 0 is granted, in its own line only. */
static void
anderson_init(struct lock *l)
{
	uint32_t n = 1;

	while (n < l->lo_config.threads)
		n *= 2;
	lock_lines_init(l, n, sizeof(struct slot));
	l->lo_config.threads = n;
	for (uint32_t i = 0; i < n; i++)
		atomic_init_32(slot_of(l, i), 0);
}

/* The next ticket is granted exactly while the lock is free. */
static bool
anderson_owned(struct lock *l)
{
	uint32_t next = machine_note_load_32(state_of(l));

	return (machine_note_load_32(slot_of(l, next)) != next);
}

static bool
anderson_enter(struct lock *l, struct lock_node *n)
{
	const uint32_t ticket = atomic_fetchadd_32(state_of(l), 1);

	*node_of(n) = ticket;
	return (atomic_load_acq_32(slot_of(l, ticket)) == ticket);
}

static void
anderson_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	const uint32_t ticket = *node_of(n);
	struct m32 *slot = slot_of(l, ticket);

	while (atomic_load_acq_32(slot) != ticket)
		lock_spin_is_32(w, slot, ticket);
}

static bool
anderson_trylock(struct lock *l, struct lock_node *n)
{
	uint32_t ticket = atomic_load_32(state_of(l));

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

LOCK_KIND(anderson, anderson, "anderson",
    "ticket; each number waits on its own line", "spin lock",
    LC_QUEUE | LC_FIFO, LK_SPIN_POLLS, .lc_init = anderson_init,
    .lc_trylock = anderson_trylock, .lc_owned = anderson_owned);
