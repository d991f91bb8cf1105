/* See mutant.h. */
#ifndef TESTS_MUTANTS_MUTANT_CONCURRENT_H
#define TESTS_MUTANTS_MUTANT_CONCURRENT_H

#define	virtual_random_fortuna_read_concurrent	MUTANT_OWN(read_concurrent)

#include "tests/mutants/mutant.h"
#include "fortuna/fortuna.h"

#endif
