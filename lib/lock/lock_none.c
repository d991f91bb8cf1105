/*
 * No lock at all: the null member of the family.
 *
 * Idea: nothing.  Measures what the harness costs without a lock; the contract
 * test must find that it does not exclude.
 * Fairness: none needed.  Bytes: 0.  Uncontended: one indirect call.
 */
#include "lib/lock/lock.h"

static bool
none_enter(struct lock *l, struct lock_node *n)
{
	(void)l;
	(void)n;
	return (true);
}

static void
none_unlock(struct lock *l, struct lock_node *n)
{
	(void)l;
	(void)n;
}

static bool
none_owned(struct lock *l)
{
	(void)l;
	return (true);
}

LOCK_CLASS(none) = {
	.lc_name	= "none",
	.lc_descr	= "no exclusion, readers share nothing: the harness",
	.lc_type	= "no lock",
	.lc_flags	= LC_SPIN,
	.lc_enter	= none_enter,
	.lc_trylock	= none_enter,
	.lc_unlock	= none_unlock,
	.lc_owned	= none_owned,
};
