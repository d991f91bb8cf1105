/*
 * MCS, whose hand-over is a relaxed store: right on an x86, and on Arm the next
 * owner may not see what the last one wrote.
 */
#include "lib/lock/spin.h"

#define	virtual_lock_mcs	mutant_lock_mcs_relaxed_lock
#define	atomic_store_rel_32	atomic_store_32
extern const struct lock_class mutant_lock_mcs_relaxed_lock;
#include "lib/lock/lock_mcs.c"
