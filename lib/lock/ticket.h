/* Tickets: what ticket locks and the cohort lock share. */
#pragma once

#include "lib/lock/spin.h"

struct ticket {
	struct m32	t_next;		/* the dispenser */
	struct m32	t_serving;
};

LOCK_STATE(struct ticket)

/* Draws a ticket.  Returns: whether it is served now. */
static inline bool
ticket_draw(struct ticket *t, uint32_t *ticket)
{
	*ticket = atomic_fetchadd_32(&t->t_next, 1);
	return (atomic_load_acq_32(&t->t_serving) == *ticket);
}

static inline void
ticket_await(struct ticket *t, uint32_t ticket, struct lock_wait *w)
{
	while (atomic_load_acq_32(&t->t_serving) != ticket)
		lock_spin_is_32(w, &t->t_serving, ticket);
}

/* Draws the number being served if it is not drawn yet. */
static inline bool
ticket_try(struct ticket *t)
{
	uint32_t serving = atomic_load_acq_32(&t->t_serving);

	return (atomic_load_32(&t->t_next) == serving &&
	    atomic_cmpset_acq_32(&t->t_next, serving, serving + 1));
}

static inline void
ticket_release(struct ticket *t)
{
	atomic_store_rel_32(&t->t_serving, atomic_load_32(&t->t_serving) + 1);
}

/* Functions of a class, on the ticket in the lock's state. */
static inline bool
ticket_trylock(struct lock *l, struct lock_node *n __unused)
{
	return (ticket_try(state_of(l)));
}

static inline bool
ticket_owned(struct lock *l)
{
	return (machine_note_load_32(&state_of(l)->t_next) !=
	    machine_note_load_32(&state_of(l)->t_serving));
}

static inline void
ticket_unlock(struct lock *l, struct lock_node *n __unused)
{
	MPASS(ticket_owned(l));
	ticket_release(state_of(l));
}

/* Before its wait function: an acquisition is a ticket. */
#define	TICKET_NODE							\
LOCK_NODE(uint32_t)							\
									\
static bool								\
ticket_enter(struct lock *l, struct lock_node *n)			\
{									\
	return (ticket_draw(state_of(l), node_of(n)));			\
}

#define	TICKET_CLASS(kind, name, descr, knobs)				\
	LOCK_KIND(kind, ticket, name, descr, "spin lock",		\
	    LC_SPIN | LC_FIFO, knobs, .lc_trylock = ticket_trylock,	\
	    .lc_owned = ticket_owned)
