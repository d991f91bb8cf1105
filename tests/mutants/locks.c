/*
 * Locks with one fault each, rows of mutant.tbl, in place of mtx(9).
 */
#include "lib/lock/lock.h"
#include "lib/lock/spin.h"

enum {
	SELDOM		= 1 << 10,
	SLOTS		= 64
};

/* Zero at first. */
struct broken {
	struct m32	b_word;
	struct m32	b_other;
	union {
		struct mptr	b_list;
		struct m32	b_flag[8];
	};
	struct mthread	*b_owner;	/* the last one */
};

struct waiter {
	struct mptr	wa_next;
	struct m32	wa_granted;
};

LOCK_STATE(struct broken)
LOCK_NODE(struct waiter)

static bool
broken_owned(struct lock *l)
{
	return (state_of(l)->b_owner == machine_curthread());
}

static void
broken_fini(struct lock *l)
{
	KASSERT(state_of(l)->b_owner == NULL, ("%s is owned", l->lo_name));
}

static bool
broken_enter(struct lock *l __unused, struct lock_node *n __unused)
{
	return (false);
}

/*
 * The class of a lock from its functions name_wait() and unlock_KIND().  What
 * follows replaces members.
 */
#define	BROKEN(name, flags, kind, ...)					\
	static void							\
	name##_owner_wait(struct lock *l, struct lock_node *n,		\
	    struct lock_wait *w)					\
	{								\
									\
		name##_wait(state_of(l), n, w);				\
		state_of(l)->b_owner = machine_curthread();		\
	}								\
									\
	static void							\
	name##_owner_unlock(struct lock *l, struct lock_node *n)	\
	{								\
									\
		(void)n;						\
		state_of(l)->b_owner = NULL;				\
		unlock_##kind(l, state_of(l));				\
	}								\
									\
	extern const struct lock_class mutant_lock_##name##_lock;	\
	const struct lock_class mutant_lock_##name##_lock = {		\
		.lc_name	= "mtx",				\
		.lc_flags	= LC_EXCLUDES | (flags),		\
		.lc_knobs	= LK_SPIN_POLLS,			\
		.lc_wait	= name##_owner_wait,			\
		.lc_unlock	= name##_owner_unlock,			\
		__VA_ARGS__						\
	}

#define	RIGHT_ENTER	.lc_enter = broken_enter
#define	RIGHT_OWNER	.lc_fini = broken_fini, .lc_owned = broken_owned

/* How a lock begins to be waited for. */
#define	WAIT(name)							\
static void								\
name##_wait(struct broken *b __attribute__((unused)),			\
    struct lock_node *n __attribute__((unused)),			\
    struct lock_wait *w __attribute__((unused)))

#define	UNLOCK(kind)							\
static void								\
unlock_##kind(struct lock *l __attribute__((unused)), struct broken *b)

UNLOCK(word)
{
	atomic_store_rel_32(&b->b_word, 0);
}

UNLOCK(ticket)
{
	atomic_fetchadd_rel_32(&b->b_other, 1);
}

static bool
take(struct broken *b)
{
	return (atomic_cmpset_acq_32(&b->b_word, 0, 1));
}

WAIT(word)
{
	while (!take(b))
		lock_spin_32(w, &b->b_word, 1);
}

/* It looks and takes in two steps. */
WAIT(split)
{
	while (atomic_load_acq_32(&b->b_word) != 0)
		lock_spin_32(w, &b->b_word, 1);
	atomic_store_32(&b->b_word, 1);
}

BROKEN(split, LC_SPIN, word, RIGHT_ENTER, RIGHT_OWNER);

/* The dispenser loses a number when two draw at once. */
WAIT(ticket_lost)
{
	const uint32_t ticket = atomic_load_32(&b->b_word);

	atomic_store_32(&b->b_word, ticket + 1);
	while (atomic_load_acq_32(&b->b_other) != ticket)
		lock_spin_is_32(w, &b->b_other, ticket);
}

BROKEN(ticket_lost, LC_SPIN | LC_FIFO, ticket, RIGHT_ENTER, RIGHT_OWNER);

/* It lets two in. */
WAIT(two)
{
	uint32_t inside;

	while ((inside = atomic_load_32(&b->b_word)) >= 2 ||
	    !atomic_cmpset_acq_32(&b->b_word, inside, inside + 1))
		lock_spin_32(w, &b->b_word, inside);
}

UNLOCK(two)
{
	atomic_fetchadd_rel_32(&b->b_word, (uint32_t)-1);
}

