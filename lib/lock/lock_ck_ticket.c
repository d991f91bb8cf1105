/*
 * The Concurrency Kit's ticket lock.  Idea and fairness: ticket
 * (lib/lock/lock_ticket.c).
 *
 * Bytes: 4 on x86, where both numbers are halves of one word; elsewhere 8.
 * Uncontended: on x86 an atomic each way, elsewhere one.
 */
#include "lib/lock/ck.h"

LOCK_STATE(ck_spinlock_ticket_t)
#ifdef CK_F_SPINLOCK_TICKET_TRYLOCK
CK_TRYLOCK(ck_ticket, ck_spinlock_ticket_trylock(state_of(l)));
#else
#define	ck_ticket_trylock	NULL
#endif
CK_LOCK(ck_ticket, "ck-ticket", "ticket, of the Concurrency Kit",
    ck_spinlock_ticket_lock(state_of(l)),
    ck_spinlock_ticket_unlock(state_of(l)),
    ck_spinlock_ticket_locked(state_of(l)),
    .lc_trylock = ck_ticket_trylock, .lc_flags = CK_FLAGS | LC_FIFO);
