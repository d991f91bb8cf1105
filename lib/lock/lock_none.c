/*
 * No lock at all: the null member of the family.
 *
 * Idea: nothing.  Measures what the harness costs without a lock; the contract
 * test must find that it does not exclude.
 * Fairness: none needed.  Bytes: 0.  Uncontended: one indirect call.
 */
#include "lib/lock/count.h"

static void
count_add(struct m32 *count __unused, uint32_t n __unused)
{
}

COUNT_CLASS(none, "no exclusion, readers share nothing: the harness",
    "no lock");
