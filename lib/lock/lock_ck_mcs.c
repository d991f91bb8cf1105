/*
 * The Concurrency Kit's MCS lock.  Idea, fairness and bytes: mcs
 * (lib/lock/lock_mcs.c).
 */
#include "lib/lock/ck.h"

LOCK_STATE(ck_spinlock_mcs_t)
LOCK_NODE(ck_spinlock_mcs_context_t)
CK_TRYLOCK(ck_mcs, ck_spinlock_mcs_trylock(state_of(l), node_of(n)));
CK_LOCK(ck_mcs, "ck-mcs", "MCS, of the Concurrency Kit",
    ck_spinlock_mcs_lock(state_of(l), node_of(n)),
    ck_spinlock_mcs_unlock(state_of(l), node_of(n)),
    ck_spinlock_mcs_locked(state_of(l)),
    .lc_trylock = ck_mcs_trylock, .lc_flags = CK_FLAGS | LC_FIFO);
