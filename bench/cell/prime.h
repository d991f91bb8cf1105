/*
 * The entropy a boot loader would hand over.
 */
#ifndef BENCH_CELL_PRIME_H
#define BENCH_CELL_PRIME_H

#include <stddef.h>
#include <stdint.h>

/*
 * Makes n bytes, to be freed, from the host's generator, or, where seed is not
 * NULL, that depend on *seed alone: repeatable, and not for keys.
 *
 * Returns: NULL with errno set: ENOMEM, or getentropy(3)'s.
 */
uint8_t *prime_bytes(size_t n, const uint64_t *seed);

#endif