BROKEN(two, LC_SPIN, two, RIGHT_ENTER, RIGHT_OWNER);

/* It looks for sleepers before it is free: one may fall asleep meanwhile. */
WAIT(wake_lost)
{
	while (!take(b)) {
		atomic_fetchadd_32(&b->b_other, 1);
		machine_wait_32(&b->b_word, 1, -1);
		atomic_fetchadd_32(&b->b_other, (uint32_t)-1);
	}
}

UNLOCK(wake_lost)
{
	const bool sleepers = atomic_load_32(&b->b_other) != 0;

	atomic_store_rel_32(&b->b_word, 0);
	if (sleepers)
		machine_wake_32(&b->b_word);
}

BROKEN(wake_lost, LC_SLEEPS, wake_lost, RIGHT_ENTER, RIGHT_OWNER);

/* It is handed over to a waiter that has left. */
WAIT(hand_over_lost)
{
	atomic_fetchadd_32(&b->b_other, 1);
	while (atomic_swap_acq_32(&b->b_word, 1) == 1)
		lock_spin_32(w, &b->b_word, 1);
	atomic_fetchadd_32(&b->b_other, (uint32_t)-1);
}

UNLOCK(hand_over_lost)
{
	atomic_store_rel_32(&b->b_word,
	    atomic_load_32(&b->b_other) > 1 ? 1 : 0);
}

BROKEN(hand_over_lost, LC_SPIN, hand_over_lost, RIGHT_ENTER, RIGHT_OWNER);

/* It stops waiting after 200 polls. */
WAIT(gives_up)
{
	for (unsigned polls = 0; !take(b) && polls < 200; polls++)
		machine_pause(1);
}

BROKEN(gives_up, LC_SPIN, word, RIGHT_ENTER, RIGHT_OWNER);

/* Waiters are on a stack: the last to come is served first. */
static bool
stack_enter(struct lock *l, struct lock_node *n __unused)
{
	struct broken *b = state_of(l);

	/* b_word: the owner and all that wait. */
	if (atomic_fetchadd_32(&b->b_word, 1) != 0)
		return (false);
	/* The last release: it is what that has read. */
	(void)atomic_load_acq_32(&b->b_word);
	b->b_owner = machine_curthread();
	return (true);
}

WAIT(stack)
{
	struct waiter *me = node_of(n);
	uintptr_t top;

	atomic_init_32(&me->wa_granted, 0);
	do {
		top = atomic_load_ptr(&b->b_list);
		atomic_init_ptr(&me->wa_next, top);
	} while (!atomic_cmpset_rel_ptr(&b->b_list, top, (uintptr_t)me));
	while (atomic_load_acq_32(&me->wa_granted) == 0)
		lock_spin_32(w, &me->wa_granted, 0);
}

/* Only an owner takes from the stack, so its top cannot come back. */
UNLOCK(stack)
{
	struct lock_wait w = lock_wait_init(l);
	struct waiter *top;

	if (atomic_fetchadd_rel_32(&b->b_word, (uint32_t)-1) == 1)
		return;
	do {
		while ((top = (struct waiter *)atomic_load_acq_ptr(
		    &b->b_list)) == NULL)
			lock_spin_ptr(&w, &b->b_list, 0);
	} while (!atomic_cmpset_acq_ptr(&b->b_list, (uintptr_t)top,
	    atomic_load_ptr(&top->wa_next)));
	atomic_store_rel_32(&top->wa_granted, 1);
}

BROKEN(stack, LC_SPIN | LC_FIFO, stack, .lc_enter = stack_enter, RIGHT_OWNER);

/* A queue that a thread jumps when it finds the lock free. */
static bool
barges_enter(struct lock *l, struct lock_node *n __unused)
{
	if (!take(state_of(l)))
		return (false);
	state_of(l)->b_owner = machine_curthread();
	return (true);
}

WAIT(barges)
{
	uint32_t ticket;

	/* b_list counts the tickets, b_other those that were served. */
	do
		ticket = (uint32_t)atomic_load_ptr(&b->b_list);
	while (!atomic_cmpset_acq_ptr(&b->b_list, ticket, ticket + 1));
	while (atomic_load_acq_32(&b->b_other) != ticket)
		lock_spin_is_32(w, &b->b_other, ticket);
	word_wait(b, n, w);
	atomic_fetchadd_rel_32(&b->b_other, 1);
}

BROKEN(barges, LC_SPIN | LC_FIFO, word, .lc_enter = barges_enter, RIGHT_OWNER);

