/*
 * A reference count: fetch-and-add up, and down again.
 *
 * Idea: no exclusion; two atomics on one line are all there is.  They measure
 * what an atomic on a contended line costs: incdec_refcount of lockhammer.
 * Fairness: none needed.  Bytes: 4.  Uncontended: one atomic each way.
 */
#include "lib/lock/count.h"

static void
count_add(struct m32 *count, uint32_t n)
{
	atomic_fetchadd_32(count, n);
}

COUNT_CLASS(refcount, "no exclusion: a count goes up and down", "counter");
