/*
 * The thread that alone tells of keys, as long as there is one.
 *
 * It stores that it is at it and loads who is to be the one, with no barrier in
 * between, which each operation would pay for; the CPU may do these two in the
 * other order.  Who wants to be the one makes all threads of the process pay
 * instead, once: it stores that nobody is, has each CPU that runs one of them
 * finish what it stored, and only then looks whether the other is at it.  Where
 * the host does not do that for a process, all take locks.
 */
#include <sched.h>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "lib/ledger_impl.h"

/* Times that one thread follows another; after that there are several. */
enum { CLAIMS_MAX = 8 };

/* Returns: whether the host did it. */
static bool
all_finish_stores(bool prepare)
{
#if defined(__linux__) && defined(SYS_membarrier)
	return (syscall(SYS_membarrier, prepare ?
	    MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED :
	    MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
#else
	(void)prepare;
	return (false);
#endif
}

uintptr_t
ledger_sole_first(void)
{

	return (all_finish_stores(true) ? LEDGER_SOLE_NOBODY :
	    LEDGER_SOLE_NEVER);
}

void __attribute__((cold))
ledger_sole_claim(struct ledger *lg, struct ledger_thread *lt)
{
	const struct ledger_thread *other;
	uintptr_t next = (uintptr_t)lt, sole;
	bool done;

	ledger_lock(&lg->lg_sole_lock);
	sole = atomic_load_explicit(&lg->lg_sole, memory_order_acquire);
	if (sole != LEDGER_SOLE_NEVER && sole != (uintptr_t)lt) {
		if (sole != LEDGER_SOLE_NOBODY) {
			other = (const struct ledger_thread *)sole;
			atomic_store(&lg->lg_sole, LEDGER_SOLE_NOBODY);
			done = all_finish_stores(false);
			KASSERT(done, ("ledger: a barrier that was promised"));
			while (atomic_load_explicit(&other->lt_alone,
			    memory_order_acquire))
				sched_yield();
		}
		if (lg->lg_claims++ == CLAIMS_MAX)
			next = LEDGER_SOLE_NEVER;
		atomic_store_explicit(&lg->lg_sole, next, memory_order_release);
	}
	ledger_unlock(&lg->lg_sole_lock);
}
