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
 * Bytes: 8.  Uncontended: one atomic and one store; only the owner writes the
 * number being served.
 */
#include "lib/lock/ticket.h"

static void __attribute__((noinline))
ticket_wait(struct lock *l, uint32_t ticket, struct lock_wait *w)
{
	struct lock_spin ls = lock_spin_init(l, w);

	lock_wait_begin(l, w);
	ticket_await(state_of(l), ticket, &ls);
	lock_wait_end(w);
}

static bool
ticket_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	uint32_t ticket;

	(void)n;
	if (ticket_draw(state_of(l), &ticket))
		return (false);
	ticket_wait(l, ticket, w);
	return (true);
}

TICKET_CLASS(ticket, "ticket", "draw a number, wait until it is served",
    LK_SPIN_POLLS);
