/*
 * Bob Jenkins' lookup3, hashlittle().
 *
 * Stands for jenkins_hash(9), which squeezes a large event into four bytes.
 */
#ifndef HARVEST_JENKINS_H
#define HARVEST_JENKINS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Hashes n bytes at any alignment; the same on every byte order.
 *
 *   init  in  the hash of what came before, or any seed
 *
 * Takes no lock, cannot fail.
 * Source: lookup3.c, May 2006.
 */
uint32_t jenkins_hash(const void *data, size_t n, uint32_t init);

#endif
