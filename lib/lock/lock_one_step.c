/*
 * A lock for "explore --exhaustive": as tas, but without a limit of polls an
 * acquisition awaits the free word before it swaps.  Where all schedules are
 * run that is one step, which cannot be chosen before the lock is free; so
 * nothing of the lock is explored but who comes next.
 * Fairness: none.
 * Bytes: 4.  Uncontended: one atomic and one store.
 */
#define	TAS_AWAITS	(l->lo_config.spin_polls == 0)

#include "lib/lock/tas.h"

TAS_CLASS(one_step, "one-step", "tas, as one step of explore --exhaustive",
    LK_SPIN_POLLS);
