/*
 * Mutants: designs, locks and parts of Fortuna with one fault each, to see that
 * exploration finds it.  A mutant is one file and one line in mutant.tbl.
 *
 * It defines MUTANT, its name, includes one of these headers, says what is
 * wrong, and includes the sources that it is a mutant of; what those define
 * gets the mutant's name.  What is wrong is a call that is replaced:
 *
 *	mutant.h		of a design
 *	mutant_lock.h		of a lock, whole
 *	mutant_concurrent.h	of fortuna/gen_concurrent.c
 *	mutant_fortuna.h	of fortuna/fortuna.c, too
 *	mutant_state.h		of fortuna/state.c, too
 */
#ifndef TESTS_MUTANTS_MUTANT_H
#define TESTS_MUTANTS_MUTANT_H

#include "lib/machine/flavour.h"

/* Not FLAVOUR_PASTE(), in the middle of which it is used. */
#define	MUTANT_PASTE_(m, s)	m##_##s
#define	MUTANT_PASTE(m, s)	MUTANT_PASTE_(m, s)
#define	MUTANT_OWN(s)		MUTANT_PASTE(MUTANT, s)

/* A source has one design; headers name them all. */
#define	virtual_gen_none	MUTANT_OWN(design)
#define	virtual_gen_locked	MUTANT_OWN(design)
#define	virtual_gen_concurrent	MUTANT_OWN(design)
#define	virtual_gen_hybrid	MUTANT_OWN(design)
#define	virtual_gen_batch	MUTANT_OWN(design)
#define	virtual_gen_splitlock	MUTANT_OWN(design)
#define	virtual_gen_pernode	MUTANT_OWN(design)
#define	virtual_gen_percpu	MUTANT_OWN(design)
#define	virtual_percpu_pre_read		MUTANT_OWN(percpu_pre_read)
#define	virtual_percpu_read		MUTANT_OWN(percpu_read)
#define	virtual_percpu_event		MUTANT_OWN(percpu_event)
#define	virtual_percpu_timer		MUTANT_OWN(percpu_timer)
#define	virtual_percpu_derive		MUTANT_OWN(percpu_derive)
#define	virtual_percpu_generate		MUTANT_OWN(percpu_generate)
#define	virtual_percpu_reseed		MUTANT_OWN(percpu_reseed)
#define	virtual_gen_fxrng	MUTANT_OWN(design)

/* Where others may come between, as they may between any two instructions. */
#define	MUTANT_GAP()		machine_charge(COST_WORK, 0)

#endif
