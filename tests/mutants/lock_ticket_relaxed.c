/*
 * Tickets, served with a relaxed store.
 */
#define	MUTANT	mutant_lock_ticket_relaxed
#include "tests/mutants/mutant.h"
#include "lib/lock/spin.h"

#define	virtual_lock_ticket	MUTANT_OWN(lock)
#define	atomic_store_rel_32	atomic_store_32
extern const struct lock_class MUTANT_OWN(lock);
#include "lib/lock/lock_ticket.c"
