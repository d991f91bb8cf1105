/*
 * Ticket lock.
 *
 * Papers: D. P. Reed, R. K. Kanodia, "Synchronization with eventcounts and
 * sequencers", CACM 22(2), 1979; as a spin lock J. M. Mellor-Crummey,
 * M. L. Scott, "Algorithms for scalable synchronization on shared-memory
 * multiprocessors", ACM TOCS 9(1), 1991.
 * Idea: a thread draws the next number with one fetch-and-add and waits until
 * that number is served; a release serves the next.  Numbers may wrap.  All
 * waiters read the same word, so each release sends the line to all of them.
 * Fairness: FIFO.  One waiter without a CPU stops all behind it.
 * Bytes: 8.  Uncontended: one atomic, and a store of the owner alone: of the
 * number being served.
 */
#include "lib/lock/ticket.h"

TICKET_NODE

static void
ticket_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	ticket_await(state_of(l), *node_of(n), w);
}

TICKET_CLASS(ticket, "ticket", "draw a number, wait until it is served",
    LK_SPIN_POLLS);
