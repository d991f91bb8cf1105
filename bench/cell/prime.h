/*
 * The entropy a boot loader would hand over.
 */
#ifndef BENCH_CELL_PRIME_H
#define BENCH_CELL_PRIME_H

#include "fortuna/generator.h"

/*
 * Fills buf from the host's generator, or, where seed is not NULL, with bytes
 * that depend on *seed alone: repeatable, and not for keys.
 *
 * Returns: 0, or the errno value of getentropy(3).
 */
int prime_fill(uint8_t *buf, size_t n, const uint64_t *seed);

/*
 * Feeds n such bytes, rounded down to whole events, straight into a generator,
 * round-robin over its pools, as random_harvestq_prime() does.  With a seed the
 * events' counters are repeatable too.
 *
 * Returns: 0, ENOMEM, or as prime_fill().
 */
int prime_generator(struct generator *g, size_t n, const uint64_t *seed);

#endif
