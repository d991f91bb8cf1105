/*
 * What lies beside the program: where "make install" puts it, or in the source
 * that it was built from.
 */
#ifndef BENCH_ASSURE_SHARE_H
#define BENCH_ASSURE_SHARE_H

#include <stdbool.h>

#include "bench/assure/evidence.h"

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
 * This program as another make target builds it, build-FLAVOUR/rngsim beside
 * the folder that this one is in.
 *
 * Returns: false when there is none.
 */
bool share_sibling(const struct assure_params *ap, const char *flavour,
    char path[EVIDENCE_PATH_SIZE]);

#endif
