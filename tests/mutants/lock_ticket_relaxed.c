/*
 * Tickets, served with a relaxed store.
 */
#include "lib/lock/spin.h"

#define	virtual_lock_ticket	mutant_lock_ticket_relaxed_lock
#define	atomic_store_rel_32	atomic_store_32
extern const struct lock_class mutant_lock_ticket_relaxed_lock;
#include "lib/lock/lock_ticket.c"
