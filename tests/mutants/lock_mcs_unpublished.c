/*
 * MCS, whose swap is no release: on Arm a thread's empty link may reach memory
 * after its successor has written there, which then waits for ever.
 */
#define	MUTANT	mutant_lock_mcs_unpublished
#include "tests/mutants/mutant.h"
#include "lib/lock/lock.h"

#define	virtual_lock_mcs	MUTANT_OWN(lock)
#define	atomic_swap_acq_rel_ptr	atomic_swap_acq_ptr
extern const struct lock_class MUTANT_OWN(lock);
#include "lib/lock/lock_mcs.c"
