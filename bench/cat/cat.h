/*
 * What generators make, on stdout.
 */
#ifndef BENCH_CAT_H
#define BENCH_CAT_H

#include "bench/options/options.h"

/* Memory that buffers of what op asks for take, in bytes. */
uint64_t cat_memory_bytes(const struct options *op);

/*
 * Makes a generator, seeds it, starts op_readers threads that read of it and
 * writes what they read, interleaved, to stdout; says on stderr why not.  The
 * caller is a thread of the machine and libcrypto is started.
 *
 *   op  in  of kind OPTIONS_CAT
 *
 * Returns: the exit status.  EXIT_SUCCESS also when a pipe's reader has had
 * enough.
 * Wipes: all that was read.
 */
int cat(const struct options *op);

#endif