/* Trying gets a lock that another has. */
static bool
try_eagerly(struct lock *l __unused, struct lock_node *n __unused)
{
	return (true);
}

#define	try_eager_wait	word_wait
BROKEN(try_eager, LC_SPIN, word, RIGHT_ENTER, RIGHT_OWNER,
    .lc_trylock = try_eagerly);

/* One try in SELDOM gets a lock that another has; or not one that is free. */
static bool
try_rarely_wrong(struct lock *l, bool lie)
{
	static uint32_t tries;
	struct broken *b = state_of(l);

	if (++tries % SELDOM == 0)
		return (lie);
	if (!take(b))
		return (false);
	b->b_owner = machine_curthread();
	return (true);
}

static bool
try_lies(struct lock *l, struct lock_node *n __unused)
{
	return (try_rarely_wrong(l, true));
}

static bool
try_gives_up(struct lock *l, struct lock_node *n __unused)
{
	return (try_rarely_wrong(l, false));
}

#define	try_lie_wait	word_wait
BROKEN(try_lie, LC_SPIN, word, RIGHT_ENTER, RIGHT_OWNER,
    .lc_trylock = try_lies);

#define	try_shy_wait	word_wait
BROKEN(try_shy, LC_SPIN, word, RIGHT_ENTER, RIGHT_OWNER,
    .lc_trylock = try_gives_up);

/* One wait in SELDOM does not wait. */
WAIT(seldom)
{
	static uint32_t waits;

	if (++waits % SELDOM != 0)
		word_wait(b, n, w);
}

BROKEN(seldom, LC_SPIN, word, .lc_enter = barges_enter, RIGHT_OWNER);

/* As lock_stack, but it does not claim an order. */
#define	lifo_wait	stack_wait
#define	unlock_lifo	unlock_stack
BROKEN(lifo, LC_SPIN, lifo, .lc_enter = stack_enter, RIGHT_OWNER);

/* A ticket lock whose numbers begin again after 64: of two, both get in. */
WAIT(slots)
{
	const uint32_t ticket = atomic_fetchadd_32(&b->b_word, 1) % SLOTS;
	uint32_t served;

	while ((served = atomic_load_acq_32(&b->b_other)) % SLOTS != ticket)
		lock_spin_32(w, &b->b_other, served);
}

BROKEN(slots, LC_SPIN | LC_FIFO, ticket, RIGHT_ENTER, RIGHT_OWNER);

/* It does not record its owner. */
static bool
owned_by_any(struct lock *l __unused)
{
	return (true);
}

static void
fini_any(struct lock *l __unused)
{
}

#define	blind_wait	word_wait
BROKEN(blind, LC_SPIN, word, RIGHT_ENTER, .lc_fini = fini_any,
    .lc_owned = owned_by_any);

/* A ticket lock whose waiters keep their CPUs from its owner. */
WAIT(never_yields)
{
	const uint32_t ticket = atomic_fetchadd_32(&b->b_word, 1);

	while (atomic_load_acq_32(&b->b_other) != ticket)
		machine_await_is_32(&b->b_other, ticket, 0);
}

BROKEN(never_yields, LC_SPIN | LC_FIFO, ticket, RIGHT_ENTER, RIGHT_OWNER);

/*
 * Burns' and Lamport's lock of one flag for each thread, as Dekker's and
 * Peterson's without a fence between the own flag's store and the loads of the
 * others': right where memory is sequentially consistent.
 */
static void
await_down(struct m32 *flag, struct lock_wait *w)
{
	while (atomic_load_acq_32(flag) != 0)
		lock_spin_is_32(w, flag, 0);
}

WAIT(flags)
{
	const unsigned self = machine_curthread()->mt_index;
	unsigned i;

	do {
		atomic_store_rel_32(&b->b_flag[self], 0);
		for (i = 0; i < self; i++)
			await_down(&b->b_flag[i], w);
		atomic_store_rel_32(&b->b_flag[self], 1);
		for (i = 0; i < self; i++)
			if (atomic_load_acq_32(&b->b_flag[i]) != 0)
				break;
	} while (i < self);
	for (i = self + 1; i < sizeof(b->b_flag) / sizeof(b->b_flag[0]); i++)
		await_down(&b->b_flag[i], w);
}

UNLOCK(flags)
{
	atomic_store_rel_32(&b->b_flag[machine_curthread()->mt_index], 0);
}

BROKEN(flags, LC_SPIN, flags, RIGHT_ENTER, RIGHT_OWNER);
