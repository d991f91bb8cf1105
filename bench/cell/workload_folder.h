/*
 * Where recorded workloads with a name lie: the folder that RNGSIM_WORKLOADS
 * names, where "make install" puts them, and beside the source.
 */
#ifndef BENCH_WORKLOAD_FOLDER_H
#define BENCH_WORKLOAD_FOLDER_H

#include <stdbool.h>
#include <stdio.h>

enum { WORKLOAD_PATH_SIZE = 4096 };

/* What their files' names end in. */
#define	WORKLOAD_SUFFIX	".workload"

/*
 * Finds a workload by its name.
 *
 *   path  out  of its file; undefined on failure
 *
 * Returns: false when there is none.
 */
bool workload_find(const char *name, char path[WORKLOAD_PATH_SIZE]);

/*
 * Prints the names of all, in order, and where each lies.
 *
 * Returns: how many.
 */
unsigned workload_list(FILE *out);

#endif
