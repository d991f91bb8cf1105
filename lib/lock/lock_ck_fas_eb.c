/*
 * The Concurrency Kit's fetch-and-store lock with exponential back-off.  Idea,
 * fairness and bytes: tas-backoff (lib/lock/lock_tas_backoff.c).  A waiter
 * counts in an empty loop before it tries again, to 512 at first and twice as
 * far each time, up to 2^20.
 */
#include "lib/lock/ck.h"

LOCK_STATE(ck_spinlock_fas_t)
CK_TRYLOCK(ck_fas_eb, ck_spinlock_fas_trylock(state_of(l)));
CK_LOCK(ck_fas_eb, "ck-fas-eb", "ck-fas with exponential back-off",
    ck_spinlock_fas_lock_eb(state_of(l)), ck_spinlock_fas_unlock(state_of(l)),
    ck_spinlock_fas_locked(state_of(l)),
    .lc_trylock = ck_fas_eb_trylock, .lc_flags = CK_FLAGS);
