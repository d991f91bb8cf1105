/*
 * Waiters for the first reseed are not woken.
 */
#define	MUTANT	mutant_wake_forgotten
#include "tests/mutants/mutant_fortuna.h"

#include "fortuna/fortuna.h"

#undef	machine_wake_32
#define	machine_wake_32(word)	((void)(word))
#include "fortuna/fortuna.c"
#include "fortuna/gen_concurrent.c"
