/*
 * The mutex is not dropped where there was nothing to read.
 */
#define	MUTANT	mutant_unlock_forgotten
#include "tests/mutants/mutant_concurrent.h"

#define	fortuna_private_fini(fp)	do {				\
	fortuna_private_fini(fp);					\
	if (uio->uio_resid == 0 && f->f_state.fs_reseedcount > 1)	\
		lock_acquire(&f->f_mtx, &node, SITE_READ);		\
} while (0)
#include "fortuna/gen_concurrent.c"
