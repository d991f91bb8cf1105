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
	union {
		struct mptr	b_list;
		struct m32	b_flag[8];
	};
	struct mthread	*b_owner;	/* the last one */
};

LOCK_STATE(struct broken)

static inline bool
broken_owned(struct lock *l)
{
	return (state_of(l)->b_owner == machine_curthread());
}

static inline void
broken_fini(struct lock *l)
{
	KASSERT(state_of(l)->b_owner == NULL, ("%s is owned", l->lo_name));
}

/* What a mutant replaces of the class that follows. */
#ifndef MUTANT_OWNED
#define	MUTANT_OWNED	broken_owned
#define	MUTANT_FINI	broken_fini
#endif
#ifndef MUTANT_TRYLOCK
#define	MUTANT_TRYLOCK	NULL
#endif

/* The class of broken_lock() and broken_unlock(), in place of mtx(9). */
#define	MUTANT_LOCK(flags)						\
	static bool							\
	owner_lock(struct lock *l, struct lock_node *n,			\
	    struct lock_wait *w)					\
	{								\
		bool waited = broken_lock(l, n, w);			\
									\
		state_of(l)->b_owner = machine_curthread();		\
		return (waited);					\
	}								\
									\
	static void							\
	owner_unlock(struct lock *l, struct lock_node *n)		\
	{								\
									\
		state_of(l)->b_owner = NULL;				\
		broken_unlock(l, n);					\
	}								\
									\
	extern const struct lock_class MUTANT_OWN(lock);		\
	const struct lock_class MUTANT_OWN(lock) = {			\
		.lc_name	= "mtx",				\
		.lc_flags	= LC_EXCLUDES | (flags),		\
		.lc_knobs	= LK_SPIN_POLLS,			\
		.lc_fini	= MUTANT_FINI,				\
		.lc_lock	= owner_lock,				\
		.lc_trylock	= MUTANT_TRYLOCK,			\
		.lc_unlock	= owner_unlock,				\
		.lc_owned	= MUTANT_OWNED,				\
	}

#endif
