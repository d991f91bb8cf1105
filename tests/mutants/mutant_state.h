/* See mutant.h. */
#ifndef TESTS_MUTANTS_MUTANT_STATE_H
#define TESTS_MUTANTS_MUTANT_STATE_H

#define	fortuna_state_init		MUTANT_OWN(state_init)
#define	fortuna_state_fini		MUTANT_OWN(state_fini)
#define	fortuna_state_event		MUTANT_OWN(state_event)
#define	fortuna_state_drain		MUTANT_OWN(state_drain)
#define	fortuna_state_reseed		MUTANT_OWN(state_reseed)
#define	fortuna_state_pre_read		MUTANT_OWN(state_pre_read)
#define	fortuna_state_rekey		MUTANT_OWN(state_rekey)
#define	fortuna_piece			MUTANT_OWN(piece)
#define	fortuna_state_genbytes		MUTANT_OWN(state_genbytes)
#define	fortuna_state_reserve		MUTANT_OWN(state_reserve)
#define	fortuna_state_small		MUTANT_OWN(state_small)
#define	fortuna_private_genbytes	MUTANT_OWN(private_genbytes)
#define	fortuna_private_fini		MUTANT_OWN(private_fini)

#include "tests/mutants/mutant_fortuna.h"

/*
 * fortuna_state_pre_read(), after an #undef of it, with statements before the
 * pools are drained and before they become the key.
 */
#define	MUTANT_PRE_READ(before, between)				\
static unsigned								\
fortuna_state_pre_read(struct fortuna_state *fs, int64_t now_ns,	\
    bool paced)								\
{									\
	struct fortuna_seed fd;						\
	unsigned pools;							\
									\
	before;								\
	pools = fortuna_state_drain(fs, now_ns, paced, &fd);		\
	if (pools == 0)							\
		return (0);						\
	between;							\
	fortuna_state_reseed(fs, &fd);					\
	return (pools);							\
}

#endif
