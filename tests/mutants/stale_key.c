/*
 * A CPU that has a key does not ask whether the base has another.
 */
#define	MUTANT	mutant_stale_key
#include "tests/mutants/mutant.h"

#include "fortuna/percpu.h"

static uint64_t
newest(struct percpu *p, const struct percpu_cpu *pc)
{
	return (pc->pc_crng.cr_generation == CRNG_NO_GENERATION ?
	    atomic_load_64(&p->p_generation) : pc->pc_crng.cr_generation);
}

#undef	atomic_load_64
#define	atomic_load_64(word)	newest(p, pc)
#include "fortuna/gen_percpu.c"
