/*
 * MCS, whose swap is no release: on Arm a thread's empty link may reach memory
 * after its successor has written there, which then waits for ever.
 */
#include "lib/lock/lock.h"

#define	virtual_lock_mcs	mutant_lock_mcs_unpublished_lock
#define	atomic_swap_acq_rel_ptr	atomic_swap_acq_ptr
extern const struct lock_class mutant_lock_mcs_unpublished_lock;
#include "lib/lock/lock_mcs.c"
