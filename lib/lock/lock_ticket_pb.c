/*
 * Ticket lock with proportional back-off.
 *
 * Paper: J. M. Mellor-Crummey, M. L. Scott, "Algorithms for scalable
 * synchronization on shared-memory multiprocessors", ACM TOCS 9(1), 1991.
 * Idea: a ticket lock where a waiter pauses for each waiter ahead of it
 * (rngsim.lock.ticket_pauses) before it looks again, so that the line is read
 * about once in a hand-over.  With too many pauses the lock is idle.
 * Fairness: FIFO, as ticket.
 * Bytes: 8.  Uncontended: one atomic and one store.
 */
#include "lib/lock/ticket.h"

TICKET_NODE

static void
ticket_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct m32 *serving = &state_of(l)->t_serving;
	uint32_t ahead;

	while ((ahead = *node_of(n) - atomic_load_acq_32(serving)) != 0)
		lock_spin_pause(w, ahead * l->lo_config.ticket_pauses);
}

TICKET_CLASS(ticket_pb, "ticket-pb",
    "ticket; a distant waiter polls less often",
    LK_SPIN_POLLS | LK_TICKET_PAUSES);
