/*
 * The Concurrency Kit's fetch-and-store lock.  Idea, fairness and bytes: tas
 * (lib/lock/lock_tas.c).
 */
#include "lib/lock/ck.h"

LOCK_STATE(ck_spinlock_fas_t)
CK_TRYLOCK(ck_fas, ck_spinlock_fas_trylock(state_of(l)));
CK_LOCK(ck_fas, "ck-fas", "test-and-set, of the Concurrency Kit",
    ck_spinlock_fas_lock(state_of(l)), ck_spinlock_fas_unlock(state_of(l)),
    ck_spinlock_fas_locked(state_of(l)),
    .lc_trylock = ck_fas_trylock, .lc_flags = CK_FLAGS);
