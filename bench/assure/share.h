/*
 * What lies beside the program: where "make install" puts it, or in the source
 * that it was built from.
 */
#ifndef BENCH_ASSURE_SHARE_H
#define BENCH_ASSURE_SHARE_H

#include <stdbool.h>

#include "bench/assure/evidence.h"

/* Sets ap_program, where the system says which it is. */
void share_program(struct assure_params *ap);

/*
 * Finds a folder.
 *
 *   shared, source  in   its path below share/rngsim, and below the source
 *   path            out  EVIDENCE_PATH_SIZE bytes
 *
 * Returns: false when there is neither.
 */
bool share_find(const struct assure_params *ap, const char *shared,
    const char *source, char path[EVIDENCE_PATH_SIZE]);

/*
 * This program as another make target builds it, FLAVOUR/rngsim in the folder
 * that this one is in.
 *
 * Returns: false when there is none.
 */
bool share_sibling(const struct assure_params *ap, const char *flavour,
    char path[EVIDENCE_PATH_SIZE]);

/*
 * Runs a program to its end, its output thrown away.
 *
 *   argv  in  NULL-terminated; the first is looked for in PATH
 *   name, value  in  put into its environment; name may be NULL
 *
 * Returns: its status as wait(2) gives it, or -1 when it could not be started.
 */
int share_run(char *const argv[], const char *name, const char *value);

#endif
