/* See mutant.h. */
#ifndef TESTS_MUTANTS_MUTANT_FORTUNA_H
#define TESTS_MUTANTS_MUTANT_FORTUNA_H

#define	virtual_random_fortuna_init_alg		MUTANT_OWN(init_alg)
#define	virtual_random_fortuna_deinit_alg	MUTANT_OWN(deinit_alg)
#define	virtual_random_fortuna_pre_read		MUTANT_OWN(pre_read)
#define	virtual_random_fortuna_seeded		MUTANT_OWN(seeded)
#define	virtual_random_fortuna_process_event	MUTANT_OWN(process_event)
#define	virtual_random_fortuna_process_noted				\
	MUTANT_OWN(random_fortuna_process_noted)
#define	virtual_random_fortuna_wait_seeded	MUTANT_OWN(wait_seeded)
#define	virtual_random_fortuna_status		MUTANT_OWN(status)
#define	virtual_random_fortuna_core		MUTANT_OWN(core)
#define	virtual_random_fortuna_reseed_due	MUTANT_OWN(reseed_due)
#define	virtual_random_fortuna_maybe_due	MUTANT_OWN(maybe_due)
#define	virtual_random_fortuna_note_due		MUTANT_OWN(note_due)
#define	virtual_random_fortuna_absorb		MUTANT_OWN(absorb)
#define	virtual_random_fortuna_charge_reseed	MUTANT_OWN(charge_reseed)
#define	virtual_random_fortuna_publish		MUTANT_OWN(publish)
#define	virtual_random_fortuna_seed_part	MUTANT_OWN(seed_part)

#include "tests/mutants/mutant_concurrent.h"

#endif
