/*
 * A read takes no lock at all.
 */
#define	MUTANT	mutant_no_lock
#include "tests/mutants/mutant_concurrent.h"

#define	lock_acquire(l, node, site)	((void)(node))
#define	lock_release(l, node)		((void)(node))
#undef	random_fortuna_publish
#define	random_fortuna_publish(f)	((void)(f))
#include "fortuna/gen_concurrent.c"
