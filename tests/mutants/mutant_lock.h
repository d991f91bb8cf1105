/*
 * What broken locks share: their words and what ends the file.  A mutant is
 * then how it locks and unlocks.
 */
#ifndef TESTS_MUTANTS_MUTANT_LOCK_H
#define TESTS_MUTANTS_MUTANT_LOCK_H

#include "lib/lock/lock.h"
#include "lib/lock/spin.h"

/* Zero at first. */
struct broken {
	struct m32	b_word;
	struct m32	b_other;
};

LOCK_STATE(struct broken)

static void
broken_fini(struct lock *l)
{

	(void)l;
}

static bool
broken_owned(struct lock *l)
{

	(void)l;
	return (true);
}

/* The class of broken_lock() and broken_unlock(), in place of mtx(9). */
#define	MUTANT_LOCK(waits)						\
	extern const struct lock_class MUTANT_OWN(lock);		\
	const struct lock_class MUTANT_OWN(lock) = {			\
		.lc_name	= "mtx",				\
		.lc_flags	= LC_EXCLUDES | (waits),		\
		.lc_fini	= broken_fini,				\
		.lc_lock	= broken_lock,				\
		.lc_unlock	= broken_unlock,			\
		.lc_owned	= broken_owned,				\
	}

#endif
