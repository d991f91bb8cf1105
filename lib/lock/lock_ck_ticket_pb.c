/*
 * The Concurrency Kit's ticket lock with proportional back-off.  Idea and
 * fairness: ticket-pb (lib/lock/lock_ticket_pb.c); bytes: ck-ticket.  Between
 * two looks a waiter counts in an empty loop, 2^c times for each waiter ahead
 * of it; c is 0 here, as in the kit's own tests.
 */
#include "lib/lock/ck.h"

LOCK_STATE(ck_spinlock_ticket_t)
#ifdef CK_F_SPINLOCK_TICKET_TRYLOCK
CK_TRYLOCK(ck_ticket_pb, ck_spinlock_ticket_trylock(state_of(l)));
#else
#define	ck_ticket_pb_trylock	NULL
#endif
CK_LOCK(ck_ticket_pb, "ck-ticket-pb",
    "ck-ticket; a distant waiter polls less often",
    ck_spinlock_ticket_lock_pb(state_of(l), 0),
    ck_spinlock_ticket_unlock(state_of(l)),
    ck_spinlock_ticket_locked(state_of(l)),
    .lc_trylock = ck_ticket_pb_trylock, .lc_flags = CK_FLAGS | LC_FIFO);
