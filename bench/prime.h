/*
 * The bytes a boot loader would hand over: random_harvestq_prime()'s input.
 */
#ifndef BENCH_PRIME_H
#define BENCH_PRIME_H

#include <stddef.h>
#include <stdint.h>

/*
 * Fills buf from the host's generator, or, where seed is not NULL, with bytes
 * that depend on *seed alone: repeatable, and not for keys.
 *
 * Returns: 0, or the errno value of getentropy(3).
 */
int prime_fill(uint8_t *buf, size_t n, const uint64_t *seed);

#endif
