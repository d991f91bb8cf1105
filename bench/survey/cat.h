/*
 * The output of generators on standard output.
 */
#ifndef BENCH_SURVEY_CAT_H
#define BENCH_SURVEY_CAT_H

#include "bench/options/options.h"

/* The memory of all buffers. */
uint64_t cat_memory_bytes(const struct options *op);

/*
 * Makes and seeds a generator, starts op_readers reader threads and writes
 * their output, interleaved; wipes it.  The caller is a machine thread and
 * libcrypto is started.  An error is printed.
 *
 *   op  in  of kind OPTIONS_CAT
 *
 * Returns: the exit status; EXIT_SUCCESS also when the pipe's reader ended.
 */
int cat(const struct options *op);

#endif
