/*
 * CPUs take a copy of the base key in place of one of their own.
 */
#define	MUTANT	mutant_shared_key
#include "tests/mutants/mutant.h"

#include <string.h>

#include "fortuna/percpu.h"

static void
copy_key(struct crng *cr, struct crng *base)
{
	cipher_key_set(&cr->cr_key, base->cr_key.ck_raw);
	cr->cr_generation = base->cr_generation;
}

#define	crng_derive	copy_key
#include "fortuna/gen_percpu.c"
