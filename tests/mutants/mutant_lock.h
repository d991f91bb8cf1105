/*
 * What broken locks share: their words and what ends the file.  A mutant is
 * then how it locks and unlocks.
 */
#ifndef TESTS_MUTANT_LOCK_H
#define TESTS_MUTANT_LOCK_H

#include "lib/lock.h"
#include "lib/lock_spin.h"

/* Zero at first. */
struct broken {
	struct m32	b_word;
	struct m32	b_other;
};

LOCK_STATE_FITS(struct broken);

static struct broken *
of(struct lock *l)
{

	return ((struct broken *)(void *)l->lo_state);
}

static int
broken_init(struct lock *l)
{

	atomic_init_32(&of(l)->b_word, 0);
	atomic_init_32(&of(l)->b_other, 0);
	return (0);
}

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
		.lc_init	= broken_init,				\
		.lc_fini	= broken_fini,				\
		.lc_lock	= broken_lock,				\
		.lc_unlock	= broken_unlock,			\
		.lc_owned	= broken_owned,				\
	}

#endif
