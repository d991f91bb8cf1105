/*
 * A CPU's key is derived when the base's generation is another one, from 1 on;
 * readers begin when the flag is set.  The flag's store is relaxed: on Arm a
 * reader may see it before the generation, and uses a key that was never set.
 */
#define	MUTANT	mutant_ready_relaxed
#include "tests/mutants/mutant.h"

#define	virtual_percpu_init		MUTANT_OWN(percpu_init)
#define	virtual_percpu_fini		MUTANT_OWN(percpu_fini)
#define	virtual_percpu_seeded		MUTANT_OWN(percpu_seeded)
#define	virtual_percpu_wait_seeded	MUTANT_OWN(percpu_wait_seeded)
#define	virtual_percpu_status		MUTANT_OWN(percpu_status)
#include "fortuna/percpu.h"

#undef	CRNG_NO_GENERATION
#define	CRNG_NO_GENERATION	0
#define	atomic_store_rel_32	atomic_store_32
#include "fortuna/percpu.c"
#include "fortuna/gen_percpu.c"
