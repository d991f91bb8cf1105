/* Where this program is, and what lies beside it. */
#ifndef BENCH_CLI_PROGRAM_H
#define BENCH_CLI_PROGRAM_H

#include <stdbool.h>

enum { PROGRAM_PATH_SIZE = 4096 };

/* The path of this program; empty where the system does not have it. */
void program_find(char path[PROGRAM_PATH_SIZE]);

/*
 * Finds the program's data: installed, share/rngsim/SHARED, or else SOURCE in
 * the source tree that it was built from.  Either may be NULL.
 */
bool program_data(const char *shared, const char *source,
    char path[PROGRAM_PATH_SIZE]);

/* Finds the same program in another build, FLAVOUR/rngsim beside this one. */
bool program_sibling(const char *flavour, char path[PROGRAM_PATH_SIZE]);

#endif
