/*
 * A reference count changed by compare-and-set, as Linux's lib/lockref.c does
 * while the lock beside the count is free.
 *
 * Idea: no exclusion.  A thread reads the word and tries to replace it; if
 * another was faster, again: cas_lockref of lockhammer.
 * Fairness: none; a thread may fail again and again, others then succeed.
 * Bytes: 4.  Uncontended: one atomic each way.
 */
#include "lib/lock/count.h"

static void
count_add(struct m32 *count, uint32_t n)
{
	uint32_t v;

	do {
		v = atomic_load_32(count);
	} while (!atomic_cmpset_acq_32(count, v, v + n));
}

COUNT_CLASS(lockref, "no exclusion: refcount by compare-and-set", "counter");
